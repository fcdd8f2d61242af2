"""Runs golden cases on the installed TensorFlow, on its CPU."""

import contextlib
import os
import re
import tempfile

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
# The x86 wheel's own rewrites to oneDNN change texts and last digits.
os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"
os.environ["CUDA_VISIBLE_DEVICES"] = ""

import numpy as np  # noqa: E402
import tensorflow as tf  # noqa: E402
from tensorflow.core.framework import (  # noqa: E402
    attr_value_pb2, graph_pb2, tensor_pb2, tensor_shape_pb2)
from tensorflow.python import pywrap_tfe  # noqa: E402
from tensorflow.python.eager import context  # noqa: E402
from tensorflow.python.framework import errors  # noqa: E402

from golden_types import NAMES, TYPES, Tensor  # noqa: E402

VERSION = tf.__version__
CPU = "/job:localhost/replica:0/task:0/device:CPU:0"
PREFIX = re.compile(r"^\{\{function_node [^}]*\}\} ")
SUFFIX = re.compile(r" \[Op:\w+\]( name: .*)?$")


def proto(tensor):
    message = tensor_pb2.TensorProto(dtype=TYPES[tensor.dtype][0])
    for dim in tensor.shape:
        message.tensor_shape.dim.add(size=dim)
    if tensor.dtype == "string":
        message.string_val.extend(tensor.data)
    elif tensor.dtype == "bool":
        message.bool_val.extend(bool(b) for b in tensor.data)
    else:
        message.tensor_content = tensor.data
    return message


def to_eager(tensor):
    if tensor.dtype in ("string", "bool"):
        return tf.constant(to_numpy(tensor))
    dtype = tf.dtypes.as_dtype(TYPES[tensor.dtype][0])
    return tf.io.parse_tensor(proto(tensor).SerializeToString(), dtype)


def to_numpy(tensor):
    if tensor.dtype == "string":
        return np.array(tensor.data, dtype=object).reshape(tensor.shape)
    return np.frombuffer(tensor.data, TYPES[tensor.dtype][1]).reshape(
        tensor.shape)


def from_numpy(dtype, array):
    # As objects: arrays of texts lose the NULs at their ends.
    array = np.asarray(array, dtype=object if dtype == "string" else None)
    if dtype == "string":
        items = [x if isinstance(x, bytes) else x.encode()
                 for x in array.reshape(-1).tolist()]
        return Tensor(dtype, array.shape, tuple(items))
    return Tensor(dtype, array.shape, array.tobytes())


def eager_attr(kind, value):
    if kind == "type":
        return TYPES[value][0]
    if kind == "types":
        return [TYPES[v][0] for v in value]
    if kind == "string":
        return value.encode()
    if kind == "strings":
        return [v.encode() for v in value]
    return value


def run_case(case):
    """Calls the op of |case| and fills in its outputs or error."""
    inputs = [to_eager(t) for t in case.inputs]
    attrs = []
    for name, (kind, value) in case.attrs.items():
        attrs += [name, eager_attr(kind, value)]
    context.context().ensure_initialized()
    try:
        outputs = pywrap_tfe.TFE_Py_Execute(
            context.context()._handle, CPU, case.op, inputs, tuple(attrs),
            case.output_count)
    except errors.OpError as e:
        text = SUFFIX.sub("", PREFIX.sub("", str(e)))
        case.error = (e._error_code, text)
        return
    case.outputs = [from_numpy(NAMES[t.dtype.as_datatype_enum], t.numpy())
                    for t in outputs]


# Graphs -----------------------------------------------------------------------


def shape_proto(shape):
    if shape is None:
        return tensor_shape_pb2.TensorShapeProto(unknown_rank=True)
    message = tensor_shape_pb2.TensorShapeProto()
    for dim in shape:
        message.dim.add(size=-1 if dim is None else dim)
    return message


def attr_proto(kind, value):
    message = attr_value_pb2.AttrValue()
    if kind == "type":
        message.type = TYPES[value][0]
    elif kind == "types":
        message.list.type.extend(TYPES[v][0] for v in value)
    elif kind == "shape":
        message.shape.CopyFrom(shape_proto(value))
    elif kind == "shapes":
        message.list.shape.extend(shape_proto(v) for v in value)
    elif kind == "tensor":
        message.tensor.CopyFrom(proto(value))
    elif kind == "int":
        message.i = value
    elif kind == "strings":
        message.list.s.extend(v.encode() for v in value)
    elif kind == "ints":
        message.list.i.extend(value)
    elif kind == "floats":
        message.list.f.extend(value)
    elif kind == "bool":
        message.b = value
    elif kind == "float":
        message.f = value
    elif kind == "string":
        message.s = value.encode()
    else:
        raise ValueError(kind)
    return message


def graph_def(nodes, producer):
    graph = graph_pb2.GraphDef()
    graph.versions.producer = producer or 2474
    for node in nodes:
        message = graph.node.add(name=node.name, op=node.op)
        for item in node.inputs:
            message.input.extend(item if isinstance(item, list) else [item])
        for name, (kind, value) in node.attrs.items():
            message.attr[name].CopyFrom(attr_proto(kind, value))
    return graph


def plain_config():
    """Nothing folded, nothing rewritten: every node runs as it stands."""
    config = tf.compat.v1.ConfigProto(device_count={"GPU": 0},
                                      operation_timeout_in_ms=2000)
    options = config.graph_options
    options.optimizer_options.opt_level = -1
    options.rewrite_options.disable_meta_optimizer = True
    return config


@contextlib.contextmanager
def listening(said):
    """Appends what C code writes to stderr meanwhile to |said|."""
    with tempfile.TemporaryFile() as file:
        kept = os.dup(2)
        os.dup2(file.fileno(), 2)
        try:
            yield
        finally:
            os.dup2(kept, 2)
            os.close(kept)
        file.seek(0)
        said.append(file.read().decode())


def run_once(session, run, listen):
    graph = session.graph

    def out(name):
        return graph.get_tensor_by_name(name if ":" in name else name + ":0")

    said = []
    feeds = {out(n)._as_tf_output(): to_numpy(t) for n, t in run.feeds.items()}
    fetches = [out(n) for n in run.fetches]
    targets = [graph.get_operation_by_name(n)._c_op for n in run.targets]
    try:
        with listening(said) if listen else contextlib.nullcontext():
            values = session._call_tf_sessionrun(
                None, feeds, [f._as_tf_output() for f in fetches], targets,
                None)
    except errors.OpError as e:
        run.error = (e._error_code, str(e))
    else:
        run.outputs = [
            from_numpy(NAMES[f.dtype.base_dtype.as_datatype_enum], v)
            for f, v in zip(fetches, values)]
    if listen and run.error is None:
        run.said = said[0]


def run_graph_case(case):
    """Runs |case| and fills in the outputs and errors of its runs."""
    with tf.Graph().as_default() as graph:
        tf.graph_util.import_graph_def(graph_def(case.nodes, case.producer), name="")
        with tf.compat.v1.Session(graph=graph,
                                  config=plain_config()) as session:
            session._extend_graph()
            for i, run in enumerate(case.runs):
                run_once(session, run, case.listen)
                if run.error and run.error[0] == errors.DEADLINE_EXCEEDED:
                    # It waits for what an earlier error kept from coming.
                    case.runs = case.runs[:i]
                    return
