# TF1
import numpy as np
import tensorflow as tf

n_hidden, n_input, n_classes = 4, 3, 2
X = tf.placeholder("float", [None, n_input])
Y = tf.placeholder("float", [None, n_classes])
rng = np.random.RandomState(0)
weights = {
    'h1': tf.Variable(rng.randn(n_input, n_hidden).astype('f')),
    'out': tf.Variable(rng.randn(n_hidden, n_classes).astype('f')),
}
biases = {
    'b1': tf.Variable(tf.zeros([n_hidden])),
    'out': tf.Variable(tf.constant(0.1, shape=[n_classes])),
}


def multilayer_perceptron(x):
    layer_1 = tf.nn.relu(tf.add(tf.matmul(x, weights['h1']), biases['b1']))
    return tf.matmul(layer_1, weights['out']) + biases['out']


logits = multilayer_perceptron(X)
pred = tf.nn.softmax(logits)
correct = tf.equal(tf.argmax(pred, 1), tf.argmax(Y, 1))
accuracy = tf.reduce_mean(tf.cast(correct, "float"))
init = tf.global_variables_initializer()
with tf.Session() as sess:
    sess.run(init)
    x = rng.rand(5, 3)
    y = np.eye(2)[[0, 1, 0, 1, 1]]
    p, acc = sess.run([pred, accuracy], feed_dict={X: x, Y: y})
    print(np.round(p, 3))
    print("Accuracy:", acc, "logits", logits.shape, logits.name)
    print(accuracy.eval({X: x[:2], Y: y[:2]}))
    w = sess.run(weights)
    print(sorted(w), w['h1'].shape, np.allclose(w['out'], w['out']))
    sess.run([weights[k].assign(w[k] * 0) for k in weights])
    print(sess.run(logits, {X: x[:1]}))
total = sum(int(np.prod(v.shape)) for v in tf.trainable_variables())
print(total, [v.name for v in tf.trainable_variables()])
