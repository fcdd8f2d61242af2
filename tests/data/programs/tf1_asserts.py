# TF1
import tensorflow as tf

x = tf.placeholder(tf.int32, [None], name='x')
check = tf.assert_equal(x, [1, 2], message='must be one two')
with tf.control_dependencies([check]):
    y = x * 2
pos = tf.assert_positive(x, data=[x], summarize=2)
less = tf.assert_less(x, 5)
rank = tf.assert_rank(x, 1)
custom = tf.Assert(tf.reduce_all(x > 0), ['not positive:', x], name='custom')
print(check.type, rank.type if rank is not None else rank, custom.name)
with tf.Session() as sess:
    print(sess.run(y, {x: [1, 2]}), sess.run([pos, less, custom], {x: [1, 2]}))
    for fetch, value in [(y, [1, 3]), (pos, [0, 1, 2, 3]), (less, [7]), (custom, [-1, 5, 6, 7, 8])]:
        try:
            sess.run(fetch, {x: value})
        except tf.errors.InvalidArgumentError as e:
            print(e.op.name)
            print([line for line in e.message.splitlines() if 'assertion failed' in line])
for bad in [lambda: tf.assert_equal(1, 2), lambda: tf.assert_rank(tf.zeros([2, 2]), 1),
            lambda: tf.assert_type(tf.constant(1), tf.float32), lambda: tf.assert_equal(tf.constant(1), 1)]:
    try:
        print(bad())
    except Exception as e:
        print(type(e).__name__, e)
