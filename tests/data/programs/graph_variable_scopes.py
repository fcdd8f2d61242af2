# TF1
import tensorflow as tf

with tf.variable_scope('net', initializer=tf.constant_initializer(0.5)) as scope:
    w = tf.get_variable('w', [2, 2])
    b = tf.get_variable('b', [2], initializer=tf.zeros_initializer())
    print(w, b, scope.name, scope.reuse, scope.original_name_scope)
    with tf.variable_scope('deep'):
        d = tf.get_variable('w', initializer=tf.constant([1., 2.]))
        print(d, (d + 1.).name)
with tf.variable_scope('net', reuse=True):
    print(tf.get_variable('w') is w, (w + 1.).name)
with tf.variable_scope(scope, reuse=tf.AUTO_REUSE):
    print(tf.get_variable('b', [2]) is b, tf.get_variable('new', [1]).name, tf.constant(1).name)
scope.reuse_variables()


def attempt(fn):
    try:
        print(fn())
    except (ValueError, TypeError) as e:
        print(type(e).__name__, e)


def shared(name, shape=None, **kwargs):
    with tf.variable_scope('net', reuse=kwargs.pop('reuse', None)):
        return tf.get_variable(name, shape, **kwargs)


attempt(lambda: shared('w', [3, 3], reuse=True))
attempt(lambda: shared('missing', [3], reuse=True))
attempt(lambda: shared('w', [2, 2]))
attempt(lambda: shared('w', [2, 2], reuse=True, dtype=tf.int32))
attempt(lambda: shared('noshape'))
attempt(lambda: shared('both', [2], initializer=tf.constant([1., 2.])))
attempt(lambda: tf.variable_scope(None))
with tf.variable_scope(None, default_name='d') as s1, tf.variable_scope(None, default_name='d') as s2:
    print(s1.name, s2.name)
print(tf.get_variable_scope().name == '', [v.name for v in tf.global_variables()])
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run([w, b, d]))
