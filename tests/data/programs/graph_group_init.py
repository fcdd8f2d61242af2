# TF1
import tensorflow as tf

a = tf.get_variable('a', initializer=tf.constant([1., 2.]))
b = tf.get_variable('b', initializer=a.initialized_value() + 1.)
c = tf.get_variable('c', [2, 2], initializer=tf.initializers.constant([[1., 2.], [3., 4.]]))
d = tf.get_variable('d', [3], initializer=tf.initializers.ones(), dtype=tf.int32)
e = tf.get_variable('e', [2, 2], initializer=tf.initializers.zeros())
init = tf.global_variables_initializer()
print(init.name, init.type, [o.name for o in init.control_inputs])
print(tf.global_variables_initializer() is init, tf.variables_initializer([a], name='one').name)
print(a.initializer.name, a.initial_value.name, a.initializer.type)
with tf.Session() as sess:
    print(sess.run(init))
    print([x.tolist() for x in sess.run([a, b, c, d, e])])
    print([n.decode() for n in sess.run(tf.report_uninitialized_variables())])
try:
    tf.get_variable('bad', [2], initializer='ones_or_so')
except (ValueError, TypeError) as err:
    print(type(err).__name__, err)
try:
    tf.Variable(None)
except ValueError as err:
    print(err)
try:
    tf.Variable(lambda: [1., 2.], dtype=tf.float64, expected_shape=[3])
    print('made')
except (ValueError, TypeError) as err:
    print(type(err).__name__, err)
print(tf.Variable(lambda: [1., 2.]).shape, tf.Variable(3).dtype, tf.Variable([1, 2], dtype=tf.float32))
