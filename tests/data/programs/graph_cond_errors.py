# TF1
import tensorflow as tf

p = tf.placeholder(tf.bool, [], name='p')
x = tf.constant([1., 2.])


def attempt(fn):
    try:
        print(fn())
    except (ValueError, TypeError, tf.errors.InvalidArgumentError) as e:
        print(type(e).__name__, str(e).split('\n\nOriginal')[0])


attempt(lambda: tf.cond(p, lambda: x, lambda: [x, x]))
attempt(lambda: tf.cond(p, lambda: x, lambda: tf.constant(1)))
attempt(lambda: tf.cond(p, x, x))
attempt(lambda: tf.cond(p, lambda: x))
attempt(lambda: tf.cond(True, lambda: x, lambda: x))
attempt(lambda: tf.cond(tf.constant(1), lambda: x, lambda: x * 2))
attempt(lambda: tf.cond(tf.constant([True, False]), lambda: x, lambda: x * 2))
attempt(lambda: tf.cond(p, lambda: None, lambda: None))
attempt(lambda: tf.cond(p, lambda: {'a': x}, lambda: {'a': x * 2}))
attempt(lambda: tf.cond(p, lambda: (x, x[:1]), lambda: (x * 2, x)))
attempt(lambda: tf.cond(p, lambda: [x], lambda: [x * 2], strict=True))
attempt(lambda: tf.cond(p, lambda: 1, lambda: 2.5))
attempt(lambda: tf.case([(p, lambda: x)], default=None))
attempt(lambda: tf.case([], default=lambda: x))
attempt(lambda: tf.case([(1, lambda: x)], default=lambda: x))
y = tf.cond(p, lambda: x + 1, lambda: x / tf.constant([0., 1.]))
leak = []
z = tf.cond(p, lambda: leak.append(x * 3) or x, lambda: x)
with tf.Session() as sess:
    print(sess.run(y, {p: True}), sess.run(y, {p: False}))
    attempt(lambda: sess.run(leak[0], {p: False}))
    attempt(lambda: sess.run(leak[0], {p: True}))
    attempt(lambda: sess.run(y))
