"""Cases of ops that compute with whole numbers that stand for fractions."""

import numpy as np

from golden_case import Case, GraphCase, Run, hidden, node, types
from golden_types import TYPES, Tensor, plain, registered, tensor


def whole(dtype, shape, first=0):
    """Numbers all over |dtype|."""
    kind = TYPES[dtype][1]
    info = np.iinfo(kind)
    count = int(np.prod(shape))
    if dtype == "qint32":
        values = [((i + first) * 97003871 % (1 << 28)) - (1 << 27) for i in range(count)]
    else:
        values = [info.min + (i + first) * 37 % 256 for i in range(count)]
    return tensor(dtype, np.reshape(np.array(values, np.int64), shape))


def number(value):
    return tensor("float", value)


def range_of(*values):
    return [number(v) for v in values]


def matmul(op):
    attrs = types(T1="quint8", T2="quint8", Toutput="qint32", Tactivation="quint8")

    def case(kind, a, b, ranges=(-1.0, 2.0, -3.0, 0.5), **more):
        return Case(kind, {**attrs, **more}, [whole("quint8", a), whole("quint8", b, 5), *range_of(*ranges)], 3)
    yield case("plain", (2, 3), (3, 4))
    for activation in ("qint8", "quint16", "qint16", "qint32"):  # Which says nothing.
        yield case("other activation", (2, 3), (3, 4), **types(Tactivation=activation))
    yield case("plain large", (5, 40), (40, 19))
    yield case("other transposed", (3, 2), (3, 4), transpose_a=("bool", True))
    yield case("other transposed", (2, 3), (4, 3), transpose_b=("bool", True))
    yield case("other transposed", (3, 2), (4, 3), transpose_a=("bool", True), transpose_b=("bool", True))
    yield case("other range", (2, 3), (3, 4), (0.0, 255.0, 0.0, 6.0))
    yield case("mismatch", (2, 3), (4, 4))
    yield case("mismatch rank", (2, 3, 1), (3, 4))
    yield case("mismatch range", (2, 3), (3, 4), ([0.0], 1.0, 0.0, 1.0))
    for ranges in ((1.0, 1.0, 0.0, 1.0), (0.0, 1.0, 2.0, 1.0), (np.nan, 1.0, 0.0, 1.0)):
        yield case("mismatch order", (2, 3), (3, 4), ranges)


def conv(op):
    for a, b, out in registered(op, "Tinput", "Tfilter", "out_type"):
        if b == "qint8":
            continue

        def case(kind, image, filters, stride=1, padding="VALID", ranges=(-1.0, 2.0, -3.0, 0.5), a=a, b=b, out=out):
            attrs = {**types(Tinput=a, Tfilter=b, out_type=out), "strides": ("ints", [1, stride, stride, 1]),
                     "padding": ("string", padding)}
            return Case(kind, attrs, [whole(a, image), whole(b, filters, 5), *range_of(*ranges)], 3)
        yield case("plain", (1, 4, 5, 2), (2, 3, 2, 3))
        yield case("plain same", (2, 5, 5, 3), (3, 3, 3, 5), padding="SAME")
        yield case("other stride", (1, 5, 6, 1), (3, 3, 1, 2), 2, "SAME")
        yield case("other points", (1, 3, 3, 4), (1, 1, 4, 6))
        yield case("other range", (1, 4, 4, 1), (2, 2, 1, 1), ranges=(0.0, 6.0, -1.0, 1.0))
        yield case("mismatch channels", (1, 4, 4, 2), (2, 2, 3, 1))
        yield case("mismatch rank", (4, 4, 2), (2, 2, 2, 1))
        yield case("mismatch range", (1, 4, 4, 1), (2, 2, 1, 1), ranges=(0.0, 6.0, [-1.0], 1.0))


def bias(op):
    for a, b, out in registered(op, "T1", "T2", "out_type"):
        def case(kind, shape, size, ranges=(-1.0, 2.0, -3.0, 0.5), a=a, b=b, out=out):
            return Case(kind, types(T1=a, T2=b, out_type=out),
                        [whole(a, shape), whole(b, size, 5), *range_of(*ranges)], 3)
        yield case("plain", (3, 4), (4,))
        yield case("plain image", (1, 2, 2, 3), (3,))
        yield case("other range", (2, 3), (3,), (0.0, 6.0, 0.0, 1.0))
        yield case("mismatch", (2, 3), (4,))
        yield case("mismatch rank", (2, 3), (1, 3))
        yield case("mismatch range", (2, 3), (3,), ([0.0], 6.0, 0.0, 1.0))


