"""What start_eager_python runs, on Berth by `berth run` and on TensorFlow as it is."""

import tensorflow as tf

print(tf.config.list_physical_devices("CPU"))
a = tf.constant([1.0, 2.0, 3.0, 4.0, 5.0, 6.0], shape=[2, 3], name="a")
b = tf.constant([1.0, 2.0, 3.0, 4.0, 5.0, 6.0], shape=[3, 2], name="b")
print(tf.matmul(a, b).numpy())
