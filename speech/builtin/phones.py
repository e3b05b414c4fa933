"""Detects the phone of each frame with the Gaussians of pocketsphinx's acoustic model.

Within one second, the features depend more on the phones than on the speaker. The difference from the mean of each phone depends
on the speaker.
"""

import struct

import numpy as np

_SMOOTHING_FRAMES = 7


def read_gaussians(path: str) -> list[np.ndarray]:
    """Reads a `means` or `variances` file of a Sphinx-3 model. Each stream has the shape (phones, densities, values)."""
    with open(path, "rb") as file:
        data = file.read()
    at = data.index(b"endhdr\n") + 7
    if struct.unpack_from("<I", data, at)[0] != 0x11223344:
        raise ValueError(f"{path} is not in the byte order of this machine")
    phones, streams, densities = struct.unpack_from("<3i", data, at + 4)
    sizes = struct.unpack_from(f"<{streams}i", data, at + 16)
    count = phones * densities * sum(sizes)
    values = np.frombuffer(data, "<f4", count, at + 20 + 4 * streams).reshape(phones, -1).astype(np.float64)
    parts = np.split(values, np.cumsum([densities * size for size in sizes])[:-1], axis=1)
    return [part.reshape(phones, densities, size) for part, size in zip(parts, sizes)]


class Phones:
    def __init__(self, model: str) -> None:
        self._streams = []
        for means, variances in zip(read_gaussians(f"{model}/means"), read_gaussians(f"{model}/variances")):
            inverse = 1 / np.maximum(variances, 1e-4)
            constant = (means**2 * inverse - np.log(inverse)).sum(2).ravel()
            # The likelihoods are one product with the values, their squares and 1.
            weights = np.concatenate([_flat(means * inverse), -_flat(inverse) / 2, -constant[:, None] / 2], axis=1)
            self._streams.append((means.shape[:2], weights.T.astype(np.float32)))

    def posteriors(self, cepstra: np.ndarray) -> np.ndarray:
        """@param cepstra (frames, 13), mean removed @returns (frames, phones), rows sum to 1"""
        first = _shifted(cepstra, 2) - _shifted(cepstra, -2)
        second = _shifted(cepstra, 3) - _shifted(cepstra, -1) - _shifted(cepstra, 1) + _shifted(cepstra, -3)
        likelihoods = sum(self._stream(stream, x) for stream, x in zip(self._streams, (cepstra, first, second)))
        smooth = _smoothed(likelihoods)
        odds = np.exp(smooth - smooth.max(1, keepdims=True))
        return odds / odds.sum(1, keepdims=True)

    def _stream(self, stream: tuple, x: np.ndarray) -> np.ndarray:
        (phones, densities), weights = stream
        values = np.concatenate([x, x**2, np.ones((len(x), 1))], axis=1).astype(np.float32)
        out = np.empty((len(x), phones), np.float32)
        # The range is split because each frame has 5,376 densities.
        for at in range(0, len(x), 256):
            each = (values[at : at + 256] @ weights).reshape(-1, phones, densities)
            most = each.max(2)
            each -= most[:, :, None]
            out[at : at + 256] = most + np.log(np.exp(each, out=each).sum(2))
        return out


def _smoothed(x: np.ndarray) -> np.ndarray:
    beyond = _SMOOTHING_FRAMES // 2
    padded = np.pad(x.astype(np.float64), ((beyond, beyond), (0, 0)))
    return sum(padded[at : at + len(x)] for at in range(_SMOOTHING_FRAMES)) / _SMOOTHING_FRAMES


def _flat(values: np.ndarray) -> np.ndarray:
    return values.reshape(-1, values.shape[2])


def _shifted(x: np.ndarray, by: int) -> np.ndarray:
    """Returns the rows i + by of x. The first and last rows are repeated at the ends."""
    return x[np.clip(np.arange(len(x)) + by, 0, len(x) - 1)]


def without_phones(x: np.ndarray, posteriors: np.ndarray) -> np.ndarray:
    """Subtracts from x (frames, values) the mean of the phone of each frame. Rare phones are hardly changed."""
    weights = posteriors.sum(0)[:, None] + 20
    return x - posteriors @ (posteriors.T @ x / weights)
