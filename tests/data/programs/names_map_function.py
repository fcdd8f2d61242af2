import tensorflow as tf


@tf.function
def squares(x):
    return tf.map_fn(lambda v: v * v, x)


@tf.function
def running(x):
    return tf.scan(lambda a, v: a + v, x), tf.foldl(lambda a, v: a * v, x)


@tf.function
def logged(x):
    y = tf.py_function(lambda v: v.numpy() * 2.0, [x], tf.float32)
    return y + 1.0


print(squares(tf.constant([1., 2., 3.])))
print(running(tf.constant([1, 2, 3, 4])))
print(logged(tf.constant(4.0)))
lengths = tf.map_fn(lambda t: tf.cast(tf.reduce_sum(t), tf.float32), tf.constant([[1, 2], [3, 4]]),
                    fn_output_signature=tf.float32)
print(lengths)
try:
    tf.map_fn(lambda x: x, tf.constant(3))
except ValueError as e:
    print(e)
print(tf.map_fn(lambda x: (x, -x), tf.constant([1, 2]), fn_output_signature=(tf.int32, tf.int32)))
