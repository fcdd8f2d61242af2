# TF1
import tensorflow as tf

a = tf.Variable([1., 2.], name='a')
with tf.name_scope('s'):
    scaled = tf.concat([a * 3, a], 0, name='scaled')
    c = tf.Variable(scaled, name='c')
d = tf.Variable(a.initialized_value() + 1, name='d')
e = tf.Variable(tf.zeros([2]), name='e')
f = tf.Variable(tf.reduce_sum(c) + tf.reduce_sum(e), name='f')
g = tf.get_variable('g', initializer=lambda: a * 2)
for op in tf.get_default_graph().get_operations():
    print(op.name, op.type, [i.name for i in op.inputs])
print(c.initial_value, c.initializer.inputs[1], f.initializer.inputs[1])
with tf.Session() as sess:
    sess.run(f.initializer)
    print(sess.run(f))
    sess.run(tf.global_variables_initializer())
    print([x.tolist() for x in sess.run([a, c, d, e, f, g])])
    sess.run(tf.assign(a, [10., 20.]))
    sess.run([c.initializer, f.initializer])
    print(sess.run(c))
