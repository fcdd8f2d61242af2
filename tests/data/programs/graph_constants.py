# TF1
import numpy as np
import tensorflow as tf

print(tf.constant(1), tf.constant([1., 2.]), tf.constant('s'), tf.constant(True), tf.constant([[1, 2], [3, 4]], tf.float64))
print(tf.constant(-1.0, shape=[2, 3]), tf.constant(np.arange(3)), tf.constant([1, 2], name='n', dtype=tf.int64))
print(tf.zeros([2]), tf.ones_like([1, 2]), tf.fill([2], 3.), tf.range(3))


def attempt(fn):
    try:
        print(fn())
    except (ValueError, TypeError) as e:
        print(type(e).__name__, e)


attempt(lambda: tf.constant([1, [2]]))
attempt(lambda: tf.constant([1, 2, 3], shape=[2]))
attempt(lambda: tf.constant([1, 2], shape=[4]))
attempt(lambda: tf.constant([1, 2], shape=[2], verify_shape=True))
attempt(lambda: tf.constant([1, 2], shape=[4], verify_shape=True))
attempt(lambda: tf.constant('a', dtype=tf.int32))
attempt(lambda: tf.constant(1.5, dtype=tf.int32))
attempt(lambda: tf.constant(None))
attempt(lambda: tf.constant(2 ** 40, dtype=tf.int32))
attempt(lambda: tf.constant(2 ** 40))
attempt(lambda: tf.convert_to_tensor([tf.constant(1), 2]))
attempt(lambda: tf.constant(tf.constant(1)))
attempt(lambda: tf.constant([]))
attempt(lambda: tf.constant(object()))
attempt(lambda: tf.constant(1) + 1.5)
attempt(lambda: tf.constant(1.) + tf.constant(1))
attempt(lambda: tf.add('a', 1))
with tf.Session() as sess:
    print(sess.run([tf.constant(2 ** 31 - 1), tf.constant(-1.0, shape=[2, 2]), tf.constant([1, 2, 3], shape=[2, 3])
                    if False else tf.constant(b'x')]))
    print(sess.run(tf.constant(['a', 'bc'])), sess.run(tf.constant(1 + 2j)))
