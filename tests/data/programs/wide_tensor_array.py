import tensorflow as tf

ta = tf.TensorArray(tf.float32, size=0, dynamic_size=True, clear_after_read=False)
ta = ta.write(0, 1.0).write(1, 2.0).write(3, 4.0)
print(ta.size(), ta.read(1), ta.stack())
ta = ta.unstack([[1., 2.], [3., 4.]])
print(ta.concat(), ta.gather([1]), ta.dtype, ta.dynamic_size, ta.element_shape)
fixed = tf.TensorArray(tf.int32, size=2)
for bad in (lambda: fixed.write(2, 1), lambda: fixed.write(0, 1.5), lambda: fixed.read(0), lambda: fixed.write(-1, 1),
            lambda: fixed.read(9), lambda: tf.TensorArray(tf.int32), lambda: tf.TensorArray(tf.int32, size=1, dynamic_size=False, tensor_array_name='a', handle=3),
            lambda: fixed.split([1, 2, 3], [1, 1]), lambda: fixed.scatter([0, 5], [1, 2])):
    try:
        print(bad())
    except Exception as e:
        print(type(e).__name__, e)
@tf.function
def squares(n):
    out = tf.TensorArray(tf.int32, size=n)
    _, out = tf.while_loop(lambda i, a: i < n, lambda i, a: (i + 1, a.write(i, i * i)), (0, out))
    return out.stack()
print(squares(tf.constant(4)))
