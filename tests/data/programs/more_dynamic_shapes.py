# TF1
import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 3], name='x')
w = tf.constant(np.arange(6, dtype=np.float32).reshape(3, 2))
y = tf.tensordot(x, w, axes=1)
print(y, tf.tensordot(x, w, [[1], [0]]).shape)
n = tf.shape(x)[0]
e = tf.eye(n)
print(e.shape, tf.ones([n, 2]).shape, tf.zeros(tf.shape(x)).shape)
r = tf.reshape(x, [n, 1, 3])
t = tf.tile(tf.expand_dims(tf.range(n), 1), [1, 2])
s = tf.split(x, 3, axis=1)
m = tf.sequence_mask([1, 2], n)
print(r.shape, t.shape, [p.shape for p in s], m.shape)
mean, var = tf.nn.moments(x, axes=[0])
norm = (x - mean) / tf.sqrt(var + 1e-5)
print(mean, norm.shape, tf.unstack(x, axis=1)[0].shape)
with tf.Session() as sess:
    feed = {x: [[1, 2, 3], [4, 5, 6]]}
    for v in (y, e, r, t, s[1], m, mean, tf.round(tf.reduce_mean(norm) * 1000), tf.transpose(x), tf.norm(x, axis=1), tf.linalg.diag(x[:, 0])):
        print(sess.run(v, feed))
