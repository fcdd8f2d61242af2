import tensorflow as tf


def attempt(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, "|", e)


x = tf.constant([1, 2, 3])
y = tf.constant([1, 5, 3])
d = tf.debugging
attempt(lambda: d.assert_equal(x, x))
attempt(lambda: d.assert_equal(x, y))
attempt(lambda: d.assert_equal(x, y, message="they differ"))
attempt(lambda: d.assert_none_equal(x, y, summarize=1))
attempt(lambda: d.assert_less(x, y))
attempt(lambda: d.assert_less_equal(y, x))
attempt(lambda: d.assert_greater(x, 0))
attempt(lambda: d.assert_greater_equal(x, 2, message="small"))
attempt(lambda: d.assert_positive(-x))
attempt(lambda: d.assert_negative(x))
attempt(lambda: d.assert_non_negative([-1.5]))
attempt(lambda: d.assert_non_positive(x))
attempt(lambda: d.assert_near([1.0, 2.0], [1.0, 2.1]))
attempt(lambda: d.assert_near([1.0], [1.0 + 1e-7]))
attempt(lambda: d.assert_rank(x, 1))
attempt(lambda: d.assert_rank(x, 2, message="rank"))
attempt(lambda: d.assert_rank_at_least(x, 2))
attempt(lambda: d.assert_rank_in(x, [0, 2]))
attempt(lambda: d.assert_type(x, tf.float32))
attempt(lambda: d.assert_type(x, tf.int32))
attempt(lambda: d.assert_integer([1.5]))
attempt(lambda: d.assert_same_float_dtype([tf.constant(1.0), tf.constant(1.0, tf.float64)]))
attempt(lambda: d.assert_scalar(x))
attempt(lambda: d.assert_shapes([(x, (2,)), (y, ("N",))]))
attempt(lambda: d.assert_shapes({x.ref(): 3} if False else [(x, ("N",)), (y, ("N",))]))
attempt(lambda: d.assert_all_finite([1.0, float("nan")], "has nan"))
attempt(lambda: d.Assert(tf.reduce_all(x > 1), [x, "text"]))
attempt(lambda: d.Assert(True, [x]))
attempt(lambda: d.check_numerics([1.0, float("inf")], "checked"))
attempt(lambda: d.is_numeric_tensor(x))
attempt(lambda: d.assert_proper_iterable(x))
attempt(lambda: tf.ensure_shape(x, [4]))
