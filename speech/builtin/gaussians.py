"""Statistics of segments, from which the Gaussian of any union of segments is computed, and the gain of splitting it."""

from dataclasses import dataclass

import numpy as np

# The weight of the prior in frames. It makes the covariance of a short segment invertible.
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
        """Returns the number of frames, the means and the upper half of the covariance, rounded for JSON."""
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
        """Returns the negative log-likelihood without constants: half the frames times the log-determinant of the covariance."""
        covariance = self.squares - np.outer(self.sums, self.sums) / max(1, self.frames) + _PRIOR_FRAMES * prior
        return 0.5 * self.frames * float(np.linalg.slogdet(covariance / (self.frames + _PRIOR_FRAMES))[1])


def split_gain(whole: Stats, parts: list[Stats]) -> float:
    """Returns the increase of the log-likelihood, in nats, when each part has a Gaussian of its own."""
    prior = np.diag(np.diag(whole.squares / whole.frames - np.outer(whole.mean, whole.mean)))
    return whole.spread(prior) - sum(part.spread(prior) for part in parts)


def split_penalty(whole: Stats, parts: int) -> float:
    """Returns the BIC penalty for the parameters of all parts but one."""
    values = len(whole.sums)
    return (parts - 1) * 0.5 * (values + values * (values + 1) / 2) * np.log(max(2, whole.frames))
