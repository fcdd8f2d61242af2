import tensorflow as tf

tf.random.set_seed(0)
s = tf.random.categorical(tf.math.log([[0.5, 0.5], [0.9, 0.1]]), 5)
print(s)
print(tf.random.categorical([[1.0, 2.0, 3.0]], 8, seed=3).numpy())
print(tf.random.categorical([[0.0, 100.0]], 3, dtype=tf.int32))
try:
    tf.random.categorical([1.0, 2.0], 3)
except (ValueError, tf.errors.InvalidArgumentError) as e:
    print(type(e).__name__, e)
