"""Cases of ops that gather elements into groups: running sums, segments,
partitions, counts."""

import numpy as np

from golden_case import Case, types
from golden_types import (COMPLEX, FLOATS, empty, i32, index, plain,
                          registered, registered_types, special, tensor)


def small(dtype, shape, first=0):
    """Values whose products stay small enough to be exact."""
    if dtype in FLOATS + COMPLEX:
        return plain(dtype, shape, first)
    count = int(np.prod(shape))
    return tensor(dtype, [(first + i) % 3 + 1 for i in range(count)], shape)


def scan(op):
    for dtype, idx in registered(op, "T", "Tidx"):
        def case(kind, value, axis, exclusive=False, reverse=False,
                 dtype=dtype, idx=idx):
            attrs = types(T=dtype, Tidx=idx)
            attrs |= {"exclusive": ("bool", exclusive),
                      "reverse": ("bool", reverse)}
            return Case(kind, attrs, [value, index(idx, axis)])
        yield case("plain", small(dtype, (5,)), 0)
        if idx != "int32":
            continue
        yield case("axis first", small(dtype, (2, 3)), 0)
        yield case("axis negative", small(dtype, (2, 3)), -1, True)
        if dtype not in ("float", "half"):
            continue
        yield case("axis middle", small(dtype, (2, 3, 2)), 1, True, True)
        yield case("axis reverse", small(dtype, (2, 3, 2)), 1, False, True)
        if dtype != "float":
            continue
        yield case("empty", empty(dtype, (0, 3)), 0)
        yield case("scalar", plain(dtype, ()), 0)
        yield case("special", tensor(dtype, special(dtype)), 0)
        yield case("mismatch axis", plain(dtype, (2, 3)), 2)
        yield case("mismatch rank", plain(dtype, (2, 3)), [0])
        yield case("other long", tensor(dtype, [
            (i * 7919) % 101 / 1024 for i in range(300)]), 0)


def segment(op):
    for dtype, idx in registered(op, "T", "Tindices"):
        def case(kind, value, ids, dtype=dtype, idx=idx):
            return Case(kind, types(T=dtype, Tindices=idx),
                        [value, index(idx, ids)])
        yield case("plain", small(dtype, (4, 2)), [0, 0, 1, 1])
        if idx != "int32":
            continue
        yield case("other gaps", small(dtype, (3, 2), 1), [1, 1, 3])
        if dtype != "float":
            continue
        yield case("other vector", small(dtype, (4,)), [0, 0, 0, 1])
        yield case("empty", empty(dtype, (0, 2)), [])
        yield case("empty columns", empty(dtype, (2, 0)), [0, 1])
        yield case("special", tensor(dtype, special(dtype)),
                   [0, 0, 1, 1, 2, 2, 3])
        yield case("mismatch order", plain(dtype, (3,)), [1, 0, 2])
        yield case("mismatch negative", plain(dtype, (3,)), [-1, 0, 2])
        yield case("mismatch count", plain(dtype, (3,)), [0, 1])
        yield case("mismatch rank", plain(dtype, (2, 2)), [[0, 0], [1, 1]])
        yield case("mismatch scalar", plain(dtype, ()), [0])


def unsorted_segment(op):
    for dtype, idx, num in registered(op, "T", "Tindices", "Tnumsegments"):
        def case(kind, value, ids, count, dtype=dtype, idx=idx, num=num):
            return Case(kind, types(T=dtype, Tindices=idx, Tnumsegments=num),
                        [value, index(idx, ids), index(num, count)])
        yield case("plain", small(dtype, (4, 2)), [1, 0, 1, 1], 2)
        if (idx, num) != ("int32", "int32"):
            continue
        yield case("other none", small(dtype, (3,), 1), [0, -1, 2], 4)
        if dtype != "float":
            continue
        yield case("other ids", small(dtype, (2, 2, 3)), [[0, 1], [1, 0]], 2)
        yield case("scalar", plain(dtype, ()), 1, 2)
        yield case("empty", empty(dtype, (0, 2)), [], 2)
        yield case("empty segments", empty(dtype, (0, 2)), [], 0)
        yield case("mismatch range", plain(dtype, (3,)), [0, 1, 5], 2)
        yield case("mismatch shape", plain(dtype, (3,)), [0, 1], 2)
        yield case("mismatch count", plain(dtype, (2,)), [0, 1], [2])
        yield case("mismatch negative", plain(dtype, (2,)), [0, 1], -1)


