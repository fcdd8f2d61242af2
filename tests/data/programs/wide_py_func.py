# TF1
import numpy as np
import tensorflow as tf

def f(x, y):
    return np.sinh(x) + y

x = tf.placeholder(tf.float64, [2])
out = tf.py_func(f, [x, np.array([1., 2.])], tf.float64)
print(out, out.shape)
two = tf.py_func(lambda a: (a, a.astype(np.int32)), [x], [tf.float64, tf.int32], name='two')
print(two)
text = tf.py_func(lambda a: b'got %d' % a.size, [x], tf.string)
none = tf.py_func(lambda: print('called'), [], [])
print(none)
def fail(a):
    raise ValueError('no such thing')
bad = tf.py_func(fail, [x], tf.float64)
wrong = tf.py_func(lambda a: a.astype(np.float32), [x], tf.float64)
with tf.Session() as s:
    print(s.run(out, {x: [0, 1]}))
    print(s.run(two, {x: [2.5, 3.5]}))
    print(s.run(text, {x: [2.5, 3.5]}))
    print(s.run(none))
    for t in (bad, wrong):
        try:
            s.run(t, {x: [1, 2]})
        except Exception as e:
            print(type(e).__name__)
