# TF1
import tensorflow as tf

u = tf.Variable(tf.zeros([6]), name='u')
drop = tf.scatter_add(u, [2, 3], [1.0, 0.5])
shift = tf.roll(u, 1, 0)
lap = tf.roll(u, 1, 0) + tf.roll(u, -1, 0) - 2 * u
step = u.assign(u + 0.1 * lap)
total = tf.cumsum(u, exclusive=True, name='total')
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(drop)
    for _ in range(5):
        sess.run(step)
    print(sess.run(u).round(4))
    print(sess.run(shift).round(4))
    print(total, sess.run(total).round(4))
