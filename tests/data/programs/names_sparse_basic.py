import tensorflow as tf

st = tf.SparseTensor(indices=[[0, 3], [2, 4]], values=[10, 20], dense_shape=[3, 10])
print(st)
print(st.indices, st.values, st.dense_shape)
print(st.shape, st.dtype, st.get_shape())
print(tf.sparse.to_dense(st))
dense = tf.constant([[1, 0, 0, 8], [0, 0, 0, 0], [0, 0, 3, 0]])
st2 = tf.sparse.from_dense(dense)
print(st2)
print(tf.sparse.to_dense(st2, default_value=-1))
print(tf.sparse.to_dense(tf.sparse.reset_shape(st2, [4, 5])))
print(isinstance(st, tf.SparseTensor), isinstance(st, tf.sparse.SparseTensor))
print(st.with_values([1, 2]).values)
