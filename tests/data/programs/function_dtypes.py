import numpy as np
import tensorflow as tf


@tf.function
def f(x):
    print("trace", x.dtype.name, x.shape)
    return x * 2


for value in (tf.constant(1), tf.constant(1.5), tf.constant([1, 2]), tf.constant([3, 4]), np.array([5, 6]), np.float32(3)):
    print(f(value))


@tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
def g(x):
    print("trace g")
    return tf.reduce_sum(x), tf.shape(x)


print(g([1.0, 2.0]))
print(g(np.array([1, 2, 3], np.float32)))
print(g((4.0,)))
for bad in ([1, "a"], tf.constant([1, 2]), [[1.0]], 5.0):
    try:
        print(g(bad))
    except Exception as e:
        print(type(e).__name__, str(e).splitlines()[0])


@tf.function
def mixed(x, flag):
    return tf.cast(x, tf.float64) if flag else x


print(mixed(tf.constant(1), True), mixed(tf.constant(1), False), mixed(tf.constant(1), flag=tf.constant(True) is None))
h = tf.function(lambda x, *, scale=1: x * scale)
print(h(tf.constant(3)), h(tf.constant(3), scale=4), h(tf.constant(3), scale=tf.constant(5)))
try:
    h(tf.constant(3), 4)
except TypeError as e:
    print(e)
