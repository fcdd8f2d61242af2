"""Cases of values that are counted, dense, sparse and ragged."""

from golden_case import Case, types
from golden_types import Tensor, empty, index, plain, registered

# Types that mistakes are tried with. Where weights are fewer than values, TensorFlow reads beyond their end.
MISTAKES = ("int64", "float")


def i64(values):
    return index("int64", values)


def dense_counts(op):
    for kind, out in registered(op, "T", "output_type"):
        def case(name, values, weights=None, least=-1, most=-1, binary=False):
            attrs = {**types(T=kind, output_type=out), "minlength": ("int", least), "maxlength": ("int", most),
                     "binary_output": ("bool", binary)}
            values = values if isinstance(values, Tensor) else index(kind, values)
            return Case(name, attrs, [values, empty(out, (0,)) if weights is None else weights], output_count=3)
        yield case("plain", [1, 3, 1, 0, 7])
        yield case("plain weights", [1, 3, 1, 0, 7], plain(out, (5,)))
        yield case("plain matrix", [[1, 3, 1], [0, 5, 7]])
        yield case("plain matrix weights", [[1, 3, 1], [0, 5, 7]], plain(out, (2, 3)))
        yield case("plain binary", [[1, 3, 1], [0, 5, 7]], None, -1, -1, True)
        yield case("plain least", [1, 3, 1], None, 9)
        yield case("plain most", [1, 3, 1, 9], None, -1, 3)
        yield case("plain both", [1, 3, 1, 9], None, 8, 4)
        yield case("other none", [1, 3, 0], None, 2, 0)
        yield case("empty", empty(kind, (0,)))
        yield case("empty rows", empty(kind, (2, 0)))
        if (kind, out) != MISTAKES:
            continue
        yield case("mismatch rank", [[[1]]])
        yield case("mismatch scalar", index(kind, 1))
        yield case("mismatch weights", [1, 2], plain(out, (3,)))
        yield case("mismatch weights", [1, 2], plain(out, (1, 2)))
        yield case("mismatch below zero", [1, -2])
        yield case("mismatch binary", [1, 2], plain(out, (2,)), -1, -1, True)


def sparse_counts(op):
    for kind, out in registered(op, "T", "output_type"):
        def case(name, at, values, shape, weights=None, least=-1, most=-1, binary=False):
            attrs = {**types(T=kind, output_type=out), "minlength": ("int", least), "maxlength": ("int", most),
                     "binary_output": ("bool", binary)}
            inputs = [at if isinstance(at, Tensor) else i64(at), values if isinstance(values, Tensor) else index(kind, values),
                      i64(shape), empty(out, (0,)) if weights is None else weights]
            return Case(name, attrs, inputs, output_count=3)
        at = [[0, 0], [0, 2], [2, 1], [2, 3]]
        yield case("plain", at, [1, 1, 4, 2], [4, 4])
        yield case("plain weights", at, [1, 1, 4, 2], [4, 4], plain(out, (4,)))
        yield case("plain binary", at, [1, 1, 4, 2], [4, 4], None, -1, -1, True)
        yield case("plain most", at, [1, 1, 4, 2], [4, 4], None, 1, 3)
        yield case("plain vector", [[0], [3]], [1, 1], [5])
        yield case("plain vector least", [[0], [3]], [1, 2], [5], None, 8)
        yield case("empty", empty("int64", (0, 2)), empty(kind, (0,)), [3, 3])
        if (kind, out) != MISTAKES:
            continue
        yield case("mismatch rank", [0, 1], [1, 1], [5])
        yield case("mismatch sizes", at, [1, 1, 4], [4, 4])
        yield case("mismatch weights", at, [1, 1, 4, 2], [4, 4], plain(out, (3,)))
        yield case("mismatch shape", at, [1, 1, 4, 2], [4])
        yield case("mismatch far", at, [1, 1, 4, 2], [2, 4])
        yield case("mismatch below zero", at, [1, 1, -4, 2], [4, 4])
        yield case("mismatch below zero", [[0, 0], [-1, 2]], [1, 1], [4, 4])
        yield case("mismatch empty", at, [1, 1, 4, 2], [0, 4])
        yield case("mismatch rank", empty("int64", (0, 2)), empty(kind, (0,)), [[1, 2]])


