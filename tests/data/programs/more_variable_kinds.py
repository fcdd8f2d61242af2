# TF1
import tensorflow as tf

a = tf.get_variable('a', shape=[2], dtype=tf.float32, initializer=tf.initializers.constant(3))
b = tf.get_variable('b', initializer=[1, 2, 3])
c = tf.get_variable('c', initializer=lambda: tf.ones([2, 2]))
d = tf.get_local_variable('d', shape=[], initializer=tf.zeros_initializer())
e = tf.Variable(tf.random_normal([2], seed=1), trainable=False, name='e')
f = tf.Variable(a.initialized_value() * 2, name='f')
with tf.variable_scope('s', reuse=tf.AUTO_REUSE, regularizer=lambda w: tf.reduce_sum(w)):
    g = tf.get_variable('g', [2], initializer=tf.ones_initializer())
print([v.op.name for v in tf.trainable_variables()], [v.op.name for v in tf.local_variables()], len(tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)))
for v in (a, b, c, d, e, f, g):
    print(v, v.initial_value.op.type if v.initial_value is not None else None, v.trainable)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(tf.local_variables_initializer())
    print(sess.run([a, b, c, d, f, g]))
    sess.run(a.assign([7, 8]))
    print(a.eval(), sess.run(a + 1), sess.run(tf.assign(b, b * 2)), sess.run(c[0]))
    print(sess.run(tf.variables_initializer([a])), a.eval())
try:
    tf.get_variable('a')
except ValueError as err:
    print(str(err).split('.')[0])
