import tensorflow as tf

@tf.function
def stats(x):
    s = tf.cumsum(x)
    k = tf.math.top_k(x, 2)
    u, i = tf.unique(tf.cast(x, tf.int32))
    return s, k.values, k.indices, u, i

for t in stats(tf.constant([3.0, 1.0, 3.0, 2.0])):
    print(t)

@tf.function
def scatter(n):
    return tf.scatter_nd([[1], [2]], [5, 6], [n])

print(scatter(4).numpy())
print(stats.get_concrete_function(tf.TensorSpec([None], tf.float32)).structured_outputs[0].shape)
