"""factor_ops.py - Functions of tf.linalg that decompose matrices, and what is made of their factors."""

from __future__ import annotations

from typing import Any

import numpy as np

from berth.framework import convert, dtypes, gen, scopes
from berth.ops import array_ops, flow_ops, linalg_ops, math_ops, reduce_ops


def svd(tensor: Any, full_matrices: bool = False, compute_uv: bool = True, name: str | None = None) -> Any:
    """Returns singular values, and the vectors of both sides."""
    s, u, v = gen.apply('Svd', name, {'input': tensor}, {'compute_uv': compute_uv, 'full_matrices': full_matrices})
    return (math_ops.real(s), u, v) if compute_uv else math_ops.real(s)


def self_adjoint_eig(tensor: Any, name: str | None = None) -> Any:
    """Returns eigenvalues and vectors of matrices that are their own adjoints."""
    return gen.apply('SelfAdjointEigV2', name, {'input': tensor}, {'compute_v': True})


def self_adjoint_eigvals(tensor: Any, name: str | None = None) -> Any:
    """Returns eigenvalues of matrices that are their own adjoints."""
    return gen.apply('SelfAdjointEigV2', name, {'input': tensor}, {'compute_v': False})[0]


def _eig(tensor: Any, name: str | None, compute_v: bool) -> Any:
    tensor = convert.convert_to_tensor(tensor)
    is_single = tensor.dtype in (dtypes.float32, dtypes.complex64)
    wide = dtypes.complex64 if is_single else dtypes.complex128
    return gen.apply('Eig', name, {'input': tensor}, {'Tout': wide, 'compute_v': compute_v})


def eig(tensor: Any, name: str | None = None) -> Any:
    """Returns eigenvalues and vectors."""
    return _eig(tensor, name, True)


def eigvals(tensor: Any, name: str | None = None) -> Any:
    """Returns eigenvalues."""
    return _eig(tensor, name, False)[0]


def _real_type(tensor: Any) -> Any:
    return tensor.dtype.as_numpy_dtype


def _condition(a: Any, factor: float) -> Any:
    """Returns the share of the largest singular value below which others count for nothing."""
    rows, columns = a.shape[-2], a.shape[-1]
    kind = _real_type(a)
    if rows is None or columns is None:
        size = math_ops.cast(reduce_ops.reduce_max(array_ops.shape(a)[-2:]), np.finfo(kind).dtype)
    else:
        size = float(max(rows, columns))
    return factor * size * np.finfo(kind).eps


def pinv(a: Any, rcond: Any = None, validate_args: bool = False, name: str | None = None) -> Any:
    """Returns pseudo-inverses."""
    with scopes.name_scope(name or 'pinv'):
        a = convert.convert_to_tensor(a, name='a')
        rcond = _condition(a, 10.0) if rcond is None else rcond
        s, u, v = svd(a)
        rcond = convert.convert_to_tensor(rcond, dtype=s.dtype, name='rcond')
        cutoff = array_ops.expand_dims(rcond * reduce_ops.reduce_max(s, axis=-1), -1)
        s = array_ops.where(s > cutoff, s, array_ops.fill(array_ops.shape(s), convert.constant(np.inf, dtype=s.dtype)))
        return math_ops.matmul(v / math_ops.cast(array_ops.expand_dims(s, -2), v.dtype), u, adjoint_b=True)


def matrix_rank(a: Any, tol: Any = None, validate_args: bool = False, name: str | None = None) -> Any:
    """Returns how many singular values count."""
    with scopes.name_scope(name or 'matrix_rank'):
        a = convert.convert_to_tensor(a, dtype_hint=None if hasattr(a, 'dtype') else dtypes.float32, name='a')
        s = svd(a, compute_uv=False)
        if tol is None:
            tol = _condition(a, 1.0) * reduce_ops.reduce_max(s, axis=-1, keepdims=True)
        return reduce_ops.reduce_sum(math_ops.cast(s > tol, dtypes.int32), axis=-1)


# ---- Of the factors of Lu ----


