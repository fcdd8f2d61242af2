# TF1
import tensorflow as tf

a = tf.Variable(2., name='a')
b = tf.Variable(a.initialized_value() * 3, name='b')
c = tf.Variable(b.initialized_value() + a.initialized_value(), name='c')
init = tf.global_variables_initializer()
print(init.name, [op.name for op in init.control_inputs])
with tf.Session() as sess:
    sess.run(init)
    print(sess.run([a, b, c]))
    sess.run(a.assign(100.))
    sess.run(b.initializer)
    print(sess.run([a, b, c]))
empty = tf.variables_initializer([])
print(empty.name, empty.type)
some = tf.variables_initializer([a], name='some')
print(some.name, [op.name for op in some.control_inputs])
print([op.name for op in tf.get_default_graph().get_operations()][:12])
