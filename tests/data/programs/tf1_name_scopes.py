# TF1
import tensorflow as tf

with tf.name_scope('outer') as scope:
    a = tf.constant(1, name='a')
    print(repr(scope))
    with tf.name_scope('inner'):
        b = tf.add(a, 1)
    with tf.name_scope('inner'):
        c = tf.add(a, 1)
    with tf.name_scope(None):
        d = tf.constant(2, name='root')
    with tf.name_scope(scope):
        e = tf.constant(2, name='again')
with tf.name_scope('outer'):
    f = tf.constant(3, name='a')
print([t.name for t in (a, b, c, d, e, f)])
with tf.name_scope('vs'):
    v = tf.Variable(1., name='v')
    g = tf.get_variable('g', [1])
print(v.name, g.name)
with tf.variable_scope('net'):
    with tf.name_scope('ops'):
        w = tf.get_variable('w', [1])
        u = tf.Variable(0., name='u')
        s = tf.square(w, name='s')
print(w.name, u.name, s.name)
with tf.name_scope('my_op', 'default', [a, 1]) as s2:
    print(s2)
with tf.name_scope(None, 'default', [a]) as s3:
    print(s3)
graph = tf.get_default_graph()
print(graph.unique_name('outer'), graph.unique_name('fresh'), graph.unique_name('fresh'), graph.get_name_scope() == '')
try:
    with tf.name_scope('bad name!'):
        pass
except ValueError as e:
    print(e)
