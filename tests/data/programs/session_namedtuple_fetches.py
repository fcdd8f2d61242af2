# TF1
import collections
import tensorflow as tf

Stats = collections.namedtuple('Stats', ['mean', 'var', 'extra'])
x = tf.placeholder(tf.float32, [None], name='x')
mean = tf.reduce_mean(x)
var = tf.reduce_mean(tf.square(x - mean))
fetch = Stats(mean, var, {'n': tf.size(x), 'ops': [x.op, mean.op]})
with tf.Session() as sess:
    try:
        print(sess.run(fetch, {x: [1., 2., 3., 4.]}))
    except Exception as e:
        print(type(e).__name__, e)
    result = sess.run(Stats(mean, var, {'n': tf.size(x), 'ops': [mean.op]}), {x: [1., 2., 3., 4.]})
    print(result)
    print(result.mean, result.extra['n'], result.extra['ops'])
    print(sess.run((mean, [var], (var,)), {x: [2., 2.]}))
