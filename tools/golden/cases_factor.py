"""Cases of decompositions of matrices, and of functions that are made of them.

Values alone are compared where vectors are unique only up to a sign or a phase;
tests/python/test_factors.py checks those by what they must satisfy.
"""

import numpy as np

from golden_case import Case, GraphCase, Run, hidden, node, types
from golden_types import COMPLEX, empty, plain, registered_types, tensor

WIDE = [[4, 2, 1, 0.5], [2, 5, 3, 1], [1, 3, 6, 2]]
SYMMETRIC = [[4, 2, 1], [2, 5, 3], [1, 3, 6]]
SQUARE = [[4, 2, 1], [-2, 5, 3], [0.5, 3, 6]]


def matrix(dtype, values):
    array = np.array(values, dtype=complex)
    if dtype in COMPLEX:
        array = array + 1j * np.roll(np.real(array), 1, -1) / 4
    else:
        array = np.real(array)
    return array


def hermitian(dtype):
    array = matrix(dtype, SYMMETRIC)
    return (array + np.conj(array.T)) / 2


def floats(op):
    return [t for t in registered_types(op) if t != "half"]


def qr(op):
    for dtype in registered_types(op):
        def case(kind, value, dtype=dtype, full=False):
            return Case(kind, types(T=dtype) | {"full_matrices": ("bool", full)},
                        [value], 2)
        wide = matrix(dtype, WIDE)
        if dtype == "half":  # Of which TensorFlow loses digits at every step.
            yield case("plain", tensor(dtype, [[-3, 0], [0, 2]]))
            yield case("empty", empty(dtype, (0, 3)))
            yield case("scalar one", tensor(dtype, [[-2]]))
            continue
        yield case("plain", tensor(dtype, wide))
        yield case("plain square", tensor(dtype, wide[:, :3]))
        yield case("other full wide", tensor(dtype, wide), full=True)
        if dtype in ("double", "complex128"):  # The others lose digits.
            yield case("plain tall", tensor(dtype, wide.T))
            yield case("other full", tensor(dtype, wide.T), full=True)
            yield case("other batch", tensor(dtype, [wide, wide[::-1] * 2]))
        yield case("scalar one", tensor(dtype, [[-2]]))
        yield case("empty", empty(dtype, (0, 3)))
        yield case("empty columns", empty(dtype, (3, 0)))
        yield case("empty full", empty(dtype, (3, 0)), full=True)
        yield case("empty batch", empty(dtype, (0, 2, 2)))
        if dtype == "float":
            yield case("zero", tensor(dtype, np.zeros((2, 2))))
            yield case("mismatch", plain(dtype, (3,)))


def values_alone(kind, op, label, value, attrs):
    """What else there is, TensorFlow does not write then."""
    nodes = [*hidden("x", value), node("r", op, "x", **attrs)]
    return GraphCase(kind, label, nodes, [Run(["r"])])


def svd_values(op):
    for dtype in floats(op):
        def case(kind, value, dtype=dtype):
            attrs = types(T=dtype) | {"compute_uv": ("bool", False)}
            return values_alone(kind, op, dtype, value, attrs)
        wide = matrix(dtype, WIDE)
        yield case("plain", tensor(dtype, wide))
        yield case("plain tall", tensor(dtype, wide.T))
        yield case("plain square", tensor(dtype, wide[:, :3]))
        yield case("other batch", tensor(dtype, [wide, wide[::-1] * 2]))
        yield case("scalar one", tensor(dtype, [[-2]]))
        yield case("empty", empty(dtype, (0, 3)))
        yield case("empty batch", empty(dtype, (0, 2, 2)))
        if dtype == "float":
            yield case("zero", tensor(dtype, np.zeros((2, 3))))
            yield case("mismatch", plain(dtype, (3,)))
            yield case("special", tensor(dtype, [[1, float("nan")], [0, 1]]))


def eigen_values(op):
    wide = {"float": "complex64", "double": "complex128"}
    for dtype in floats(op):
        def case(kind, value, dtype=dtype):
            attrs = types(T=dtype) | {"compute_v": ("bool", False)}
            if op == "Eig":
                attrs |= types(Tout=wide.get(dtype, dtype))
            return values_alone(kind, op, dtype, value, attrs)
        symmetric = hermitian(dtype)
        # The order of a real matrix's values is that of the steps they took.
        is_real = op == "Eig" and dtype in wide
        yield case("plain", tensor(dtype, np.triu(symmetric) if is_real
                                   else symmetric))
        if is_real:
            places = np.arange(25).reshape(5, 5)
            yield case("other order", tensor(dtype, places * 37 % 64 - 24.0))
        if op == "SelfAdjointEigV2":
            yield case("other upper", tensor(dtype, np.triu(symmetric)))
            yield case("other batch", tensor(dtype, [symmetric, np.eye(3)]))
        yield case("scalar one", tensor(dtype, [[-2]]))
        yield case("empty", empty(dtype, (0, 0)))
        yield case("empty batch", empty(dtype, (0, 2, 2)))
        if dtype == "float":
            yield case("mismatch", plain(dtype, (3,)))
            yield case("mismatch square", plain(dtype, (2, 3)))


