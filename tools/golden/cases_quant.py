"""Cases of ops that round numbers as if they were quantised."""

import numpy as np

from golden_case import Case
from golden_types import empty, tensor

# None lies half way between two steps: TensorFlow rounds those up or down by where in a vector they lie.
SOME = [-10, -1.23, -0.01, 0, 0.3, 1.7, 5.9, 6, 6.1, 100, -6.02, 3.03]
STYLES = [{}, {"num_bits": ("int", 4)}, {"num_bits": ("int", 16)}, {"narrow_range": ("bool", True)}]
LIMITS = [(-6, 6), (0, 6), (-1, 0.5), (0.1, 6), (-6, -0.1)]
SPECIAL = [np.nan, np.inf, -np.inf, -0.0]


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


OPS = {"FakeQuantWithMinMaxArgs": args, "FakeQuantWithMinMaxVars": limits, "FakeQuantWithMinMaxVarsPerChannel": channels}
