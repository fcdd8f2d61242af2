# TF1
import numpy as np
import tensorflow as tf

f = tf.placeholder(tf.float32, name='f')
i = tf.placeholder(tf.int32, name='i')
b = tf.placeholder(tf.bool, name='b')
d = tf.placeholder(tf.float64, name='d')
with tf.Session() as sess:
    for value in [1, 1.5, True, [1, 2], [[1.5], [2]], (1, 2.5), np.float64(3.25), np.int8(4), np.arange(3),
                  np.array(2.5), [True, False], [], [[]], np.float16(1.5), range(3), 10**20, -0.0, float('inf')]:
        out = sess.run(f, {f: value})
        print(repr(value), '->', repr(out), type(out).__name__)
    for value in [7, True, [1, 2], np.int64(5), np.uint8(200), (1, 2), [[1, 2], [3, 4]]]:
        print(repr(value), '->', repr(sess.run(i * 2, {i: value})))
    for value in [True, [True, False], 1, 0, np.array([0, 2])]:
        print(repr(value), '->', repr(sess.run(tf.logical_not(b), {b: value})))
    print(sess.run(d, {d: 0.1}), sess.run(d, {d: np.float32(0.1)}))
