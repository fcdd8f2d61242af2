"""Cases of ops that round numbers as if they were quantised."""

import numpy as np

from golden_case import Case, types
from golden_types import Tensor, empty, plain, registered, registered_types, tensor

# None lies half way between two steps: TensorFlow rounds those up or down by where in a vector they lie.
SOME = [-10, -1.23, -0.01, 0, 0.3, 1.7, 5.9, 6, 6.1, 100, -6.02, 3.03]
STYLES = [{}, {"num_bits": ("int", 4)}, {"num_bits": ("int", 16)}, {"narrow_range": ("bool", True)}]
LIMITS = [(-6, 6), (0, 6), (-1, 0.5), (0.1, 6), (-6, -0.1)]
SPECIAL = [np.nan, np.inf, -np.inf, -0.0]


def of(dtype, value):
    """A tensor of |value|, unless it is one."""
    return value if isinstance(value, Tensor) else tensor(dtype, value)


def number(value):
    return tensor("float", float(value))


def args(op):
    for style in STYLES:
        for low, high in LIMITS:
            attrs = {"min": ("float", float(low)), "max": ("float", float(high)), **style}
            yield Case("plain", attrs, [tensor("float", SOME)])
    yield Case("scalar", {}, [number(2.03)])
    yield Case("empty", {}, [empty("float", (0, 2))])
    yield Case("special", {}, [tensor("float", SPECIAL)])
    yield Case("mismatch limits", {"min": ("float", 3.0), "max": ("float", 1.0)}, [tensor("float", SOME)])
    yield Case("mismatch bits", {"num_bits": ("int", 1)}, [tensor("float", SOME)])


def limits(op):
    for style in STYLES:
        for low, high in LIMITS:
            yield Case("plain", style, [tensor("float", SOME), number(low), number(high)])
    yield Case("zero", {}, [tensor("float", SOME), number(0), number(0)])
    yield Case("scalar", {}, [number(2.03), number(-1), number(4)])
    yield Case("empty", {}, [empty("float", (0, 2)), number(-1), number(4)])
    yield Case("special", {}, [tensor("float", SPECIAL), number(-1), number(4)])
    yield Case("mismatch rank", {}, [tensor("float", SOME), tensor("float", [0.0]), number(1)])
    yield Case("mismatch bits", {"num_bits": ("int", 17)}, [tensor("float", SOME), number(-1), number(1)])


def channels(op):
    low, high = tensor("float", [-6, 0, 0.1]), tensor("float", [6, 6, 3])
    for style in STYLES:
        yield Case("plain", style, [tensor("float", np.reshape(SOME, (2, 2, 3))), low, high])
    yield Case("other vector", {}, [tensor("float", SOME[:3]), low, high])
    yield Case("empty", {}, [empty("float", (0, 3)), low, high])
    yield Case("zero", {}, [tensor("float", np.reshape(SOME, (4, 3))), tensor("float", [0, -1, 0]), tensor("float", [0, 1, 0])])
    yield Case("mismatch size", {}, [tensor("float", np.reshape(SOME, (4, 3))), tensor("float", [0.0]), high])
    yield Case("mismatch rank", {}, [tensor("float", np.reshape(SOME, (4, 3))), low, number(1)])


def gradients(op):
    """Of FakeQuant: gradients, inputs, limits."""
    has_limits, by_channel = "Vars" in op, "PerChannel" in op
    shape, depth = (4, 3), 3

    def case(kind, style, low, high, x=SOME, grad=None):
        x = x if isinstance(x, Tensor) else tensor("float", np.reshape(x, shape))
        grad = grad or tensor("float", np.reshape(np.arange(12) * 0.5 - 2, shape))
        if not has_limits:
            return Case(kind, {"min": ("float", float(low)), "max": ("float", float(high)), **style}, [grad, x])
        ends = [of("float", v if not by_channel or isinstance(v, Tensor) else [v] * depth) for v in (low, high)]
        return Case(kind, style, [grad, x, *ends], output_count=3)
    for style in STYLES:
        for low, high in LIMITS:
            yield case("plain", style, low, high)
    yield case("special", {}, -1, 4, SPECIAL * 3)
    yield case("mismatch bits", {"num_bits": ("int", 1)}, -1, 4)
    yield case("mismatch sizes", {}, -1, 4, grad=tensor("float", [1.0, 2, 3]))
    yield case("empty", {}, -1, 4, empty("float", (0, 3)), empty("float", (0, 3)))
    if not has_limits:
        yield case("mismatch limits", {}, 3, 1)
        return
    yield case("zero", {}, 0, 0)
    yield case("mismatch rank", {}, tensor("float", [[0.0]]), 1)
    if by_channel:
        yield case("mismatch size", {}, tensor("float", [0.0, 1]), 1)


