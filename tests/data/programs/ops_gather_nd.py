import tensorflow as tf

params = tf.constant([[[1, 2], [3, 4]], [[5, 6], [7, 8]]])
print(tf.gather_nd(params, [[0, 1], [1, 0]]))
print(tf.gather_nd(params, [[[1]], [[0]]]).shape)
print(tf.gather_nd([['a', 'b'], ['c', 'd']], [[0, 0], [1, 1]]))
print(tf.gather_nd(params, [[1], [0]], batch_dims=1))
print(tf.gather([[1, 2, 3], [4, 5, 6]], [[2, 0], [1, 1]], batch_dims=1, axis=1).numpy())
print(tf.compat.v1.batch_gather([[1, 2, 3], [4, 5, 6]], [[0], [2]]).numpy())
try:
    tf.gather_nd(params, [[2, 0]])
except tf.errors.InvalidArgumentError as e:
    print(e)
try:
    tf.gather_nd(params, [[0, 0, 0, 0]])
except tf.errors.InvalidArgumentError as e:
    print(e)
