import numpy as np
import tensorflow as tf

np.random.seed(0)
x = np.random.randn(20, 4).astype('float32')
w = tf.Variable(tf.zeros([4, 3]))
b = tf.Variable(tf.zeros([3]))
labels = tf.constant(np.arange(20) % 3)

def forward(x):
    return tf.matmul(x, w) + b

logits = forward(x)
probs = tf.nn.softmax(logits)
loss = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
print(loss.shape, loss.dtype, probs[0])
onehot = tf.one_hot(labels, 3)
grad = tf.matmul(x, probs - onehot, transpose_a=True) / 20.
w.assign_sub(0.1 * grad)
print(np.round(w.numpy(), 4))
acc = tf.reduce_mean(tf.cast(tf.equal(tf.argmax(forward(x), 1), tf.cast(labels, tf.int64)), tf.float32))
print('accuracy', float(acc))
try:
    tf.equal(tf.argmax(forward(x), 1), tf.cast(labels, tf.int32))
except Exception as e:
    print(type(e).__name__, e)
try:
    tf.nn.sparse_softmax_cross_entropy_with_logits(logits, labels)
except Exception as e:
    print(type(e).__name__, e)