def bits(value):
    return {"num_bits": ("int", value)}


def rounded(op):
    """QuantizeAndDequantizeV2 to V4; V3 takes how many bits as an input."""
    third = op.endswith("V3")
    given = {"range_given": ("bool", True)}
    free = {"range_given": ("bool", False)}
    for dtype in registered_types(op):
        def case(kind, attrs, x, low=-1.0, high=1.0, many=8):
            attrs = {**types(T=dtype), **attrs}
            inputs = [of(dtype, value) for value in (x, low, high)]
            if third:
                return Case(kind, attrs, inputs + [of("int32", many)])
            return Case(kind, {**attrs, **bits(many)}, inputs)
        for attrs in ({}, {"signed_input": ("bool", False)}, {"narrow_range": ("bool", True)}):
            yield case("plain", {**free, **attrs}, SOME)
            yield case("plain range", {**given, **attrs}, SOME)
            yield case("plain range", {**given, **attrs}, SOME, 0.0, 6.0, 4)
            yield case("plain range", {**given, **attrs}, SOME, -6.0, 0.0, 3)
            yield case("plain range", {**given, **attrs}, SOME, 1.0, 6.0, 16)
        if not third:
            for mode in ("HALF_UP", "HALF_TO_EVEN"):
                halves = [k + 0.5 for k in range(-6, 6)] + [127.0]
                yield case("other rounding", {**free, "round_mode": ("string", mode)}, halves)
        for axis in (0, 1, 2):
            yield case("axis", {**free, "axis": ("int", axis)}, np.reshape(SOME, (2, 3, 2)))
        yield case("scalar", free, 2.03)
        yield case("empty", free, empty(dtype, (0, 2)))
        yield case("zero", free, [0.0, 0.0])
        yield case("zero range", given, SOME, 0.0, 0.0)
        yield case("mismatch bits", free, SOME, many=64)
        yield case("mismatch bits", free, SOME, many=0)
        yield case("mismatch bits", {**free, "signed_input": ("bool", False)}, SOME, many=63)
        yield case("mismatch range", given, SOME, 1.0, -1.0)
        yield case("mismatch axis", {**free, "axis": ("int", 4)}, SOME)
        if third:
            yield case("mismatch bits", free, SOME, many=tensor("int32", [8]))
        else:
            yield case("mismatch axis", {**free, "axis": ("int", -2)}, SOME)
            yield case("mismatch rank", given, SOME, [-1.0, 1.0])
            yield case("mismatch rank", given, SOME, -1.0, [1.0])


def rounded_grad(op):
    for dtype in registered_types(op):
        x = tensor(dtype, np.reshape(SOME, (2, 3, 2)))
        grad = tensor(dtype, np.reshape(np.arange(12) - 4, (2, 3, 2)))

        def case(kind, low, high, axis=-1, x=x, grad=grad):
            attrs = {**types(T=dtype), "axis": ("int", axis)}
            return Case(kind, attrs, [grad, x, tensor(dtype, low), tensor(dtype, high)], output_count=3)
        yield case("plain", -1.0, 2.0)
        yield case("axis", [-1.0, -2], [1.0, 3], 0)
        yield case("axis", [-1.0, -2, 0], [1.0, 3, 5], 1)
        yield case("empty", -1.0, 1.0, x=empty(dtype, (0,)), grad=empty(dtype, (0,)))
        yield case("mismatch axis", [-1.0, -2, 0], [1.0, 3, 5], 3)
        yield case("mismatch size", [-1.0, -2, 0], [1.0, 3, 5], 0)
        yield case("mismatch size", [-1.0, -2], [1.0], 0)
        yield case("mismatch rank", [-1.0, -2], 1.0)
        yield case("mismatch rank", -1.0, [1.0])
        yield case("mismatch input", -1.0, 1.0, x=tensor(dtype, SOME))


