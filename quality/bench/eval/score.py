"""Error rates of speaker labels and words.

score.py FILE      FILE: {"files": [{"name", "durationSeconds", "reference", "found", "stm"?, "words"?}]}
  segments: {"startSeconds", "endSeconds", "speaker"}; texts: {"speaker", "text"}
  one JSON line a file, with the sums from which rates of several files are made
"""

import json
import re
import sys

import jiwer
import numpy as np
from pyannote.core import Annotation, Segment, Timeline
from pyannote.metrics.diarization import DiarizationErrorRate
from rapidfuzz.distance import Levenshtein
from scipy.optimize import linear_sum_assignment

COLLARS = (0.0, 0.25)


def annotation(segments: list[dict]) -> Annotation:
    out = Annotation()
    for i, segment in enumerate(segments):
        out[Segment(segment["startSeconds"], segment["endSeconds"]), i] = segment["speaker"]
    return out


def diarization(file: dict, collar: float) -> dict:
    parts = DiarizationErrorRate(collar=collar)(
        annotation(file["reference"]),
        annotation(file["found"]),
        uem=Timeline([Segment(0, file["durationSeconds"])]),
        detailed=True,
    )
    return {
        "total": parts["total"],
        "missed": parts["missed detection"],
        "falseAlarm": parts["false alarm"],
        "confusion": parts["confusion"],
    }


def kept_label(file: dict) -> float:
    """Of what a speaker says alone and somebody was found in, the share with the label that he has most; the least of all."""
    reference, found = annotation(file["reference"]), annotation(file["found"])
    shares = []
    for speaker in reference.labels():
        others = reference.subset([speaker], invert=True).get_timeline().support()
        alone = reference.label_timeline(speaker).support().extrude(others)
        labelled = [found.label_timeline(label).support().crop(alone).duration() for label in found.labels()]
        seconds = found.get_timeline().support().crop(alone).duration()
        if seconds > 0:
            shares.append(max(labelled) / seconds)
    return min(shares, default=1)


def normalised(text: str) -> list[str]:
    return re.sub(r"[^\w' ]", " ", text.lower().replace("’", "'")).split()


def by_speaker(texts: list[dict]) -> list[list[str]]:
    out: dict[str, list[str]] = {}
    for part in texts:
        out.setdefault(part["speaker"], []).extend(normalised(part["text"]))
    return list(out.values())


def words(file: dict) -> dict:
    reference = [word for part in file["stm"] for word in normalised(part["text"])]
    found = [word for part in file["words"] for word in normalised(part["text"])]
    plain = jiwer.process_words(" ".join(reference), " ".join(found))
    # cpWER: each speaker's words in one string, over the pairing of speakers that fits best.
    spoken, heard = by_speaker(file["stm"]), by_speaker(file["words"])
    size = max(len(spoken), len(heard))
    spoken += [[]] * (size - len(spoken))
    heard += [[]] * (size - len(heard))
    costs = np.array([[Levenshtein.distance(a, b) for b in heard] for a in spoken])
    return {
        "words": len(reference),
        "wordErrors": plain.substitutions + plain.deletions + plain.insertions,
        "pairedErrors": int(costs[linear_sum_assignment(costs)].sum()),
    }


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as question:
        for file in json.load(question)["files"]:
            result = {"name": file["name"]}
            if file["reference"]:
                result["collars"] = [diarization(file, collar) for collar in COLLARS]
                result["keptLabel"] = kept_label(file)
            if file.get("stm"):
                result["text"] = words(file)
            print(json.dumps(result), flush=True)
