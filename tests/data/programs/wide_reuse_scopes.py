# TF1
"""Reuse of variables: the errors people meet."""
import tensorflow as tf

def layer(x, units, name):
    with tf.variable_scope(name):
        w = tf.get_variable('w', [x.shape[1], units], initializer=tf.ones_initializer())
        b = tf.get_variable('b', [units], initializer=tf.zeros_initializer())
        return tf.matmul(x, w) + b

x = tf.placeholder(tf.float32, [None, 3], name='x')
y1 = layer(x, 2, 'fc')
try:
    layer(x, 2, 'fc')
except ValueError as e:
    print(str(e).split('Originally')[0])
with tf.variable_scope(tf.get_variable_scope(), reuse=True):
    y2 = layer(x, 2, 'fc')
try:
    with tf.variable_scope('other', reuse=True):
        tf.get_variable('nope', [1])
except ValueError as e:
    print(e)
try:
    with tf.variable_scope('fc', reuse=True):
        tf.get_variable('w', [3, 5])
except ValueError as e:
    print(e)
try:
    with tf.variable_scope('fc', reuse=True):
        tf.get_variable('w', [3, 2], dtype=tf.int32)
except ValueError as e:
    print(e)
print([v.name for v in tf.global_variables()])
print(y1.name, y2.name)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run([y1, y2], {x: [[1, 2, 3]]}))
