"""Short words for writing ONNX graphs by hand."""

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

FLOAT, INT32, INT64 = TensorProto.FLOAT, TensorProto.INT32, TensorProto.INT64
# What the ONNX Runtime in sherpa-onnx reads for certain.
OPSET, IR_VERSION = 17, 8


class Graph:
    """Collects nodes and constants; every method answers the name of a value."""

    def __init__(self) -> None:
        self._nodes: list[onnx.NodeProto] = []
        self._constants: list[onnx.TensorProto] = []

    def node(self, op: str, inputs: list[str], output: str | None = None, **attributes: object) -> str:
        name = output or f"v{len(self._nodes)}"
        self._nodes.append(helper.make_node(op, inputs, [name], **attributes))
        return name

    def constant(self, values: object, dtype: type) -> str:
        name = f"c{len(self._constants)}"
        self._constants.append(numpy_helper.from_array(np.array(values, dtype=dtype), name))
        return name

    def ints(self, *values: int) -> str:
        return self.constant(list(values), np.int64)

    def floats(self, *values: float) -> str:
        return self.constant(list(values), np.float32)

    def save(self, path: str, inputs: list, outputs: list, metadata: dict[str, object]) -> None:
        """@param inputs, outputs tuples of name, type and shape; a word in a shape is a free axis"""
        infos = [[helper.make_tensor_value_info(*info) for info in infos] for infos in (inputs, outputs)]
        graph = helper.make_graph(self._nodes, "tiny", infos[0], infos[1], self._constants)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR_VERSION)
        helper.set_model_props(model, {key: str(value) for key, value in metadata.items()})
        onnx.checker.check_model(model, full_check=True)
        onnx.save(model, path)
