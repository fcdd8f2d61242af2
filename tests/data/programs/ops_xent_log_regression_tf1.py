# TF1
import numpy as np
import tensorflow as tf

np.random.seed(0)
data = np.random.rand(4, 3).astype(np.float32)
x = tf.placeholder(tf.float32, [None, 3], name='x')
y = tf.placeholder(tf.int32, [None], name='y')
w = tf.Variable(tf.ones([3, 2]) * [[1.0, -1.0]], name='w')
logits = tf.matmul(x, w)
loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits), name='loss')
correct = tf.nn.in_top_k(logits, y, 1)
accuracy = tf.reduce_mean(tf.cast(correct, tf.float32))
print(loss.name, logits.shape, correct)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    l, a = sess.run([loss, accuracy], {x: data, y: [0, 1, 0, 0]})
    print('%.5f %.2f' % (l, a))
    try:
        sess.run(loss, {x: data, y: [0, 1, 0, 9]})
    except tf.errors.InvalidArgumentError as e:
        print(e.message.split('\n')[-1] or e.message[:60])