def binary(op):
    attrs = types(T1="quint8", T2="quint8", Toutput="qint32")

    def case(kind, a, b, ranges=(-1.0, 2.0, -3.0, 0.5)):
        return Case(kind, attrs, [whole("quint8", a), whole("quint8", b, 5), *range_of(*ranges)], 3)
    yield case("plain", (3, 4), (3, 4))
    yield case("plain long", (67,), (67,))
    yield case("broadcast scalar", (3, 4), ())
    yield case("broadcast scalar", (), (3, 4))
    yield case("broadcast vector", (3, 4), (4,))
    yield case("broadcast vector", (4,), (3, 4))
    yield case("scalar", (), ())
    yield case("other range", (3, 4), (3, 4), (0.0, 6.0, 0.0, 1.0))
    yield case("mismatch", (3, 4), (3,))
    yield case("mismatch range", (3, 4), (3, 4), (0.0, [6.0], 0.0, 1.0))
    for ranges in ((1.0, 1.0, 0.0, 1.0), (0.0, 1.0, 2.0, 1.0), (np.nan, 1.0, 0.0, 1.0)):
        yield case("mismatch order", (3, 4), (3, 4), ranges)


def relu(op):
    for a, out in registered(op, "Tinput", "out_type"):
        def case(kind, shape, low=-3.0, high=9.0, a=a, out=out):
            return Case(kind, types(Tinput=a, out_type=out), [whole(a, shape), *range_of(low, high)], 3)
        yield case("plain", (3, 5))
        yield case("plain long", (70,), -4.0, 4.0)
        yield case("other positive", (9,), 1.0, 2.0)
        yield case("scalar", ())
        yield case("mismatch range", (2,), [1.0], 2.0)


def pool(op):
    for (dtype,) in registered(op, "T"):
        def case(kind, shape, size, stride, padding, low=-1.0, dtype=dtype):
            attrs = {**types(T=dtype), "ksize": ("ints", [1, size, size, 1]),
                     "strides": ("ints", [1, stride, stride, 1]), "padding": ("string", padding)}
            return Case(kind, attrs, [whole(dtype, shape), *range_of(low, 2.0)], 3)
        yield case("plain", (1, 4, 4, 2), 2, 2, "VALID")
        yield case("plain same", (2, 5, 5, 3), 3, 2, "SAME")
        yield case("plain overlapping", (1, 5, 4, 1), 3, 1, "SAME")
        yield case("mismatch rank", (4, 4, 2), 2, 2, "VALID")
        yield case("mismatch range", (1, 4, 4, 2), 2, 2, "VALID", [1.0])


def concat(op):
    for (dtype,) in registered(op, "T"):
        def case(kind, axis, shapes, lows=(-1.0, -1.0), highs=(2.0, 2.0), dtype=dtype):
            nodes = hidden("axis", tensor("int32", axis))
            for i, shape in enumerate(shapes):
                nodes += [*hidden(f"x{i}", whole(dtype, shape, 7 * i)), *hidden(f"low{i}", number(lows[i])),
                          *hidden(f"high{i}", number(highs[i]))]
            lists = [[f"{name}{i}" for i in range(len(shapes))] for name in ("x", "low", "high")]
            nodes.append(node("r", op, "axis", *lists, **types(T=dtype), N=("int", len(shapes))))
            return GraphCase(kind, dtype, nodes, [Run(["r:0", "r:1", "r:2"])])
        yield case("plain", 0, [(2, 3), (1, 3)])
        yield case("axis", 1, [(2, 3), (2, 2)])
        yield case("other ranges", 1, [(2, 3), (2, 2)], (-1.0, -3.0), (2.0, 0.5))
        yield case("other positive", 0, [(3,), (4,)], (1.0, 2.0), (2.0, 5.0))
        yield case("mismatch", 0, [(2, 3), (1, 2)])
        yield case("mismatch axis", 2, [(2, 3), (1, 3)])


