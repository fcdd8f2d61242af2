import tensorflow as tf

def mask(size):
    return 1 - tf.linalg.band_part(tf.ones((size, size)), -1, 0)

q = tf.reshape(tf.range(6, dtype=tf.float32), [3, 2]) / 10.0
scores = tf.matmul(q, q, transpose_b=True) + mask(3) * -1e9
w = tf.nn.softmax(scores, axis=-1)
print(tf.round(w * 1000) / 1000)
print(mask(2).numpy().tolist())
pos = tf.range(4)[:, tf.newaxis] * tf.range(3)[tf.newaxis, :]
print(pos)
print(tf.sequence_mask([1, 3, 2]).numpy())
