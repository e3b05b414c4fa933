"""Identifies the voices of different windows that belong to one speaker.

Usage: link.py FILE. FILE contains {"windows": [[{"localSpeaker", "embedding"}, ...], ...], "minSpeakers"?, "maxSpeakers"?}.
The output is the speaker of each segment of each window, numbered in order of appearance: [[0, 1, 0], ...].
"""

import json
import sys
from functools import reduce
from itertools import combinations
from operator import add

import numpy as np
from clusters import centres_of, nearest
from gaussians import Stats, split_gain, split_penalty

# Two voices are two speakers if the gain of separating them exceeds this factor of the BIC penalty and these nats per frame.
PENALTY_FACTOR = 1.0
GAIN_PER_FRAME = 0.2
# The number of longest segments of a group from which its two halves are determined.
MOST_EXAMPLES = 5_000

Group = list[tuple[int, int]]


def link(windows: list[list[dict]], at_least: int, at_most: int | None) -> list[list[int]]:
    stats = [[Stats.unpacked(voice["embedding"]) for voice in window] for window in windows]
    groups = _local_groups(windows)

    def stats_of(group: Group) -> Stats:
        return reduce(add, [stats[w][s] for w, s in group])

    groups = _merge(groups, [stats_of(group) for group in groups], at_most)
    while len(groups) < at_least:
        halves = [half for half in (_split(group, [stats[w][s] for w, s in group]) for group in groups) if half]
        if not halves:
            break
        best = max(halves, key=lambda pair: split_gain(stats_of(pair[0] + pair[1]), [stats_of(half) for half in pair]))
        groups = [group for group in groups if set(group) != set(best[0] + best[1])] + list(best)
    labels = [[0] * len(window) for window in windows]
    for speaker, group in enumerate(sorted(groups, key=min)):
        for w, s in group:
            labels[w][s] = speaker
    return labels


def _local_groups(windows: list[list[dict]]) -> list[Group]:
    groups: dict[tuple[int, int], Group] = {}
    for w, window in enumerate(windows):
        for s, voice in enumerate(window):
            groups.setdefault((w, voice["localSpeaker"]), []).append((w, s))
    return list(groups.values())


def _merge(groups: list[Group], stats: list[Stats], at_most: int | None) -> list[Group]:
    """Merges the nearest groups repeatedly. Speakers of one window are merged only if `at_most` requires it."""
    alive = dict(enumerate(groups))
    sums = dict(enumerate(stats))
    windows = {i: {w for w, _ in group} for i, group in alive.items()}
    costs = {pair: _cost(sums[pair[0]], sums[pair[1]]) for pair in combinations(alive, 2)}
    while len(alive) > 1:
        free = [(cost, pair) for pair, cost in costs.items() if cost < 0 and not windows[pair[0]] & windows[pair[1]]]
        if not free and at_most is not None and len(alive) > at_most:
            free = [(cost, pair) for pair, cost in costs.items()]
        if not free:
            break
        _, (a, b) = min(free)
        alive[a] += alive.pop(b)
        sums[a] += sums.pop(b)
        windows[a] |= windows.pop(b)
        costs = {pair: cost for pair, cost in costs.items() if a not in pair and b not in pair}
        costs |= {(min(a, c), max(a, c)): _cost(sums[a], sums[c]) for c in alive if c != a}
    return list(alive.values())


def _cost(a: Stats, b: Stats) -> float:
    whole = a + b
    smaller = min(a.frames, b.frames)
    return (split_gain(whole, [a, b]) - PENALTY_FACTOR * split_penalty(whole, 2)) / max(1, 2 * smaller) - GAIN_PER_FRAME


def _split(group: Group, stats: list[Stats]) -> tuple[Group, Group] | None:
    if len(group) < 2:
        return None
    means = np.array([s.mean for s in stats])
    means /= np.maximum(means.std(0), 1e-6)
    examples = means[np.argsort([-s.frames for s in stats], kind="stable")[:MOST_EXAMPLES]]
    found = nearest(means, centres_of(examples, 2, tries=4))
    if found.min() == found.max():
        return None
    return tuple([member for member, half in zip(group, found) if half == wanted] for wanted in (0, 1))


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        request = json.load(file)
    print(json.dumps(link(request["windows"], request.get("minSpeakers", 1), request.get("maxSpeakers"))))
