# TF1
import tensorflow as tf

a = tf.constant(1., name='a')
with tf.device('/device:GPU:1'):
    b = tf.constant(2., name='b')
with tf.colocate_with(b.op):
    c = tf.add(a, 1., name='c')
with tf.device('/cpu:0'):
    with tf.colocate_with(a):
        d = tf.constant(4., name='d')
    with tf.colocate_with(b, ignore_existing=True):
        e = tf.constant(5., name='e')
with tf.colocate_with(a):
    with tf.colocate_with(b):
        f = tf.constant(6., name='f')
for t in (a, b, c, d, e, f):
    print(t.name, repr(t.device), t.op.colocation_groups())
print(c.op.node_def)
try:
    with tf.colocate_with(None):
        pass
except (TypeError, ValueError) as err:
    print(type(err).__name__, err)
with tf.colocate_with(None, ignore_existing=True):
    g = tf.constant(7., name='g')
print(repr(g.device), g.op.colocation_groups())
try:
    with tf.colocate_with('nothing'):
        h = tf.constant(8.)
except (KeyError, TypeError, ValueError) as err:
    print(type(err).__name__, err)
