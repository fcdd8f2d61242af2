# TF1
import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, shape=(2, 3), name='x')
s = tf.sparse_placeholder(tf.float32, name='s')
y = x * 2
c = tf.constant(4.0, name='c')
z = c + 1
with tf.Session() as sess:
    print(sess.run(y, {x: np.arange(6).reshape(2, 3)}))
    print(sess.run(z, {c: 10.}))
    print(sess.run(z, {'c:0': 1}))
    for feed in ({x: [1, 2]}, {x: 'abc'}, {}, {'nope:0': 1}, {x: tf.constant(1.)}, {3: 3}, {x: None},
                 {x: [[1, 2, 3], [4, 5]]}):
        try:
            print(sess.run(y, feed))
        except Exception as e:
            print(type(e).__name__, str(e).split('\n')[0])
    sv = tf.SparseTensorValue(indices=[[0, 1], [2, 0]], values=[1., 2.], dense_shape=[3, 2])
    print(sess.run(s, {s: sv}))
    print(sess.run(tf.sparse_tensor_to_dense(s), {s: ([[0, 0]], [9.], [1, 2])}))
    print(sess.graph.is_feedable(y), sess.graph.is_fetchable(y))
    sess.graph.prevent_feeding(y)
    try:
        sess.run(y, {y: np.zeros((2, 3))})
    except Exception as e:
        print(type(e).__name__, e)
