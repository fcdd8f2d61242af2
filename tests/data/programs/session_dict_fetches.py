# TF1
import collections
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 3], name='x')
mean = tf.reduce_mean(x, name='mean')
total = tf.reduce_sum(x, axis=1, name='total')
with tf.Session() as sess:
    feed = {x: [[1, 2, 3], [4, 5, 6]]}
    out = sess.run({'mean': mean, 'total': total}, feed_dict=feed)
    print(type(out).__name__, out)
    print(type(out['mean']), type(out['total']), out['total'].dtype)
    od = sess.run(collections.OrderedDict([('b', total), ('a', mean)]), feed)
    print(type(od).__name__, list(od))
    nested = sess.run({'m': [mean, (total, mean)], 'd': {'t': total}}, feed)
    print(nested)
    print(sess.run({}, feed), sess.run([], feed), sess.run((), feed))
    dd = collections.defaultdict(list)
    dd['k'] = mean
    res = sess.run(dd, feed)
    print(type(res).__name__, dict(res))
