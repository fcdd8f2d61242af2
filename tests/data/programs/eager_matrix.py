import tensorflow as tf

a = tf.constant([[1.0, 2.0], [3.0, 4.0]])
b = tf.constant([[5.0, 6.0], [7.0, 8.0]])
print(a @ b, tf.matmul(a, b, transpose_b=True), tf.tensordot(a, b, 1))
print(tf.matmul(tf.ones([2, 3, 4]), tf.ones([2, 4, 1])).shape, tf.linalg.matvec(a, [1.0, 1.0]) if hasattr(tf.linalg, "matvec") else "")
print(tf.einsum("ij->ji", a), tf.einsum("ij,ij->", a, b), tf.einsum("bij,bjk->bik", tf.ones([2, 1, 3]), tf.ones([2, 3, 1])))
print(tf.reduce_sum(a * b), tf.norm(a), tf.linalg.norm(a, axis=1), tf.eye(2) * 3)
print(tf.linalg.matmul(a, b) == tf.matmul(a, b))
v = tf.constant([1.0, 2.0, 3.0])
print(tf.expand_dims(v, 0) * tf.expand_dims(v, 1), tf.tensordot(v, v, axes=1), tf.reduce_sum(v * v))
print(tf.matmul(tf.reshape(v, [1, -1]), tf.reshape(v, [-1, 1])))
try:
    tf.matmul(a, v)
except Exception as e:
    print(type(e).__name__, e)
try:
    tf.matmul(a, tf.ones([3, 2]))
except Exception as e:
    print(type(e).__name__, e)
try:
    a @ tf.ones([2, 2], tf.int32)
except Exception as e:
    print(type(e).__name__, e)
print(a * [[1.0], [10.0]], a + tf.constant([10.0, 20.0]), 1 / a)
print(tf.maximum(a, 2.5), tf.clip_by_value(a, 1.5, 3.5), tf.square(a) - a**2)
