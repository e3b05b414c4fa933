"""Prints the voices of one window of a WAV file as JSON lines.

Usage: analyse.py WAV START END SPEECH. Times are in seconds of the whole file. SPEECH contains the intervals with speech as JSON:
[[start, end], ...]. speech/builtin.ts declares the lines.
"""

import json
import os
import sys

import numpy as np
import pocketsphinx
from blocks import Block, blocks_of
from features import FRAMES_PER_SECOND, phone_features, read_samples, voice_features
from gaussians import Stats
from phones import Phones, without_phones
from speakers import label_blocks

_SHORTEST_FRAMES = 5
# The longest pause of a speaker that does not end a segment.
_BRIDGED_SECONDS = 0.5
# Phones are recognised by the acoustic model of pocketsphinx.
_PHONES = os.path.join(pocketsphinx.get_model_path(), "en-us", "en-us")


def print_line(**line: object) -> None:
    print(json.dumps(line, allow_nan=False), flush=True)


def main(path: str, start: float, end: float, speech: list[list[float]]) -> None:
    samples = read_samples(path, start, end)
    regions = [(max(0.0, a - start), min(b - start, len(samples) / 16_000)) for a, b in speech]
    for voice in voices(samples, regions):
        times = {key: round(start + voice[key], 3) for key in ("startSeconds", "endSeconds")}
        print_line(voice=voice | times)
    print_line(progress=1)


def voices(samples: np.ndarray, regions: list[tuple[float, float]]) -> list[dict]:
    """The embeddings are the statistics of the features."""
    if len(samples) < 512:
        return []
    x, phones = voice_features(samples), phone_features(samples)
    count = min(len(x), len(phones))
    frames = [(round(a * FRAMES_PER_SECOND), min(count, round(b * FRAMES_PER_SECOND))) for a, b in regions]
    frames = [(a, b) for a, b in frames if b - a >= _SHORTEST_FRAMES]
    if not frames:
        return []
    spoken = np.concatenate([np.arange(a, b) for a, b in frames])
    posteriors = Phones(_PHONES).posteriors(phones[:count] - phones[spoken].mean(0))
    voice = np.zeros((count, x.shape[1]))
    voice[spoken] = without_phones(x[spoken], posteriors[spoken])
    blocks = blocks_of(frames)
    return [
        {"startSeconds": a / FRAMES_PER_SECOND, "endSeconds": b / FRAMES_PER_SECOND, "localSpeaker": speaker}
        | {"embedding": Stats.of(x[a:b]).packed()}
        for a, b, speaker in segments(blocks, label_blocks(voice, blocks))
    ]


def segments(blocks: list[Block], labels: np.ndarray) -> list[tuple[int, int, int]]:
    out: list[tuple[int, int, int]] = []
    for block, label in zip(blocks, labels):
        if out and out[-1][2] == label and block.start - out[-1][1] <= _BRIDGED_SECONDS * FRAMES_PER_SECOND:
            out[-1] = (out[-1][0], block.end, int(label))
        else:
            out.append((block.start, block.end, int(label)))
    return out


if __name__ == "__main__":
    main(sys.argv[1], float(sys.argv[2]), float(sys.argv[3]), json.loads(sys.argv[4]))
