# TF1
import numpy as np
import tensorflow as tf

points = np.array([[0., 0.], [0., 1.], [5., 5.], [6., 5.]], dtype=np.float64)
x = tf.placeholder(tf.float32, [None, 2])
centroids = tf.Variable(points[[0, 2]].astype(np.float32), name='centroids')
expanded = tf.expand_dims(x, 0)
cent = tf.expand_dims(centroids, 1)
dist = tf.reduce_sum(tf.square(tf.subtract(expanded, cent)), 2)
assign = tf.argmin(dist, 0)
means = []
for k in range(2):
    means.append(tf.reduce_mean(tf.gather(x, tf.reshape(tf.where(tf.equal(assign, k)), [1, -1])), 1))
new = tf.concat(means, 0)
update = tf.assign(centroids, new)
print(dist, assign, new)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(3):
        _, c, a = sess.run([update, centroids, assign], feed_dict={x: points})
    print(c, a)
    print(sess.run(dist, {x: points[:1]}))
