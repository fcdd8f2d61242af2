import tensorflow as tf

grads = [tf.constant([3., 4.]), tf.constant([[1., 2.], [2., 4.]])]
print(tf.linalg.global_norm(grads))
clipped, norm = tf.clip_by_global_norm(grads, 2.0)
print(clipped, norm)
print(tf.clip_by_norm([3., 4.], 1.0), tf.clip_by_norm([[3., 4.], [0.3, 0.4]], 1.0, axes=[1]))
print(tf.clip_by_value([-1, 5, 10], 0, 6))
print(tf.clip_by_global_norm([tf.constant([1.]), None], 5.0))
try:
    tf.clip_by_global_norm(3.0, 1.0)
except TypeError as e:
    print(e)