def partition(op):
    for dtype in registered_types(op):
        def case(kind, value, parts, count=2, dtype=dtype):
            attrs = types(T=dtype) | {"num_partitions": ("int", count)}
            return Case(kind, attrs, [value, i32(parts)], count)
        yield case("plain", plain(dtype, (4, 2)), [1, 0, 1, 1])
        if dtype != "float":
            continue
        yield case("other empty", plain(dtype, (3,)), [0, 0, 2], 4)
        yield case("other matrix", plain(dtype, (2, 2, 2)), [[0, 1], [1, 0]])
        yield case("scalar", plain(dtype, (2,)), 1)
        yield case("empty", empty(dtype, (0, 2)), [])
        yield case("mismatch range", plain(dtype, (3,)), [0, 1, 2])
        yield case("mismatch negative", plain(dtype, (3,)), [0, -1, 1])
        yield case("mismatch shape", plain(dtype, (3,)), [0, 1])


def stitch(op):
    for dtype in registered_types(op):
        def case(kind, places, values, dtype=dtype):
            attrs = types(T=dtype) | {"N": ("int", len(places))}
            return Case(kind, attrs, [i32(p) for p in places] + values)
        yield case("plain", [[1, 0], [3, 2]],
                   [plain(dtype, (2, 2)), plain(dtype, (2, 2), 3)])
        if dtype != "float":
            continue
        yield case("scalar", [2, [[0], [1]]],
                   [plain(dtype, (2,)), plain(dtype, (2, 1, 2), 3)])
        yield case("empty", [np.zeros(0)], [empty(dtype, (0, 2))])
        yield case("mismatch negative", [[0, -1]], [plain(dtype, (2,))])
        yield case("mismatch shape", [[0, 1]], [plain(dtype, (3,))])
        yield case("mismatch slices", [[0], [1]],
                   [plain(dtype, (1, 2)), plain(dtype, (1, 3))])
        if op == "DynamicStitch":
            yield case("other again", [[0, 1], [1]],
                       [plain(dtype, (2,)), plain(dtype, (1,), 5)])


# ---- Counts ----


def bincount(op):
    for dtype in registered_types(op):
        def case(kind, values, size, weights, dtype=dtype):
            return Case(kind, types(T=dtype), [i32(values), i32(size),
                                               weights])
        yield case("plain", [1, 0, 1, 5], 3, plain(dtype, (4,)))
        yield case("other ones", [1, 0, 1, 2], 4, empty(dtype, (0,)))
        if dtype != "float":
            continue
        yield case("other matrix", [[1, 0], [2, 1]], 3, plain(dtype, (2, 2)))
        yield case("empty", np.zeros(0), 2, empty(dtype, (0,)))
        yield case("mismatch negative", [1, -1], 3, empty(dtype, (0,)))
        yield case("mismatch size", [1], -1, empty(dtype, (0,)))
        yield case("mismatch weights", [1, 2], 3, plain(dtype, (3,)))
        yield case("mismatch rank", [1, 2], [3], empty(dtype, (0,)))


def dense_bincount(op):
    for dtype, idx in registered(op, "T", "Tidx"):
        def case(kind, values, size, weights, binary=False, dtype=dtype,
                 idx=idx):
            attrs = types(T=dtype, Tidx=idx)
            attrs["binary_output"] = ("bool", binary)
            return Case(kind, attrs, [index(idx, values), index(idx, size),
                                      weights])
        none = empty(dtype, (0,))
        yield case("plain", [1, 0, 1, 5], 3, plain(dtype, (4,)))
        if idx != "int32":
            continue
        yield case("other rows", [[1, 0], [2, 2]], 3, none)
        yield case("other binary", [[1, 1], [2, 0]], 3, none, True)
        if dtype != "float":
            continue
        yield case("other weights", [[1, 0], [2, 2]], 3, plain(dtype, (2, 2)))
        yield case("other vector", [1, 1, 2], 4, none, True)
        yield case("empty", np.zeros(0), 2, none)
        yield case("mismatch negative", [1, -1], 3, none)
        yield case("mismatch size", [1], -1, none)
        yield case("mismatch weights", [1, 2], 3, plain(dtype, (3,)))
        yield case("mismatch rank", [[[1]]], 3, none)


def histogram(op):
    for dtype, out in registered(op, "T", "dtype"):
        def case(kind, values, edges, bins, dtype=dtype, out=out):
            return Case(kind, types(T=dtype, dtype=out), [
                values, tensor(dtype, edges), i32(bins)])
        yield case("plain", tensor(dtype, [0, 1, 3, 4, 9]), [0, 5], 5)
        if dtype != "float" or out != "int32":
            continue
        yield case("other below", tensor(dtype, [-1, 0.1, 1.5, 5, 15]),
                   [0, 5], 3)
        yield case("empty", empty(dtype, (0,)), [0, 5], 3)
        yield case("mismatch order", plain(dtype, (2,)), [5, 0], 3)
        yield case("mismatch bins", plain(dtype, (2,)), [0, 5], 0)
        yield case("mismatch edges", plain(dtype, (2,)), [0, 5, 6], 3)
        yield case("mismatch special", tensor(dtype, [1, float("nan")]),
                   [0, 5], 3)


