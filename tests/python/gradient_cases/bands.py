"""Matrices of few diagonals, their roots and eigenvalues."""


def _product(shape, dtype='float32'):
    def case(tf, x):
        sides = [x([*shape[:-2], 1, shape[-2]], seed, dtype=dtype) for seed in (1, 2, 3)]
        b = x(list(shape), 4, dtype=dtype)
        y = tf.raw_ops.TridiagonalMatMul(superdiag=sides[0], maindiag=sides[1], subdiag=sides[2], rhs=b)
        return _weighed(tf, y, [*sides, b])
    return case


def _weighed(tf, y, xs):
    """Gives what is complex a slope that is."""
    return (y, xs, {'grad_ys': [tf.zeros_like(y) + (2 + 1j)]}) if y.dtype.is_complex else (y * y, xs)


def _diagonals(tf, a):
    """Returns diagonals of a matrix that is far from singular."""
    return a + tf.constant([[0.], [3.], [0.]], a.dtype)


def _solution(shape, dtype='float32', **how):
    def case(tf, x):
        a, b = x([*shape[:-2], 3, shape[-2]], 1, dtype=dtype), x(list(shape), 2, dtype=dtype)
        return _weighed(tf, tf.raw_ops.TridiagonalSolve(diagonals=_diagonals(tf, a), rhs=b, **how), [a, b])
    return case


def _banded(shape, rhs, dtype='float32', **how):
    def case(tf, x):
        a, b = x(list(shape), 1, 2, 3, dtype=dtype), x(list(rhs), 2, dtype=dtype)
        return _weighed(tf, tf.raw_ops.BandedTriangularSolve(matrix=a, rhs=b, **how), [a, b])
    return case


def _root(shape, dtype='float32'):
    def case(tf, x):
        a = x(list(shape), 1, dtype=dtype)
        return _weighed(tf, tf.raw_ops.MatrixSquareRoot(input=a + 4 * tf.eye(shape[-1], dtype=dtype)), [a])
    return case


def _spread(tf, a):
    """Returns a matrix whose eigenvalues are far from each other."""
    return a + tf.linalg.diag(tf.cast([2., 5., 9.], a.dtype))


def _eig(shape, dtype='float32', **how):
    def case(tf, x):
        a = x(list(shape), 1, dtype=dtype)
        out = tf.complex128 if dtype in ('float64', 'complex128') else tf.complex64
        e, v = tf.raw_ops.Eig(input=_spread(tf, a), Tout=out, **how)
        squares = tf.math.real(e * e)
        weighed = [tf.abs(v) * tf.constant([[1.], [2.], [3.]], out.real_dtype)] if how.get('compute_v', True) else []
        return [squares, *weighed], [a]
    return case


CASES = {
    'product': _product((3, 2)), 'product_batch': _product((2, 4, 3), 'float64'),
    'product_complex': _product((3, 2), 'complex64'),
    'solution': _solution((4, 2)), 'solution_batch': _solution((2, 3, 1), 'float64'),
    'solution_plain': _solution((3, 2), partial_pivoting=False), 'solution_complex': _solution((3, 2), 'complex64'),
    'banded': _banded((2, 4), (4, 2)), 'banded_adjoint': _banded((2, 4), (4, 2), adjoint=True),
    'banded_upper': _banded((3, 4), (4, 1), lower=False), 'banded_batch': _banded((2, 2, 3), (2, 3, 2), 'float64'),
    'banded_broadcast': _banded((2, 3), (2, 3, 2)),
    'banded_complex': _banded((2, 3), (3, 2), 'complex64', lower=False, adjoint=True),
    'root': _root((3, 3)), 'root_batch': _root((2, 2, 2), 'float64'), 'root_complex': _root((2, 2), 'complex64'),
    'eig': _eig((3, 3)), 'eig_batch': _eig((2, 3, 3), 'float64'), 'eig_complex': _eig((3, 3), 'complex64'),
    'eig_values': _eig((3, 3), compute_v=False),
}
# TensorFlow's rule for roots computes the same sizes again for each product.
RENAMED = ('root', 'root_batch', 'root_complex')
# TensorFlow computes the pads while it makes nodes, and knows more shapes for it.
UNNAMED = tuple(name for name in CASES if name.startswith(('product', 'banded', 'root')))
