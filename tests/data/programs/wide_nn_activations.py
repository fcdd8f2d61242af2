import numpy as np
import tensorflow as tf

x = tf.constant([-2., -0.5, 0., 0.5, 2.])
for f in (tf.nn.relu, tf.nn.relu6, tf.nn.elu, tf.nn.selu, tf.nn.leaky_relu, tf.nn.softsign, tf.sign, tf.abs, tf.square, tf.round, tf.floor, tf.math.ceil, tf.nn.crelu):
    print(f.__name__, f(x).numpy())
print(np.round(tf.nn.gelu(x).numpy(), 4), np.round(tf.nn.silu(x).numpy(), 4), np.round(tf.sigmoid(x).numpy(), 5), np.round(tf.nn.softplus(x).numpy(), 5))
print(np.round(tf.nn.softmax([[1., 2.], [3., 3.]]).numpy(), 5), np.round(tf.nn.log_softmax([1., 1.]).numpy(), 5))
print(tf.nn.l2_loss([3., 4.]), tf.nn.l2_normalize([3., 4.]), tf.nn.moments(x, 0), tf.math.zero_fraction(x))
print(tf.nn.dropout(x, 0.), tf.nn.top_k([1, 5, 3], 2).indices, tf.nn.in_top_k([1], [[1., 2.]], 1), tf.nn.embedding_lookup([[1.], [2.]], [1, 0]))
print(tf.nn.bias_add([[1., 2.]], [1., 1.]), tf.clip_by_value(x, -1., 1.), tf.clip_by_norm([3., 4.], 1.), tf.clip_by_global_norm([x], 1.)[1])
print(np.round(tf.nn.sigmoid_cross_entropy_with_logits([1., 0.], [0.5, -0.5]).numpy(), 4), tf.nn.weighted_moments(x, [0], x + 3.))
for bad in (lambda: tf.nn.relu('a'), lambda: tf.nn.relu([1, 2]).dtype, lambda: tf.nn.softmax([1, 2]), lambda: tf.nn.dropout(x, 1.5), lambda: tf.nn.dropout([1, 2], 0.5),
            lambda: tf.nn.sigmoid_cross_entropy_with_logits([1.], [1., 2.]), lambda: tf.nn.softmax_cross_entropy_with_logits([1.], [[1., 2.]]), lambda: tf.nn.elu(3),
            lambda: tf.nn.leaky_relu('b'), lambda: tf.clip_by_value(x, [1., 2.], 3.), lambda: tf.nn.softmax(1.), lambda: tf.nn.top_k([1], 3), lambda: tf.nn.embedding_lookup([[1.]], [3])):
    try:
        print(bad())
    except Exception as e:
        print(type(e).__name__, e)