def reshape(op):
    for dtype, idx in registered(op, "T", "Tshape"):
        def case(kind, shape, dims, low=-1.0, dtype=dtype, idx=idx):
            return Case(kind, types(T=dtype, Tshape=idx),
                        [whole(dtype, shape), tensor(idx, dims), *range_of(low, 2.0)], 3)
        yield case("plain", (2, 6), [3, 4])
        yield case("plain open", (2, 6), [4, -1])
        yield case("mismatch", (2, 6), [5, -1])


def requantize(op):
    for a, out in registered(op, "Tinput", "out_type"):
        def case(kind, shape, ranges, a=a, out=out):
            return Case(kind, types(Tinput=a, out_type=out), [whole(a, shape), *range_of(*ranges)], 3)
        for ranges in ((-256.0, 256.0, -10.0, 12.0), (-1000.0, 900.0, 0.0, 6.0), (-256.0, 256.0, -50.0, -1.0)):
            yield case("plain", (3, 9), ranges)
        yield case("plain long", (140,), (-77.0, 77.0, -3.0, 4.0))
        yield case("scalar", (), (-1.0, 1.0, -1.0, 1.0))
        yield case("empty", (0, 2), (-1.0, 1.0, -1.0, 1.0))
        yield case("mismatch range", (2,), (-1.0, 1.0, 2.0, 1.0))
        yield case("mismatch rank", (2,), ([-1.0], 1.0, -2.0, 1.0))
        yield case("mismatch positive", (2,), (-1.0, 1.0, 0.5, 1.0))


def used(op):
    """What range there is, and what is left when numbers are made of it."""
    outs = ["quint8"] if op == "QuantizeDownAndShrinkRange" else [None]
    for out in outs:
        def case(kind, values, low, high, out=out):
            attrs = types(Tinput="qint32", **({"out_type": out} if out else {}))
            values = values if isinstance(values, Tensor) else tensor("qint32", values)
            return Case(kind, attrs, [values, *range_of(low, high)], 3 if out else 2)
        yield case("plain", whole("qint32", (4, 7)), -256.0, 256.0)
        yield case("plain long", whole("qint32", (90,)), -1000.0, 700.0)
        yield case("other positive", [1 << 20, 1 << 24, 1 << 26], -256.0, 256.0)
        yield case("other negative", [-(1 << 20), -(1 << 24), -(1 << 26)], -256.0, 256.0)
        yield case("scalar", 1 << 23, -1.0, 1.0)
        yield case("mismatch range", [1], [1.0], 2.0)


def channels(op):
    """Ranges of channels made one."""
    is_range = "Range" in op
    for out in [None] if is_range else ["qint8", "quint8"]:
        def case(kind, shape, lows, highs, wanted=(-10.0, 12.0), clip=6.0, out=out, values=None):
            attrs = types(T="qint32", **({"out_type": out} if out else {}))
            inputs = [whole("qint32", shape) if values is None else tensor("qint32", values), number(lows), number(highs)]
            if is_range:
                attrs["clip_value_max"] = ("float", clip)
            else:
                inputs += range_of(*wanted)
            return Case(kind, attrs, inputs, 2 if is_range else 3)
        many = [-256.0, -100.0, -30.0, -1000.0], [256.0, 120.0, 31.0, 900.0]
        yield case("plain", (1, 3, 5, 4), *many)
        yield case("plain positive", (2, 3, 1, 2), [0.0, -2.0], [255.0, 3.0], (0.0, 6.0))
        yield case("plain long", (1, 40, 3, 3), [-77.0] * 3, [77.0, 50.0, 20.0], (-3.0, 4.0))
        yield case("other single", (1, 2, 2, 1), [-4.0], [4.0], (-1.0, 1.0))
        yield case("other narrow", (1, 2, 2, 2), [-4.0, -5.0], [4.0, 5.0], (0.0, 0.001), 1e-7)
        yield case("other positive numbers", (1, 1, 2, 2), [-4.0, -5.0], [4.0, 5.0], (0.0, 2.0),
                   values=[[[[1 << 20, 1 << 30], [1 << 24, 1 << 29]]]])
        yield case("other negative numbers", (1, 1, 2, 2), [-4.0, -5.0], [4.0, 5.0], (-2.0, 0.0),
                   values=[[[[-1 << 20, -1 << 30], [-1 << 24, -1 << 29]]]])
        yield case("mismatch lows", (1, 3, 5, 4), many[0][:3], many[1])
        yield case("mismatch highs", (1, 3, 5, 4), many[0], many[1][:3])
        yield case("mismatch rank", (3, 4), *many)
        yield case("mismatch wanted", (1, 3, 5, 4), *many, ([-10.0, 2.0], 12.0), 0.0)


