"""Cases of ops that add elements around a tensor."""

import numpy as np

from golden_case import Case, types
from golden_types import empty, index, plain, registered, tensor


def pad(op):
    """Pad adds zeros, PadV2 a value of its third input."""
    for dtype, idx in registered(op, "T", "Tpaddings"):
        def case(kind, value, paddings, more=None, dtype=dtype, idx=idx):
            inputs = [value, index(idx, paddings)]
            if op == "PadV2":
                inputs.append(plain(dtype, (), 2) if more is None else more)
            return Case(kind, types(T=dtype, Tpaddings=idx), inputs)
        value = plain(dtype, (2, 3))
        yield case("plain", value, [[1, 2], [0, 1]])
        if idx == "int64":
            continue
        yield case("scalar", plain(dtype, ()), np.zeros((0, 2)))
        yield case("empty", empty(dtype, (0, 2)), [[1, 1], [2, 0]])
        yield case("mismatch", value, [[1, 1]])
        yield case("other nothing", value, [[0, 0], [0, 0]])
        if dtype != "float":
            continue
        yield case("empty still", empty(dtype, (0, 2)), [[0, 0], [2, 0]])
        yield case("mismatch columns", value, [[1, 1, 1], [1, 1, 1]])
        yield case("mismatch rank", value, [1, 1])
        yield case("mismatch negative", value, [[1, -1], [0, 0]])
        yield case("mismatch scalar", plain(dtype, ()), [[1, 1]])
        yield case("other one dimension", plain(dtype, (4,)), [[2, 1]])
        yield case("other three", plain(dtype, (2, 2, 2)),
                   [[0, 1], [1, 0], [2, 1]])
        yield case("other middle alone", plain(dtype, (2, 2, 2)),
                   [[0, 0], [1, 2], [0, 0]])
        yield case("other six", plain(dtype, (1, 2, 1, 1, 2, 1)),
                   [[0, 1], [1, 0], [0, 0], [1, 0], [0, 0], [0, 1]])
        yield case("other eight", plain(dtype, (1, 2, 1, 1, 1, 1, 2, 1)),
                   [[0, 0], [1, 0], [0, 0], [0, 0], [1, 0], [0, 0], [0, 0],
                    [0, 1]])
        yield case("mismatch nine", plain(dtype, (1,) * 9), [[0, 1]] * 9)
        if op == "PadV2":
            yield case("mismatch value", value, [[1, 1], [1, 1]],
                       tensor(dtype, [1, 2]))
            yield case("mismatch value of one", value, [[1, 1], [1, 1]],
                       tensor(dtype, [1]))


def mirror_pad(op):
    for dtype, idx in registered(op, "T", "Tpaddings"):
        def case(kind, value, paddings, mode="REFLECT", dtype=dtype, idx=idx):
            attrs = {**types(T=dtype, Tpaddings=idx), "mode": ("string", mode)}
            return Case(kind, attrs, [value, index(idx, paddings)])
        value = plain(dtype, (2, 3))
        yield case("plain", value, [[1, 1], [2, 1]])
        if idx == "int64":
            continue
        yield case("plain symmetric", value, [[2, 1], [0, 3]], "SYMMETRIC")
        yield case("scalar", plain(dtype, ()), np.zeros((0, 2)))
        yield case("mismatch", value, [[2, 0], [0, 0]])
        if dtype != "float":
            continue
        yield case("empty", empty(dtype, (0, 2)), [[0, 0], [1, 0]])
        yield case("mismatch empty", empty(dtype, (0, 2)), [[1, 0], [1, 0]],
                   "SYMMETRIC")
        yield case("other nothing", value, [[0, 0], [0, 0]])
        yield case("mismatch symmetric", value, [[0, 3], [0, 0]], "SYMMETRIC")
        yield case("mismatch columns", value, [[1, 1, 1], [1, 1, 1]])
        yield case("mismatch rows", value, [[1, 1]])
        yield case("mismatch rank", value, [1, 1])
        yield case("mismatch negative", value, [[1, -1], [0, 0]])
        yield case("other one dimension", plain(dtype, (4,)), [[3, 2]])
        yield case("other three", plain(dtype, (2, 2, 3)),
                   [[0, 1], [1, 0], [2, 1]])
        yield case("other five", plain(dtype, (1, 2, 1, 1, 2)),
                   [[0, 0], [1, 0], [1, 1], [1, 0], [0, 2]], "SYMMETRIC")
        yield case("mismatch six", plain(dtype, (1,) * 6), [[0, 0]] * 6)


def mirror_pad_grad(op):
    for dtype, idx in registered(op, "T", "Tpaddings"):
        def case(kind, value, paddings, mode="REFLECT", dtype=dtype, idx=idx):
            attrs = {**types(T=dtype, Tpaddings=idx), "mode": ("string", mode)}
            return Case(kind, attrs, [value, index(idx, paddings)])
        value = plain(dtype, (4, 6))
        yield case("plain", value, [[1, 1], [2, 1]])
        if idx == "int64":
            continue
        yield case("plain symmetric", value, [[2, 0], [0, 3]], "SYMMETRIC")
        yield case("scalar", plain(dtype, ()), np.zeros((0, 2)))
        yield case("mismatch", value, [[2, 1], [0, 0]])
        if dtype not in ("float", "half"):
            continue
        yield case("empty", empty(dtype, (0, 2)), [[0, 0], [0, 0]])
        yield case("other nothing", value, [[0, 0], [0, 0]])
        yield case("mismatch total", value, [[0, 4], [0, 0]], "SYMMETRIC")
        yield case("mismatch symmetric", value, [[0, 3], [0, 0]], "SYMMETRIC")
        yield case("mismatch columns", value, [[1, 1, 1], [1, 1, 1]])
        yield case("mismatch rows", value, [[1, 1]])
        yield case("mismatch rank", value, [1, 1])
        yield case("mismatch negative", value, [[1, -1], [0, 0]])
        yield case("other one dimension", plain(dtype, (9,)), [[3, 2]])
        yield case("other three", plain(dtype, (3, 4, 6)),
                   [[0, 1], [1, 1], [2, 1]])
        yield case("other five", plain(dtype, (1, 4, 3, 2, 4)),
                   [[0, 0], [2, 0], [1, 1], [1, 0], [0, 2]], "SYMMETRIC")
        yield case("mismatch six", plain(dtype, (1,) * 6), [[0, 0]] * 6)


OPS = {
    "Pad": pad,
    "PadV2": pad,
    "MirrorPad": mirror_pad,
    "MirrorPadGrad": mirror_pad_grad,
}
