import tensorflow as tf

x = tf.constant([7, -7, 7, -7])
y = tf.constant([2, 2, -2, -2])
print(x // y, x % y, tf.truncatediv(x, y).numpy(), tf.truncatemod(x, y).numpy())
print(tf.math.floormod([5.5, -5.5], [2.0, 2.0]).numpy(), tf.math.divide_no_nan([1.0, 2.0], [0.0, 4.0]).numpy())
print(tf.math.multiply_no_nan([float('nan'), 2.0], [0.0, 4.0]).numpy())
print(tf.math.squared_difference([1, 2], [3, 5]).numpy(), tf.math.rint([0.5, 1.5, -2.5]).numpy())
print(tf.math.nextafter(tf.constant([1.0, 0.0], tf.float64), [2.0, -1.0]).numpy())
print(tf.math.is_nan([1.0, float('nan')]).numpy(), tf.math.is_inf([1.0, float('-inf')]).numpy(), tf.math.is_finite([1.0]).numpy())
print(tf.clip_by_value([1.0, -5.0, 8.0], -1.0, 2.0), tf.clip_by_value([1, 5, 9], 2, [3, 4, 5]).numpy())
print(tf.linalg.cross([1.0, 0.0, 0.0], [0.0, 1.0, 0.0]), tf.raw_ops.ApproximateEqual(x=[1.0], y=[1.000001]).numpy())
print(tf.math.reciprocal_no_nan([2.0, 0.0]).numpy(), tf.math.cumsum([1.5, 2.5]).numpy())
try:
    tf.linalg.cross([1.0, 2.0], [3.0, 4.0])
except (ValueError, tf.errors.InvalidArgumentError) as e:
    print(type(e).__name__, e)
try:
    x // 0
except tf.errors.InvalidArgumentError as e:
    print(e)
