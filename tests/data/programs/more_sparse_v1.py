# TF1
import numpy as np
import tensorflow as tf

st = tf.SparseTensor([[0, 0], [1, 2]], [1., 2.], [3, 4])
print(st, st.op.type, st.graph is tf.get_default_graph())
d = tf.sparse_tensor_to_dense(st)
m = tf.sparse_tensor_dense_matmul(st, tf.ones([4, 2]))
e = tf.nn.embedding_lookup(tf.constant([[1., 1.], [2., 2.]]), [1, 0, 1])
p = tf.sparse_placeholder(tf.float32, shape=[2, 2])
print(d, m.shape, e.shape, p)
with tf.Session() as sess:
    print(sess.run(d), sess.run(m), sess.run(e))
    print(sess.run(st))
    print(sess.run(tf.sparse_reduce_sum(p), {p: tf.SparseTensorValue([[0, 1]], [5.], [2, 2])}))
    print(sess.run(tf.sparse_to_dense([1, 3], [4], [9, 8], 0)), sess.run(tf.sparse.to_dense(tf.sparse.add(st, st))).sum())
    print(sess.run(tf.scatter_nd([[1], [3]], [9, 10], [5])), sess.run(tf.gather_nd([[1, 2], [3, 4]], [[0, 1]])))
    v = tf.Variable([1, 2, 3])
    sess.run(v.initializer)
    print(sess.run(tf.scatter_update(v, [0, 2], [10, 30])), sess.run(tf.scatter_nd_add(v, [[1]], [5])))
