"""A NeMo token-and-duration transducer, as Parakeet TDT is exported. Says a word every 0.64 s, whatever it hears."""

import os

import numpy as np
from graph import FLOAT, INT32, INT64, Graph

MELS, HIDDEN, SUBSAMPLING, DURATIONS = 80, 2, 8, 5
PIECES = ["\u2581we", "\u2581meet", "\u2581to", "night", ".", "<blk>"]
BLANK = len(PIECES) - 1
# By the number of the frame, modulo this: piece and how many frames it takes.
CYCLE = 8
SPOKEN = {0: (0, 2), 2: (1, 2), 4: (2, 1), 5: (3, 2), 7: (4, 1)}


def build(folder: str) -> None:
    os.makedirs(folder)
    path = lambda name: os.path.join(folder, name)  # noqa: E731
    _encoder(path("encoder.int8.onnx"))
    _decoder(path("decoder.int8.onnx"))
    _joiner(path("joiner.int8.onnx"))
    with open(path("tokens.txt"), "w", encoding="utf-8") as file:
        for number, piece in enumerate(PIECES):
            file.write(f"{piece} {number}\n")


def _encoder(path: str) -> None:
    g = Graph()
    pooled = g.node("MaxPool", ["audio_signal"], kernel_shape=[SUBSAMPLING], strides=[SUBSAMPLING])
    silent = g.node("Mul", [g.node("ReduceMean", [pooled], axes=[1], keepdims=1), g.floats(0)])
    count = g.node("Gather", [g.node("Shape", [silent]), g.constant(2, np.int64)])
    numbers = g.node("Range", [g.constant(0, np.int64), count, g.constant(1, np.int64)])
    phase = g.node("Cast", [g.node("Mod", [numbers, g.ints(CYCLE)])], to=FLOAT)
    g.node("Add", [silent, phase], "outputs")
    g.node("Div", ["length", g.ints(SUBSAMPLING)], "encoded_lengths")
    g.save(
        path,
        [("audio_signal", FLOAT, ["B", MELS, "T"]), ("length", INT64, ["B"])],
        [("outputs", FLOAT, ["B", 1, "T8"]), ("encoded_lengths", INT64, ["B"])],
        {
            **{"model_type": "EncDecRNNTBPEModel", "vocab_size": BLANK, "feat_dim": MELS},
            **{"normalize_type": "per_feature", "subsampling_factor": SUBSAMPLING},
            **{"pred_rnn_layers": 1, "pred_hidden": HIDDEN, "url": "tiny-tdt-of-the-tests"},
        },
    )


def _decoder(path: str) -> None:
    g = Graph()
    state = [1, "B", HIDDEN]
    last = g.node("Cast", ["targets"], to=FLOAT)
    g.node("Tile", [g.node("Unsqueeze", [last, g.ints(1)]), g.ints(1, HIDDEN, 1)], "outputs")
    g.node("Identity", ["target_length"], "prednet_lengths")
    for name in ("states.1", "onnx::Slice_3"):
        g.node("Identity", [name], f"{name}.next")
    g.save(
        path,
        [
            *[("targets", INT32, ["B", "L"]), ("target_length", INT32, ["B"])],
            *[("states.1", FLOAT, state), ("onnx::Slice_3", FLOAT, state)],
        ],
        [
            *[("outputs", FLOAT, ["B", HIDDEN, "L"]), ("prednet_lengths", INT32, ["B"])],
            *[("states.1.next", FLOAT, state), ("onnx::Slice_3.next", FLOAT, state)],
        ],
        {},
    )


def _joiner(path: str) -> None:
    g = Graph()
    table = np.zeros((CYCLE, len(PIECES) + DURATIONS), np.float32)
    for frame in range(CYCLE):
        piece, frames = SPOKEN.get(frame, (BLANK, 1))
        table[frame, [piece, len(PIECES) + frames]] = 9
    heard = g.node("Cast", [g.node("Reshape", ["encoder_outputs", g.ints(1, 1, 1)])], to=INT64)
    logits = g.node("Gather", [g.constant(table, np.float32), heard])
    ignored = g.node("Mul", [g.node("ReduceMean", ["decoder_outputs"], keepdims=0), g.constant(0, np.float32)])
    g.node("Add", [logits, ignored], "outputs")
    g.save(
        path,
        [("encoder_outputs", FLOAT, ["B", 1, "T"]), ("decoder_outputs", FLOAT, ["B", HIDDEN, "L"])],
        [("outputs", FLOAT, [1, 1, 1, len(PIECES) + DURATIONS])],
        {},
    )
