# TF1
import tensorflow as tf
import numpy as np

xs = np.linspace(0, 1, 5).astype('float32')
X = tf.placeholder('float', name='X')
W = tf.Variable(0.5, name='weight')
b = tf.Variable(0.1, name='bias')
pred = tf.add(tf.multiply(X, W), b)
cost = tf.reduce_sum(tf.pow(pred - 1.0, 2)) / 10
print(pred, cost)
init = tf.global_variables_initializer()
with tf.Session() as sess:
    sess.run(init)
    for x in xs[:3]:
        print(sess.run(cost, feed_dict={X: x}))
    print(sess.run([W, b]))
    print(W.eval(), sess.run(W.assign_add(1.0)))