def lu(op):
    for dtype in floats(op):
        for idx in ("int32", "int64"):
            def case(kind, value, dtype=dtype, idx=idx):
                return Case(kind, types(T=dtype, output_idx_type=idx), [value], 2)
            square = matrix(dtype, SQUARE)
            yield case("plain", tensor(dtype, square))
            if idx == "int64":
                continue
            yield case("other turned", tensor(dtype, square[[2, 0, 1]]))
            yield case("other batch", tensor(dtype, [square, square[::-1] * 2]))
            yield case("scalar one", tensor(dtype, [[-2]]))
            yield case("empty", empty(dtype, (0, 0)))
            yield case("empty batch", empty(dtype, (0, 2, 2)))
            if dtype == "float":
                yield case("zero", tensor(dtype, [[1, 2], [2, 4]]))
                yield case("mismatch", plain(dtype, (3,)))
                yield case("mismatch square", plain(dtype, (2, 3)))


def least_squares(op):
    for dtype in floats(op):
        for fast in (True, False):
            def case(kind, value, right, l2=0.0, dtype=dtype, fast=fast):
                return Case(kind, types(T=dtype) | {"fast": ("bool", fast)},
                            [value, right, tensor("double", l2)])
            wide = matrix(dtype, [[4, 1, 0, 0], [0, 4, 1, 0], [0, 0, 4, 1]])
            yield case("plain", tensor(dtype, wide), plain(dtype, (3, 2)))
            yield case("plain tall", tensor(dtype, wide.T), plain(dtype, (4, 2)))
            yield case("other regularised", tensor(dtype, wide.T),
                       plain(dtype, (4, 2)), 0.5)
            yield case("other regularised wide", tensor(dtype, wide),
                       plain(dtype, (3, 1)), 0.5)
            yield case("other batch", tensor(dtype, [wide.T, wide.T * 2]),
                       plain(dtype, (2, 4, 1)))
            if dtype != "float":
                continue
            # Without rows TensorFlow does not write its solution.
            yield case("empty right", tensor(dtype, wide.T), empty(dtype, (4, 0)))
            yield case("zero", tensor(dtype, np.zeros((3, 2))),
                       plain(dtype, (3, 1)))
            yield case("mismatch rows", tensor(dtype, wide), plain(dtype, (2, 1)))
            yield case("mismatch rank", tensor(dtype, wide), plain(dtype, (3,)))
            yield case("mismatch scalar", tensor(dtype, wide),
                       plain(dtype, (3, 1)), [0.5])
            yield case("mismatch sign", tensor(dtype, wide),
                       plain(dtype, (3, 1)), -0.5)


def cholesky_gradient(op):
    for dtype in floats(op):
        factor = np.array([[2, 0, 0], [1, 2, 0], [0.5, 1, 4]])

        def case(kind, value, grad, dtype=dtype):
            return Case(kind, types(T=dtype), [value, grad])
        yield case("plain", tensor(dtype, factor), plain(dtype, (3, 3)))
        yield case("other batch", tensor(dtype, [factor, factor * 2]),
                   plain(dtype, (2, 3, 3)))
        yield case("scalar one", tensor(dtype, [[2]]), tensor(dtype, [[3]]))
        yield case("empty", empty(dtype, (0, 0)), empty(dtype, (0, 0)))
        yield case("mismatch", tensor(dtype, factor), plain(dtype, (2, 2)))
        yield case("mismatch square", plain(dtype, (2, 3)), plain(dtype, (2, 3)))
        yield case("mismatch rank", plain(dtype, (3,)), plain(dtype, (3,)))


