import tensorflow as tf

values = tf.constant([1, 1, 2, 3, 2, 4, 4, 5])
print(tf.math.bincount(values))
print(tf.math.bincount(values, minlength=8).numpy())
print(tf.math.bincount(values, maxlength=3).numpy())
print(tf.math.bincount(values, weights=[1.0, 5, 0, 1, 0, 5, 4, 5]))
print(tf.math.bincount([[1, 2, 2], [0, 0, 1]], axis=-1))
print(tf.math.bincount([[1, 2, 2]], binary_output=True, axis=-1).numpy())
print(tf.histogram_fixed_width([-1.0, 0.0, 1.5, 2.0, 5.0, 15], [0.0, 5.0], nbins=5))
print(tf.histogram_fixed_width_bins([0.0, 1.5, 4.9], [0.0, 5.0], nbins=5).numpy())
print(tf.math.confusion_matrix([1, 2, 4], [2, 2, 4]))
