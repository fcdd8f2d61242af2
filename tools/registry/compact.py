#!/usr/bin/env python3
"""compact.py - Makes tests/data/oracle/registry.txt from a recorded registry.

    python compact.py registry.json > tests/data/oracle/registry.txt

The recording is a JSON of the ops and kernels that the build of TensorFlow with
GPU support registers (registry.py describes it). Needs tensorflow 2.21, any
build, for what such a recording leaves out: why an op is gone, and the values of
tensors among the defaults.
"""

import json
import sys

import registry
import tensorflow as tf
from tensorflow.core.framework import op_def_pb2
from tensorflow.python.client import pywrap_tf_session


def read_definitions():
    buffer = pywrap_tf_session.TF_GetAllOpList()
    ops = op_def_pb2.OpList()
    ops.ParseFromString(pywrap_tf_session.TF_GetBuffer(buffer))
    return {op.name: op for op in ops.op}


def tensor_text(proto):
    """"uint8[255, 0]" for a vector, "int32(1)" for a scalar, as ops.def says it."""
    array = tf.make_ndarray(proto)
    name = tf.as_dtype(proto.dtype).name
    if array.ndim == 0:
        return f"{name}({array.item()})"
    assert array.ndim == 1, array.shape
    return f"{name}[{', '.join(map(str, array.tolist()))}]"


def complete(op, definition):
    """Adds to |op| what only the definition knows."""
    if "deprecated" in op:
        op["deprecated"] = [op["deprecated"], definition.deprecation.explanation]
    for attr in definition.attr:
        value = attr.default_value
        if attr.type == "tensor" and attr.HasField("default_value"):
            op["attrs"][attr.name]["default"] = tensor_text(value.tensor)
        if attr.type == "list(tensor)" and attr.HasField("default_value"):
            op["attrs"][attr.name]["default"] = [tensor_text(t) for t in value.list.tensor]


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        ops = json.load(file)["ops"]
    definitions = read_definitions()
    for name, op in ops.items():
        if name in definitions:
            complete(op, definitions[name])
        elif "deprecated" in op or any(a["type"] == "tensor" for a in op["attrs"].values()):
            sys.exit(f"{name}: the recording is not enough, and this TensorFlow does not have it")
    registry.write(ops, sys.stdout)


if __name__ == "__main__":
    main()
