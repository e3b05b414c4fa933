"""Sums from which the full Gaussian of any union of segments can be had, and what splitting it is worth."""

from dataclasses import dataclass
from functools import reduce

import numpy as np

# Counts as so many frames of variance 1, so that the covariance of a short segment has an inverse.
_PRIOR_FRAMES = 20


@dataclass(frozen=True)
class Stats:
    frames: int
    sums: np.ndarray
    squares: np.ndarray

    @staticmethod
    def of(x: np.ndarray) -> "Stats":
        return Stats(len(x), x.sum(0), x.T @ x)

    def __add__(self, other: "Stats") -> "Stats":
        return Stats(self.frames + other.frames, self.sums + other.sums, self.squares + other.squares)

    @property
    def mean(self) -> np.ndarray:
        return self.sums / max(1, self.frames)

    def packed(self) -> list[float]:
        """Frames, means, and the upper half of the covariance; rounded, since it is kept as JSON."""
        mean = self.mean
        covariance = self.squares / max(1, self.frames) - np.outer(mean, mean)
        return [self.frames, *np.round(np.append(mean, covariance[np.triu_indices(len(mean))]), 4).tolist()]

    @staticmethod
    def unpacked(values: list[float]) -> "Stats":
        # values = 1 + n + n (n + 1) / 2
        n = round((-3 + (9 + 8 * (len(values) - 1)) ** 0.5) / 2)
        frames, mean = int(values[0]), np.array(values[1 : n + 1])
        covariance = np.zeros((n, n))
        covariance[np.triu_indices(n)] = values[n + 1 :]
        covariance += np.triu(covariance, 1).T
        return Stats(frames, frames * mean, frames * (covariance + np.outer(mean, mean)))

    def spread(self, prior: np.ndarray) -> float:
        """Half the frames times the log-determinant of the covariance: the negative log-likelihood without constants."""
        covariance = self.squares - np.outer(self.sums, self.sums) / max(1, self.frames) + _PRIOR_FRAMES * prior
        return 0.5 * self.frames * float(np.linalg.slogdet(covariance / (self.frames + _PRIOR_FRAMES))[1])


def split_gain(whole: Stats, parts: list[Stats]) -> float:
    """By how many nats the parts explain their frames better than one Gaussian does."""
    prior = np.diag(np.diag(whole.squares / whole.frames - np.outer(whole.mean, whole.mean)))
    return whole.spread(prior) - sum(part.spread(prior) for part in parts)


def split_penalty(whole: Stats, parts: int) -> float:
    """The BIC penalty of the further parts."""
    values = len(whole.sums)
    return (parts - 1) * 0.5 * (values + values * (values + 1) / 2) * np.log(max(2, whole.frames))


def total(stats: list[Stats]) -> Stats:
    return reduce(lambda a, b: a + b, stats)
