"""Cases of ops that put elements elsewhere: diagonals, turns, blocks."""

import numpy as np

from golden_case import Case, types
from golden_types import (empty, i32, index, plain, registered,
                          registered_types, tensor)

# ---- Diagonals ----


def diag(op):
    for dtype in registered_types(op):
        def case(kind, shape, dtype=dtype):
            return Case(kind, types(T=dtype), [plain(dtype, shape)])
        yield case("plain", (3,))
        if dtype != "float":
            continue
        yield case("other square", (2, 2))
        yield case("other cube", (1, 2, 2))
        yield case("empty", (0,))
        yield case("scalar", ())


def matrix_diag(op):
    for dtype in registered_types(op):
        def case(kind, shape, dtype=dtype):
            return Case(kind, types(T=dtype), [plain(dtype, shape)])
        yield case("plain", (3,))
        if dtype != "float":
            continue
        yield case("other batch", (2, 3))
        yield case("empty", (2, 0))
        yield case("scalar", ())


ALIGNS = ("LEFT_RIGHT", "RIGHT_LEFT", "LEFT_LEFT", "RIGHT_RIGHT")


def aligned(op, dtype, align=None):
    attrs = types(T=dtype)
    if align and op.endswith("V3"):
        attrs["align"] = ("string", align)
    return attrs


def diag_v2(op):
    for dtype in registered_types(op):
        def case(kind, shape, k, rows=-1, columns=-1, align=None, padding=(),
                 dtype=dtype):
            return Case(kind, aligned(op, dtype, align), [
                plain(dtype, shape), i32(k), i32(rows), i32(columns),
                plain(dtype, padding, 5)])
        yield case("plain", (3,), 0)
        if dtype != "float":
            continue
        yield case("other above", (3,), 1)
        yield case("other below", (2, 3), -2)
        for align in ALIGNS:
            yield case("other band", (3, 3), [-1, 1], align=align)
            yield case("other wide", (2, 3), [0, 1], 3, 4, align=align)
            yield case("other tall", (2, 2), [-2, -1], 4, 2, align=align)
        yield case("other rows", (3,), [0], 3, 5)
        yield case("mismatch scalar", (), 0)
        yield case("mismatch band", (3, 3), [1, -1])
        yield case("mismatch k", (3,), [0, 0, 0])
        yield case("mismatch size", (3,), 0, 2, 2)
        yield case("mismatch diagonals", (2, 3), [-1, 1])
        yield case("mismatch large", (3,), 0, 4, 4)
        yield case("mismatch none", (3,), [])
        yield case("mismatch rows", (3,), 0, [3])
        yield case("mismatch columns", (3,), 0, 3, [3])
        yield case("mismatch padding", (3,), 0, padding=(1,))


def diag_part_v2(op):
    for dtype in registered_types(op):
        def case(kind, shape, k, align=None, padding=(), dtype=dtype):
            return Case(kind, aligned(op, dtype, align), [
                plain(dtype, shape), i32(k), plain(dtype, padding, 5)])
        yield case("plain", (3, 4), 0)
        if dtype != "float":
            continue
        yield case("other above", (3, 4), 2)
        yield case("other below", (2, 3, 2), [-1])
        for align in ALIGNS:
            yield case("other band", (3, 4), [-2, 1], align)
            yield case("other batch", (2, 3, 2), [0, 1], align)
        yield case("empty", (0, 2, 2), 0)
        yield case("mismatch vector", (3,), 0)
        yield case("mismatch outside", (3, 4), 4)
        yield case("mismatch order", (3, 4), [1, 0])
        yield case("mismatch k", (3, 4), [0, 0, 0])
        yield case("other padding", (3, 4), 0, padding=(1,))
        yield case("mismatch padding", (3, 4), 0, padding=(2,))


def matrix_diag_part(op):
    for dtype in registered_types(op):
        yield Case("plain", types(T=dtype), [plain(dtype, (3, 4))])
    for kind, shape in (("other batch", (2, 3, 2)), ("empty", (0, 2, 2)),
                        ("mismatch vector", (3,))):
        yield Case(kind, types(T="float"), [plain("float", shape)])


def set_diag(op):
    has_k = op != "MatrixSetDiag"
    for dtype in registered_types(op):
        def case(kind, shape, diagonal, k=0, align=None, dtype=dtype):
            inputs = [plain(dtype, shape), plain(dtype, diagonal, 5)]
            return Case(kind, aligned(op, dtype, align),
                        inputs + ([i32(k)] if has_k else []))
        yield case("plain", (3, 4), (3,))
        if dtype != "float":
            continue
        yield case("other batch", (2, 3, 2), (2, 2))
        yield case("empty", (0, 2, 2), (0, 2))
        yield case("mismatch vector", (3,), (3,))
        yield case("mismatch scalar", (3, 3), ())
        yield case("mismatch size", (3, 4), (2,))
        if not has_k:
            continue
        yield case("other above", (3, 4), (2,), 2)
        for align in ALIGNS:
            yield case("other band", (3, 4), (3, 3), [-1, 1], align)
            yield case("other corner", (2, 3, 4), (2, 2, 2), [2, 3], align)
        yield case("mismatch outside", (3, 4), (1,), 4)
        yield case("mismatch order", (3, 4), (2, 3), [1, 0])
        yield case("mismatch count", (3, 4), (2, 3), [-1, 1])


