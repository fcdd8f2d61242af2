import numpy as np
import tensorflow as tf

y, x = np.mgrid[-1.0:1.0:0.5, -2:1:0.5]
c = tf.complex(tf.constant(x, tf.float32), tf.constant(y, tf.float32))
z = tf.zeros_like(c)
n = tf.zeros(c.shape, tf.int32)
for _ in range(10):
    z = tf.where(tf.abs(z) < 2, z * z + c, z)
    n += tf.cast(tf.abs(z) < 2, tf.int32)
print(n)
print(tf.math.real(z[0, 0]), tf.math.imag(z[0, 0]))
