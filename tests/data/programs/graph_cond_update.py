# TF1
import tensorflow as tf

v = tf.Variable(0, name='v')
p = tf.placeholder(tf.bool, [], name='p')


def count():
    with tf.control_dependencies([tf.assign_add(v, 1)]):
        return tf.identity(v)


r = tf.cond(p, count, lambda: tf.constant(-1))
print(r, r.op.type, [i.name for i in r.op.inputs])
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for flag in (True, False, True, True):
        print(flag, sess.run(r, {p: flag}), sess.run(v))

big = tf.Variable(tf.zeros([5000]), name='big')


def fill():
    with tf.control_dependencies([tf.assign(big, tf.ones([5000]))]):
        return tf.reduce_sum(big)


total = tf.cond(p, fill, lambda: tf.reduce_sum(big) - 1.)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(total, {p: False}))
    print(sess.run(total, {p: True}))
    print(sess.run(total, {p: False}))
