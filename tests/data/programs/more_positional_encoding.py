import numpy as np
import tensorflow as tf

def positional_encoding(position, d_model):
    angles = np.arange(position)[:, np.newaxis] / np.power(10000, (2 * (np.arange(d_model)[np.newaxis, :] // 2)) / np.float32(d_model))
    angles[:, 0::2] = np.sin(angles[:, 0::2])
    angles[:, 1::2] = np.cos(angles[:, 1::2])
    return tf.cast(angles[np.newaxis, ...], dtype=tf.float32)

p = positional_encoding(4, 6)
print(p.shape, p.dtype)
print(tf.round(p * 1000))
seq = tf.constant([[7, 6, 0, 0, 1], [1, 2, 3, 0, 0]])
mask = tf.cast(tf.math.equal(seq, 0), tf.float32)[:, tf.newaxis, tf.newaxis, :]
print(mask)
logits = tf.ones([2, 1, 1, 5]) + mask * -1e9
print(tf.round(tf.nn.softmax(logits, axis=-1) * 100))
x = tf.reshape(tf.range(24), (2, 3, 4))
print(tf.transpose(tf.reshape(x, (2, -1, 2, 2)), perm=[0, 2, 1, 3]).shape, tf.shape(x)[-1])
