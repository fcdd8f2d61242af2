# TF1
import sys
import tensorflow as tf

x = tf.constant([1., 2., 3.])
p = tf.print('x is', x, output_stream=sys.stdout)
print(type(p).__name__, p.type)
with tf.control_dependencies([p]):
    y = x * 2
with tf.Session() as sess:
    print(sess.run(y))
    sess.run(tf.print('sum:', tf.reduce_sum(x), {'a': x}, sep='|', output_stream=sys.stdout))
    sess.run(tf.print(tf.range(100), summarize=2, output_stream=sys.stdout))