def ragged_counts(op):
    for kind, out in registered(op, "T", "output_type"):
        def case(name, splits, values, weights=None, least=-1, most=-1, binary=False):
            attrs = {**types(T=kind, output_type=out), "minlength": ("int", least), "maxlength": ("int", most),
                     "binary_output": ("bool", binary)}
            inputs = [splits if isinstance(splits, Tensor) else i64(splits),
                      values if isinstance(values, Tensor) else index(kind, values),
                      empty(out, (0,)) if weights is None else weights]
            return Case(name, attrs, inputs, output_count=3)
        yield case("plain", [0, 2, 2, 5], [1, 3, 2, 2, 7])
        yield case("plain weights", [0, 2, 2, 5], [1, 3, 2, 2, 7], plain(out, (5,)))
        yield case("plain binary", [0, 2, 2, 5], [1, 3, 2, 2, 7], None, -1, -1, True)
        yield case("plain most", [0, 2, 2, 5], [1, 3, 2, 2, 7], None, 2, 5)
        yield case("empty", [0, 0, 0], empty(kind, (0,)))
        if (kind, out) != MISTAKES:
            continue
        yield case("mismatch first", [1, 2, 5], [1, 3, 2, 2, 7])
        yield case("mismatch last", [0, 2, 4], [1, 3, 2, 2, 7])
        yield case("mismatch none", empty("int64", (0,)), [1])
        yield case("mismatch weights", [0, 2], [1, 3], plain(out, (3,)))
        yield case("mismatch below zero", [0, 2], [1, -3])


def sparse_bincount(op):
    for dtype, kind in registered(op, "T", "Tidx"):
        def case(name, at, values, shape, size, weights=None, binary=False):
            inputs = [at if isinstance(at, Tensor) else i64(at), values if isinstance(values, Tensor) else index(kind, values),
                      i64(shape), index(kind, size), empty(dtype, (0,)) if weights is None else weights]
            return Case(name, {**types(T=dtype, Tidx=kind), "binary_output": ("bool", binary)}, inputs)
        at = [[0, 0], [0, 2], [2, 1], [2, 3]]
        yield case("plain", at, [1, 1, 4, 2], [3, 4], 6)
        yield case("plain far", at, [1, 1, 4, 2], [3, 4], 3)
        yield case("plain weights", at, [1, 1, 4, 2], [3, 4], 5, plain(dtype, (4,)))
        yield case("plain binary", at, [1, 1, 4, 2], [3, 4], 5, None, True)
        yield case("plain vector", [[0], [3]], [1, 1], [5], 3)
        yield case("plain vector weights", [[0], [3], [4]], [1, 1, 0], [5], 3, plain(dtype, (3,)))
        yield case("empty", empty("int64", (0, 2)), empty(kind, (0,)), [3, 3], 4)
        if (kind, dtype) != MISTAKES:
            continue
        yield case("mismatch rank", [0, 1], [1, 1], [5], 3)
        yield case("mismatch sizes", at, [1, 1, 4], [3, 4], 3)
        yield case("mismatch shape", at, [1, 1, 4, 2], [4], 3)
        yield case("mismatch far", at, [1, 1, 4, 2], [2, 4], 3)
        yield case("plain below zero", at, [1, 1, -4, 2], [3, 4], 3)
        yield case("mismatch below zero", [[0], [3]], [1, -1], [5], 3)
        yield case("mismatch below zero", at, [1, 1, 4, 2], [3, 4], -3)
        yield case("mismatch size", at, [1, 1, 4, 2], [3, 4], [3])


def ragged_bincount(op):
    for dtype, kind in registered(op, "T", "Tidx"):
        def case(name, splits, values, size, weights=None, binary=False):
            inputs = [splits if isinstance(splits, Tensor) else i64(splits),
                      values if isinstance(values, Tensor) else index(kind, values), index(kind, size),
                      empty(dtype, (0,)) if weights is None else weights]
            return Case(name, {**types(T=dtype, Tidx=kind), "binary_output": ("bool", binary)}, inputs)
        yield case("plain", [0, 2, 2, 5], [1, 3, 2, 2, 7], 8)
        yield case("plain far", [0, 2, 2, 5], [1, 3, 2, 2, 7], 3)
        yield case("plain weights", [0, 2, 2, 5], [1, 3, 2, 2, 7], 8, plain(dtype, (5,)))
        yield case("plain binary", [0, 2, 2, 5], [1, 3, 2, 2, 7], 8, None, True)
        yield case("empty", [0, 0, 0], empty(kind, (0,)), 3)
        if (kind, dtype) != MISTAKES:
            continue
        yield case("mismatch first", [1, 2, 5], [1, 3, 2, 2, 7], 8)
        yield case("mismatch last", [0, 2, 4], [1, 3, 2, 2, 7], 8)
        yield case("mismatch none", empty("int64", (0,)), [1], 8)
        yield case("mismatch below zero", [0, 2], [1, -3], 8)
        yield case("mismatch below zero", [0, 2], [1, 3], -8)
        yield case("mismatch size", [0, 2], [1, 3], [8])


OPS = {"DenseCountSparseOutput": dense_counts, "SparseCountSparseOutput": sparse_counts,
       "RaggedCountSparseOutput": ragged_counts, "SparseBincount": sparse_bincount, "RaggedBincount": ragged_bincount}
