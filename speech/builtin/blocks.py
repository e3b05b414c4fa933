"""Blocks, the parts of a window that are assigned to speakers, and chunks of consecutive blocks."""

from dataclasses import dataclass, replace

import numpy as np
from repeats import copies

BLOCK_FRAMES = 10
CHUNK_BLOCKS = 10
GAP_FRAMES = 20


@dataclass(frozen=True)
class Block:
    start: int
    end: int
    after_pause: bool


def blocks_of(regions: list[tuple[int, int]]) -> list[Block]:
    """Splits speech regions, which are in frames, into blocks of about 0.1 s."""
    out: list[Block] = []
    for start, end in regions:
        count = max(1, round((end - start) / BLOCK_FRAMES))
        edges = np.linspace(start, end, count + 1).astype(int)
        for i in range(count):
            after_pause = i == 0 and bool(out) and start - out[-1].end >= GAP_FRAMES
            out.append(Block(int(edges[i]), int(edges[i + 1]), after_pause))
    return out


def chunks_of(blocks: list[Block]) -> list[list[int]]:
    """Groups up to CHUNK_BLOCKS consecutive blocks without a pause between them."""
    chunks: list[list[int]] = []
    for i, block in enumerate(blocks):
        if not chunks or block.after_pause or len(chunks[-1]) >= CHUNK_BLOCKS:
            chunks.append([])
        chunks[-1].append(i)
    return chunks


def first_occurrences(x: np.ndarray, blocks: list[Block]) -> list[int]:
    """Returns for each block the earliest one that it repeats, which is usually the block itself."""
    chunks = chunks_of(blocks)
    starts = np.array([block.start for block in blocks])
    first = list(range(len(blocks)))
    for chunk, source in zip(chunks, copies(x, [(blocks[c[0]].start, blocks[c[-1]].end) for c in chunks])):
        if source is None:
            continue
        for i in chunk:
            middle = source + (blocks[i].start + blocks[i].end) // 2 - blocks[chunk[0]].start
            at = int(np.searchsorted(starts, middle, "right")) - 1
            # The boundaries of speech may differ slightly.
            if at >= 0 and first[at] < i and middle < blocks[at].end + GAP_FRAMES:
                first[i] = first[at]
    return first


def only(blocks: list[Block], kept: list[int]) -> list[Block]:
    """Selects blocks by their indices. There is a pause between two if the gap is long enough."""
    return [
        replace(blocks[i], after_pause=n > 0 and blocks[i].start - blocks[kept[n - 1]].end >= GAP_FRAMES)
        for n, i in enumerate(kept)
    ]
