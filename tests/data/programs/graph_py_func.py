# TF1
import numpy as np
import tensorflow as tf

x = tf.constant([1., 2.])
good = tf.py_func(lambda a: a * 2, [x], tf.float32, name='good')
many = tf.py_func(lambda a, b: (a + b, np.int64(3)), [x, 1.], [tf.float32, tf.int64], stateful=False)
none = tf.py_func(lambda: None, [], [])
print(good, many, none)


def fail(a):
    raise ValueError('bad value %s' % a)


cases = {
    'value': tf.py_func(fail, [x], tf.float32, name='value'),
    'dtype': tf.py_func(lambda a: a.astype(np.float64), [x], tf.float32, name='dtype'),
    'count': tf.py_func(lambda a: (a, a), [x], [tf.float32], name='count'),
    'text': tf.py_func(lambda: 'text', [], tf.int32, name='text'),
    'stop': tf.py_func(lambda: next(iter([])), [], tf.int32, name='stop'),
    'index': tf.py_func(lambda a: [][1], [x], tf.float32, name='index'),
    'key': tf.py_func(lambda a: {}['k'], [x], tf.float32, name='key'),
    'os': tf.py_func(lambda: open('/no/such/file').read(), [], tf.string, name='os'),
}
with tf.Session() as sess:
    print(sess.run(good), sess.run(many), sess.run(none))
    for key, t in cases.items():
        try:
            print(key, sess.run(t))
        except tf.errors.OpError as e:
            print(key, type(e).__name__, e.op.name)
            lines = e.message.splitlines()
            print(lines[5], [line for line in lines[6:] if line and line[0] != ' '])
