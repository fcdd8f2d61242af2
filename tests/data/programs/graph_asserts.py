# TF1
import tensorflow as tf

x = tf.placeholder(tf.int32, [None], name='x')
ops = {
    'equal': tf.assert_equal(x, [1, 2], name='eq'),
    'positive': tf.assert_positive(x, message='must be positive'),
    'less': tf.assert_less(x, 10, data=['too big', x], summarize=2),
    'rank': tf.assert_rank(x, 1),
}
for key, op in ops.items():
    print(key, op.name, op.type)
plain = tf.Assert(tf.reduce_all(x > 0), [x, tf.constant('text')], name='plain')
print(plain.name, plain.type)
with tf.Session() as sess:
    for key, op in list(ops.items()) + [('plain', plain)]:
        try:
            print(key, sess.run(op, {x: [-1, 20, 3]}))
        except tf.errors.InvalidArgumentError as e:
            print(key, e.message)
    print(sess.run(list(ops.values()), {x: [1, 2]}))


def attempt(fn):
    try:
        r = fn()
        print(r if r is None else r.name)
    except (ValueError, TypeError, tf.errors.InvalidArgumentError) as e:
        print(type(e).__name__, e)


c = tf.constant([1, 2, 3], name='c')
attempt(lambda: tf.assert_equal(c, [1, 2, 4]))
attempt(lambda: tf.assert_negative(c, message='why'))
attempt(lambda: tf.assert_rank(c, 2))
attempt(lambda: tf.assert_rank_at_least(c, 2, message='flat'))
attempt(lambda: tf.assert_type(c, tf.float32))
attempt(lambda: tf.assert_none_equal(c, [0, 0, 3]))
attempt(lambda: tf.assert_greater_equal(c, c))
attempt(lambda: tf.assert_non_negative(c))
attempt(lambda: tf.assert_scalar(c))
attempt(lambda: tf.assert_integer(tf.constant(1.5)))
attempt(lambda: tf.assert_less_equal(tf.constant([2.5]), [1.]))
print([op.name for op in tf.get_default_graph().get_operations()][-12:])
