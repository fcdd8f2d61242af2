# TF1
import tensorflow as tf

x = tf.placeholder(tf.int32, [], name='x')
v = tf.Variable(100, name='v')


def change(op, value):
    def inner():
        with tf.control_dependencies([op(v, value)]):
            return v + 0
    return inner


r = tf.case([(tf.less(x, 0), change(tf.assign, 7)),
             (tf.equal(x, 0), change(tf.assign_add, 1))],
            default=change(tf.assign_sub, 10), exclusive=False)
print(r)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for value in (0, 0, 5, -3, 1, 0):
        print(value, sess.run(r, {x: value}), sess.run(v))
