import tensorflow as tf

data = tf.constant([10, 20, 30, 40, 50])
parts = tf.dynamic_partition(data, [0, 0, 1, 1, 0], 2)
print(parts)
back = tf.dynamic_stitch([[0, 1, 4], [2, 3]], [parts[0], parts[1]])
print(back)
print(tf.dynamic_partition([[1, 2], [3, 4]], [1, 0], 3))
print(tf.dynamic_stitch([6, [4, 1], [[5, 2], [0, 3]]],
                        [[61, 62], [[41, 42], [11, 12]], [[[51, 52], [21, 22]], [[1, 2], [31, 32]]]]).numpy())
print(tf.raw_ops.ParallelDynamicStitch(indices=[[0], [1]], data=[[1.0], [2.0]]))
print(tf.math.invert_permutation([3, 4, 0, 2, 1]).numpy())
try:
    tf.dynamic_partition(data, [0, 0, 1, 1, 7], 2)
except tf.errors.InvalidArgumentError as e:
    print(e)