def lu_solve(lower_upper: Any, perm: Any, rhs: Any, validate_args: bool = False, name: str | None = None) -> Any:
    """Solves equations of matrices whose factors are given."""
    with scopes.name_scope(name or 'lu_solve'):
        lower_upper = convert.convert_to_tensor(lower_upper, name='lower_upper')
        perm = convert.convert_to_tensor(perm, dtype=dtypes.int32, name='perm')
        rhs = convert.convert_to_tensor(rhs, dtype=lower_upper.dtype, name='rhs')
        if rhs.shape.rank == 2 and perm.shape.rank == 1:
            turned = array_ops.gather(rhs, perm, axis=-2)
        else:
            turned = array_ops.gather(rhs, perm, axis=-2, batch_dims=perm.shape.rank - 1)
        ones = array_ops.ones(array_ops.shape(lower_upper)[:-1], dtype=lower_upper.dtype)
        lower = linalg_ops.matrix_set_diag(array_ops.matrix_band_part(lower_upper, -1, 0), ones)
        between = linalg_ops.triangular_solve(lower, turned)
        return linalg_ops.triangular_solve(lower_upper, between, lower=False)


def lu_matrix_inverse(lower_upper: Any, perm: Any, validate_args: bool = False, name: str | None = None) -> Any:
    """Returns inverses of matrices whose factors are given."""
    with scopes.name_scope(name or 'lu_matrix_inverse'):
        lower_upper = convert.convert_to_tensor(lower_upper, name='lower_upper')
        shape = array_ops.shape(lower_upper)
        one = array_ops.eye(shape[-1], batch_shape=shape[:-2], dtype=lower_upper.dtype)
        return lu_solve(lower_upper, perm, rhs=one)


def lu_reconstruct(lower_upper: Any, perm: Any, validate_args: bool = False, name: str | None = None) -> Any:
    """Returns the matrices that factors were made of."""
    with scopes.name_scope(name or 'lu_reconstruct'):
        lower_upper = convert.convert_to_tensor(lower_upper, name='lower_upper')
        perm = convert.convert_to_tensor(perm, dtype=dtypes.int32, name='perm')
        ones = array_ops.ones(array_ops.shape(lower_upper)[:-1], dtype=lower_upper.dtype)
        lower = linalg_ops.matrix_set_diag(array_ops.matrix_band_part(lower_upper, -1, 0), ones)
        product = math_ops.matmul(lower, array_ops.matrix_band_part(lower_upper, 0, -1))
        places = math_ops.cast(reduce_order(perm), dtypes.int32)
        return array_ops.gather(product, places, axis=-2, batch_dims=perm.shape.rank - 1)


def reduce_order(perm: Any) -> Any:
    """Returns what undoes the permutations of the last dimension."""
    return gen.apply('TopKV2', None, {'input': -perm, 'k': array_ops.shape(perm)[-1]}, {'sorted': True})[1]


# ---- Exponentials ----

_PADE = (64764752532480000.0, 32382376266240000.0, 7771770303897600.0, 1187353796428800.0, 129060195264000.0,
         10559470521600.0, 670442572800.0, 33522128640.0, 1323241920.0, 40840800.0, 960960.0, 16380.0, 182.0)


def _pade(matrix: Any) -> tuple[Any, Any]:
    """Returns the odd and the even part of Padé's approximation of order 13."""
    def times(number: float, value: Any) -> Any:
        return convert.constant(number, dtype=matrix.dtype) * value

    shape = array_ops.shape(matrix)
    one = array_ops.eye(shape[-1], batch_shape=shape[:-2], dtype=matrix.dtype)
    second = math_ops.matmul(matrix, matrix)
    fourth = math_ops.matmul(second, second)
    sixth = math_ops.matmul(fourth, second)
    low = [times(_PADE[i + 6], sixth) + times(_PADE[i + 4], fourth) + times(_PADE[i + 2], second) + times(_PADE[i], one)
           for i in (1, 0)]
    odd = math_ops.matmul(sixth, sixth + times(_PADE[11], fourth) + times(_PADE[9], second)) + low[0]
    even = math_ops.matmul(sixth, times(_PADE[12], sixth) + times(_PADE[10], fourth) + times(_PADE[8], second)) + low[1]
    return math_ops.matmul(matrix, odd), even


