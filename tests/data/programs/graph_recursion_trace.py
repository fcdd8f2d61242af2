# TF1
import tensorflow as tf

x = tf.placeholder(tf.float32, [None], name='x')


def deep(t, n):
    if n == 0:
        return tf.add(t, tf.constant([1., 2.]), name='bottom')
    return deep(t, n - 1)


def wide(t, n):
    return tf.negative(t, name='n') if n == 0 else wide(t, n - 1)


y = deep(x, 10)
z = deep(x, 2)
with tf.Session() as sess:
    for t in (y, z):
        try:
            sess.run(t, {x: [1., 2., 3.]})
        except tf.errors.InvalidArgumentError as e:
            print(e)
    print(sess.run(wide(y, 5), {x: [1., 1.]}))
    sess.run(wide(deep(x, 3), 7), {x: [1., 2., 3., 4.]})
