# TF1
import numpy as np
import tensorflow as tf

x = tf.sparse_placeholder(tf.float32)
y = tf.sparse_reduce_sum(x)
print(x)
with tf.Session() as sess:
    indices = np.array([[3, 2, 0], [4, 5, 1]], dtype=np.int64)
    values = np.array([1.0, 2.0], dtype=np.float32)
    shape = np.array([7, 9, 2], dtype=np.int64)
    print(sess.run(y, feed_dict={x: tf.SparseTensorValue(indices, values, shape)}))
    print(sess.run(y, feed_dict={x: (indices, values, shape)}))
    sp = tf.SparseTensor(indices=indices, values=values, dense_shape=shape)
    sp_value = sp.eval(session=sess)
    print(sp_value)
    print(sess.run(y, feed_dict={x: sp_value}))
    print(sess.run(tf.sparse_tensor_to_dense(tf.SparseTensor([[0, 1], [1, 0]], [5, 6], [2, 2]))))
    print(sess.run(tf.sparse_to_dense([[0], [2]], [4], [7, 8])))
    print(sess.run([sp, sp.indices])[0].values)
st = tf.sparse_placeholder(tf.int32, shape=[3, 4], name='s')
print(st, st.get_shape())
