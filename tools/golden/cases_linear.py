"""Cases of linear algebra: inverses, determinants, solutions."""

import numpy as np

from golden_case import Case, types
from golden_types import COMPLEX, empty, plain, registered_types, tensor

SQUARE = [[4, 2, 1], [2, 5, 3], [1, 3, 6]]
OTHER = [[2, 1, 0], [1, 3, -1], [0, 0.5, 4]]
HERMITIAN = [[4, 2 + 1j, 1], [2 - 1j, 5, 3j], [1, -3j, 6]]


def values(op, dtype):
    if dtype in COMPLEX:
        return HERMITIAN if op == "Cholesky" else [
            [4, 2 + 1j, 1], [2, 5j, 3], [1j, 3, 6 - 2j]]
    return SQUARE


def one_matrix(op):
    outputs = 2 if op == "LogMatrixDeterminant" else 1
    for dtype in registered_types(op):
        if dtype == "half":
            continue
        def case(kind, value, dtype=dtype, **attrs):
            return Case(kind, types(T=dtype) | attrs, [value], outputs)
        square = values(op, dtype)
        yield case("plain", tensor(dtype, square))
        yield case("other batch", tensor(dtype, [square, np.eye(3) * 2]))
        yield case("empty", empty(dtype, (0, 0)))
        yield case("empty batch", empty(dtype, (0, 2, 2)))
        if op == "MatrixInverse":
            yield case("other adjoint", tensor(dtype, square),
                       adjoint=("bool", True))
        if dtype != "float":
            continue
        yield case("other turned", tensor(dtype, [[0, 2], [3, 1]]))
        if op != "Cholesky":  # Above its diagonal is chance then.
            yield case("zero", tensor(dtype, [[1, 2], [2, 4]]))
            for place in ((0, 0), (1, 0), (1, 1)):
                for odd in (np.nan, np.inf, -np.inf):
                    wrong = np.array([[2.0, 1.0], [1.0, 3.0]])
                    wrong[place] = odd
                    kind = "special first" if np.isnan(wrong[0, 0]) else "special"
                    yield case(kind, tensor(dtype, wrong))
        yield case("mismatch square", plain(dtype, (2, 3)))
        yield case("mismatch vector", plain(dtype, (3,)))


def two_matrices(op):
    for dtype in registered_types(op):
        def case(kind, matrix, right, dtype=dtype, **attrs):
            return Case(kind, types(T=dtype) | attrs, [matrix, right])
        square = tensor(dtype, values(op, dtype))
        yield case("plain", square, plain(dtype, (3, 2)))
        yield case("other adjoint", square, plain(dtype, (3, 1)),
                   adjoint=("bool", True))
        if op == "MatrixTriangularSolve":
            yield case("other upper", square, plain(dtype, (3, 2)),
                       lower=("bool", False))
            yield case("other both", square, plain(dtype, (3, 2)),
                       lower=("bool", False), adjoint=("bool", True))
        yield case("other batch", tensor(dtype, [values(op, dtype), OTHER]),
                   plain(dtype, (2, 3, 2)))
        if dtype != "float":
            continue
        yield case("empty", empty(dtype, (0, 0)), empty(dtype, (0, 2)))
        yield case("zero", tensor(dtype, [[0, 0], [2, 4]]),
                   plain(dtype, (2, 1)))
        yield case("mismatch square", plain(dtype, (2, 3)),
                   plain(dtype, (2, 1)))
        yield case("mismatch rows", square, plain(dtype, (2, 1)))
        yield case("mismatch vector", square, plain(dtype, (3,)))
        if op == "MatrixTriangularSolve":
            yield case("broadcast", square, plain(dtype, (2, 3, 1)))


def banded(op):
    bands = [[4, 5, 6, 7], [1, -2, 0.5, 3], [0.25, 1, 2, -1]]
    for dtype in registered_types(op):
        def case(kind, matrix, right, dtype=dtype, **attrs):
            return Case(kind, types(T=dtype) | attrs, [matrix, right])
        numbers = [[x + 0.5j * i for i, x in enumerate(row)] for row in bands] if dtype in COMPLEX else bands
        matrix, right = tensor(dtype, numbers), plain(dtype, (4, 2))
        for lower in (True, False):
            for adjoint in (True, False):
                yield case(f"plain {lower} {adjoint}", matrix if lower else tensor(dtype, numbers[::-1]), right,
                           lower=("bool", lower), adjoint=("bool", adjoint))
        yield case("broadcast", tensor(dtype, [numbers, numbers[:1] * 3]), right)
        yield case("other one", tensor(dtype, numbers[:1]), right)
        if dtype != "float":
            continue
        yield case("other wide", tensor(dtype, [[2, 4], [1, 2], [3, 5]]), plain(dtype, (2, 1)))
        yield case("empty", empty(dtype, (0, 3)), plain(dtype, (3, 2)))
        yield case("empty right", matrix, empty(dtype, (4, 0)))
        yield case("zero", tensor(dtype, [[1, 0], [1, 1]]), plain(dtype, (2, 1)))
        yield case("mismatch rows", matrix, plain(dtype, (3, 2)))
        yield case("mismatch vector", plain(dtype, (4,)), right)


OPS = {
    "BandedTriangularSolve": banded,
    "Cholesky": one_matrix,
    "LogMatrixDeterminant": one_matrix,
    "MatrixDeterminant": one_matrix,
    "MatrixInverse": one_matrix,
    "MatrixSolve": two_matrices,
    "MatrixTriangularSolve": two_matrices,
}
