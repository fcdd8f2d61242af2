# TF1
import tensorflow as tf

with tf.variable_scope('s', dtype=tf.float64, use_resource=True):
    a = tf.get_variable('a', [2], initializer=tf.ones_initializer())
    print(a, a.dtype, type(a).__name__)
with tf.variable_scope('p', regularizer=lambda x: tf.reduce_sum(x) * 0.1):
    r = tf.get_variable('r', [2], initializer=tf.ones_initializer())
print(len(tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)))
with tf.variable_scope('c', custom_getter=lambda getter, name, *args, **kw: getter(name + '_x', *args, **kw)):
    c = tf.get_variable('c', [1])
    print(c.name)
with tf.variable_scope('q', constraint=lambda v: tf.clip_by_value(v, 0., 1.)):
    q = tf.get_variable('q', [1])
    print(q.constraint is not None)
print(tf.get_local_variable('loc', [1]), tf.local_variables())
i = tf.get_variable('i', [3], dtype=tf.int32)
print(i, i.initializer.name, i.initial_value)
s = tf.Variable('text', name='s')
t = tf.Variable([True, False], name='t')
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run([a, r, i, s, t]))
    print(sess.run(tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)))
