# TF1
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 3], name='x')
n = tf.shape(x)[0]
z = tf.zeros(tf.stack([n, 2]))
o = tf.ones_like(x[:, :1])
e = tf.concat([x, z, o], 1)
m = tf.reduce_mean(e, 0)
f = tf.reshape(e, [-1])
k = tf.reshape(f, tf.shape(e))
l = tf.range(n)
s = tf.strided_slice(x, [0, 0], [2, 3], [1, 2])
for t in (n, z, o, e, m, f, k, l, s, tf.size(x), tf.rank(x), tf.fill([n], 7), tf.one_hot(l, 3), tf.tile(x, [n, 1])):
    print(t.name, t.shape, t.dtype.name)
k.set_shape([None, 6])
print(k.shape.is_fully_defined(), k.shape.num_elements(), e.shape[1], e.shape.as_list()[1])
with tf.Session() as sess:
    for rows in ([[1., 2., 3.]], [[1., 2., 3.], [4., 5., 6.]], []):
        feed = {x: tf.zeros([0, 3]).eval() if not rows else rows}
        print([v.tolist() for v in sess.run([n, e, m, l, s], feed)] if rows else
              [v.shape for v in sess.run([z, e, f, k, l], feed)])
    print(sess.run(k, {x: [[1., 2., 3.]]}).tolist())
