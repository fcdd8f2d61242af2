# TF1
import numpy as np
import tensorflow as tf

m = tf.placeholder(tf.float64, [None, None], name='m')
inv = tf.matrix_inverse(m)
det = tf.matrix_determinant(m)
sol = tf.matrix_solve(m, tf.constant([[1.], [2.]], tf.float64))
chol = tf.cholesky(m)
print(inv, det, sol, chol)
with tf.Session() as sess:
    v = {m: [[3., 1.], [1., 2.]]}
    for t in (inv, det, sol, chol):
        print(np.round(sess.run(t, v), 6))
    try:
        sess.run(inv, {m: [[1., 1.], [1., 1.]]})
    except tf.errors.InvalidArgumentError as e:
        print(e.message.splitlines()[0])
    try:
        sess.run(det, {m: np.ones([2, 3])})
    except tf.errors.InvalidArgumentError as e:
        print('shape')
