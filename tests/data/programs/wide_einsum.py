import tensorflow as tf

a = tf.reshape(tf.range(6.), [2, 3])
b = tf.reshape(tf.range(12.), [3, 4])
print(tf.einsum('ij,jk->ik', a, b))
print(tf.einsum('ij->ji', a), tf.einsum('ij->', a), tf.einsum('ii', tf.eye(3)), tf.einsum('ij,ij->i', a, a))
print(tf.einsum('i,j->ij', a[0], b[0]), tf.einsum('...ij,jk', a, b).shape)
print(tf.tensordot(a, b, 1).shape, tf.tensordot(a, a, [[0, 1], [0, 1]]), tf.tensordot(a, a, 0).shape)
print(tf.matmul(a, b, transpose_a=False), a @ b, tf.linalg.matvec(a, [1., 1., 1.]))
for bad in (lambda: tf.einsum('ij,jk->ik', a, a), lambda: tf.einsum('ij->k', a), lambda: tf.einsum('ijk->i', a),
            lambda: tf.einsum('ij,jk', a), lambda: tf.matmul(a, a), lambda: tf.matmul([1., 2.], [3., 4.]),
            lambda: tf.tensordot(a, b, 2), lambda: tf.linalg.matvec(a, [1.]), lambda: a @ 3.,
            lambda: tf.matmul(a, tf.cast(b, tf.int32)), lambda: tf.einsum(a, b)):
    try:
        print(bad())
    except Exception as e:
        print(type(e).__name__, e)
