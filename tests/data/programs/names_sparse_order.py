import tensorflow as tf

st = tf.SparseTensor([[1, 1], [0, 0], [0, 1]], ['c', 'a', 'b'], [2, 3])
try:
    print(tf.sparse.to_dense(st))
except tf.errors.InvalidArgumentError as e:
    print(e)
st = tf.sparse.reorder(st)
print(st)
print(tf.sparse.to_dense(st))
print(tf.sparse.retain(st, [True, False, True]))
filled, empty = tf.sparse.fill_empty_rows(tf.SparseTensor([[0, 0], [2, 1]], [1, 2], [3, 2]), 9)
print(filled, empty)
print(tf.sparse.to_indicator(tf.SparseTensor([[0, 0], [1, 0]], [2, 0], [2, 1]), 4))
try:
    tf.sparse.to_dense(tf.SparseTensor([[0, 5]], [1], [2, 3]))
except tf.errors.InvalidArgumentError as e:
    print(e)
try:
    tf.SparseTensor([[0, 5]], [1, 2], [2, 3])
except ValueError as e:
    print(e)
