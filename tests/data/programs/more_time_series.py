import numpy as np
import tensorflow as tf

s = tf.range(10, dtype=tf.float32)
windows = tf.signal.frame(s, 3, 2)
print(windows)
print(tf.reduce_mean(windows, axis=1), tf.math.cumsum(s), tf.roll(s, 2, 0)[:4], s[1:] - s[:-1])
print(tf.reverse(s, [0])[:3], tf.concat([s[-2:], s[:2]], 0), tf.pad(s[:2], [[1, 1]], constant_values=-1))
print(tf.math.segment_mean(s, [0, 0, 0, 1, 1, 2, 2, 2, 2, 2]), tf.reduce_max(tf.reshape(s, [5, 2]), 1))
print(tf.searchsorted([1., 3., 5.], [2., 5.]), tf.clip_by_value(s, 2, 4), tf.where(s > 5, s, 0.), tf.math.is_nan(s)[0])
ma = tf.stack([tf.reduce_mean(s[i:i + 4]) for i in range(0, 8, 4)])
print(ma, tf.cast(ma, tf.int32), np.allclose(ma, [1.5, 5.5]))
print(tf.histogram_fixed_width(s, [0., 10.], 5), tf.math.top_k(s, 2), tf.unique([3, 3, 1]).y, tf.repeat(s[:3], [1, 2, 3]))
