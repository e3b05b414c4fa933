"""Words and voices of one window of a WAV file, as JSON lines on stdout.

analyse.py WAV START END SPEECH WHAT times in seconds; SPEECH: [[start, end], ...] within them, as JSON; WHAT: all, voices
  {"progress": 0.5}                  share done
  {"word": {...}}, {"voice": {...}}  as in speech/speech-engine.ts, times in the whole file
"""

import json
import sys

import numpy as np
from blocks import Block, blocks_of
from features import FRAMES_PER_SECOND, phone_features, read_samples, voice_features
from gaussians import Stats
from phones import Phones, without_sounds
from speakers import label_blocks
from words import Words, model_folder

_SHORTEST_FRAMES = 5
# Pauses of one speaker up to this are part of the segment.
_BRIDGED_SECONDS = 0.5
# What takes how much of the time, roughly.
_WORDS_SHARE = 0.8


def tell(**what: object) -> None:
    print(json.dumps(what, allow_nan=False), flush=True)


def main(path: str, start: float, end: float, speech: list[list[float]], hears_words: bool) -> None:
    samples = read_samples(path, start, end)
    regions = [(max(0.0, a - start), min(b - start, len(samples) / 16_000)) for a, b in speech]
    if hears_words:
        words(samples, regions, start)
    for voice in voices(samples, regions):
        times = {key: round(start + voice[key], 3) for key in ("startSeconds", "endSeconds")}
        tell(voice=voice | times)
    tell(progress=1)


def words(samples: np.ndarray, regions: list[tuple[float, float]], start: float) -> None:
    decoder = Words()
    for i, (a, b) in enumerate(regions):
        for text, at, until in decoder.of(samples, a, b):
            tell(word={"text": text, "startSeconds": round(start + at, 3), "endSeconds": round(start + until, 3)})
        tell(progress=round(_WORDS_SHARE * (i + 1) / len(regions), 4))


def voices(samples: np.ndarray, regions: list[tuple[float, float]]) -> list[dict]:
    """Segments of one speaker each, with the sums of their features as embedding."""
    if len(samples) < 512:
        return []
    x, sounds = voice_features(samples), phone_features(samples)
    count = min(len(x), len(sounds))
    frames = [(round(a * FRAMES_PER_SECOND), min(count, round(b * FRAMES_PER_SECOND))) for a, b in regions]
    frames = [(a, b) for a, b in frames if b - a >= _SHORTEST_FRAMES]
    if not frames:
        return []
    spoken = np.concatenate([np.arange(a, b) for a, b in frames])
    posteriors = Phones(model_folder()).posteriors(sounds[:count] - sounds[spoken].mean(0))
    voice = np.zeros((count, x.shape[1]))
    voice[spoken] = without_sounds(x[spoken], posteriors[spoken])
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
    main(sys.argv[1], float(sys.argv[2]), float(sys.argv[3]), json.loads(sys.argv[4]), sys.argv[5] == "all")
