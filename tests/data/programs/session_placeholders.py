# TF1
import numpy as np
import tensorflow as tf

p = tf.placeholder(tf.float32)
q = tf.placeholder(tf.float32, shape=[None, 4], name='q')
r = tf.placeholder('int64', shape=(), name='r')
t = tf.placeholder(np.float64, shape=tf.TensorShape([2, None]))
w = tf.placeholder_with_default([1., 2.], shape=[None], name='w')
print(p, q, r, t, w, sep='\n')
print(p.shape, q.shape, q.get_shape().as_list(), r.shape.ndims, t.dtype, p.op.type, w.op.type)
try:
    print(p.shape.as_list())
except ValueError as e:
    print(e)
with tf.Session() as sess:
    print(sess.run(w), sess.run(w, {w: [3., 4., 5.]}))
    for fetch in [p, q + 1, r, tf.reduce_sum(t)]:
        try:
            sess.run(fetch)
        except tf.errors.InvalidArgumentError as e:
            print(e.message.splitlines()[-1] or e.message)
            print(e.op.name if e.op is not None else None, e.error_code)
for bad in [lambda: tf.placeholder(None), lambda: tf.placeholder('nope'), lambda: tf.placeholder(tf.int32, 'abc'),
            lambda: tf.placeholder(tf.int32, [1.5])]:
    try:
        print(bad())
    except Exception as e:
        print(type(e).__name__, e)
