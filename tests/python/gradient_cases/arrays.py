"""Ops that move, join, take and spread elements."""


def _on(shape, op, dtype='float32', low=-1.0, high=1.0):
    """A case of one value."""
    def case(tf, x):
        a = x(list(shape), 1, low, high, dtype)
        return op(tf)(a), [a]
    return case


def _concat(axis, dtype='float32'):
    def case(tf, x):
        a, b, c = x([2, 3], 1, dtype=dtype), x([2, 3], 2, dtype=dtype), x([2, 3], 3, dtype=dtype)
        return tf.concat([a, b, c], axis) * 2, [a, b, c]
    return case


def _concat_many(tf, x):
    values = [x([2, 2], seed) for seed in range(1, 19)]
    return tf.concat(values, 1), values[:2]


def _concat_first(tf, x):
    a, b = x([2, 3], 1), x([1, 3], 2)
    return tf.raw_ops.Concat(concat_dim=0, values=[a, b]), [a, b]


def _concat_one(tf, x):
    a = x([2, 3], 1)
    return tf.raw_ops.ConcatV2(values=[a, a], axis=0), [a]


def _concat_rows(axis):
    def case(tf, x):
        a, b = x([3, 4], 1), x([3, 4], 2)
        return tf.gather(tf.concat([a, b], axis), [2, 0, 2]), [a, b]
    return case


def _stack(tf, x):
    a, b = x([2, 3], 1), x([2, 3], 2)
    return tf.stack([a, b], 1) * 3, [a, b]


def _split_use(tf, x):
    a = x([2, 6], 1)
    parts = tf.split(a, 3, 1)
    return parts[0] * parts[2], [a]


def _split_sizes(tf, x):
    a = x([2, 6], 1)
    parts = tf.split(a, [1, 2, 3], 1)
    return [parts[0] * 2, parts[2] * 3], [a]


def _tile_rows(tf, x):
    a = x([2, 3], 1)
    return tf.gather(tf.tile(a, [2, 1]), [3, 0, 1, 3]), [a]


def _pad_value(tf, x):
    a = x([2, 3], 1)
    return tf.pad(a, [[1, 0], [0, 2]], constant_values=5.0) * 2, [a]


def _fill(tf, x):
    a = x([], 1)
    return tf.fill([2, 3], a), [a]


def _update_slice(tf, x):
    a, b = x([4, 3], 1), x([2, 3], 2)
    return tf.raw_ops.TensorStridedSliceUpdate(input=a, begin=[1], end=[3], strides=[1], value=b), [a, b]


def _slice_grad(tf, x):
    d = x([2, 2], 1)
    return tf.raw_ops.StridedSliceGrad(shape=[4, 3], begin=[0, 1], end=[4, 3], strides=[2, 1], dy=d), [d]


def _gather_again(tf, x):
    a = x([4, 2], 1)
    return tf.gather(tf.gather(a, [3, 1, 1]), [0, 2, 0]), [a]


def _gather_twice_used(tf, x):
    a = x([4, 2], 1)
    return [tf.gather(a, [3, 1]), tf.gather(a, tf.constant([0, 1, 1], 'int64'))], [a]


def _gather_and_whole(tf, x):
    a = x([4, 2], 1)
    return [tf.gather(a, [3, 1]), a * 2], [a]


def _gather_v1(tf, x):
    a = x([4, 2], 1)
    return tf.raw_ops.Gather(params=a, indices=[[3, 1], [0, 1]]), [a]


