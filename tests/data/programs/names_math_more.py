import tensorflow as tf

x = tf.constant([[1., 2., 0.], [3., 0., 5.]])
print(tf.math.reduce_logsumexp(x, axis=1))
print(tf.math.zero_fraction(x), tf.math.count_nonzero(x), tf.math.count_nonzero(x, axis=0))
print(tf.math.polyval([1., 2., 3.], 2.), tf.math.accumulate_n([x, x]))
print(tf.math.reduce_std(x), tf.math.reduce_variance(x, 0))
print(tf.math.divide_no_nan([1., 2.], [0., 4.]), tf.math.multiply_no_nan([1., 2.], [0., 4.]))
print(tf.math.is_non_decreasing([1, 2, 2]), tf.math.is_strictly_increasing([1, 2, 2]))
print(tf.math.log_sigmoid([0., 1.]), tf.math.reciprocal_no_nan([2., 0.]))
print(tf.math.softplus([0.]), tf.math.sinc if hasattr(tf.math, 'sinc') else 'no sinc')
print(tf.math.floormod(-3, 2), tf.math.squared_difference(3, 5), tf.math.xlogy(0., 0.))
try:
    tf.math.polyval(tf.constant([1., 2.]), 2.)
except ValueError as e:
    print(str(e)[:40])
