# TF1
import tensorflow as tf

with tf.variable_scope('a'):
    v = tf.get_variable('v', [2], initializer=tf.zeros_initializer())
    with tf.variable_scope('b') as scope:
        w = tf.get_variable('w', initializer=tf.constant([1., 2.]))
        print(scope.name, scope.reuse, scope.original_name_scope)
with tf.variable_scope('a', reuse=True):
    v2 = tf.get_variable('v', [2])
print(v is v2, v.name, w.name)
for fn in [lambda: tf.get_variable('v', [2]), lambda: tf.get_variable('new', [1]),
           lambda: tf.get_variable('v', [3]), lambda: tf.get_variable('v', [2], dtype=tf.int32)]:
    for reuse in [None, True]:
        with tf.variable_scope('a', reuse=reuse):
            try:
                print(fn())
            except ValueError as e:
                print(str(e).splitlines()[0])
with tf.variable_scope('c', reuse=tf.AUTO_REUSE):
    p = tf.get_variable('p', [1])
    q = tf.get_variable('p', [1])
    print(p is q, tf.get_variable_scope().name, tf.get_variable_scope().reuse)
with tf.variable_scope('a'):
    tf.get_variable_scope().reuse_variables()
    print(tf.get_variable('v', [2]).name)
    x = tf.add(1., 2.)
print(x.name, [u.name for u in tf.global_variables()])
with tf.variable_scope(None, default_name='d'):
    print(tf.get_variable('x', [1]).name)
with tf.variable_scope(None, default_name='d'):
    print(tf.get_variable('x', [1]).name)
