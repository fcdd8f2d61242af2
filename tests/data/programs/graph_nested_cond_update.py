# TF1
import tensorflow as tf

a = tf.placeholder(tf.bool, [], name='a')
b = tf.placeholder(tf.bool, [], name='b')
v = tf.Variable(1.0, name='v')
w = tf.get_variable('w', shape=[], initializer=tf.zeros_initializer())


def inner_true():
    with tf.control_dependencies([v.assign(v * 2)]):
        return tf.identity(v.read_value())


def inner_false():
    with tf.control_dependencies([w.assign_add(v)]):
        return w.read_value()


def outer():
    with tf.control_dependencies([v.assign_add(0.5)]):
        return tf.cond(b, inner_true, inner_false)


out = tf.cond(a, outer, lambda: v - w)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for fa in (True, False):
        for fb in (True, False, True):
            print(fa, fb, sess.run(out, {a: fa, b: fb}), sess.run([v, w]))
