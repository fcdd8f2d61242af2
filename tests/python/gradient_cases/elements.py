"""Elements by their coordinates and ranks: scattered, partitioned, greatest, on diagonals."""


def _on(shape, op, low=-1.0, high=1.0, dtype='float32'):
    """A case of one value."""
    def case(tf, x):
        a = x(list(shape), 1, low, high, dtype)
        return op(tf)(a), [a]
    return case


def _scatter(op):
    def case(tf, x):
        a, b = x([4, 2], 1), x([3, 2], 2)
        return getattr(tf, op)(a, [[0], [3], [1]], b) * 2, [a, b]
    return case


def _scatter_add_v1(tf, x):
    a, b = x([4, 2], 1), x([3, 2], 2)
    return tf.raw_ops.ScatterNdNonAliasingAdd(input=a, indices=[[0], [3], [0]], updates=b), [a, b]


def _stitch(parallel):
    def case(tf, x):
        a, b = x([2, 2], 1), x([3, 2], 2)
        op = tf.raw_ops.ParallelDynamicStitch if parallel else tf.raw_ops.DynamicStitch
        return op(indices=[[0, 3], [4, 2, 1]], data=[a, b]) * 2, [a, b]
    return case


def _stitch_rows(tf, x):
    a, b = x([2, 2], 1), x([3, 2], 2)
    return tf.gather(tf.dynamic_stitch([[0, 3], [4, 2, 1]], [a, b]), [1, 1, 4]), [a, b]


def _partition(tf, x):
    a = x([4, 2], 1)
    parts = tf.dynamic_partition(a, [1, 0, 0, 1], 2)
    return [parts[0] * 2, parts[1] * 3], [a]


def _partition_one(tf, x):
    a = x([4, 2], 1)
    return tf.dynamic_partition(a, [1, 0, 0, 1], 2)[1], [a]


def _set_diag(k=None, raw=None):
    def case(tf, x):
        a = x([2, 3, 4], 1)
        b = x([2, 2, 3] if k else [2, 3], 2)
        if raw:
            return getattr(tf.raw_ops, raw)(input=a, diagonal=b, **({'k': k} if k else {})), [a, b]
        return tf.linalg.set_diag(a, b, **({'k': k} if k else {})), [a, b]
    return case


CASES = {
    'gather_nd': _on([3, 4], lambda tf: lambda a: tf.gather_nd(a, [[0, 1], [2, 3], [0, 1]])),
    'gather_nd_rows': _on([3, 4], lambda tf: lambda a: tf.gather_nd(a, [[2], [0], [2]])),
    'gather_nd_long': _on([3, 4], lambda tf: lambda a: tf.gather_nd(a, tf.constant([[[2, 1]], [[0, 0]]], 'int64'))),
    'scatter_nd': _on([3, 2], lambda tf: lambda a: tf.scatter_nd([[4], [1], [4]], a, [6, 2])),
    'scatter_update': _scatter('tensor_scatter_nd_update'),
    'scatter_add': _scatter('tensor_scatter_nd_add'),
    'scatter_sub': _scatter('tensor_scatter_nd_sub'),
    'scatter_max': _scatter('tensor_scatter_nd_max'),
    'scatter_min': _scatter('tensor_scatter_nd_min'),
    'scatter_add_v1': _scatter_add_v1,
    'dynamic_stitch': _stitch(False),
    'parallel_dynamic_stitch': _stitch(True),
    'dynamic_stitch_rows': _stitch_rows,
    'dynamic_partition': _partition,
    'dynamic_partition_one': _partition_one,
    'top_k': _on([3, 5], lambda tf: lambda a: tf.math.top_k(a, 2).values),
    'top_k_vector': _on([5], lambda tf: lambda a: tf.math.top_k(a, 3).values),
    'nth_element': _on([3, 5], lambda tf: lambda a: tf.raw_ops.NthElement(input=a, n=2)),
    'diag': _on([3], lambda tf: lambda a: tf.linalg.tensor_diag(a)),
    'diag_part': _on([3, 3], lambda tf: lambda a: tf.linalg.tensor_diag_part(a)),
    'matrix_diag': _on([2, 3], lambda tf: lambda a: tf.linalg.diag(a)),
    'matrix_diag_k': _on([2, 3], lambda tf: lambda a: tf.linalg.diag(a, k=1)),
    'matrix_diag_band': _on([2, 2, 3], lambda tf: lambda a: tf.linalg.diag(a, k=(-1, 0), align='LEFT_RIGHT')),
    'matrix_diag_v1': _on([2, 3], lambda tf: lambda a: tf.raw_ops.MatrixDiag(diagonal=a)),
    'matrix_diag_part': _on([2, 3, 4], lambda tf: lambda a: tf.linalg.diag_part(a)),
    'matrix_diag_part_k': _on([2, 3, 4], lambda tf: lambda a: tf.linalg.diag_part(a, k=-1)),
    'matrix_diag_part_band': _on([2, 3, 4], lambda tf: lambda a: tf.linalg.diag_part(a, k=(0, 1))),
    'matrix_diag_part_v1': _on([2, 3, 3], lambda tf: lambda a: tf.raw_ops.MatrixDiagPart(input=a)),
    'matrix_diag_part_wide': _on([2, 3, 4], lambda tf: lambda a: tf.raw_ops.MatrixDiagPart(input=a)),
    'matrix_set_diag': _set_diag(),
    'matrix_set_diag_v1': _set_diag(raw='MatrixSetDiag'),
    'matrix_set_diag_band': _set_diag(k=(-1, 0)),
    'matrix_band_part': _on([2, 3, 4], lambda tf: lambda a: tf.linalg.band_part(a, 1, 0)),
    'identity_n': _on([2, 3], lambda tf: lambda a: tf.identity_n([a, a * 2])),
    'print': _on([2, 3], lambda tf: lambda a: tf.raw_ops.Print(input=a, data=[], first_n=0)),
    'ensure_shape': _on([2, 3], lambda tf: lambda a: tf.ensure_shape(a, [2, 3])),
    'check_numerics': _on([2, 3], lambda tf: lambda a: tf.debugging.check_numerics(a, 'here')),
    'stop_gradient': _on([2, 3], lambda tf: lambda a: tf.stop_gradient(a) * a),
}
ROUGH = ('stop_gradient',)
RENAMED = ('matrix_set_diag',)
STATIC = ('matrix_diag_k', 'matrix_diag_band', 'matrix_diag_part_band', 'matrix_set_diag_band')
UNNAMED = ('scatter_nd', 'scatter_max', 'scatter_min', 'dynamic_stitch', 'parallel_dynamic_stitch',
           'dynamic_stitch_rows', 'dynamic_partition', 'dynamic_partition_one')
