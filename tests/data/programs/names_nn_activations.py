import tensorflow as tf

x = tf.constant([-3., -1., 0., 0.5, 7.])
for f in (tf.nn.relu, tf.nn.relu6, tf.nn.elu, tf.nn.selu, tf.nn.leaky_relu, tf.nn.crelu, tf.nn.softsign):
    print(f(x))
print(tf.nn.leaky_relu(x, alpha=0.5))
for f in (tf.nn.silu, tf.nn.swish, tf.nn.gelu, tf.nn.softplus, tf.nn.log_softmax):
    print([round(float(v), 5) for v in f(x)])
print([round(float(v), 5) for v in tf.nn.gelu(x, approximate=True)])
print(tf.nn.l2_loss(x), tf.nn.l2_normalize(x))
print(tf.nn.zero_fraction(x))
print(tf.nn.log_poisson_loss([1., 2.], [0.5, 0.1]), tf.nn.log_poisson_loss([1., 2.], [0.5, 0.1], compute_full_loss=True))
print(tf.nn.weighted_cross_entropy_with_logits([1., 0.], [0.5, 0.], 2.0))
print(tf.nn.isotonic_regression if False else tf.nn.normalize_moments(2.0, 4.0, 6.0, None))
