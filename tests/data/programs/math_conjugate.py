import numpy as np
import tensorflow as tf

c = tf.constant(np.arange(6).reshape(2, 3) + 1j * np.arange(6).reshape(2, 3)[::-1], tf.complex64)
print(tf.transpose(c, conjugate=True))
print(tf.linalg.adjoint(c), tf.linalg.matrix_transpose(c, conjugate=True))
print(tf.transpose(tf.reshape(c, [1, 2, 3]), [2, 0, 1], conjugate=True).shape)
print(tf.transpose(tf.constant([[1.0, 2.0]]), conjugate=True))
with tf.GradientTape() as tape:
    tape.watch(c)
    y = tf.reduce_sum(tf.math.real(tf.transpose(c, conjugate=True) * tf.constant(2 - 3j, tf.complex64)))
print(tape.gradient(y, c))
a, b = tf.constant([[0.0, 1.5, 0.0], [2.0, 0.0, 0.0]]), tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
for marks in ({'a_is_sparse': True}, {'b_is_sparse': True}, {'a_is_sparse': True, 'b_is_sparse': True}):
    with tf.GradientTape() as tape:
        tape.watch([a, b])
        y = tf.matmul(a, b, **marks)
    print(y, [g.numpy().tolist() for g in tape.gradient(y, [a, b])])
print(tf.matmul(tf.cast(a, tf.bfloat16), b))
print(tf.matmul(tf.cast(a, tf.bfloat16), tf.cast(b, tf.bfloat16), a_is_sparse=True))
for ta in (False, True):
    for tb in (False, True):
        p, q = tf.transpose(a) if ta else a, tf.transpose(b) if tb else b
        with tf.GradientTape() as tape:
            tape.watch([p, q])
            y = tf.matmul(p, q, transpose_a=ta, transpose_b=tb, a_is_sparse=True) * tf.constant([[1.0, 2.0], [3.0, 4.0]])
        print([g.numpy().tolist() for g in tape.gradient(y, [p, q])])
x = tf.constant([[3.0, 4.0], [5.0, 12.0]])
print(tf.math.reduce_euclidean_norm(x), tf.math.reduce_euclidean_norm(x, 0), tf.math.reduce_euclidean_norm(x, 1, keepdims=True))
print(tf.math.reduce_euclidean_norm(tf.constant([3, 4, 1])), tf.math.reduce_euclidean_norm([3.0, 4.0]))
print(tf.math.reduce_euclidean_norm(c, 1))
for axis, keep in ((None, False), (0, False), (1, True)):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.math.reduce_euclidean_norm(x, axis, keep)
    print(tape.gradient(y, x))
try:
    tf.math.reduce_euclidean_norm(x, 2)
except Exception as error:
    print(type(error).__name__, error)


@tf.function(input_signature=[tf.TensorSpec(None, tf.complex64)])
def turned(value):
    return tf.linalg.adjoint(value)


print(turned(c))
try:
    tf.linalg.matrix_transpose(tf.constant([1.0]))
except Exception as error:
    print(type(error).__name__, error)
