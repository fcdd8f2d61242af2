# TF1
import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, shape=[None, 3], name='x')
d = tf.placeholder_with_default([[1., 2., 3.]], [None, 3], name='d')
n = tf.placeholder(tf.int32)
y = x * 2. + d
print(x, d, n, y)
with tf.Session() as sess:
    print(sess.run(y, {x: np.ones([2, 3])}))
    print(sess.run(y, {x: [[1, 1, 1]], d: [[0, 0, 0]]}))
    print(sess.run(n, {n: [[1], [2]]}), sess.run(n, feed_dict={'Placeholder:0': 7}))

    def attempt(fetch, feed):
        try:
            print(sess.run(fetch, feed))
        except (ValueError, TypeError, tf.errors.OpError) as e:
            print(type(e).__name__, str(e).split('\n\nOriginal')[0])

    attempt(y, {})
    attempt(y, {x: np.ones([2, 2])})
    attempt(y, {x: 'text'})
    attempt(y, {x: [[1., 2., 3.], [4.]]})
    attempt(n, {n: 1.5})
    attempt(n, {n: 2 ** 40})
    attempt(n, {'nothing:0': 1})
    attempt(n, {'Placeholder': 1})
    attempt(n, {n: tf.constant(1)})
    attempt(y, {y: [[9., 9., 9.]]})
    attempt(n, {3: 4})
    attempt(y, [x])
