# TF1
import numpy as np
import tensorflow as tf

a = tf.constant([1., 2.], name='a')
b = tf.constant([3., 4.], name='b')
s = tf.add(a, b, name='s')
m = tf.multiply(s, b, name='m')
total = tf.reduce_sum(m, name='total')
shape = tf.shape(tf.ones([2, 3]) + 0.)
n = tf.reduce_prod(shape)
with tf.Session() as sess:
    print(sess.run(total))
    print(sess.run(total, {a: [0., 0.]}))
    print(sess.run(total, {s: [1., 1.]}))
    print(sess.run([s, total], {m: [5., 6.]}))
    print(sess.run(total, {'m:0': [7., 7.]}), sess.run(total))
    print(sess.run(n), sess.run(n, {shape: [4, 5]}))
    print(sess.run([a, a, {'b': b}, (s, [m])], {b: [0., 1.]}))
    try:
        sess.run(total, {a: [1., 2., 3.]})
    except ValueError as e:
        print(e)
    print(tf.get_default_graph().is_feedable(a), tf.get_default_graph().is_feedable(total))
    tf.get_default_graph().prevent_feeding(b)
    try:
        sess.run(total, {b: [1., 1.]})
    except ValueError as e:
        print(e)
print([x.tolist() if isinstance(x, np.ndarray) else x for x in [total.op.type, s.consumers()[0].name]])
