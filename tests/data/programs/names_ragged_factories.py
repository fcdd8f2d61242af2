import tensorflow as tf

values = [3, 1, 4, 1, 5, 9, 2]
print(tf.RaggedTensor.from_value_rowids(values=values, value_rowids=[0, 0, 0, 0, 2, 2, 3]))
print(tf.RaggedTensor.from_row_lengths(values=values, row_lengths=[4, 0, 2, 1]))
print(tf.RaggedTensor.from_row_splits(values=values, row_splits=[0, 4, 4, 6, 7]))
x = tf.RaggedTensor.from_tensor([[1, 2, 0], [3, 0, 0]], padding=0)
print(x)
print(x.to_tensor(default_value=-1), x.to_tensor(shape=[None, 4]))
print(x.to_sparse())
print(x.flat_values, x.value_rowids(), x.ragged_rank)
nested = tf.ragged.constant([[[1], [2, 3]], [], [[4, 5, 6]]])
print(nested, nested.shape, nested.ragged_rank)
print(nested.to_tensor())
try:
    tf.RaggedTensor.from_row_splits([1, 2, 3], [0, 2])
except tf.errors.InvalidArgumentError as e:
    print(e)
print(x * 2, -x, x > 1, tf.square(x))
print(tf.reduce_sum(x, axis=1), tf.reduce_max(x), tf.reduce_sum(x, axis=0))
print(tf.ragged.stack([[1, 2], [3]]), isinstance(x, tf.RaggedTensor))
