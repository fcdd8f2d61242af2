# TF1
import tensorflow as tf

A = tf.constant([[2., 1.], [1., 3.]])
v0 = tf.constant([[1.], [1.]])

def cond(i, v, e):
    return i < 50

def body(i, v, e):
    w = tf.matmul(A, v)
    n = tf.norm(w)
    return i + 1, w / n, n

i, v, e = tf.while_loop(cond, body, [0, v0, tf.constant(0.)])
print(i, v.shape, e)
with tf.Session() as sess:
    iv, vv, ev = sess.run([i, v, e])
    print(iv, [round(float(x), 4) for x in vv.ravel()], round(float(ev), 4))
    print(sess.run(tf.matrix_determinant(A)), sess.run(tf.trace(A)), sess.run(tf.matrix_inverse(A)).round(3).tolist())
nested = tf.while_loop(lambda i, s: i < 3, lambda i, s: (i + 1, s + tf.while_loop(lambda j, t: j < i, lambda j, t: (j + 1, t + 1), [0, 0])[1]), [0, 0])
with tf.Session() as sess:
    print(sess.run(nested))
