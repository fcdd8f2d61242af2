import tensorflow as tf

x = tf.constant([2, 4, 6, 8])
print(tf.cumsum(x))
print(tf.cumsum(x, exclusive=True))
print(tf.cumsum(x, reverse=True))
print(tf.cumsum(x, exclusive=True, reverse=True).numpy())
m = tf.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
print(tf.cumsum(m, axis=0))
print(tf.math.cumprod(m, axis=1))
print(tf.math.cumprod(m, axis=-1, exclusive=True).numpy())
print(tf.math.cumulative_logsumexp(tf.constant([0.0, 1.0, 2.0])))
try:
    tf.cumsum(m, axis=2)
except tf.errors.InvalidArgumentError as e:
    print(e)
