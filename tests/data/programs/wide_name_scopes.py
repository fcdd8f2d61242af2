# TF1
import tensorflow as tf

with tf.name_scope('a') as a:
    x = tf.constant(1, name='x')
    with tf.name_scope('b'):
        y = tf.constant(2, name='x')
    with tf.name_scope('b'):
        z = tf.constant(3, name='x')
    with tf.name_scope(''):
        top = tf.constant(4, name='x')
with tf.name_scope(a):
    again = tf.constant(5, name='x')
with tf.name_scope('a'):
    second = tf.constant(6, name='x')
print(a, [t.name for t in (x, y, z, top, again, second)])
with tf.variable_scope('v') as v:
    p = tf.get_variable('p', [])
    q = tf.Variable(1., name='q')
with tf.variable_scope(v, auxiliary_name_scope=False) as v1:
    with tf.name_scope(v1.original_name_scope):
        r = tf.add(p, q, name='r')
with tf.variable_scope('v'):
    s = tf.Variable(1., name='q')
    t = tf.add(s, 1)
print(p.name, q.name, r.name, s.name, t.name)
with tf.variable_scope(None, default_name='auto'):
    u1 = tf.get_variable('w', [])
with tf.variable_scope(None, default_name='auto'):
    u2 = tf.get_variable('w', [])
print(u1.name, u2.name, u2.op.name)
with tf.name_scope(None, 'default', [x]) as d:
    print(d, tf.get_default_graph().get_name_scope())
for bad in ('bad name', 'ok/../no', '_start', 'x' * 3 + '?'):
    try:
        with tf.name_scope(bad):
            print(tf.constant(1).name)
    except Exception as e:
        print(type(e).__name__, e)
