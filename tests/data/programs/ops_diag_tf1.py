# TF1
import tensorflow as tf

a = tf.diag([1., 2., 3.])
b = tf.matrix_diag([[1., 2.], [3., 4.]])
c = tf.matrix_diag_part(b)
d = tf.matrix_band_part(tf.ones([3, 3]), 0, 1)
e = tf.diag_part(a)
f = tf.matrix_set_diag(a, [9., 9., 9.])
for t in (a, b, c, d, e, f):
    print(t.name, t.op.type, t.shape)
with tf.Session() as sess:
    for t in (a, b, c, d, e, f):
        print(sess.run(t))