def resize(op):
    for dtype in ("quint8", "qint32", "float"):
        def case(kind, shape, size, low=-1.0, high=2.0, dtype=dtype, **more):
            image = whole(dtype, shape) if dtype != "float" else plain("float", shape)
            attrs = {**types(T=dtype), **{name: ("bool", True) for name in more}}
            return Case(kind, attrs, [image, tensor("int32", size), number(low), number(high)], 3)
        yield case("plain", (1, 3, 4, 2), [5, 6])
        yield case("plain channels", (2, 3, 4, 19), [7, 5])
        yield case("plain smaller", (1, 9, 7, 3), [4, 3], 0.0, 6.0)
        yield case("other corners", (1, 3, 4, 1), [6, 7], align_corners=True)
        yield case("other centers", (1, 4, 3, 8), [6, 7], half_pixel_centers=True)
        yield case("other double", (1, 4, 5, 1), [8, 10])
        yield case("other same", (1, 4, 5, 2), [4, 5])
        yield case("other eight", (1, 5, 4, 16), [10, 8], -3.0, 3.0)
        yield case("mismatch both", (1, 3, 4, 1), [6, 7], align_corners=True, half_pixel_centers=True)
        yield case("mismatch size", (1, 3, 4, 1), [0, 7])
        yield case("mismatch sizes", (1, 3, 4, 1), [5, 7, 2])
        yield case("mismatch rank", (3, 4, 1), [5, 7])
        yield case("mismatch range", (1, 3, 4, 1), [5, 7], [0.0, 1.0])


def instance_norm(op):
    def case(kind, shape, low=-1.0, high=2.0, more=None, values=None):
        attrs = {**types(T="quint8"), **(more or {})}
        return Case(kind, attrs, [whole("quint8", shape) if values is None else tensor("quint8", values), *range_of(low, high)], 3)
    yield case("plain", (1, 4, 5, 4))
    yield case("plain batch", (2, 3, 4, 8), 0.0, 255.0)
    yield case("plain large", (1, 17, 15, 16), -6.0, 6.0)
    yield case("other given", (1, 4, 5, 4), more={"output_range_given": ("bool", True), "given_y_min": ("float", -3.0),
                                                  "given_y_max": ("float", 4.0)})
    yield case("other epsilon", (1, 4, 5, 4), more={"variance_epsilon": ("float", 0.5)})
    yield case("other separation", (1, 2, 3, 4), more={"min_separation": ("float", 9.0)})
    yield case("other equal", (1, 2, 2, 2), values=[[[[7, 7], [7, 7]], [[7, 7], [7, 7]]]])
    yield case("other odd", (1, 3, 5, 3))
    yield case("mismatch range", (1, 3, 5, 3), 2.0, 2.0)
    yield case("mismatch range rank", (1, 3, 5, 3), [0.0, 1.0])


OPS = {
    "QuantizedInstanceNorm": instance_norm,
    "QuantizedResizeBilinear": resize,
    "RequantizationRangePerChannel": channels,
    "RequantizePerChannel": channels,
    "QuantizeDownAndShrinkRange": used,
    "QuantizedAdd": binary,
    "QuantizedAvgPool": pool,
    "QuantizedBiasAdd": bias,
    "QuantizedConcat": concat,
    "QuantizedConv2D": conv,
    "QuantizedMatMul": matmul,
    "QuantizedMaxPool": pool,
    "QuantizedMul": binary,
    "QuantizedRelu": relu,
    "QuantizedRelu6": relu,
    "QuantizedReshape": reshape,
    "RequantizationRange": used,
    "Requantize": requantize,
}
