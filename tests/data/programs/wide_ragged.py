import tensorflow as tf

digits = tf.ragged.constant([[3, 1, 4, 1], [], [5, 9, 2], [6], []])
print(digits)
print(digits.shape, digits.dtype, digits.nrows(), digits.row_splits)
print(tf.add(digits, 3))
print(tf.reduce_mean(digits, axis=1))
print(tf.concat([digits, [[5, 3]]], axis=0))
print(tf.tile(digits, [1, 2]))
print(digits[0], digits[:, :2], digits[2, 1])
print(tf.ragged.stack([digits, digits]).shape)
print(tf.RaggedTensor.from_row_lengths([1, 2, 3], [2, 0, 1]))
print(tf.RaggedTensor.from_value_rowids([1, 2, 3], [0, 0, 2]))
print(digits.to_list(), digits.bounding_shape())
print(tf.RaggedTensor.from_tensor([[1, 0], [2, 3]], padding=0))
print(tf.ragged.range([3, 0, 2]))
print(digits.to_sparse().indices.shape, repr(tf.ragged.constant([['a'], ['b', 'c']])))
print(digits == 1)
for bad in (lambda: tf.ragged.constant([1, [2]]), lambda: tf.RaggedTensor.from_row_splits([1, 2], [0, 3]),
            lambda: digits[7]):
    try:
        print(bad())
    except Exception as e:
        print(type(e).__name__, e)
