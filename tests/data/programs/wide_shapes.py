import tensorflow as tf

s = tf.TensorShape([None, 3])
print(s, repr(s), s.rank, s.ndims, s[0], s[1], s[1:], len(s), list(s), s.as_list(), s.is_fully_defined())
print(s.merge_with([2, None]), s.concatenate([4]), s.is_compatible_with([5, 3]), s == tf.TensorShape([None, 3]), s == [None, 3])
print(tf.TensorShape(None), tf.TensorShape([]), tf.TensorShape(3), tf.TensorShape([2, 3]).num_elements(), s.num_elements())
print(tf.broadcast_static_shape(tf.TensorShape([2, 1]), tf.TensorShape([3])), tf.broadcast_dynamic_shape([2, 1], [3]))
print(s.as_proto(), s.most_specific_compatible_shape([4, 3]), s.with_rank(2), s.dims, s + [1], [1] + s)
t = tf.zeros([2, 0, 3])
print(tf.shape(t), tf.size(t), tf.rank(t), t.shape, t.get_shape(), t.ndim, tf.shape_n([t, [1]]))
print(tf.reshape(tf.range(6), [-1, 2]).shape, tf.expand_dims([1, 2], -1).shape, tf.squeeze([[[1]]]).shape, tf.transpose(t).shape)
for bad in (lambda: s.merge_with([2, 4]), lambda: s.assert_has_rank(3), lambda: tf.TensorShape(None).as_list(), lambda: len(tf.TensorShape(None)),
            lambda: tf.TensorShape(['a']), lambda: tf.TensorShape([-2]), lambda: s.assert_is_fully_defined(), lambda: s.with_rank_at_least(3),
            lambda: tf.broadcast_static_shape(tf.TensorShape([2]), tf.TensorShape([3])), lambda: s.assert_is_compatible_with([1]),
            lambda: tf.reshape(tf.range(6), [4, 2]), lambda: tf.reshape(tf.range(6), [-1, -1]), lambda: tf.squeeze([[1, 2]], axis=1),
            lambda: tf.expand_dims(1, 5), lambda: s[5], lambda: int(tf.TensorShape([3])), lambda: tf.reshape(tf.range(6), [-1, 4])):
    try:
        print(bad())
    except Exception as e:
        print(type(e).__name__, e)
