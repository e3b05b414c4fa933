"""Assigns the blocks of one window to speakers, without a trained model."""

import numpy as np
from blocks import CHUNK_BLOCKS, Block, chunks_of, first_occurrences, only
from clusters import Mixture, ward
from gaussians import Stats, split_gain, split_penalty

# These values were chosen with the recordings that docs/speech.md names.
MOST_SPEAKERS = 8
# The gain of another speaker must exceed a factor of the BIC penalty, because frames are not independent of each other. It must
# also exceed a share of the entropy of the labels, because minutes of speech also contain different moods and repeated phrases.
PENALTY_FACTOR = 1.5
NATS_PER_NAT = 0.25
MIXTURES = 8
RELEVANCE = 10
SWITCH_COST = 5.0
# Adjacent frames are similar, so ten count as one.
ACOUSTIC_SCALE = 0.1
ROUNDS = 10


def label_blocks(x: np.ndarray, blocks: list[Block]) -> np.ndarray:
    """Returns the speaker (0, 1, …) of each block. @param x the features (frames, values) of the window"""
    first = first_occurrences(x, blocks)
    fresh = [i for i, source in enumerate(first) if source == i]
    labels = dict(zip(fresh, _label_fresh(x, only(blocks, fresh))))
    return np.array([labels[source] for source in first], int)


def _label_fresh(x: np.ndarray, blocks: list[Block]) -> np.ndarray:
    labels = np.zeros(len(blocks), int)
    chunks = chunks_of(blocks)
    if len(chunks) < 2:
        return labels
    spoken = np.concatenate([x[block.start : block.end] for block in blocks])
    x = (x - spoken.mean(0)) / np.maximum(spoken.std(0), 1e-6)
    spoken = np.concatenate([x[block.start : block.end] for block in blocks])
    stats = [Stats.of(x[blocks[chunk[0]].start : blocks[chunk[-1]].end]) for chunk in chunks]
    mixture = Mixture(spoken, MIXTURES) if len(spoken) >= 10 * MIXTURES else None
    grouped = _grouped(stats, chunks)
    whole = Stats.of(spoken)
    best = 0.0
    found_at = 1
    for count in range(2, min(MOST_SPEAKERS, len(chunks)) + 1):
        # Three more speakers were no improvement.
        if count > found_at + 3:
            break
        start = np.concatenate([np.full(len(chunk), at) for chunk, at in zip(chunks, grouped[count - 1])])
        # Both labelings are candidates, because resegmentation may lose a speaker.
        for found in (_resegment(x, blocks, start, mixture), start):
            parts = _parts(x, blocks, found)
            worth = split_gain(whole, parts) - PENALTY_FACTOR * split_penalty(whole, len(parts))
            worth -= NATS_PER_NAT * sum(part.frames * np.log(whole.frames / part.frames) for part in parts)
            if len(parts) > 1 and worth > best:
                best, labels, found_at = worth, found, count
    return np.unique(labels, return_inverse=True)[1]


def _parts(x: np.ndarray, blocks: list[Block], labels: np.ndarray) -> list[Stats]:
    return [
        Stats.of(np.concatenate([x[b.start : b.end] for b, label in zip(blocks, labels) if label == speaker]))
        for speaker in np.unique(labels)
    ]


def _grouped(stats: list[Stats], chunks: list[list[int]]) -> list[np.ndarray]:
    # The mean of a short chunk is unreliable. It is moved towards the centre, where it may belong to any cluster.
    trust = np.sqrt(np.minimum(1, np.array([len(chunk) for chunk in chunks]) / CHUNK_BLOCKS))
    return ward(np.array([s.mean for s in stats]) * trust[:, None], MOST_SPEAKERS)


def _resegment(x: np.ndarray, blocks: list[Block], labels: np.ndarray, mixture: Mixture | None) -> np.ndarray:
    """Assigns blocks again, to mixtures of the speakers that are adapted from the mixture of the window."""
    if mixture is None:
        return labels
    constants, posteriors = mixture.constants(), mixture.posteriors(x)
    starts = [block.start for block in blocks]
    for _ in range(ROUNDS):
        scores = np.empty((len(blocks), labels.max() + 1))
        for speaker in range(scores.shape[1]):
            mine = np.concatenate([np.arange(b.start, b.end) for b, label in zip(blocks, labels) if label == speaker])
            weights = posteriors[mine].sum(0)[:, None]
            means = (posteriors[mine].T @ x[mine] + RELEVANCE * mixture.means) / (weights + RELEVANCE)
            likelihoods = np.logaddexp.reduce(constants - mixture.distances(x, means) / 2, axis=1)
            frames = np.append(0, np.cumsum(likelihoods))
            scores[:, speaker] = (frames[[b.end for b in blocks]] - frames[starts]) * ACOUSTIC_SCALE
        moved = np.unique(_best_path(scores, blocks), return_inverse=True)[1]
        if (moved == labels).all():
            break
        labels = moved
    return labels


def _best_path(scores: np.ndarray, blocks: list[Block]) -> np.ndarray:
    """Viterbi algorithm. A change of speaker has a cost, which is half as high at a pause."""
    came_from = np.empty(scores.shape, int)
    total = scores[0]
    own = np.arange(scores.shape[1])
    for i in range(1, len(blocks)):
        cost = SWITCH_COST / 2 if blocks[i].after_pause else SWITCH_COST
        leader = int(total.argmax())
        stays = total >= total[leader] - cost
        came_from[i] = np.where(stays, own, leader)
        total = np.where(stays, total, total[leader] - cost) + scores[i]
    path = np.empty(len(blocks), int)
    path[-1] = int(total.argmax())
    for i in range(len(blocks) - 1, 0, -1):
        path[i - 1] = came_from[i, path[i]]
    return path
