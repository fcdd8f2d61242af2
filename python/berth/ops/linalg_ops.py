"""linalg_ops.py - Functions of tf.linalg that are more than one op, or take other parameters."""

from __future__ import annotations

from typing import Any

from berth.framework import convert, gen, scopes
from berth.ops import array_ops, clip_ops, math_ops, reduce_ops

global_norm = clip_ops.global_norm


def _padding(value: Any, tensor: Any) -> Any:
    """Returns the padding as a bool for truths."""
    dtype = getattr(tensor, 'dtype', None)
    return bool(value) if dtype is not None and dtype == 'bool' else value


def matrix_diag(diagonal: Any, name: str = 'diag', k: Any = 0, num_rows: Any = -1, num_cols: Any = -1,
                padding_value: Any = 0, align: str = 'RIGHT_LEFT') -> Any:
    """Returns matrices with given diagonals."""
    return gen.apply('MatrixDiagV3', name, {
        'diagonal': diagonal, 'k': k, 'num_rows': num_rows, 'num_cols': num_cols,
        'padding_value': _padding(padding_value, diagonal)}, {'align': align})


def matrix_diag_part(input: Any, name: str = 'diag_part', k: Any = 0,  # pylint: disable=redefined-builtin
                     padding_value: Any = 0, align: str = 'RIGHT_LEFT') -> Any:
    """Returns diagonals of matrices."""
    return gen.apply('MatrixDiagPartV3', name, {
        'input': input, 'k': k, 'padding_value': _padding(padding_value, input)}, {'align': align})


def matrix_set_diag(input: Any, diagonal: Any, name: str = 'set_diag',  # pylint: disable=redefined-builtin
                    k: Any = 0, align: str = 'RIGHT_LEFT') -> Any:
    """Returns matrices with other diagonals."""
    return gen.apply('MatrixSetDiagV3', name, {'input': input, 'diagonal': diagonal, 'k': k}, {'align': align})


def trace(x: Any, name: str | None = None) -> Any:
    """Returns the sums of the diagonals."""
    with scopes.name_scope(name, 'Trace', [x]) as name:
        x = convert.convert_to_tensor(x, name='x')
        return reduce_ops.reduce_sum(matrix_diag_part(x), [-1], name=name)


def matvec(a: Any, b: Any, transpose_a: bool = False, adjoint_a: bool = False, a_is_sparse: bool = False,
           b_is_sparse: bool = False, name: str | None = None) -> Any:
    """Returns matrices times vectors."""
    with scopes.name_scope(name, 'MatVec', [a, b]):
        product = math_ops.matmul(a, array_ops.expand_dims(b, axis=-1), transpose_a=transpose_a, adjoint_a=adjoint_a,
                                  a_is_sparse=a_is_sparse, b_is_sparse=b_is_sparse)
        return array_ops.squeeze(product, axis=[-1])


def adjoint(matrix: Any, name: str | None = None) -> Any:
    """Returns matrices with rows and columns exchanged, conjugated."""
    with scopes.name_scope(name, 'adjoint', [matrix]):
        matrix = convert.convert_to_tensor(matrix, name='matrix')
        return array_ops.matrix_transpose(matrix, conjugate=True)


def logdet(matrix: Any, name: str | None = None) -> Any:
    """Returns the logarithms of the determinants of matrices that are positive."""
    with scopes.name_scope(name, 'logdet', [matrix]):
        factor = gen.apply('Cholesky', None, {'input': matrix})
        diagonal = math_ops.real(matrix_diag_part(factor))
        return 2.0 * reduce_ops.reduce_sum(math_ops.log(diagonal), axis=[-1])


def triangular_solve(matrix: Any, rhs: Any, lower: bool = True, adjoint: bool = False,  # pylint: disable=redefined-outer-name
                     name: str | None = None) -> Any:
    """Solves equations of triangles."""
    with scopes.name_scope(name, 'triangular_solve', [matrix, rhs]):
        return _triangle(matrix, rhs, lower, adjoint)


def _triangle(matrix: Any, rhs: Any, lower: bool = True, is_adjoint: bool = False) -> Any:
    """Makes the op that solves equations of triangles."""
    return gen.apply('MatrixTriangularSolve', None, {'matrix': matrix, 'rhs': rhs},
                     {'lower': lower, 'adjoint': is_adjoint})


def cholesky_solve(chol: Any, rhs: Any, name: str | None = None) -> Any:
    """Solves equations of matrices whose factor is given."""
    with scopes.name_scope(name, 'cholesky_solve', [chol, rhs]):
        return _triangle(chol, _triangle(chol, rhs), is_adjoint=True)


def lstsq(matrix: Any, rhs: Any, l2_regularizer: Any = 0.0, fast: bool = True, name: str | None = None) -> Any:
    """Solves equations as well as can be, by those of the squares where |fast|."""
    if not fast:
        return gen.apply('MatrixSolveLs', name, {'matrix': matrix, 'rhs': rhs, 'l2_regularizer': l2_regularizer},
                         {'fast': fast})
    with scopes.name_scope(name, 'matrix_solve_ls', [matrix, rhs, l2_regularizer]):
        matrix = convert.convert_to_tensor(matrix, name='matrix')
        rhs = convert.convert_to_tensor(rhs, name='matrix_rhs', dtype=matrix.dtype)
        rows, columns = matrix.shape[-2], matrix.shape[-1]
        is_tall = rows is None or columns is None or rows >= columns
        squares = math_ops.matmul(matrix, matrix, adjoint_a=is_tall, adjoint_b=not is_tall)
        squares += matrix_diag(l2_regularizer * array_ops.ones_like(matrix_diag_part(squares)))
        factor = gen.apply('Cholesky', None, {'input': squares})
        if is_tall:
            return cholesky_solve(factor, math_ops.matmul(matrix, rhs, adjoint_a=True))
        return math_ops.matmul(matrix, cholesky_solve(factor, rhs), adjoint_a=True)


def normalize(tensor: Any, ord: Any = 'euclidean', axis: Any = None,  # pylint: disable=redefined-builtin
              name: str | None = None) -> Any:
    """Returns a tensor divided by its norm, and the norm."""
    with scopes.name_scope(name, 'normalize', [tensor]):
        tensor = convert.convert_to_tensor(tensor)
        norm = math_ops.cast(reduce_ops.norm(tensor, ord, axis, keepdims=True), tensor.dtype)
        return tensor / norm, norm
