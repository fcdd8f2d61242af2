# TF1
import tensorflow as tf


def doubled(getter, name, *args, **kwargs):
    v = getter(name, *args, **kwargs)
    return tf.multiply(v, 2.0, name=name.replace('/', '_') + '_doubled')


with tf.variable_scope('s', custom_getter=doubled):
    a = tf.get_variable('a', [2], initializer=tf.ones_initializer())
print(a)
with tf.variable_scope('t', initializer=tf.constant_initializer(3.), dtype=tf.float64) as scope:
    b = tf.get_variable('b', [2])
    print(b.dtype, scope.initializer is not None, scope.dtype)
    with tf.variable_scope('inner'):
        c = tf.get_variable('c', [1])
        print(c.name, c.dtype)
with tf.variable_scope(scope, reuse=True):
    print(tf.get_variable('b', dtype=tf.float64) is b)
with tf.variable_scope(scope):
    print(tf.get_variable_scope().name, tf.constant(1.).name)
with tf.variable_scope('t', auxiliary_name_scope=False):
    print(tf.constant(1.).name)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run([a, b, c]))
layer = tf.make_template('layer', lambda x: x * tf.get_variable('w', [], initializer=tf.ones_initializer()))
y1, y2 = layer(1.), layer(2.)
print(y1.name, y2.name, [v.name for v in layer.variables], layer.name)
