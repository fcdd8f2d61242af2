import numpy as np
import tensorflow as tf

series = tf.range(10, dtype=tf.float32)
window = 4
rows = tf.stack([series[i:i + window] for i in range(len(series) - window + 1)])
print(rows.shape)
print(rows)
x, y = rows[:, :-1], rows[:, -1:]
print(x[0], y[0], x.shape, y.shape)
print(tf.reduce_mean(rows, axis=0), tf.math.reduce_std(rows, axis=1)[:2])
normalized = (rows - tf.reduce_mean(rows)) / tf.math.reduce_std(rows)
print(tf.round(normalized[0] * 1000) / 1000)
batches = tf.split(rows[:6], 3)
print([tuple(b.shape) for b in batches])
print(tf.concat(batches, 0).shape, np.array(batches[0])[0])
idx = tf.constant([[0, 1], [2, 3]])
print(tf.gather(series, idx), tf.gather(rows, [1, 0], axis=1)[0])
print(tf.reverse(series, [0])[:3], series[::-1][:3], tf.roll(series, 2, 0) if False else "")
print(tf.where(series > 5, series, -1.0))
print(tf.boolean_mask(series, series % 2 == 0))
print(tf.transpose(tf.reshape(tf.range(6), [2, 3])), tf.linalg.matrix_transpose(tf.ones([2, 3, 1])).shape)
for i, v in enumerate(series[:3]):
    print(i, v.numpy(), float(v))
