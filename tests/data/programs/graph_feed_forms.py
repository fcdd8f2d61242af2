# TF1
import collections
import numpy as np
import tensorflow as tf

a = tf.placeholder(tf.float32, [2], name='a')
b = tf.placeholder(tf.int64, [None, None], name='b')
s = tf.placeholder(tf.string, [], name='s')
t = tf.placeholder(tf.bool, name='t')
v = tf.Variable([1., 1.], name='v')
y = a + v
with tf.Session() as sess:
    sess.run(v.initializer)
    print(sess.run(y, {a: (1, 2)}), sess.run(y, {a: np.array([1, 2], np.int32)}), sess.run(y, {'a:0': [True, False]}))
    print(sess.run(y, {a: [1, 2], v: [10, 10]}), sess.run(y, {y: [0, 0]}), sess.run(v, {v: [3, 3]}))
    print(sess.run(b, {b: [[1, 2], [3, 4]]}).dtype, sess.run(b, {b: np.zeros([0, 3])}).shape)
    print(sess.run(s, {s: 'text'}), sess.run(s, {s: b'bytes'}), sess.run(s, {s: np.array('np')}), sess.run(s, {s: 'ü'}))
    print(sess.run(t, {t: [True, [1]][0]}), sess.run(t, {t: np.array([[True], [False]])}).tolist())
    print(sess.run([a, y], {a: np.float64([1.5, 2.5])}), sess.run(a, {a: range(2)}))
    Point = collections.namedtuple('Point', 'x y')
    print(sess.run(y, {a: Point(5., 6.)}))

    def attempt(fetch, feed):
        try:
            print(sess.run(fetch, feed))
        except (ValueError, TypeError, tf.errors.OpError) as e:
            print(type(e).__name__, str(e).split('\n\nOriginal')[0])

    attempt(y, {a: [1., 2., 3.]})
    attempt(y, {a: 1.})
    attempt(y, {a: [[1., 2.]]})
    attempt(y, {a: None})
    attempt(y, {a: ['x', 'y']})
    attempt(b, {b: [1, 2]})
    attempt(b, {b: [[1.5]]})
    attempt(s, {s: 5})
    attempt(t, {t: 'yes'})
    attempt(y, {a.op: [1., 2.]})
    attempt(y, {a: {'k': 1}})
    attempt(y, {a: np.ones([2], np.complex64)})