MODES = ("MIN_COMBINED", "MIN_FIRST", "SCALED")


def quantize(op):
    # A range of 32-bit steps is finer than floats; where such values end is chance.
    for dtype in registered_types(op):
        def case(kind, mode, low, high, x=SOME, **attrs):
            attrs = {**types(T=dtype), "mode": ("string", mode), **attrs}
            return Case(kind, attrs, [of("float", x), tensor("float", low), tensor("float", high)], output_count=3)
        for mode in MODES:
            if dtype == "qint32" and mode != "SCALED":
                yield case("plain", mode, -6.0, 6.0, [0.0])
                continue
            for low, high in ((-6.0, 6.0), (0.0, 7.0), (-3.0, 1.0)):
                if dtype != "qint32":
                    yield case("plain", mode, low, high)
            yield case("scalar", mode, -8.0, 8.0, 2.03)
            yield case("empty", mode, -8.0, 8.0, empty("float", (0, 2)))
            if dtype == "qint32":
                continue
            yield case("zero range", mode, 0.0, 0.0)
            yield case("axis", mode, [-6.0, 0], [6.0, 5], np.reshape(SOME, (2, 3, 2)), axis=("int", 2))
        even = {"round_mode": ("string", "HALF_TO_EVEN")}
        yield case("other even", "SCALED", -127.0, 127.0, [0.5, 1.5, 2.5, -0.5, -1.5, 3.2], **even)
        yield case("other narrow", "SCALED", -127.0, 127.0, [0.5, -127, 3.2], narrow_range=("bool", True))
        yield case("mismatch range", "SCALED", 1.0, -1.0)
        yield case("mismatch rank", "SCALED", [1.0, 2], 3.0)
        yield case("mismatch axis", "SCALED", [1.0], [3.0], axis=("int", 3))
        yield case("mismatch axis", "SCALED", 1.0, [3.0], axis=("int", 0))
        yield case("mismatch axis", "SCALED", [1.0], [3.0], axis=("int", 0))


def dequantize(op):
    for dtype, to in registered(op, "T", "dtype"):
        def case(kind, mode, low, high, x=None, **attrs):
            attrs = {**types(T=dtype, dtype=to), "mode": ("string", mode), **attrs}
            return Case(kind, attrs, [x or plain(dtype, (2, 3, 2)), tensor("float", low), tensor("float", high)])
        for mode in MODES:
            for low, high in ((-6.0, 6.0), (0.0, 7.0), (-3.0, 1.0)):
                yield case("plain", mode, low, high)
            yield case("scalar", mode, -8.0, 8.0, plain(dtype, ()))
            yield case("empty", mode, -8.0, 8.0, empty(dtype, (0, 2)))
            yield case("zero range", mode, 0.0, 0.0)
        yield case("axis", "SCALED", [-6.0, 0, -2], [6.0, 5, 2], axis=("int", 1))
        yield case("other narrow", "SCALED", -6.0, 3.0, narrow_range=("bool", True))
        yield case("mismatch rank", "SCALED", [1.0, 2], 3.0)
        yield case("mismatch axis", "SCALED", [1.0], [3.0], axis=("int", 3))
        yield case("mismatch axis", "SCALED", [1.0], [3.0], axis=("int", 0))


OPS = {"FakeQuantWithMinMaxArgs": args, "FakeQuantWithMinMaxVars": limits, "FakeQuantWithMinMaxVarsPerChannel": channels,
       "FakeQuantWithMinMaxArgsGradient": gradients, "FakeQuantWithMinMaxVarsGradient": gradients,
       "FakeQuantWithMinMaxVarsPerChannelGradient": gradients, "QuantizeAndDequantizeV2": rounded,
       "QuantizeAndDequantizeV3": rounded, "QuantizeAndDequantizeV4": rounded,
       "QuantizeAndDequantizeV4Grad": rounded_grad, "QuantizeV2": quantize, "Dequantize": dequantize}