CASES = {
    'reshape': _on([2, 6], lambda tf: lambda a: tf.reshape(a, [3, -1])),
    'reshape_half': _on([2, 6], lambda tf: lambda a: tf.reshape(a, [12]), 'float16'),
    'reshape_empty': _on([0, 6], lambda tf: lambda a: tf.reshape(a, [3, 0])),
    'reshape_row': _on([6], lambda tf: lambda a: tf.reshape(a, [3, 2])),
    'expand_dims': _on([2, 3], lambda tf: lambda a: tf.expand_dims(a, 1)),
    'squeeze': _on([2, 1, 3, 1], lambda tf: lambda a: tf.squeeze(a, [1])),
    'transpose': _on([2, 3, 4], lambda tf: lambda a: tf.transpose(a, [1, 2, 0])),
    'transpose_double': _on([2, 3], lambda tf: lambda a: tf.transpose(a, [1, 0]), 'float64'),
    'tile': _on([2, 3], lambda tf: lambda a: tf.tile(a, [2, 3])),
    'tile_long': _on([2, 3], lambda tf: lambda a: tf.tile(a, tf.constant([2, 1], 'int64'))),
    'tile_rows': _tile_rows,
    'broadcast_to': _on([3, 1], lambda tf: lambda a: tf.broadcast_to(a, [2, 3, 4])),
    'broadcast_to_long': _on([3, 1], lambda tf: lambda a: tf.broadcast_to(a, tf.constant([3, 2], 'int64'))),
    'fill': _fill,
    'pad': _on([2, 3], lambda tf: lambda a: tf.pad(a, [[1, 2], [0, 1]]) * 2),
    'pad_value': _pad_value,
    'mirror_pad': _on([3, 3], lambda tf: lambda a: tf.pad(a, [[1, 1], [0, 2]], 'REFLECT') * 2),
    'mirror_pad_symmetric': _on([3, 3], lambda tf: lambda a: tf.pad(a, [[1, 1], [0, 2]], 'SYMMETRIC') * 2),
    'reverse': _on([2, 3], lambda tf: lambda a: tf.reverse(a, [1])),
    'reverse_v1': _on([2, 3], lambda tf: lambda a: tf.raw_ops.Reverse(tensor=a, dims=[True, False])),
    'reverse_sequence': _on([3, 4], lambda tf: lambda a: tf.reverse_sequence(a, [2, 1, 4], seq_axis=1, batch_axis=0)),
    'roll': _on([3, 4], lambda tf: lambda a: tf.roll(a, [1, -2], [0, 1])),
    'space_to_batch': _on([1, 4, 4, 2], lambda tf: lambda a: tf.compat.v1.space_to_batch(a, [[0, 0], [2, 0]], 2)),
    'batch_to_space': _on([4, 2, 2, 1], lambda tf: lambda a: tf.compat.v1.batch_to_space(a, [[0, 1], [0, 0]], 2)),
    'space_to_batch_nd': _on([1, 4, 4, 2], lambda tf: lambda a: tf.space_to_batch(a, [2, 2], [[0, 0], [2, 0]])),
    'batch_to_space_nd': _on([4, 2, 2, 1], lambda tf: lambda a: tf.batch_to_space(a, [2, 2], [[0, 1], [0, 0]])),
    'space_to_depth': _on([1, 4, 4, 2], lambda tf: lambda a: tf.nn.space_to_depth(a, 2)),
    'depth_to_space': _on([1, 2, 2, 8], lambda tf: lambda a: tf.nn.depth_to_space(a, 2)),
    'concat': _concat(0),
    'concat_last': _concat(-1),
    'concat_half': _concat(1, 'float16'),
    'concat_many': _concat_many,
    'concat_v1': _concat_first,
    'concat_same': _concat_one,
    'concat_rows': _concat_rows(0),
    'concat_rows_along': _concat_rows(1),
    'stack': _stack,
    'unstack': _on([2, 3], lambda tf: lambda a: [b * (i + 1.0) for i, b in enumerate(tf.unstack(a, 3, 1))]),
    'unstack_one': _on([2, 3], lambda tf: lambda a: tf.unstack(a, 3, 1)[1]),
    'split': _split_use,
    'split_sizes': _split_sizes,
    'slice': _on([3, 4], lambda tf: lambda a: tf.slice(a, [1, 0], [2, 3])),
    'slice_rest': _on([3, 4], lambda tf: lambda a: tf.slice(a, [1, 1], [-1, 2])),
    'slice_long': _on([3, 4], lambda tf: lambda a: tf.slice(a, tf.constant([1, 0], 'int64'), tf.constant([2, 3], 'int64'))),
    'strided_slice': _on([4, 5], lambda tf: lambda a: a[1:3, ::2]),
    'strided_slice_masks': _on([4, 5], lambda tf: lambda a: a[..., tf.newaxis, 1]),
    'strided_slice_back': _on([4, 5], lambda tf: lambda a: a[::-1, 0]),
    'strided_slice_grad': _slice_grad,
    'strided_slice_update': _update_slice,
    'gather': _on([4, 3], lambda tf: lambda a: tf.gather(a, [2, 0, 2])),
    'gather_matrix': _on([4, 3], lambda tf: lambda a: tf.gather(a, [[2, 0], [1, 1]])),
    'gather_scalar': _on([4, 3], lambda tf: lambda a: tf.gather(a, 2)),
    'gather_long': _on([4, 3], lambda tf: lambda a: tf.gather(a, tf.constant([2, 0], 'int64'))),
    'gather_axis': _on([2, 3, 4], lambda tf: lambda a: tf.gather(a, [[0, 2]], axis=1)),
    'gather_last': _on([2, 3, 4], lambda tf: lambda a: tf.gather(a, [0, 3, 0], axis=-1)),
    'gather_batch': _on([2, 3, 4], lambda tf: lambda a: tf.gather(a, [[0, 2], [1, 1]], axis=2, batch_dims=1)),
    'gather_batch_first': _on([2, 3, 4], lambda tf: lambda a: tf.gather(a, [[0, 2], [1, 1]], axis=1, batch_dims=1)),
    'gather_again': _gather_again,
    'gather_twice_used': _gather_twice_used,
    'gather_and_whole': _gather_and_whole,
    'gather_v1': _gather_v1,
    'reshape_bfloat16': _on([2, 6], lambda tf: lambda a: tf.reshape(a, [12]), 'bfloat16'),
    'transpose_empty': _on([0, 3], lambda tf: lambda a: tf.transpose(a, [1, 0])),
    'concat_double': _concat(0, 'float64'),
    'slice_half': _on([3, 4], lambda tf: lambda a: tf.slice(a, [1, 0], [2, 3]), 'float16'),
    'slice_empty': _on([3, 4], lambda tf: lambda a: tf.slice(a, [1, 0], [0, 3])),
    'strided_slice_double': _on([4, 5], lambda tf: lambda a: a[1:3, ::2], 'float64'),
    'gather_half': _on([4, 3], lambda tf: lambda a: tf.gather(a, [2, 0, 2]), 'float16'),
    'gather_none': _on([4, 3], lambda tf: lambda a: tf.gather(a, tf.zeros([0], 'int32'))),
    'tile_double': _on([2, 3], lambda tf: lambda a: tf.tile(a, [2, 3]), 'float64'),
    'pad_double': _on([2, 3], lambda tf: lambda a: tf.pad(a, [[1, 2], [0, 1]]), 'float64'),
    'transpose_three': _on([2, 3, 2], lambda tf: lambda a: tf.transpose(a)),
    'boolean_mask': _on([4, 2], lambda tf: lambda a: tf.boolean_mask(a, [True, False, True, True])),
    'identity': _on([2, 3], lambda tf: lambda a: tf.identity(a)),
}
UNNAMED = ('tile', 'tile_long', 'tile_rows', 'broadcast_to', 'broadcast_to_long', 'concat_rows',
           'concat_rows_along', 'strided_slice_update', 'gather', 'gather_matrix', 'gather_scalar', 'gather_long',
           'gather_again', 'gather_twice_used', 'gather_v1', 'gather_half', 'gather_none', 'tile_double', 'boolean_mask')
