import numpy as np
import tensorflow as tf

x = tf.constant([[1., 2., 3.], [4., 5., 6.]])
for f in (tf.reduce_sum, tf.reduce_mean, tf.reduce_max, tf.reduce_min, tf.reduce_prod, tf.math.reduce_std, tf.math.reduce_variance,
          tf.reduce_logsumexp, tf.math.reduce_euclidean_norm):
    print(f.__name__, f(x).numpy(), f(x, 0).numpy(), f(x, axis=[0, 1]).numpy(), f(x, -1, keepdims=True).numpy().tolist())
print(tf.reduce_all([True, False]), tf.reduce_any([[True], [False]], 1), tf.math.count_nonzero([0, 1, 2]))
print(tf.argmax(x, 1), tf.argmin(x), tf.math.top_k(x, 2), tf.sort([3, 1, 2], direction='DESCENDING'), tf.argsort([3, 1, 2]))
print(tf.cumsum([1, 2, 3], exclusive=True), tf.math.cumprod([1, 2, 3], reverse=True), tf.unique([1, 1, 2]), tf.unique_with_counts([5, 5, 6]))
print(tf.math.bincount([1, 1, 3]), tf.histogram_fixed_width([0., 1., 5.], [0., 5.], 3), tf.math.segment_sum([1, 2, 3], [0, 0, 1]))
print(tf.reduce_mean([1, 2]), tf.reduce_sum([]), tf.reduce_max(tf.zeros([0])), tf.reduce_mean(tf.zeros([0])), tf.reduce_prod(tf.zeros([0, 2]), 0))
print(tf.math.confusion_matrix([0, 1], [1, 1]), tf.math.in_top_k([0], [[.1, .9]], 1), tf.math.zero_fraction([0., 1.]))
for bad in (lambda: tf.reduce_sum('a'), lambda: tf.reduce_sum(x, axis=2), lambda: tf.reduce_sum(x, axis='a'), lambda: tf.reduce_sum(x, 0.5),
            lambda: tf.reduce_all([1, 2]), lambda: tf.reduce_mean([True]), lambda: tf.reduce_sum(x, keep_dims=True), lambda: tf.reduce_sum(),
            lambda: tf.math.top_k(x, 5), lambda: tf.sort([1], direction='UP'), lambda: tf.argmax(x, axis=-3), lambda: tf.reduce_sum([1, 'a'])):
    try:
        print(bad())
    except Exception as e:
        print(type(e).__name__, e)
