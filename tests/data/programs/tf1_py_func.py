# TF1
import numpy as np
import tensorflow as tf


def scale(x, k):
    print('called with', type(x).__name__, x.dtype, x.shape, k)
    return (x * k).astype(np.float32)


x = tf.placeholder(tf.float32, [None], name='x')
y = tf.py_func(scale, [x, tf.constant(3.)], tf.float32, name='scaled')
print(y, y.shape)
z = tf.py_func(lambda a: [a + 1, b'text'], [x], [tf.float32, tf.string], stateful=False)
n = tf.py_func(lambda: None, [], [])
with tf.Session() as sess:
    print(sess.run(y, {x: [1., 2.]}))
    print(sess.run(z, {x: [1.]}))
    print(sess.run(n))
    y.set_shape([None])
    print(y.shape)
    bad = tf.py_func(lambda a: a.astype(np.int64), [x], tf.float32)
    try:
        sess.run(bad, {x: [1.]})
    except tf.errors.InvalidArgumentError as e:
        print([line for line in e.message.splitlines() if 'returns' in line])

    def fail(a):
        raise KeyError('gone')

    try:
        sess.run(tf.py_func(fail, [x], tf.float32), {x: [1.]})
    except Exception as e:
        print(type(e).__name__, e.message.splitlines()[0])
