import tensorflow as tf

x = tf.constant([[1., 2.], [3., 6.]])
mean, var = tf.nn.moments(x, axes=[0])
print(mean, var)
print(tf.nn.moments(x, [0, 1], keepdims=True))
print(tf.nn.weighted_moments(x, [0], [[1., 1.], [3., 3.]]))
print(tf.nn.sufficient_statistics(x, [0])[:3])
print(tf.nn.batch_normalization(x, mean, var, 1.0, 2.0, 1e-3))
print(tf.nn.compute_average_loss([1., 2., 3.], global_batch_size=6))
print(tf.nn.compute_average_loss([1., 2., 3.]))
print(tf.nn.scale_regularization_loss(3.0))
print(tf.nn.bias_add([[1., 2.]], [10., 20.]))
