# TF1
import tensorflow as tf

tf.enable_resource_variables()
v = tf.get_variable('v', [2], initializer=tf.ones_initializer())
print(v)
u = tf.get_variable('u', [], use_resource=False)
print(u, u.dtype)
with tf.variable_scope('s', use_resource=True):
    t = tf.get_variable('t', initializer=3.0)
print(t, t.op.type, u.op.type)
with tf.Session() as sess:
    try:
        sess.run(v)
    except tf.errors.FailedPreconditionError as error:
        print(error.message.split('\n')[0])
    sess.run(tf.global_variables_initializer())
    print(sess.run(tf.assign_add(v, [1., 2.])))
