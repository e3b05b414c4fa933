"""Mel cepstra of 16 kHz speech, 100 frames per second."""

import wave

import numpy as np
from numpy.fft import rfft

RATE = 16_000
FRAMES_PER_SECOND = 100
_HOP = RATE // FRAMES_PER_SECOND
_FFT = 512
_MAX_HERTZ = 7600
_MAX_TELEPHONE_HERTZ = 3800
# The power above 4.3 kHz relative to that from 0.3 to 3.4 kHz: at most -36 dB after 8 kHz sampling, -33 dB in jfk.wav, at least
# -15 dB in other recordings.
_MOST_ABOVE_TELEPHONE = 10**-2.5


def read_samples(path: str, start: float, end: float) -> np.ndarray:
    """Reads the samples (-1 to 1) between two times in seconds of a mono 16-bit WAV file at 16 kHz."""
    with wave.open(path, "rb") as file:
        if (file.getframerate(), file.getnchannels(), file.getsampwidth()) != (RATE, 1, 2):
            raise ValueError("not a mono 16-bit WAV file at 16 kHz")
        first = min(file.getnframes(), round(start * RATE))
        file.setpos(first)
        data = file.readframes(max(0, round(end * RATE) - first))
    return np.frombuffer(data[: len(data) // 2 * 2], "<i2").astype(np.float64) / 32768


def _spectra(samples: np.ndarray, width: int) -> np.ndarray:
    emphasised = np.append(samples[:1], samples[1:] - 0.97 * samples[:-1])
    frames = np.lib.stride_tricks.sliding_window_view(emphasised, width)[::_HOP]
    power = np.empty((len(frames), _FFT // 2 + 1))
    window = np.hamming(width)
    # All windowed frames of minutes of audio would take hundreds of megabytes.
    for at in range(0, len(frames), 2048):
        power[at : at + 2048] = np.abs(rfft(frames[at : at + 2048] * window, _FFT)) ** 2
    return power


def _triangles(corners: np.ndarray) -> np.ndarray:
    bins = np.arange(_FFT // 2 + 1) * RATE / _FFT
    left, top, right = corners[:-2, None], corners[1:-1, None], corners[2:, None]
    return np.clip(np.minimum((bins - left) / (top - left), (right - bins) / (right - top)), 0, None)


def _cepstra(energies: np.ndarray, count: int) -> np.ndarray:
    """Returns the first values of the cosine transform (type 2, orthonormal)."""
    bands = energies.shape[1]
    waves = np.cos(np.pi * np.outer(np.arange(bands) + 0.5, np.arange(count)) / bands) * np.sqrt(2 / bands)
    waves[:, 0] /= np.sqrt(2)
    return energies @ waves


def voice_features(samples: np.ndarray) -> np.ndarray:
    """Returns cepstra 1 to 12 of 40 mel bands: (frames, 12). Cepstrum 0, the loudness, is omitted."""
    spectra = _spectra(samples, 400)
    top = _MAX_TELEPHONE_HERTZ if _is_telephone(spectra) else _MAX_HERTZ
    mel = np.linspace(1127 * np.log1p(80 / 700), 1127 * np.log1p(top / 700), 42)
    bank = _triangles(700 * np.expm1(mel / 1127))
    # The added value is the noise of 16-bit samples, so that digital silence is not an outlier.
    return _cepstra(np.log(spectra @ bank.T + 1e-6), 13)[:, 1:]


def _is_telephone(spectra: np.ndarray) -> bool:
    """Whether there is so little power above 4 kHz that the bands there contain noise only."""
    mean = spectra.mean(0)
    hertz = np.arange(len(mean)) * RATE / _FFT
    speech = mean[(hertz > 300) & (hertz < 3400)].mean()
    return bool(mean[(hertz > 4300) & (hertz < 7600)].mean() < _MOST_ABOVE_TELEPHONE * speech)


def phone_features(samples: np.ndarray) -> np.ndarray:
    """Returns cepstra 0 to 12 with the parameters in feat.params of pocketsphinx's acoustic model: (frames, 13)."""
    mel = np.linspace(2595 * np.log10(1 + 130 / 700), 2595 * np.log10(1 + 6800 / 700), 27)
    corners = 700 * (10 ** (mel / 2595) - 1)
    corners = np.round(corners / (RATE / _FFT)) * (RATE / _FFT)
    bank = _triangles(corners) * (2 / (corners[2:] - corners[:-2]))[:, None]
    energies = np.log(np.maximum(_spectra(samples * 32768, 410) @ bank.T, 1e-4))
    return _cepstra(energies, 13) * (1 + 11 * np.sin(np.pi * np.arange(13) / 22))
