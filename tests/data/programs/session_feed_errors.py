# TF1
import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [2, 2], name='x')
i = tf.placeholder(tf.int32, [None], name='i')
s = tf.placeholder(tf.string, name='s')
y = x * 2
sess = tf.Session()


def attempt(feed, fetch=y):
    try:
        print(sess.run(fetch, feed))
    except Exception as e:
        print(type(e).__name__ + ':', e)


attempt({x: [1, 2]})
attempt({x: np.zeros([3, 2])})
attempt({x: 'hello'})
attempt({x: [['a', 'b'], ['c', 'd']]})
attempt({x: None})
attempt({x: [[1, 2], [3]]})
attempt({i: [1.5, 2.5]}, i + 1)
attempt({i: 5}, i + 1)
attempt({i: [2**40]}, i + 1)
attempt({s: 5}, s)
attempt({s: [1, 2]}, s)
attempt({x: tf.zeros([2, 2])})
attempt({'nope:0': 1})
attempt({'x': [[1, 2], [3, 4]]})
attempt({5: 1})
attempt({None: 1})
attempt([1, 2])
attempt('x:0')
attempt({x: {'a': 1}})
attempt({x: object()})
