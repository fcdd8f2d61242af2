import tensorflow as tf

m = tf.constant([[4., 2.], [2., 3.]])
print(tf.linalg.inv(m), tf.linalg.det(m), tf.linalg.trace(m))
print(tf.linalg.cholesky(m), tf.linalg.solve(m, [[1.], [2.]]))
print(tf.linalg.diag([1, 2]), tf.linalg.diag_part(m), tf.linalg.band_part(tf.ones([3, 3]), 0, -1))
print(tf.linalg.norm(m), tf.norm(m, ord=1), tf.norm(m, axis=0), tf.linalg.normalize([3., 4.]))
print(tf.eye(2, 3), tf.linalg.set_diag(m, [0., 0.]), tf.linalg.matrix_transpose(m), tf.transpose(m, conjugate=True))
print(tf.linalg.cross([1., 0., 0.], [0., 1., 0.]), tf.linalg.global_norm([m, m]), tf.linalg.adjoint(m))
print(tf.linalg.triangular_solve([[1., 0.], [2., 1.]], [[1.], [4.]]), tf.linalg.logdet(m), tf.linalg.l2_normalize([3., 4.]))
for bad in (lambda: tf.linalg.inv([[1., 2.], [2., 4.]]), lambda: tf.linalg.inv([1., 2.]), lambda: tf.linalg.cholesky([[1., 2.], [2., 1.]]),
            lambda: tf.linalg.solve(m, [1., 2.]), lambda: tf.linalg.det([[1., 2., 3.]]), lambda: tf.linalg.inv([[1, 2], [3, 4]]),
            lambda: tf.linalg.diag_part([1., 2.]), lambda: tf.norm(m, ord='x'), lambda: tf.linalg.cross([1., 2.], [3., 4.])):
    try:
        print(bad())
    except Exception as e:
        print(type(e).__name__, e)