def band_part(op):
    for dtype, idx in registered(op, "T", "Tindex"):
        def case(kind, shape, lower, upper, dtype=dtype, idx=idx):
            return Case(kind, types(T=dtype, Tindex=idx), [
                plain(dtype, shape), index(idx, lower), index(idx, upper)])
        yield case("plain", (3, 4), 1, 0)
        if dtype != "float" or idx != "int64":
            continue
        yield case("other above", (2, 3, 3), 0, -1)
        yield case("other below", (4, 3), -1, 0)
        yield case("other all", (2, 2), -1, -1)
        yield case("empty", (0, 2, 2), 1, 1)
        yield case("mismatch vector", (3,), 0, 0)
        yield case("mismatch lower", (2, 3), 3, 0)
        yield case("mismatch upper", (2, 3), 0, 4)
        yield case("mismatch rank", (2, 3), [0], 0)


# ---- Turns ----


def roll(op):
    for dtype, shift, axis in registered(op, "T", "Tshift", "Taxis"):
        def case(kind, shape, by, along, dtype=dtype, shift=shift, axis=axis):
            return Case(kind, types(T=dtype, Tshift=shift, Taxis=axis), [
                plain(dtype, shape), index(shift, by), index(axis, along)])
        yield case("plain", (5,), 2, 0)
        if dtype != "float" or (shift, axis) != ("int32", "int32"):
            continue
        yield case("axis negative", (2, 3), -1, -1)
        yield case("axis both", (2, 3), [1, -2], [0, 1])
        yield case("axis twice", (2, 3), [2, -3], [1, 1])
        yield case("other far", (5,), -12, 0)
        yield case("other none", (2, 3), 0, 0)
        yield case("empty", (0, 3), 1, 0)
        yield case("mismatch scalar", (), 1, 0)
        yield case("mismatch axis", (2, 3), 1, 2)
        yield case("mismatch count", (2, 3), [1, 2], [0])
        yield case("mismatch shift", (2, 3), [[1]], [[0]])


def reverse_sequence(op):
    for dtype, idx in registered(op, "T", "Tlen"):
        def case(kind, shape, lengths, along=1, batch=0, dtype=dtype, idx=idx):
            attrs = types(T=dtype, Tlen=idx)
            attrs |= {"seq_dim": ("int", along), "batch_dim": ("int", batch)}
            return Case(kind, attrs, [plain(dtype, shape), index(idx, lengths)])
        yield case("plain", (2, 4), [3, 2])
        if dtype != "float" or idx != "int64":
            continue
        yield case("axis other", (3, 2, 2), [3, 0], 0, 1)
        yield case("axis last", (2, 2, 3), [1, 3], 2, 0)
        yield case("empty", (0, 3), np.zeros(0))
        yield case("mismatch same", (2, 2), [1, 1], 0, 0)
        yield case("mismatch axis", (2, 2), [1, 1], 2, 0)
        yield case("mismatch batch", (2, 2), [1, 1], 1, 2)
        yield case("mismatch count", (2, 4), [1])
        yield case("mismatch long", (2, 4), [1, 5])
        yield case("mismatch negative", (2, 4), [-1, 1])
        yield case("mismatch rank", (2, 4), [[1], [1]])


def reverse(op):
    for dtype in registered_types(op):
        def case(kind, shape, along, dtype=dtype):
            return Case(kind, types(T=dtype), [
                plain(dtype, shape), tensor("bool", along)])
        yield case("plain", (2, 3), [False, True])
        if dtype != "float":
            continue
        yield case("other both", (2, 3), [True, True])
        yield case("other none", (2, 3), [False, False])
        yield case("mismatch", (2, 3), [True])
        yield case("mismatch rank", (2, 3), [[True, True]])


# ---- Blocks ----


def space_to_batch_nd(op):
    back = op == "BatchToSpaceND"
    for dtype, block, pad in registered(
            op, "T", "Tblock_shape", "Tcrops" if back else "Tpaddings"):
        def case(kind, shape, blocks, edges, dtype=dtype, block=block,
                 pad=pad):
            attrs = types(**{"T": dtype, "Tblock_shape": block,
                             "Tcrops" if back else "Tpaddings": pad})
            return Case(kind, attrs, [plain(dtype, shape),
                                      index(block, blocks), index(pad, edges)])
        none = [[0, 0], [0, 0]]
        yield case("plain", (4, 1, 2, 1) if back else (1, 2, 4, 1), [2, 2],
                   none)
        if dtype != "float" or (block, pad) != ("int32", "int32"):
            continue
        yield case("other one", (6, 2, 2) if back else (2, 6, 2), [3], [[0, 0]])
        yield case("other edges", (4, 2, 2, 1) if back else (1, 3, 2, 1),
                   [2, 2], [[1, 0], [0, 2]])
        yield case("other plain", (2, 3), np.zeros(0), np.zeros((0, 2)))
        yield case("other ones", (2, 3, 1), [1], [[0, 1]])
        yield case("mismatch rank", (2, 3), [2, 2], none)
        yield case("mismatch divide", (3, 3, 3, 1), [2, 2], none)
        yield case("mismatch block", (4, 4), [0], [[0, 0]])
        yield case("mismatch edges", (4, 4), [2], [[0, -1]])
        yield case("mismatch shape", (4, 4), [2], [[0, 0, 0]])
        yield case("mismatch vector", (4, 4), [[2]], [[0, 0]])
        yield case("mismatch far", (4, 4, 4, 4), [2, 2], [[5, 4], [0, 0]])


