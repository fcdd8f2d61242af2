import tensorflow as tf

indices = tf.constant([[4], [3], [1], [7]])
updates = tf.constant([9, 10, 11, 12])
print(tf.scatter_nd(indices, updates, tf.constant([8])))
print(tf.scatter_nd([[0], [2]], tf.ones([2, 3]), [4, 3]))
print(tf.scatter_nd([[1], [1]], [1.5, 2.0], [3]))
t = tf.zeros([5], tf.int32)
print(tf.tensor_scatter_nd_update(t, [[1], [3]], [7, 8]))
print(tf.tensor_scatter_nd_add(tf.ones([4]), [[0], [0]], [1.0, 2.0]))
print(tf.tensor_scatter_nd_sub([10, 20, 30], [[2]], [5]))
print(tf.tensor_scatter_nd_max([1, 9, 3], [[0], [1]], [4, 4]))
print(tf.tensor_scatter_nd_min([1, 9, 3], [[0], [1]], [4, 4]))
try:
    tf.scatter_nd([[9]], [1], [8])
except tf.errors.InvalidArgumentError as e:
    print(e)
try:
    tf.scatter_nd([[0], [1]], [1, 2, 3], [8])
except (ValueError, tf.errors.InvalidArgumentError) as e:
    print(type(e).__name__, e)