def matrix_exponential(input: Any, name: str | None = None) -> Any:  # pylint: disable=redefined-builtin
    """Returns the exponentials of matrices."""
    with scopes.name_scope(name, 'matrix_exponential', [input]):
        matrix = convert.convert_to_tensor(input, name='input')
        if matrix.shape[-2:] == [0, 0]:
            return matrix
        norm = reduce_ops.reduce_max(reduce_ops.reduce_sum(math_ops.abs(matrix), axis=-2), axis=-1)
        norm = array_ops.expand_dims(array_ops.expand_dims(norm, -1), -1)
        two = convert.constant(2.0, dtype=norm.dtype)
        times = math_ops.floor(math_ops.log(norm / convert.constant(2.5, dtype=norm.dtype)) / math_ops.log(two)) + 1
        times = math_ops.maximum(times, convert.constant(0.0, dtype=norm.dtype))
        odd, even = _pade(matrix / math_ops.cast(math_ops.pow(two, times), matrix.dtype))
        result = gen.apply('MatrixSolve', None, {'matrix': even - odd, 'rhs': even + odd})
        most = reduce_ops.reduce_max(times)

        def again(i: Any, value: Any) -> Any:
            is_left = array_ops.broadcast_to(i < times, array_ops.shape(value))
            return i + 1, array_ops.where(is_left, math_ops.matmul(value, value), value)

        first = convert.constant(0.0, dtype=norm.dtype)
        return flow_ops.while_loop(lambda i, _: i < most, again, [first, result])[1]


# ---- Some diagonals ----


def banded_triangular_solve(bands: Any, rhs: Any, lower: bool = True, adjoint: bool = False, name: str | None = None) -> Any:
    """Solves equations of triangles of which some diagonals are there."""
    with scopes.name_scope(name, 'banded_triangular_solve', [bands, rhs]):
        return gen.apply('BandedTriangularSolve', None, {'matrix': bands, 'rhs': rhs}, {'lower': lower, 'adjoint': adjoint})


def tridiagonal_solve(diagonals: Any, rhs: Any, diagonals_format: str = 'compact', transpose_rhs: bool = False,
                      conjugate_rhs: bool = False, name: str | None = None, partial_pivoting: bool = True,
                      perturb_singular: bool = False) -> Any:
    """Solves equations of matrices with three diagonals."""
    if perturb_singular and not partial_pivoting:
        raise ValueError('partial_pivoting must be True if perturb_singular is.')
    with scopes.name_scope(name or 'tridiagonal_solve'):
        diagonals = _compact(diagonals, diagonals_format)
        rhs = convert.convert_to_tensor(rhs, name='rhs', dtype=diagonals.dtype)
        is_vector = rhs.shape.rank == diagonals.shape.rank - 1
        if is_vector:
            rhs = array_ops.expand_dims(rhs, -1)
        elif transpose_rhs:
            rhs = array_ops.matrix_transpose(rhs, conjugate=conjugate_rhs)
        if conjugate_rhs and (is_vector or not transpose_rhs):
            rhs = math_ops.conj(rhs)
        solved = gen.apply('TridiagonalSolve', name, {'diagonals': diagonals, 'rhs': rhs},
                           {'partial_pivoting': partial_pivoting, 'perturb_singular': perturb_singular})
        if is_vector:
            return array_ops.squeeze(solved, -1)
        return array_ops.matrix_transpose(solved) if transpose_rhs else solved


def _compact(diagonals: Any, form: str) -> Any:
    """Returns three diagonals as three rows."""
    if form == 'compact':
        return convert.convert_to_tensor(diagonals, name='diagonals')
    if form == 'sequence':
        upper, main, lower = (convert.convert_to_tensor(d) for d in diagonals)
        edge = [[0, 0]] * (main.shape.rank - 1)
        count = main.shape[-1]
        if upper.shape[-1] == count - 1:
            upper = array_ops.pad(upper, [*edge, [0, 1]])
        if lower.shape[-1] == count - 1:
            lower = array_ops.pad(lower, [*edge, [1, 0]])
        return array_ops.stack((upper, main, lower), axis=-2)
    if form != 'matrix':
        raise ValueError(f'Expected diagonals_format to be one of "matrix", "sequence", "compact". Got: {form}')
    whole = convert.convert_to_tensor(diagonals, name='diagonals')
    return linalg_ops.matrix_diag_part(whole, k=(-1, 1), align='LEFT_RIGHT')


def tridiagonal_matmul(diagonals: Any, rhs: Any, diagonals_format: str = 'compact', name: str | None = None) -> Any:
    """Multiplies matrices with three diagonals by others."""
    rows = _compact(diagonals, diagonals_format)
    rhs = convert.convert_to_tensor(rhs, name='rhs', dtype=rows.dtype)
    upper, main, lower = (rows[..., i:i + 1, :] for i in range(3))
    return gen.apply('TridiagonalMatMul', name, {'superdiag': upper, 'maindiag': main, 'subdiag': lower, 'rhs': rhs})
