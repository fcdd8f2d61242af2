import tensorflow as tf

m = tf.constant([[1., 2.], [3., 4.]])
print(tf.linalg.matvec(m, [1., 1.]), tf.linalg.matvec(m, [1., 1.], transpose_a=True))
print(tf.linalg.trace(m))
print(tf.linalg.adjoint(m))
print(tf.linalg.matrix_transpose(m))
print(tf.linalg.norm(m), tf.linalg.norm(m, axis=1), tf.linalg.norm(m, ord=1), tf.norm(m, ord='fro', axis=[0, 1]))
n, norm = tf.linalg.normalize(tf.constant([3., 4.]))
print(n, norm)
print(tf.linalg.l2_normalize([[3., 4.], [6., 8.]], axis=1))
print(tf.linalg.eye(2), tf.linalg.tensordot([1., 2.], [3., 4.], 1))
print(tf.linalg.global_norm([m, tf.constant([1., 1.])]))
print(tf.tensordot(m, m, axes=[[1], [0]]))