def square_function(op):
    for dtype in floats(op):
        def case(kind, value, dtype=dtype):
            return Case(kind, types(T=dtype), [value])
        symmetric = hermitian(dtype)
        yield case("plain", tensor(dtype, [[4, 1], [0, 9]]))
        if dtype in ("double", "complex128"):  # The others lose digits.
            yield case("plain symmetric", tensor(dtype, symmetric))
        if dtype in ("double", "complex128") and op == "MatrixSquareRoot":
            # A logarithm has small elements, of which few digits are left.
            yield case("plain square", tensor(dtype, matrix(dtype, SQUARE)))
        yield case("other batch", tensor(dtype, [np.diag([4, 2.25, 9]),
                                                 np.eye(3) * 2]))
        yield case("scalar one", tensor(dtype, [[4]]))
        yield case("empty", empty(dtype, (0, 0)))
        yield case("mismatch", plain(dtype, (3,)))
        yield case("mismatch square", plain(dtype, (2, 3)))


def tridiagonal_solve(op):
    for dtype in registered_types(op):
        def case(kind, value, right, dtype=dtype, **more):
            attrs = {name: ("bool", on) for name, on in more.items()}
            return Case(kind, types(T=dtype) | attrs, [value, right])
        three = matrix(dtype, [[2, 1, 3, 9], [4, 5, 6, 7], [9, 1, -2, 3]])
        turning = matrix(dtype, [[2, 1, 3, 9], [0.5, 0.25, 6, 7], [9, 4, -2, 3]])
        yield case("plain", tensor(dtype, three), plain(dtype, (4, 2)))
        yield case("plain turning", tensor(dtype, turning), plain(dtype, (4, 1)))
        yield case("other as it is", tensor(dtype, three), plain(dtype, (4, 2)),
                   partial_pivoting=False)
        yield case("other batch", tensor(dtype, [three, turning]),
                   plain(dtype, (2, 4, 1)))
        yield case("scalar one", tensor(dtype, [[0], [2], [0]]),
                   tensor(dtype, [[3]]))
        yield case("other two", tensor(dtype, [[1, 0], [2, 3], [0, 4]]),
                   tensor(dtype, [[3], [5]]))
        yield case("empty", empty(dtype, (3, 0)), empty(dtype, (0, 2)))
        if dtype != "float":
            continue
        yield case("zero", tensor(dtype, np.zeros((3, 3))), plain(dtype, (3, 1)))
        yield case("zero as it is", tensor(dtype, np.zeros((3, 3))),
                   plain(dtype, (3, 1)), partial_pivoting=False)
        yield case("zero one", tensor(dtype, [[0], [0], [0]]),
                   tensor(dtype, [[3]]))
        yield case("mismatch rank", plain(dtype, (3,)), plain(dtype, (3,)))
        yield case("mismatch rows", plain(dtype, (2, 3)), plain(dtype, (3, 1)))
        yield case("mismatch right", plain(dtype, (3, 3)), plain(dtype, (2, 1)))
        yield case("mismatch perturb", plain(dtype, (3, 3)), plain(dtype, (3, 1)),
                   partial_pivoting=False, perturb_singular=True)


def tridiagonal_product(op):
    for dtype in registered_types(op):
        def case(kind, *values, dtype=dtype):
            return Case(kind, types(T=dtype), list(values))
        row = plain(dtype, (1, 4))
        yield case("plain", row, plain(dtype, (1, 4), 2), plain(dtype, (1, 4), 5),
                   plain(dtype, (4, 2)))
        yield case("other batch", plain(dtype, (2, 1, 3)),
                   plain(dtype, (2, 1, 3), 2), plain(dtype, (2, 1, 3), 5),
                   plain(dtype, (2, 3, 1)))
        yield case("scalar one", *[plain(dtype, (1, 1))] * 3, plain(dtype, (1, 2)))
        yield case("empty", *[empty(dtype, (1, 0))] * 3, empty(dtype, (0, 2)))
        if dtype != "float":
            continue
        yield case("mismatch rows", *[plain(dtype, (2, 4))] * 3,
                   plain(dtype, (4, 2)))
        yield case("mismatch right", row, row, row, plain(dtype, (3, 2)))
        yield case("mismatch diagonals", row, plain(dtype, (1, 3)), row,
                   plain(dtype, (4, 2)))
        yield case("mismatch rank", row, row, row, plain(dtype, (4,)))


OPS = {
    "CholeskyGrad": cholesky_gradient,
    "Eig": eigen_values,
    "Lu": lu,
    "MatrixLogarithm": square_function,
    "MatrixSolveLs": least_squares,
    "MatrixSquareRoot": square_function,
    "Qr": qr,
    "SelfAdjointEigV2": eigen_values,
    "Svd": svd_values,
    "TridiagonalMatMul": tridiagonal_product,
    "TridiagonalSolve": tridiagonal_solve,
}
