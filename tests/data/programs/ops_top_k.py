import tensorflow as tf

values, indices = tf.math.top_k([[1, 3, 2], [6, 4, 5]], k=2)
print(values.numpy(), indices.numpy())
r = tf.nn.top_k(tf.constant([0.1, 0.9, 0.5]), 1)
print(r)
print(tf.math.in_top_k([1, 0], [[0.1, 0.8, 0.1], [0.2, 0.3, 0.5]], k=1))
print(tf.argsort([3, 1, 2], direction='DESCENDING').numpy())
print(tf.math.approx_max_k(tf.constant([1.0, 5.0, 3.0, 2.0]), 2)[0].numpy() if hasattr(tf.math, 'approx_max_k') else '')