def space_to_batch(op):
    back = op == "BatchToSpace"
    for dtype, pad in registered(op, "T", "Tidx" if back else "Tpaddings"):
        def case(kind, shape, size, edges, dtype=dtype, pad=pad):
            attrs = types(**{"T": dtype, "Tidx" if back else "Tpaddings": pad})
            attrs["block_size"] = ("int", size)
            return Case(kind, attrs, [plain(dtype, shape), index(pad, edges)])
        none = [[0, 0], [0, 0]]
        yield case("plain", (4, 1, 2, 1) if back else (1, 2, 4, 1), 2, none)
        if dtype != "float" or pad != "int32":
            continue
        yield case("other edges", (4, 2, 2, 1) if back else (1, 3, 2, 1), 2,
                   [[1, 0], [0, 2]])
        yield case("mismatch rank", (2, 3), 2, none)
        yield case("mismatch divide", (3, 3, 3, 1), 2, none)


def space_to_depth(op):
    back = op == "DepthToSpace"
    for dtype in registered_types(op):
        def case(kind, shape, size=2, dtype=dtype, layout=None):
            attrs = types(T=dtype)
            attrs["block_size"] = ("int", size)
            if layout:
                attrs["data_format"] = ("string", layout)
            return Case(kind, attrs, [plain(dtype, shape)])
        yield case("plain", (1, 1, 2, 4) if back else (1, 2, 4, 1))
        if dtype != "float":
            continue
        yield case("other", (2, 2, 1, 18) if back else (2, 6, 3, 2), 3)
        yield case("empty", (0, 2, 2, 4))
        yield case("mismatch rank", (2, 2, 4))
        yield case("mismatch divide", (1, 3, 2, 3))


# ---- The same elements ----


def ensure_shape(op):
    for dtype in registered_types(op):
        def case(kind, shape, wanted, dtype=dtype):
            return Case(kind, {**types(T=dtype), "shape": ("shape", wanted)},
                        [plain(dtype, shape)])
        yield case("plain", (2, 3), (2, None))
        if dtype != "float":
            continue
        yield case("scalar", (), ())
        yield case("other unknown", (2, 3), None)
        yield case("mismatch", (2, 3), (3, 2))
        yield case("mismatch rank", (2, 3), (None,))


BITS = ("float", "double", "int32", "uint8", "int16", "int8", "complex64",
        "int64", "qint8", "quint8", "qint32", "bfloat16", "qint16", "quint16",
        "uint16", "complex128", "half", "uint32", "uint64")


def bitcast(op):
    for dtype in BITS:
        for other in BITS:
            if dtype in ("float", "int64") or other in ("int32", "uint8"):
                yield Case("plain", types(T=dtype, type=other),
                           [plain(dtype, (2, 2))])
    yield Case("scalar", types(T="float", type="int32"), [plain("float", ())])
    yield Case("empty", types(T="float", type="uint8"), [empty("float", (0,))])
    yield Case("other join", types(T="uint8", type="int32"),
               [plain("uint8", (3, 4))])
    yield Case("mismatch scalar", types(T="uint8", type="int32"),
               [plain("uint8", ())])


OPS = {
    "BatchToSpace": space_to_batch,
    "BatchToSpaceND": space_to_batch_nd,
    "Bitcast": bitcast,
    "DepthToSpace": space_to_depth,
    "Diag": diag,
    "EnsureShape": ensure_shape,
    "MatrixBandPart": band_part,
    "MatrixDiag": matrix_diag,
    "MatrixDiagPart": matrix_diag_part,
    "MatrixDiagPartV2": diag_part_v2,
    "MatrixDiagPartV3": diag_part_v2,
    "MatrixDiagV2": diag_v2,
    "MatrixDiagV3": diag_v2,
    "MatrixSetDiag": set_diag,
    "MatrixSetDiagV2": set_diag,
    "MatrixSetDiagV3": set_diag,
    "Reverse": reverse,
    "ReverseSequence": reverse_sequence,
    "Roll": roll,
    "SpaceToBatch": space_to_batch,
    "SpaceToBatchND": space_to_batch_nd,
    "SpaceToDepth": space_to_depth,
}
