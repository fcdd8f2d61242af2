"""Cases of dilations of images; of buckets, and indices of many dimensions."""

import numpy as np

from golden_case import Case, types
from golden_types import empty, index, registered_types, tensor


def window(strides=(1, 1, 1, 1), rates=(1, 1, 1, 1), padding="VALID"):
    return {"strides": ("ints", strides), "rates": ("ints", rates),
            "padding": ("string", padding)}


def image(dtype, shape, first=0):
    count = int(np.prod(shape))
    return tensor(dtype, (np.arange(count) * 7 + first) % 11, shape)


def dilation(op):
    grads = op != "Dilation2D"
    for dtype in registered_types(op):
        def case(kind, shape, filter_shape, out, dtype=dtype, **more):
            inputs = [image(dtype, shape), image(dtype, filter_shape, 3)]
            if grads:
                inputs.append(image(dtype, out, 1))
            return Case(kind, types(T=dtype) | window(**more), inputs)
        yield case("plain", (1, 4, 5, 2), (2, 3, 2), (1, 3, 3, 2))
        if dtype != "float":
            continue
        yield case("other same", (2, 4, 5, 2), (2, 3, 2), (2, 4, 5, 2),
                   padding="SAME")
        yield case("other strides", (1, 5, 6, 1), (2, 2, 1), (1, 2, 2, 1),
                   strides=(1, 2, 3, 1))
        yield case("other rates", (1, 6, 6, 1), (2, 2, 1), (1, 4, 3, 1),
                   rates=(1, 2, 3, 1))
        yield case("other both", (1, 6, 6, 2), (2, 3, 2), (1, 3, 3, 2),
                   strides=(1, 2, 2, 1), rates=(1, 2, 2, 1), padding="SAME")
        yield case("other outside", (1, 1, 1, 1), (2, 4, 1), (1, 1, 1, 1),
                   rates=(1, 2, 2, 1), padding="SAME")
        yield case("other deep", (1, 3, 3, 130), (2, 2, 130), (1, 2, 2, 130))
        yield case("other wide", (1, 2, 150, 1), (1, 3, 1), (1, 2, 150, 1),
                   padding="SAME")
        yield case("empty", (0, 4, 5, 2), (2, 3, 2), (0, 3, 3, 2))
        yield case("mismatch rank", (4, 5, 2), (2, 3, 2), (3, 3, 2))
        yield case("mismatch filter", (1, 4, 5, 2), (2, 3), (1, 3, 3, 2))
        yield case("mismatch depth", (1, 4, 5, 2), (2, 3, 1), (1, 3, 3, 2))
        yield case("mismatch strides", (1, 4, 5, 2), (2, 3, 2), (1, 3, 3, 2),
                   strides=(2, 1, 1, 1))
        yield case("mismatch rates", (1, 4, 5, 2), (2, 3, 2), (1, 3, 3, 2),
                   rates=(1, 1, 1, 2))
        if grads:
            yield case("mismatch out", (1, 4, 5, 2), (2, 3, 2), (1, 3, 2, 2))


def bucketize(op):
    inf, nan = float("inf"), float("nan")
    for dtype in registered_types(op):
        def case(kind, value, boundaries=(-1.5, 0.0, 2.5), dtype=dtype):
            attrs = {"boundaries": ("floats", boundaries)}
            return Case(kind, types(T=dtype) | attrs, [value])
        yield case("plain", tensor(dtype, [[-2, -1, 0], [1, 2, 3]]))
        yield case("other equal", tensor(dtype, [1, 2, 3]), (1.0, 2.0, 2.0))
        yield case("scalar", tensor(dtype, 2))
        yield case("empty", empty(dtype, (0, 2)))
        yield case("empty boundaries", tensor(dtype, [1, 2]), ())
        yield case("mismatch", tensor(dtype, [1, 2]), (2.0, 1.0))
        if dtype in ("float", "double"):
            yield case("special", tensor(dtype, [nan, inf, -inf, 2.5, -1.5]))


def unravel(op):
    for dtype in registered_types(op, "Tidx"):
        def case(kind, indices, dims, dtype=dtype):
            return Case(kind, types(Tidx=dtype),
                        [index(dtype, indices), index(dtype, dims)])
        yield case("plain", [22, 3, 17], [7, 6])
        yield case("plain three", [0, 5, 23], [2, 3, 4])
        yield case("scalar", 22, [7, 6])
        yield case("empty", [], [7, 6])
        yield case("mismatch large", [42], [7, 6])
        yield case("mismatch negative", [-1], [7, 6])
        yield case("mismatch rank", [[1]], [7, 6])
        yield case("mismatch dims", [1], 7)
        yield case("zero", [1], [7, 0])
        yield case("zero and none", [], [7, 0])
        yield case("overflow", [1], [1 << 30, 1 << 30, 1 << 30])


OPS = {
    "Bucketize": bucketize,
    "Dilation2D": dilation,
    "Dilation2DBackpropFilter": dilation,
    "Dilation2DBackpropInput": dilation,
    "UnravelIndex": unravel,
}
