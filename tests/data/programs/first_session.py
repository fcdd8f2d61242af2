# TF1
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 2], name='x')
w = tf.Variable([[1.], [2.]], name='w')
y = tf.matmul(x, w)
print(y, w)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run({'y': y, 'w': w}, {x: [[1, 2], [3, 4]]}))
    sess.run(y)
