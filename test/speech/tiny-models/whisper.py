"""Whisper, as sherpa-onnx exports it: encoder, decoder and tokens. The decoder says the same sentence whatever it hears."""

import base64
import os

import numpy as np
from graph import FLOAT, INT64, Graph

LAYERS, STATE, CONTEXT, MELS = 1, 4, 64, 80
WORDS = [" Good", " morning", ",", " the", " bri", "dge", " is", " closed", "."]
# Token ids, laid out as in the real vocabulary: text, end, start, languages, tasks, the rest, times.
EOT = len(WORDS) + 1
SOT, EN, DE, TRANSLATE, TRANSCRIBE, NO_SPEECH, NO_TIMESTAMPS = range(EOT + 1, EOT + 8)
TIME_ZERO = NO_TIMESTAMPS + 1
VOCABULARY = TIME_ZERO + 1501
STEPS_PER_SECOND = 50
# The first prompt token is answered with a language; the sentence begins after the prompt.
SPOKEN_LANGUAGE = DE


def sentence(with_times: bool) -> list[int]:
    """What is answered at each position, from that of the prompt's last token on."""
    words = list(range(len(WORDS)))
    if not with_times:
        return words
    comma = WORDS.index(",") + 1
    at = lambda seconds: TIME_ZERO + round(seconds * STEPS_PER_SECOND)  # noqa: E731
    # The second part has no end, as happens at the end of a chunk.
    return [at(0), *words[:comma], at(0.8), at(1.0), *words[comma:]]


def build(folder: str, *, prefix: str, attention: bool = False, multilingual: bool = True, rounds: int = 0) -> None:
    """@param rounds of needless multiplication per second heard, for a model that takes its time"""
    os.makedirs(folder)
    _encoder(os.path.join(folder, f"{prefix}-encoder.onnx"), attention, multilingual, rounds)
    _decoder(os.path.join(folder, f"{prefix}-decoder.onnx"), attention, multilingual)
    with open(os.path.join(folder, f"{prefix}-tokens.txt"), "w", encoding="ascii") as file:
        for number, word in enumerate(WORDS):
            file.write(f"{base64.b64encode(word.encode()).decode()} {number}\n")


def _encoder(path: str, attention: bool, multilingual: bool, rounds: int) -> None:
    g = Graph()
    # Half as many frames come out as go in.
    pooled = g.node("AveragePool", ["mel"], kernel_shape=[2], strides=[2])
    level = g.node("ReduceMean", [pooled], axes=[1], keepdims=1)
    frames = g.node("Transpose", [level], perm=[0, 2, 1])
    if rounds > 0:
        frames = _slowed(g, frames, rounds)
    wide = g.node("Unsqueeze", [g.node("Tile", [frames, g.ints(1, 1, STATE)]), g.ints(0)])
    for name in ("n_layer_cross_k", "n_layer_cross_v"):
        g.node("Tile", [wide, g.ints(LAYERS, 1, 1, 1)], name)
    prompt = [SOT, EN, TRANSCRIBE] if multilingual else [SOT]
    cross = [LAYERS, "N", "T2", STATE]
    g.save(
        path,
        [("mel", FLOAT, ["N", MELS, "T"])],
        [("n_layer_cross_k", FLOAT, cross), ("n_layer_cross_v", FLOAT, cross)],
        {
            **{"model_type": "whisper-tiny-of-the-tests", "n_mels": MELS, "n_vocab": VOCABULARY},
            **{"n_text_layer": LAYERS, "n_text_ctx": CONTEXT, "n_text_state": STATE},
            **{"sot": SOT, "eot": EOT, "blank_id": 0, "no_speech": NO_SPEECH, "no_timestamps": NO_TIMESTAMPS},
            **{"translate": TRANSLATE, "transcribe": TRANSCRIBE, "is_multilingual": int(multilingual)},
            "sot_sequence": ",".join(map(str, prompt)),
            **{"all_language_tokens": f"{EN},{DE}", "all_language_codes": "en,de"},
            **({"n_alignment_heads": 1} if attention else {}),
        },
    )


def _slowed(g: Graph, frames: str, rounds: int) -> str:
    square = g.node("ConstantOfShape", [g.ints(512, 512)])
    value = g.node("Tile", [frames, g.ints(1, 1, 512)])
    for _ in range(rounds):
        value = g.node("MatMul", [value, square])
    return g.node("Add", [frames, g.node("ReduceMean", [value], axes=[2], keepdims=1)])


def _decoder(path: str, attention: bool, multilingual: bool) -> None:
    g = Graph()
    # With attention sherpa-onnx asks for no times in the text, and its prompt is one token longer for that.
    last_of_prompt = (2 if multilingual else 0) + int(attention)
    answers = np.full(CONTEXT, EOT)
    answers[0] = SPOKEN_LANGUAGE if multilingual else answers[0]
    spoken = sentence(with_times=not attention)
    answers[last_of_prompt : last_of_prompt + len(spoken)] = spoken
    count = g.node("Gather", [g.node("Shape", ["tokens"]), g.constant(1, np.int64)])
    steps = g.node("Range", [g.constant(0, np.int64), count, g.constant(1, np.int64)])
    positions = g.node("Add", [steps, "offset"])
    ids = g.node("Unsqueeze", [g.node("Gather", [g.constant(answers, np.int64), positions]), g.ints(0)])
    g.node("OneHot", [ids, g.constant(VOCABULARY, np.int64), g.floats(0, 50)], "logits", axis=-1)
    for kind in ("k", "v"):
        g.node("Identity", [f"in_n_layer_self_{kind}_cache"], f"out_n_layer_self_{kind}_cache")
    if attention:
        _attention(g, positions)
    cache, cross = [LAYERS, "N", CONTEXT, STATE], [LAYERS, "N", "T", STATE]
    g.save(
        path,
        [
            ("tokens", INT64, ["N", "L"]),
            *[(f"in_n_layer_self_{kind}_cache", FLOAT, cache) for kind in ("k", "v")],
            *[(f"n_layer_cross_{kind}", FLOAT, cross) for kind in ("k", "v")],
            ("offset", INT64, [1]),
        ],
        [
            ("logits", FLOAT, [1, "L", VOCABULARY]),
            *[(f"out_n_layer_self_{kind}_cache", FLOAT, cache) for kind in ("k", "v")],
            *([("cross_attention_weights", FLOAT, ["N", 1, "L", "T"])] if attention else []),
        ],
        {},
    )


def _attention(g: Graph, positions: str) -> None:
    """Each token looks at a fifth of a second of its own; sherpa-onnx smooths away what is narrower than 7 frames."""
    width = STEPS_PER_SECOND // 5
    frames = g.node("Gather", [g.node("Shape", ["n_layer_cross_k"]), g.constant(2, np.int64)])
    numbers = g.node("Range", [g.constant(0, np.int64), frames, g.constant(1, np.int64)])
    middles = g.node("Unsqueeze", [g.node("Mul", [positions, g.ints(width)]), g.ints(1)])
    distances = g.node("Abs", [g.node("Sub", [numbers, middles])])
    looked_at = g.node("Cast", [g.node("Less", [distances, g.ints(width // 2)])], to=FLOAT)
    g.node("Unsqueeze", [looked_at, g.ints(0, 1)], "cross_attention_weights")
