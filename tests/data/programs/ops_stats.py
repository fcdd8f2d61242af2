import numpy as np
import tensorflow as tf

x = tf.constant([[1.0, 5.0], [2.0, 8.0], [3.0, 2.0]])
mean, var = tf.nn.moments(x, axes=[0])
print(mean.numpy(), var.numpy())
c = x - mean
cov = tf.matmul(c, c, transpose_a=True) / 3.0
print(np.round(cov.numpy(), 4))
print(np.round(tf.linalg.det(cov).numpy(), 4), np.round(tf.linalg.trace(cov).numpy(), 4))
w = tf.linalg.solve(tf.matmul(x, x, transpose_a=True), tf.matmul(x, [[1.0], [2.0], [3.0]], transpose_a=True))
print(np.round(w.numpy(), 4))
print(np.round(tf.linalg.lstsq(x, [[1.0], [2.0], [3.0]]).numpy(), 4))
print(tf.math.zero_fraction([0.0, 1.0]).numpy(), tf.math.reduce_std(x).numpy().round(4))
