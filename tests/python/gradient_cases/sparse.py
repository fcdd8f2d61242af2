"""Sums of products by equations, and sparse tensors."""

PLACES = [[0, 1], [1, 0], [1, 2]]


def _einsum(equation, *shapes, dtype='float32'):
    def case(tf, x):
        values = [x(list(shape), i + 1, dtype=dtype) for i, shape in enumerate(shapes)]
        y = tf.raw_ops.Einsum(inputs=values, equation=equation)
        return y, values, {'grad_ys': [tf.zeros_like(y) + (2 + 1j)]} if dtype == 'complex64' else {}
    return case


def _places(tf):
    return tf.constant(PLACES, 'int64')


def _matmul(turn_a, turn_b):
    def case(tf, x):
        a, b = x([3], 1), x(([4, 2] if turn_a else [4, 3]) if turn_b else ([2, 4] if turn_a else [3, 4]), 2)
        y = tf.raw_ops.SparseTensorDenseMatMul(a_indices=_places(tf), a_values=a, a_shape=tf.constant([2, 3], 'int64'), b=b,
                                               adjoint_a=turn_a, adjoint_b=turn_b)
        return y, [a, b]
    return case


def _reorder(tf, x):
    a = x([3], 1)
    places = tf.constant([[1, 2], [0, 1], [1, 0]], 'int64')
    _, y, *_ = tf.raw_ops.SparseReorder(input_indices=places, input_values=a, input_shape=tf.constant([2, 3], 'int64'))
    return y * [1., 2., 3.], [a]


def _add(tf, x):
    a, b = x([3], 1), x([2], 2)
    shape = tf.constant([2, 3], 'int64')
    y = tf.raw_ops.SparseAdd(a_indices=_places(tf), a_values=a, a_shape=shape,
                             b_indices=tf.constant([[0, 1], [0, 2]], 'int64'), b_values=b, b_shape=shape, thresh=0.)
    return y[1] * [1., 2., 3., 4.], [a, b]


def _slice(tf, x):
    a = x([3], 1)
    y = tf.raw_ops.SparseSlice(indices=_places(tf), values=a, shape=tf.constant([2, 3], 'int64'),
                               start=tf.constant([1, 0], 'int64'), size=tf.constant([1, 3], 'int64'))
    return y[1] * [1., 2.], [a]


def _fill(tf, x):
    a, b = x([3], 1), x([], 2)
    y = tf.raw_ops.SparseFillEmptyRows(indices=tf.constant([[0, 1], [2, 0], [2, 2]], 'int64'), values=a,
                                       dense_shape=tf.constant([4, 3], 'int64'), default_value=b)
    return y[1] * [1., 2., 3., 4., 5.], [a, b]


def _dense_add(tf, x):
    a, b = x([3], 1), x([2, 3], 2)
    return tf.raw_ops.SparseTensorDenseAdd(a_indices=_places(tf), a_values=a, a_shape=tf.constant([2, 3], 'int64'),
                                           b=b) * b, [a, b]


def _to_dense(tf, x):
    a, b = x([3], 1), x([], 2)
    y = tf.raw_ops.SparseToDense(sparse_indices=_places(tf), output_shape=tf.constant([2, 3], 'int64'), sparse_values=a,
                                 default_value=b)
    return y * [[1., 2., 3.], [4., 5., 6.]], [a, b]


def _reduce_sum(axes):
    def case(tf, x):
        a = x([3], 1)
        y = tf.raw_ops.SparseReduceSum(input_indices=_places(tf), input_values=a, input_shape=tf.constant([2, 3], 'int64'),
                                       reduction_axes=axes)
        return y * tf.constant([2., 3.]), [a]
    return case


def _softmax(tf, x):
    a = x([3], 1)
    y = tf.raw_ops.SparseSoftmax(sp_indices=_places(tf), sp_values=a, sp_shape=tf.constant([2, 3], 'int64'))
    return y * [1., 2., 3.], [a]


def _elements(name, shape):
    def case(tf, x):
        a, b = x([3], 1, 0.5, 1), x(shape, 2, 0.5, 1)
        y = getattr(tf.raw_ops, name)(sp_indices=_places(tf), sp_values=a, sp_shape=tf.constant([2, 3], 'int64'), dense=b)
        return y * [1., 2., 3.], [a, b]
    return case


CASES = {
    'elements_mul': _elements('SparseDenseCwiseMul', [2, 3]), 'elements_mul_row': _elements('SparseDenseCwiseMul', [3]),
    'elements_div': _elements('SparseDenseCwiseDiv', [2, 3]),
    'elements_div_column': _elements('SparseDenseCwiseDiv', [2, 1]),
    'einsum_matmul': _einsum('ij,jk->ik', (2, 3), (3, 4)), 'einsum_transpose': _einsum('ijk->kij', (2, 3, 4)),
    'einsum_sum': _einsum('ijk->ik', (2, 3, 4)), 'einsum_sum_turned': _einsum('ijk->ki', (2, 3, 4)),
    'einsum_trace': _einsum('ii->i', (3, 3)), 'einsum_trace_sum': _einsum('iij->', (3, 3, 2)),
    'einsum_reduced': _einsum('abc,cd->ad', (2, 3, 4), (4, 2)), 'einsum_outer': _einsum('i,j->ij', (2,), (3,)),
    'einsum_batch': _einsum('...ij,...jk->...ik', (2, 2, 3), (2, 3, 4)),
    'einsum_broadcast': _einsum('...ij,jk->...ik', (2, 2, 3), (3, 4)),
    'einsum_complex': _einsum('ij,jk->ik', (2, 3), (3, 4), dtype='complex64'),
    'matmul': _matmul(False, False), 'matmul_ta': _matmul(True, False), 'matmul_tb': _matmul(False, True),
    'matmul_ta_tb': _matmul(True, True), 'reorder': _reorder, 'add': _add, 'slice': _slice, 'fill_empty_rows': _fill,
    'dense_add': _dense_add, 'to_dense': _to_dense, 'reduce_sum': _reduce_sum([1]),
    'reduce_sum_negative': _reduce_sum([-1]), 'softmax': _softmax,
}
ONCE = ('softmax',)
RENAMED = ('reorder',)
UNNAMED = ('elements_mul', 'elements_mul_row', 'elements_div', 'elements_div_column', 'reorder',
           'matmul_tb', 'matmul_ta_tb', 'einsum_broadcast', 'einsum_sum_turned', 'einsum_trace_sum')
