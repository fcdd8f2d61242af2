"""Linear algebra."""


def _positive(tf, a):
    """Returns a matrix that has a Cholesky decomposition, of any."""
    return tf.matmul(a, a, adjoint_b=True) + tf.eye(3, dtype=a.dtype) * 2


def _one(function, shape=(3, 3), dtype='float32', add=3.0):
    def case(tf, x):
        a = x(list(shape), 1, dtype=dtype)
        b = a + add * tf.eye(3, dtype=dtype) if add else a
        y = function(tf)(b)
        if not dtype.startswith('complex'):
            return y, [a]
        return y, [a], {'grad_ys': [tf.zeros_like(y) + (2 + 1j)]}
    return case


def _solve(function, a_shape=(3, 3), b_shape=(3, 2), **how):
    def case(tf, x):
        a, b = x(list(a_shape), 1), x(list(b_shape), 2)
        return function(tf)(a + 3 * tf.eye(3), b, **how), [a, b]
    return case


def _cholesky(shape, dtype='float32'):
    def case(tf, x):
        a = _positive(tf, x(list(shape), 1, dtype=dtype))
        y = tf.linalg.cholesky(a)
        return y, [a], {'grad_ys': [tf.zeros_like(y) + (2 + 1j)]} if dtype == 'complex64' else {}
    return case


def _eigh(tf, x):
    a = x([3, 3], 1)
    e, v = tf.linalg.eigh(_positive(tf, a))
    return [e * [1., 2., 3.], v * v * [[1.], [2.], [3.]]], [a]


def _eigvalsh(tf, x):
    a = x([2, 3, 3], 1)
    return tf.linalg.eigvalsh(_positive(tf, a)) * [1., 2., 3.], [a]


def _qr(shape):
    def case(tf, x):
        a = x(list(shape), 1)
        q, r = tf.linalg.qr(a)
        return [q * q, r * r], [a]
    return case


def _svd(shape, **how):
    def case(tf, x):
        a = x(list(shape), 1)
        s, u, v = tf.linalg.svd(a, **how)
        return [s * s, u * u, v * v], [a]
    return case


def _singular_values(tf, x):
    a = x([2, 3], 1)
    return tf.linalg.svd(a, compute_uv=False), [a]


def _triangular(tf):
    return lambda a, b, **how: tf.linalg.triangular_solve(a, b, **how)


def _least_squares(shape, **how):
    def case(tf, x):
        a, b = x(list(shape), 1), x([*shape[:-1], 2], 2)
        return tf.raw_ops.MatrixSolveLs(matrix=a, rhs=b, l2_regularizer=tf.constant(0.5, 'float64'), **how), [a, b]
    return case


CASES = {
    'least_squares_tall': _least_squares((3, 2)), 'least_squares_wide': _least_squares((2, 3)),
    'inverse': _one(lambda tf: tf.linalg.inv), 'inverse_batch': _one(lambda tf: tf.linalg.inv, (2, 3, 3)),
    'inverse_adjoint': _one(lambda tf: lambda a: tf.linalg.inv(a, adjoint=True)),
    'inverse_complex': _one(lambda tf: tf.linalg.inv, dtype='complex64'),
    'determinant': _one(lambda tf: tf.linalg.det), 'determinant_batch': _one(lambda tf: tf.linalg.det, (2, 3, 3)),
    'log_determinant': _one(lambda tf: lambda a: tf.linalg.slogdet(a)[1], (2, 3, 3)),
    'solve': _solve(lambda tf: tf.linalg.solve), 'solve_adjoint': _solve(lambda tf: tf.linalg.solve, adjoint=True),
    'solve_batch': _solve(lambda tf: tf.linalg.solve, (2, 3, 3), (2, 3, 2)),
    'triangular': _solve(_triangular), 'triangular_upper': _solve(_triangular, lower=False, adjoint=True),
    'triangular_batch': _solve(_triangular, (2, 3, 3), (2, 3, 1)),
    'cholesky': _cholesky((3, 3)), 'cholesky_batch': _cholesky((2, 3, 3)), 'cholesky_complex': _cholesky((3, 3), 'complex64'),
    'cholesky_double': _cholesky((3, 3), 'float64'),
    'eigh': _eigh, 'eigvalsh': _eigvalsh,
    'qr': _qr((3, 3)), 'qr_tall': _qr((3, 2)), 'qr_wide': _qr((2, 3)), 'qr_batch': _qr((2, 3, 3)),
    'svd': _svd((3, 3)), 'svd_tall': _svd((3, 2)), 'svd_wide': _svd((2, 3)), 'svd_full': _svd((2, 3), full_matrices=True),
    'singular_values': _singular_values,
}
STATIC = [name for name in CASES if name.startswith(('qr', 'svd', 'singular', 'least'))]
RENAMED = ('cholesky_complex',)
UNNAMED = ('cholesky', 'cholesky_batch', 'cholesky_double', 'cholesky_complex', 'least_squares_tall', 'least_squares_wide')
