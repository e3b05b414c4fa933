"""Speaker segmentation and speaker embedding. To them a loud tone is one voice, a soft one another, and pitch tells who."""

import os

import numpy as np
from graph import FLOAT, Graph

RATE, WINDOW, FIELD, SHIFT = 16_000, 160_000, 991, 270
# Nobody, three speakers, and each pair of them.
SPEAKERS, AT_ONCE, CLASSES = 3, 2, 7
SOFTEST, LOUD = 0.01, 0.15
BINS = 80


def build_segmentation(folder: str) -> None:
    os.makedirs(folder)
    g = Graph()
    level = g.node("AveragePool", [g.node("Abs", ["x"])], kernel_shape=[FIELD], strides=[SHIFT])
    heard = g.node("Cast", [g.node("Greater", [level, g.floats(SOFTEST)])], to=FLOAT)
    loud = g.node("Cast", [g.node("Greater", [level, g.floats(LOUD)])], to=FLOAT)
    soft = g.node("Sub", [heard, loud])
    nobody = g.node("Sub", [g.floats(1), heard])
    never = g.node("Mul", [level, g.floats(0)])
    classes = g.node("Concat", [nobody, soft, loud, never, never, never, never], axis=1)
    g.node("Transpose", [classes], "y", perm=[0, 2, 1])
    g.save(
        os.path.join(folder, "model.onnx"),
        [("x", FLOAT, ["N", 1, "T"])],
        [("y", FLOAT, ["N", "F", CLASSES])],
        {
            **{"model_type": "pyannote-segmentation-3.0", "sample_rate": RATE, "window_size": WINDOW},
            **{"receptive_field_size": FIELD, "receptive_field_shift": SHIFT},
            **{"num_speakers": SPEAKERS, "powerset_max_classes": AT_ONCE, "num_classes": CLASSES},
        },
    )


def build_embedding(folder: str) -> None:
    os.makedirs(folder)
    g = Graph()
    spectrum = g.node("ReduceMean", ["x"], axes=[1], keepdims=0)
    mean = g.node("ReduceMean", [spectrum], axes=[1], keepdims=1)
    g.node("Sub", [spectrum, mean], "embedding")
    g.save(
        os.path.join(folder, "tiny_embedding.onnx"),
        [("x", FLOAT, ["N", "T", BINS])],
        [("embedding", FLOAT, ["N", BINS])],
        {
            **{"framework": "wespeaker", "language": "none", "output_dim": BINS},
            **{"sample_rate": RATE, "normalize_samples": 0},
        },
    )
