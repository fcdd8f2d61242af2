"""Cases of sets: the last dimension of a tensor, or of a sparse one."""

from cases_sparse_math import i64
from golden_case import Case, types
from golden_types import Tensor, empty, registered_types, tensor

HOW = ("a-b", "b-a", "intersection", "union")


def values(dtype, numbers, shape=None):
    if dtype == "string":
        flat = [f"s{n}".encode() for n in numbers]
        return Tensor(dtype, tuple(shape or (len(flat),)), tuple(flat))
    return tensor(dtype, numbers, shape)


def attrs(dtype, how, check=True):
    return {**types(T=dtype), "set_operation": ("string", how), "validate_indices": ("bool", check)}


def sparse(dtype, at, numbers, shape):
    return [at if isinstance(at, Tensor) else i64(at), values(dtype, numbers), i64(shape)]


A = [[0, 0], [0, 1], [0, 2], [1, 0]]
B = [[0, 0], [0, 1], [1, 0], [1, 1], [2, 0]]


def dense_dense(op):
    for dtype in registered_types(op):
        def case(kind, a, b, how="union", check=True):
            return Case(kind, attrs(dtype, how, check), [a, b], output_count=3)
        a, b = values(dtype, [5, 1, 1, 3, 2, 9], (2, 3)), values(dtype, [1, 7, 2, 4], (2, 2))
        for how in HOW:
            yield case("plain", a, b, how)
        yield case("empty", empty(dtype, (2, 0)), b)
        if dtype != "int32":
            continue
        yield case("plain deep", values(dtype, range(8), (2, 2, 2)), values(dtype, [1, 9, 2, 3, 5, 5, 6, 1], (2, 2, 2)))
        yield case("empty groups", empty(dtype, (0, 2)), empty(dtype, (0, 3)))
        yield case("mismatch word", a, b, "minus")
        yield case("mismatch groups", a, values(dtype, range(6), (3, 2)))
        yield case("mismatch ranks", a, values(dtype, range(8), (2, 2, 2)))
        yield case("mismatch vector", values(dtype, range(3)), values(dtype, range(3)))


def dense_sparse(op):
    for dtype in registered_types(op):
        def case(kind, a, b, how="union", check=True):
            return Case(kind, attrs(dtype, how, check), [a, *b], output_count=3)
        a, b = values(dtype, [5, 1, 1, 3, 2, 9], (3, 2)), sparse(dtype, B, [1, 7, 2, 4, 4], [3, 2])
        for how in HOW:
            yield case("plain", a, b, how)
        yield case("empty", a, sparse(dtype, empty("int64", (0, 2)), [], [3, 2]))
        if dtype != "int32":
            continue
        yield case("mismatch word", a, b, "minus")
        yield case("mismatch groups", values(dtype, range(4), (2, 2)), b)
        yield case("mismatch order", a, sparse(dtype, B[::-1], [1, 7, 2, 4, 4], [3, 2]))


def sparse_sparse(op):
    for dtype in registered_types(op):
        def case(kind, a, b, how="union", check=True):
            return Case(kind, attrs(dtype, how, check), [*a, *b], output_count=3)
        a, b = sparse(dtype, A, [5, 1, 1, 3], [3, 3]), sparse(dtype, B, [1, 7, 2, 4, 4], [3, 2])
        for how in HOW:
            yield case("plain", a, b, how)
        none = sparse(dtype, empty("int64", (0, 2)), [], [3, 2])
        yield case("empty", none, b)
        yield case("empty both", none, none, "intersection")
        if dtype != "int32":
            continue
        yield case("mismatch word", a, b, "minus")
        yield case("mismatch groups", a, sparse(dtype, B, [1, 7, 2, 4, 4], [4, 2]))
        yield case("mismatch order", sparse(dtype, A[::-1], [5, 1, 1, 3], [3, 3]), b)
        yield case("mismatch far", sparse(dtype, [[0, 5]], [5], [3, 3]), b)


def size(op):
    for dtype in registered_types(op):
        def case(kind, a, check=True):
            return Case(kind, {**types(T=dtype), "validate_indices": ("bool", check)}, a)
        yield case("plain", sparse(dtype, A, [5, 1, 1, 3], [3, 3]))
        yield case("empty", sparse(dtype, empty("int64", (0, 2)), [], [3, 2]))
        if dtype != "int32":
            continue
        yield case("plain deep", sparse(dtype, [[0, 1, 0], [0, 1, 1], [1, 0, 0]], [5, 6, 6], [2, 2, 2]))
        yield case("mismatch order", sparse(dtype, A[::-1], [5, 1, 1, 3], [3, 3]))
        yield case("mismatch far", sparse(dtype, [[0, 5]], [5], [3, 3]))


OPS = {"DenseToDenseSetOperation": dense_dense, "DenseToSparseSetOperation": dense_sparse,
       "SparseToSparseSetOperation": sparse_sparse, "SetSize": size}
