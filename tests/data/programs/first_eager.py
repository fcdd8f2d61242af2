import tensorflow as tf

a = tf.constant([[1., 2.], [3., 4.]])
print(a, tf.executing_eagerly())
print(tf.matmul(a, a), type(a))
print(tf.reduce_sum(a, axis=0).numpy())
try:
    a[0] = 1
except TypeError as error:
    print(error)
tf.matmul(a, tf.ones([3]))
