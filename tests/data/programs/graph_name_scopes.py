# TF1
import tensorflow as tf

with tf.name_scope('a') as outer:
    print(outer)
    x = tf.constant(1, name='x')
    with tf.name_scope('b') as inner:
        y = tf.constant(2)
        print(inner, x.name, y.name)
    with tf.name_scope('b'):
        print(tf.constant(3).name)
    with tf.name_scope(None):
        print(tf.constant(4).name)
    with tf.name_scope(outer):
        print(tf.constant(5, name='x').name)
with tf.name_scope('a'):
    print(tf.constant(1, name='x').name)
with tf.name_scope('a/'):
    print(tf.constant(1, name='x').name)
print(tf.add(x, y, name='sum').name, (x + y).name, (x * y).name, (-x).name, (x < y).name, (x // y).name)
with tf.name_scope(name=None, default_name='default', values=[x]) as s:
    print(s, tf.get_default_graph().get_name_scope())
g = tf.get_default_graph()
print(g.unique_name('x'), g.unique_name('x'), g.unique_name('x', mark_as_used=False), g.unique_name('X'))
for bad in ('spa ce', '_private', 'a:b', '', '-x', 'ok.name-1'):
    try:
        print(tf.constant(0, name=bad).name)
    except ValueError as e:
        print('ValueError', e)
    try:
        with tf.name_scope(bad) as s:
            print(repr(s))
    except ValueError as e:
        print('ValueError', e)
try:
    with tf.name_scope(3):
        pass
except (TypeError, ValueError) as e:
    print(type(e).__name__, e)
