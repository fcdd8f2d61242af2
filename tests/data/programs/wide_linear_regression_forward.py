# TF1
import numpy as np
import tensorflow as tf

rng = np.random.RandomState(0)
train_x = rng.rand(8).astype(np.float32)
train_y = 3 * train_x + 2
X = tf.placeholder('float')
Y = tf.placeholder('float')
W = tf.Variable(0.5, name='weight')
b = tf.Variable(0.25, name='bias')
pred = tf.add(tf.multiply(X, W), b)
cost = tf.reduce_sum(tf.pow(pred - Y, 2)) / (2 * train_x.shape[0])
dw = tf.reduce_mean((pred - Y) * X)
db = tf.reduce_mean(pred - Y)
step = tf.group(tf.assign_sub(W, 0.5 * dw), tf.assign_sub(b, 0.5 * db))
init = tf.global_variables_initializer()
print(X, pred, cost)
with tf.Session() as sess:
    sess.run(init)
    for epoch in range(60):
        sess.run(step, feed_dict={X: train_x, Y: train_y})
        if (epoch + 1) % 20 == 0:
            c = sess.run(cost, feed_dict={X: train_x, Y: train_y})
            print('Epoch:', '%04d' % (epoch + 1), 'cost=', '{:.4f}'.format(c), 'W=%.3f' % sess.run(W), 'b=%.3f' % sess.run(b))
    print('done', sess.run([W, b])[0].dtype)
