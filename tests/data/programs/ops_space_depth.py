import tensorflow as tf

x = tf.reshape(tf.range(16), [1, 4, 4, 1])
d = tf.nn.space_to_depth(x, 2)
print(d.shape, d.numpy().tolist())
print(tf.nn.depth_to_space(d, 2).numpy().reshape(4, 4))
b = tf.space_to_batch(x, [2, 2], [[0, 0], [0, 0]])
print(b.shape, b.numpy().ravel())
print(tf.nn.batch_to_space(b, [2, 2], [[0, 0], [0, 0]]).numpy().reshape(4, 4)) if hasattr(tf.nn, 'batch_to_space') else None
print(tf.batch_to_space(b, [2, 2], [[1, 0], [0, 1]]).shape)
try:
    tf.nn.space_to_depth(x, 3)
except (ValueError, tf.errors.InvalidArgumentError) as e:
    print(type(e).__name__, e)
