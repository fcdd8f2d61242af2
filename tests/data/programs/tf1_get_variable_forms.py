# TF1
import numpy as np
import tensorflow as tf

a = tf.get_variable('a', shape=[2, 2])
b = tf.get_variable('b', shape=(), dtype=tf.int32, initializer=tf.constant_initializer(4))
c = tf.get_variable('c', initializer=np.array([1., 2.]))
d = tf.get_variable('d', initializer=tf.zeros([2], tf.int64), trainable=False)
e = tf.get_variable('e', [2], tf.float64, tf.ones_initializer)
f = tf.get_variable('f', [1], regularizer=lambda t: tf.reduce_sum(t), initializer=tf.ones_initializer())
for v in (a, b, c, d, e, f):
    print(v.name, v.shape, v.dtype, v.initializer.name)
losses = tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)
print(len(losses))
print([v.op.name for v in tf.trainable_variables()])
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run([b, c, d, e, f]))
    print(sess.run(tf.add_n(losses)))
for bad in [lambda: tf.get_variable('a', [2, 2]), lambda: tf.get_variable('g'), lambda: tf.get_variable('h', [None]),
            lambda: tf.get_variable('i', [2], initializer=tf.constant(1.)), lambda: tf.get_variable(''),
            lambda: tf.get_variable('j', [2], tf.string), lambda: tf.get_variable('k', shape='x')]:
    try:
        print(bad())
    except Exception as err:
        print(type(err).__name__, str(err).splitlines()[0])