def nth_element(op):
    for dtype in registered_types(op):
        def case(kind, value, n, reverse=False, dtype=dtype):
            attrs = types(T=dtype) | {"reverse": ("bool", reverse)}
            return Case(kind, attrs, [value, i32(n)])
        yield case("plain", plain(dtype, (2, 5)), 1)
        yield case("other reverse", plain(dtype, (5,)), 1, True)
        if dtype != "float":
            continue
        yield case("mismatch n", plain(dtype, (2, 3)), 3)
        yield case("mismatch negative", plain(dtype, (2, 3)), -1)
        yield case("mismatch scalar", plain(dtype, ()), 0)
        yield case("mismatch rank", plain(dtype, (2, 3)), [1])


# ---- Looking things up ----


def bound(op):
    for dtype, out in registered(op, "T", "out_type"):
        def case(kind, values, wanted, dtype=dtype, out=out):
            return Case(kind, types(T=dtype, out_type=out), [values, wanted])
        yield case("plain", tensor(dtype, [[1, 2, 2, 5], [0, 1, 7, 9]]),
                   tensor(dtype, [[0, 2, 9], [1, 8, 0]]))
        if dtype != "float" or out != "int32":
            continue
        yield case("empty", empty(dtype, (2, 0)), plain(dtype, (2, 1)))
        yield case("mismatch rank", plain(dtype, (3,)), plain(dtype, (3,)))
        yield case("mismatch rows", plain(dtype, (2, 3)), plain(dtype, (3, 3)))


def list_diff(op):
    for dtype, idx in registered(op, "T", "out_idx"):
        def case(kind, x, y, dtype=dtype, idx=idx):
            return Case(kind, types(T=dtype, out_idx=idx), [x, y], 2)
        yield case("plain", plain(dtype, (6,)), plain(dtype, (2,), 1))
        if dtype != "float":
            continue
        yield case("empty", plain(dtype, (3,)), empty(dtype, (0,)))
        yield case("mismatch", plain(dtype, (3, 1)), plain(dtype, (2,)))
        yield case("mismatch y", plain(dtype, (3,)), plain(dtype, (2, 1)))


def unique_counts(op):
    later = op.endswith("V2")
    outputs = 3 if "Counts" in op else 2
    for dtype, idx in registered(op, "T", "out_idx"):
        def case(kind, value, axis=(), dtype=dtype, idx=idx, along="int64"):
            attrs = types(T=dtype, out_idx=idx)
            if later:
                attrs |= types(Taxis=along)
            inputs = [value] + ([index(along, axis)] if later else [])
            return Case(kind, attrs, inputs, outputs)
        yield case("plain", plain(dtype, (20,)))
        yield case("empty", empty(dtype, (0,)))
        if dtype not in ("float", "string") or idx != "int32":
            continue
        if not later:
            yield case("mismatch", plain(dtype, (2, 2)))
            continue
        rows = [[1, 0, 0], [1, 0, 0], [2, 0, 0]]
        yield case("axis", tensor(dtype, rows), [0])
        yield case("axis narrow", tensor(dtype, rows), [0], along="int32")
        yield case("axis last", tensor(dtype, rows), [1])
        yield case("axis negative", tensor(dtype, rows), [-1])
        yield case("mismatch", tensor(dtype, rows))
        yield case("mismatch axis", tensor(dtype, rows), [2])
        yield case("mismatch axes", tensor(dtype, rows), [0, 1])
        yield case("mismatch scalar", tensor(dtype, rows), 0)
        yield case("mismatch matrix", tensor(dtype, rows), [[0]])


# ---- Shapes ----


def broadcast_args(op):
    outputs = 2 if op == "BroadcastGradientArgs" else 1
    for dtype in registered_types(op):
        def case(kind, a, b, dtype=dtype):
            return Case(kind, types(T=dtype), [index(dtype, a),
                                               index(dtype, b)], outputs)
        yield case("plain", [2, 1, 3], [4, 1])
        yield case("scalar", np.zeros(0), [2, 3])
        yield case("other same", [2, 3], [2, 3])
        yield case("other ones", [1, 1], [1])
        yield case("mismatch", [2, 3], [2])
        yield case("mismatch rank", [[2]], [2])


