import numpy as np
import tensorflow as tf

x = tf.constant([1.0, 2.5, 1 / 3], tf.bfloat16)
print(x)
print(x.numpy(), x.numpy().dtype, x.dtype, x.dtype.as_numpy_dtype)
print(repr(x), x + x, x * 2, tf.cast(x, tf.float32))
print(tf.constant(1.5, tf.bfloat16).numpy(), tf.constant(np.array([1.5], np.float32), tf.bfloat16))
print(tf.reduce_sum(x), tf.matmul(tf.ones([2, 2], tf.bfloat16), tf.ones([2, 2], tf.bfloat16)))
print(x[0], float(x[1]), tf.Variable(x))
h = tf.constant([1.0, 65504.0, 1e-7], tf.half)
print(h, h.numpy().dtype, h * 2, tf.float16 == tf.half)
print(tf.bfloat16.size, tf.bfloat16.is_floating, tf.bfloat16.max, tf.bfloat16.min, tf.float16.max, tf.int8.limits)
print(tf.cast([1.7, -3.2], tf.bfloat16), tf.cast(tf.constant([300]), tf.int8))
print(tf.dtypes.as_dtype("bfloat16"), tf.as_dtype(np.float32), tf.as_dtype(int) if False else "", tf.uint8.name)
print(tf.dtypes.complex64, tf.float32.real_dtype, tf.complex64.real_dtype, tf.float32.as_datatype_enum)
print([d.name for d in (tf.int8, tf.uint16, tf.uint64, tf.qint8, tf.resource, tf.variant, tf.string)])
print(tf.float32 == "float32", tf.float32 == np.float32, tf.float32 != tf.float64, repr(tf.float32), hash(tf.float32))
try:
    tf.as_dtype("floaty")
except TypeError as e:
    print(e)
try:
    print(tf.string.max)
except TypeError as e:
    print(e)
