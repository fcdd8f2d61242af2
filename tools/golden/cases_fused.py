"""Cases of products and convolutions with what follows them in one op."""

import numpy as np

from golden_case import GraphCase, Run, hidden, node, types
from golden_types import plain, registered_types, tensor

# FusedConv2D of bytes works on oneDNN's forms of quantised networks alone.
BYTES = ("int8", "qint8")
# Ops that only graphs have are tried in graphs.
FUNCTIONS = ("Relu", "Relu6", "Elu", "LeakyRelu", "Tanh", "Sigmoid")


def graph(op, dtype, kind, inputs, lists, attrs):
    """One node of |op|, whose inputs from the third on are a list, or |lists|."""
    names = [f"i{k}" for k in range(len(inputs))]
    nodes = sum((hidden(name, value) for name, value in zip(names, inputs)), [])
    nodes.append(node("f", op, *names[:2], names[2:], *lists, **attrs))
    return GraphCase(kind, dtype, nodes, [Run(fetches=["f"])])


def product(op):
    for dtype in registered_types(op):
        def case(kind, after, inputs, **attrs):
            attrs = {**types(T=dtype), "num_args": ("int", len(inputs) - 2), "fused_ops": ("strings", after), **attrs}
            return graph(op, dtype, kind, inputs, [], attrs)
        a, b, bias = plain(dtype, (2, 4)), plain(dtype, (4, 3), 2), plain(dtype, (3,), 5)
        yield case("plain", ["BiasAdd"], [a, b, bias])
        for function in FUNCTIONS:
            yield case("plain " + function, ["BiasAdd", function], [a, b, bias])
        yield case("other slope", ["BiasAdd", "LeakyRelu"], [a, b, bias], leakyrelu_alpha=("float", 0.5))
        yield case("other turned", ["BiasAdd"], [plain(dtype, (4, 2)), plain(dtype, (3, 4), 2), bias],
                   transpose_a=("bool", True), transpose_b=("bool", True))
        yield case("huge", ["BiasAdd", "Relu"], [plain(dtype, (3, 2)), plain(dtype, (2, 1100)), plain(dtype, (1100,), 5)])
        yield case("empty", ["BiasAdd"], [plain(dtype, (0, 4)), b, bias])
        yield case("mismatch sizes", ["BiasAdd"], [a, plain(dtype, (3, 3)), bias])
        yield case("mismatch rank", ["BiasAdd"], [a, b, plain(dtype, (1, 3))])
        yield case("mismatch none", [], [a, b, bias])
        yield case("mismatch many", ["BiasAdd", "Add"], [a, b, bias, bias])
        yield case("mismatch list", ["Relu"], [a, b, bias])
        yield case("mismatch function", ["BiasAdd", "Sinh"], [a, b, bias])
        yield case("mismatch count", ["BiasAdd"], [a, b])


def convolution(op):
    for dtype in registered_types(op):
        if dtype in BYTES:
            continue

        def case(kind, after, inputs, **attrs):
            attrs = {**types(T=dtype), "TArgs": ("types", [dtype] * (len(inputs) - 2)), "strides": ("ints", [1, 1, 1, 1]),
                     "padding": ("string", "SAME"), "num_args": ("int", len(inputs) - 2), "fused_ops": ("strings", after),
                     **attrs}
            return graph(op, dtype, kind, inputs, [[]], attrs)
        x, w, bias = plain(dtype, (2, 4, 3, 2)), plain(dtype, (2, 2, 2, 3), 1), plain(dtype, (3,), 5)
        norm = [plain(dtype, (3,), 5), plain(dtype, (3,), 2), plain(dtype, (3,), 7), tensor(dtype, [0.5, 2, 1])]
        yield case("plain", ["BiasAdd"], [x, w, bias])
        yield case("plain norm", ["FusedBatchNorm"], [x, w, *norm])
        for function in FUNCTIONS[:4]:
            yield case("plain " + function, ["BiasAdd", function], [x, w, bias])
            yield case("plain norm " + function, ["FusedBatchNorm", function], [x, w, *norm])
        yield case("other epsilon", ["FusedBatchNorm"], [x, w, *norm], epsilon=("float", 0.5))
        yield case("other strides", ["BiasAdd"], [x, w, bias], strides=("ints", [1, 2, 2, 1]), padding=("string", "VALID"))
        yield case("other dilations", ["BiasAdd"], [x, w, bias], dilations=("ints", [1, 2, 1, 1]))
        yield case("other explicit", ["BiasAdd", "Relu"], [x, w, bias], padding=("string", "EXPLICIT"),
                   explicit_paddings=("ints", [0, 0, 1, 0, 2, 1, 0, 0]))
        yield case("empty", ["BiasAdd"], [plain(dtype, (0, 4, 3, 2)), w, bias])
        yield case("mismatch rank", ["BiasAdd"], [x, w, plain(dtype, (1, 3))])
        yield case("mismatch none", [], [x, w, bias])
        yield case("mismatch function", ["BiasAdd", "Tanh"], [x, w, bias])
        yield case("mismatch many", ["BiasAdd", "Add"], [x, w, bias, bias])
        yield case("mismatch count", ["FusedBatchNorm"], [x, w, bias])
        yield case("mismatch depth", ["BiasAdd"], [x, plain(dtype, (2, 2, 3, 3)), bias])
        yield case("mismatch format", ["BiasAdd"], [plain(dtype, (2, 2, 4, 3)), w, bias], data_format=("string", "NCHW"))


OPS = {"_FusedMatMul": product, "_FusedConv2D": convolution}
