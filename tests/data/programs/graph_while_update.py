# TF1
import tensorflow as tf

v = tf.Variable([1., 2.], name='v')
log = tf.Variable(0., name='log')


def body(i):
    up = tf.assign_add(v, [1., 10.])
    with tf.control_dependencies([up]):
        seen = tf.assign_add(log, tf.reduce_sum(v))
    with tf.control_dependencies([seen]):
        return i + 1


n = tf.while_loop(lambda i: i < 4, body, [tf.constant(0)])
print(n)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(n))
    print(sess.run([v, log]))
    print(sess.run(n), sess.run(log))


def body2(i, s):
    with tf.control_dependencies([tf.assign_sub(v, [.5, .5])]):
        s += tf.reduce_sum(tf.identity(v) * 2)
    with tf.control_dependencies([s]):
        return i + 1, s


i, s = tf.while_loop(lambda i, s: i < 3, body2, [0, 0.])
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run([i, s]), sess.run(v))
