# TF1
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 2])
total = tf.map_fn(lambda row: tf.reduce_sum(row), x)
steps = tf.scan(lambda a, row: a + row, x)
last = tf.foldl(lambda a, row: tf.maximum(a, row), x, initializer=tf.zeros([2]))
print(total.shape, total.dtype)
with tf.Session() as sess:
    feed = {x: [[1, 2], [3, 4], [5, 0]]}
    print(sess.run(total, feed))
    print(sess.run(steps, feed))
    print(sess.run(last, feed))