def concat_offset(op):
    for dtype in registered_types(op, "shape_type"):
        def case(kind, axis, shapes, dtype=dtype):
            attrs = types(shape_type=dtype) | {"N": ("int", len(shapes))}
            return Case(kind, attrs, [i32(axis)] + [
                index(dtype, s) for s in shapes], len(shapes))
        yield case("plain", 1, [[2, 2, 7], [2, 3, 7], [2, 9, 7]])
        yield case("axis negative", -1, [[2, 3], [2, 5]])
        yield case("mismatch", 1, [[2, 2], [3, 3]])
        yield case("mismatch axis", 2, [[2, 2], [2, 3]])
        yield case("mismatch rank", 0, [[2, 2], [2]])
        yield case("mismatch matrix", 0, [[2, 2], [[2, 2]]])


def sparse_segments(op):
    """Rows that indices pick, joined by segments; and the way back."""
    is_grad = "Grad" in op
    has_size = is_grad or "WithNum" in op
    more = "Tnumsegments" if "WithNum" in op else None
    attrs = ["T", "Tidx", "Tsegmentids"] + ([more] if more else [])
    for dtype, idx, seg, *size in registered(op, *attrs):
        def case(kind, data, indices, ids, rows=5, dtype=dtype, idx=idx,
                 seg=seg, size=size):
            inputs = [data, index(idx, indices), index(seg, ids)]
            if has_size:
                inputs.append(index(size[0] if size else "int32", rows))
            kinds = types(T=dtype, Tidx=idx, Tsegmentids=seg)
            if size:
                kinds |= types(Tnumsegments=size[0])
            return Case(kind, kinds, inputs, output_count=1 + op.endswith("V2"))
        data = plain(dtype, (3, 2) if is_grad else (4, 2))
        ids = [0, 0, 2] if not is_grad else [0, 0, 1, 2]
        indices = [0, 3, 1] if not is_grad else [4, 0, 4, 1]
        yield case("plain", data, indices, ids)
        if (idx, seg, *size) != ("int32",) * (2 + len(size)):
            continue
        yield case("plain vector", plain(dtype, (3,) if is_grad else (4,)),
                   indices, ids)
        if dtype not in ("float", "half"):
            continue
        if not is_grad:  # TensorFlow hands out memory it has not written.
            yield case("empty", data, np.zeros(0), np.zeros(0))
            yield case("mismatch order", data, [0, 3, 1], [1, 0, 2])
            yield case("mismatch negative id", data, [0, 3, 1], [-1, 0, 2])
        yield case("empty rows", empty(dtype, (3 if is_grad else 4, 0)),
                   indices, ids)
        yield case("mismatch sizes", data, indices, ids[1:])
        yield case("mismatch indices", data, [indices], ids)
        yield case("mismatch ids", data, indices, [ids])
        yield case("mismatch index", data, [9, *indices[1:]], ids)
        yield case("mismatch index negative", data, [-1, *indices[1:]], ids)
        if has_size:
            yield case("mismatch size rank", data, indices, ids, [5])
            yield case("mismatch size negative", data, indices, ids, -1)
        if has_size and not is_grad:
            yield case("mismatch size", data, indices, ids, 2)
        if is_grad:
            yield case("mismatch id", data, indices, [0, 0, 1, 3])
            yield case("mismatch id negative", data, indices, [0, -1, 1, 2])


OPS = {
    "Bincount": bincount,
    "BroadcastArgs": broadcast_args,
    "BroadcastGradientArgs": broadcast_args,
    "ConcatOffset": concat_offset,
    "Cumprod": scan,
    "Cumsum": scan,
    "CumulativeLogsumexp": scan,
    "DenseBincount": dense_bincount,
    "DynamicPartition": partition,
    "DynamicStitch": stitch,
    "HistogramFixedWidth": histogram,
    "ListDiff": list_diff,
    "LowerBound": bound,
    "NthElement": nth_element,
    "ParallelDynamicStitch": stitch,
    "SegmentMax": segment,
    "SegmentMean": segment,
    "SegmentMin": segment,
    "SegmentProd": segment,
    "SegmentSum": segment,
    "UniqueV2": unique_counts,
    "UniqueWithCounts": unique_counts,
    "UniqueWithCountsV2": unique_counts,
    "UnsortedSegmentMax": unsorted_segment,
    "UnsortedSegmentMin": unsorted_segment,
    "UnsortedSegmentProd": unsorted_segment,
    "UnsortedSegmentSum": unsorted_segment,
    "UpperBound": bound,
}
OPS |= {f"SparseSegment{what}{form}": sparse_segments
        for what in ("Sum", "Mean", "SqrtN")
        for form in ("", "WithNumSegments", "Grad", "GradV2")}
