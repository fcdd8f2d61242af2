# TF1
import tensorflow as tf

v = tf.get_variable('v', initializer=0, use_resource=True)
p = tf.placeholder(tf.bool, [], name='p')


def t():
    with tf.control_dependencies([v.assign_add(1)]):
        return v.read_value()


def f():
    with tf.control_dependencies([tf.assign(v, v - 5)]):
        return tf.identity(v)


r = tf.cond(p, t, f)
print(v, r)
print(v.handle.dtype, v.op.type)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for flag in (True, True, False, True, False):
        print(sess.run(r, {p: flag}), end=' ')
    print(sess.run(v))
    try:
        print(sess.run(tf.get_variable('u', shape=[2], use_resource=True)))
    except tf.errors.FailedPreconditionError as e:
        print(type(e).__name__, e.message.splitlines()[0])
