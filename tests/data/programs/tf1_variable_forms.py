# TF1
import numpy as np
import tensorflow as tf

a = tf.Variable(3)
b = tf.Variable(np.ones([2, 2]), name='b')
c = tf.Variable(tf.fill([2], 7.), trainable=False, name='c')
d = tf.Variable(lambda: tf.constant([1, 2]), dtype=tf.int32, name='d')
e = tf.Variable('text', name='e')
f = tf.Variable(True)
g = tf.Variable([[1.]], validate_shape=False, name='g')
for v in (a, b, c, d, e, f, g):
    print(v)
print(tf.trainable_variables() == [a, b, d, e, f, g], len(tf.global_variables()))
two = tf.Variable(b.initialized_value() * 2, name='two')
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run([a, b, c, d, e, f, g, two]))
    print(sess.run(tf.assign(a, 10)), sess.run(tf.assign_add(a, 5)), sess.run(tf.assign_sub(a, 1)))
    print(sess.run(b.assign(b * 2)), sess.run(b))
    print(sess.run(a + 1), sess.run(-b), sess.run(b[0]), sess.run(a > 3))
    print(sess.run(tf.assign(g, [[1., 2.], [3., 4.]], validate_shape=False)))
    try:
        tf.assign(c, [1., 2., 3.])
    except ValueError as err:
        print(err)
    try:
        tf.assign(a, 1.5)
    except Exception as err:
        print(type(err).__name__, err)
try:
    tf.Variable()
except Exception as err:
    print(type(err).__name__, err)
try:
    tf.Variable(tf.placeholder(tf.float32))
except Exception as err:
    print(type(err).__name__, err)
