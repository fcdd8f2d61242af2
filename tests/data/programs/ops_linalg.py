import numpy as np
import tensorflow as tf

a = tf.constant([[4.0, 2.0], [2.0, 3.0]])
print(tf.linalg.cholesky(a))
print(np.round(tf.linalg.inv(a).numpy(), 5))
print(np.round(tf.linalg.det(a).numpy(), 4))
print(np.round(tf.linalg.solve(a, [[1.0], [2.0]]).numpy(), 5))
s, l = tf.linalg.slogdet(a)
print(s.numpy(), np.round(l.numpy(), 5))
print(np.round(tf.linalg.triangular_solve([[2.0, 0.0], [1.0, 1.0]], [[2.0], [3.0]]).numpy(), 5))
print(np.round(tf.linalg.matmul(a, tf.linalg.inv(a)).numpy(), 4))
print(tf.linalg.eye(2), tf.linalg.matvec(a, [1.0, 1.0]).numpy())
print(np.round(tf.linalg.logdet(a).numpy(), 5), tf.linalg.adjoint(a).numpy())
try:
    tf.linalg.inv([[1.0, 2.0], [2.0, 4.0]])
except tf.errors.InvalidArgumentError as e:
    print(e)
try:
    tf.linalg.cholesky([[1.0, 2.0], [2.0, 1.0]])
except tf.errors.InvalidArgumentError as e:
    print(e)
try:
    tf.linalg.inv([[1.0, 2.0, 3.0]])
except (ValueError, tf.errors.InvalidArgumentError) as e:
    print(type(e).__name__, e)
