import tensorflow as tf

calls = [
    lambda: tf.debugging.assert_equal([1, 2], [1, 3], message='not the same'),
    lambda: tf.debugging.assert_equal(1, 1),
    lambda: tf.debugging.assert_greater([1, 2, 3], 2),
    lambda: tf.debugging.assert_less([1.], [0.5], summarize=1),
    lambda: tf.debugging.assert_positive([1, -1]),
    lambda: tf.debugging.assert_non_negative(-1),
    lambda: tf.debugging.assert_rank(tf.zeros([2, 2]), 3),
    lambda: tf.debugging.assert_rank_in(tf.zeros([2, 2]), [0, 1]),
    lambda: tf.debugging.assert_type(tf.zeros([2]), tf.int32),
    lambda: tf.debugging.assert_shapes([(tf.zeros([2, 3]), ('N', 'M')), (tf.zeros([4]), ('N',))]),
    lambda: tf.debugging.assert_near(1.0, 1.1),
    lambda: tf.debugging.assert_none_equal([1, 2], [2, 2]),
    lambda: tf.debugging.check_numerics([1., float('nan')], 'bad numbers'),
    lambda: tf.debugging.assert_all_finite([1., float('inf')], 'infinite'),
    lambda: tf.debugging.assert_scalar([1]),
    lambda: tf.debugging.assert_integer(1.5),
    lambda: tf.debugging.assert_proper_iterable(tf.constant([1])),
    lambda: tf.debugging.assert_same_float_dtype([tf.constant(1.), tf.constant(1., tf.float64)]),
    lambda: tf.debugging.Assert(False, ['data', tf.constant([1, 2])]),
    lambda: tf.debugging.is_numeric_tensor(tf.constant('a')),
    lambda: tf.ensure_shape(tf.zeros([2]), [3]),
]
for call in calls:
    try:
        print(call())
    except Exception as e:
        print(type(e).__name__, e)
