"""Detects speech that is repeated sample by sample, such as loops, jingles and replays.

A phrase is more similar to its copy than to any other phrase, so each repeated phrase would be clustered as a voice of its own.
"""

import numpy as np
from numpy.fft import irfft, rfft

# The share of the energy of two intervals that their difference has: up to 0.05 in loops of the sandbox, 0.15 on a noisy telephone
# line, at least 0.35 in conversations without repetition.
_MOST_DIFFERENCE = 0.25
# A shorter interval is similar to too many others. It is compared only if an adjacent one is a copy.
_SHORTEST_FRAMES = 40


class _Recording:
    def __init__(self, x: np.ndarray, longest: int) -> None:
        self.x = ((x - x.mean(0)) / np.maximum(x.std(0), 1e-6)).astype(np.float32)
        # The transform is fast for lengths with small prime factors.
        least = len(x) + longest
        step = 1 << max(0, least.bit_length() - 4)
        self.size = -(-least // step) * step
        self.spectrum = rfft(self.x, self.size, axis=0)
        self.energy = np.append(0, np.cumsum((self.x.astype(np.float64) ** 2).sum(1)))

    def earlier(self, start: int, end: int) -> int | None:
        """Returns the start of an earlier interval that this one repeats."""
        frames = end - start
        if frames < _SHORTEST_FRAMES or start < frames:
            return None
        piece = rfft(self.x[start:end], self.size, axis=0).conj()
        product = irfft((self.spectrum * piece).sum(1), self.size)[: start - frames + 1]
        energy = self.energy[frames : start + 1] - self.energy[: start - frames + 1]
        difference = 1 - 2 * product / np.maximum(energy + self.energy[end] - self.energy[start], 1e-9)
        best = int(difference.argmin())
        return best if difference[best] < _MOST_DIFFERENCE else None

    def repeats(self, start: int, end: int, other: int) -> bool:
        a, b = self.x[start:end], self.x[max(0, other) : other + end - start]
        return len(a) == len(b) and ((a - b) ** 2).sum() < _MOST_DIFFERENCE * ((a**2).sum() + (b**2).sum())


def copies(x: np.ndarray, pieces: list[tuple[int, int]]) -> list[int | None]:
    """Returns for each interval (start, end) of the frames x the start of an earlier one that it repeats, or None."""
    recording = _Recording(x, max((end - start for start, end in pieces), default=0))
    found = [recording.earlier(start, end) for start, end in pieces]
    lags = [None if at is None else piece[0] - at for piece, at in zip(pieces, found)]
    for i, (start, end) in enumerate(pieces):
        for lag in lags[max(0, i - 1) : i + 2]:
            if found[i] is None and lag is not None and recording.repeats(start, end, start - lag):
                found[i] = start - lag
    return found
