import tensorflow as tf

st = tf.sparse.SparseTensor(indices=[[0, 0], [1, 2]], values=[1., 2.], dense_shape=[3, 4])
print(st)
print(repr(st.dtype), st.shape, st.get_shape().rank)
print(tf.sparse.to_dense(st))
print(tf.sparse.add(st, st).values)
print(tf.sparse.sparse_dense_matmul(st, tf.ones([4, 1])))
print(tf.sparse.reorder(tf.SparseTensor([[1, 0], [0, 1]], [1, 2], [2, 2])))
print(tf.sparse.from_dense([[0, 5], [6, 0]]))
print(tf.sparse.reduce_sum(st, axis=1))
print(tf.sparse.slice(st, [0, 0], [1, 2]))
print(tf.sparse.concat(1, [st, st]).dense_shape)
print(tf.sparse.transpose(st).indices)
print(st * 2)
print(st / tf.constant([[1.], [2.], [4.]]))
print(tf.sparse.reshape(st, [2, -1]))
print(tf.sparse.fill_empty_rows(st, 9.)[0].values)
print(tf.sparse.expand_dims(st, 0).shape, tf.sparse.eye(2))
for bad in (lambda: st + 1, lambda: tf.sparse.to_dense(tf.SparseTensor([[5]], [1], [2])),
            lambda: tf.SparseTensor([[0, 0]], [1, 2], [2, 2]), lambda: tf.matmul(st, tf.ones([4, 1])),
            lambda: tf.reduce_sum(st)):
    try:
        print(bad())
    except Exception as e:
        print(type(e).__name__, e)
