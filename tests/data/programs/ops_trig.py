import numpy as np
import tensorflow as tf

x = tf.constant([-0.9, -0.3, 0.0, 0.4, 1.0])
for f in (tf.asin, tf.acos, tf.atan, tf.sinh, tf.cosh, tf.asinh, tf.atanh, tf.sin, tf.tan):
    print(f.__name__, np.round(f(x).numpy(), 4))
print(np.round(tf.acosh(tf.constant([1.0, 2.0, 10.0], tf.float64)).numpy(), 10))
print(np.round(tf.atan2([1.0, -1.0, 0.0], [1.0, -1.0, -1.0]).numpy(), 5))
print(tf.math.asin(2.0), tf.math.acosh(0.5))
print(tf.math.expm1(1e-10).numpy(), tf.math.log1p(1e-10).numpy())
