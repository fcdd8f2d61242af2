# TF1
import collections
import numpy as np
import tensorflow as tf

a = tf.placeholder(tf.float32, [], name='a')
b = tf.placeholder(tf.float32, [], name='b')
Pair = collections.namedtuple('Pair', 'p q')
with tf.Session() as sess:
    print(sess.run(a + b, feed_dict={(a, b): (1., 2.)}))
    print(sess.run(a + b, feed_dict={Pair(a, b): Pair(3., 4.)}))
    print(sess.run(a + b, feed_dict={(a, b): [5, 6]}))
    print(sess.run(a + b, collections.OrderedDict([(a, 1), (b, 2)])))
    for feed in [{(a, b): (1.,)}, {(a, b): 5}, {(a, 'b:0'): (1., 2.)}, {(a, (b,)): (1., (2.,))}, {a: 1., 'a:0': 2., b: 0},
                 {a: np.ones([1]), b: 1.}, {a.op: 1., b: 1.}, {a: [[]], b: 1.}, {a: 1.}]:
        try:
            print(sess.run(a + b, feed_dict=feed))
        except Exception as e:
            print(type(e).__name__, str(e).splitlines()[0])
    try:
        sess.run(a + b, feed_dict={[a]: 1})
    except TypeError as e:
        print(e)
