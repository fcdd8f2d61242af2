import numpy as np
import tensorflow as tf

print(tf.range(1000))
print(tf.range(1001))
print(tf.reshape(tf.range(2000.0), [40, 50]))
print(repr(tf.zeros([3, 700])))
print(tf.ones([2, 3, 4]) * 0.1)
print(tf.constant(np.linspace(0, 1, 7)))
print(tf.constant(np.arange(24).reshape(2, 3, 4) / 7.0, tf.float32))
print(tf.fill([12], "long string of words"))
print(tf.fill([1200], "x"))
print(tf.cast(tf.range(30), tf.float64) ** 5)
np.set_printoptions(precision=3, suppress=True)
print(tf.constant([3.14159265, 1e-9, 2.0]))
print(tf.constant([3.14159265, 1e-9, 2.0]).numpy())
np.set_printoptions(threshold=5)
print(tf.range(10))
print(f"{tf.constant(3.14159)}", "%s" % tf.constant([1, 2]), "{}".format(tf.constant("x")))
