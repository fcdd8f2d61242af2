import numpy as np
import tensorflow as tf

for d in (tf.float16, tf.bfloat16, tf.float32, tf.float64, tf.int8, tf.uint8, tf.int64, tf.bool, tf.string, tf.complex64, tf.qint8, tf.resource):
    print(d, d.name, d.size, d.is_floating, d.is_integer, d.is_unsigned, d.is_numpy_compatible if hasattr(d, 'is_numpy_compatible') else '', d.as_datatype_enum, repr(d))
print(tf.constant(3, tf.bfloat16), tf.cast(3.7, tf.float16), tf.constant([1, 2], tf.uint16) + 1)
print(tf.cast(tf.constant([250, 260]), tf.uint8), tf.cast(-1, tf.uint8), tf.cast(3.99, tf.int64), tf.cast(True, tf.float32), tf.cast([1 + 2j], tf.float32))
print(tf.bitwise.right_shift(tf.constant([8, 16], tf.uint8), 2), tf.bitwise.bitwise_xor(5, 1), tf.constant(5) & 3, tf.constant(5) | 3, tf.constant(5) ^ 1, ~tf.constant(5))
print(tf.constant(np.int16(5)), tf.constant(np.array([1.5], np.float16)), tf.constant(np.bool_(True)), tf.constant(np.str_('x')))
print(tf.int32.max, tf.uint8.limits, tf.float32.min, tf.float64.real_dtype, tf.complex64.real_dtype, tf.as_dtype('uint8'), tf.as_dtype(bool))
print(tf.zeros([2], tf.string), tf.ones([1], tf.bool), tf.zeros_like(['a']), tf.constant([], tf.int32), tf.constant(True) & False, tf.logical_not(True))
for f in (lambda: tf.float32.foo, lambda: tf.string.max, lambda: tf.zeros([1], tf.resource), lambda: tf.constant(1, tf.float32) + tf.constant(1, tf.float16), lambda: tf.constant(5) & 3.0, lambda: tf.ones([1], tf.string)):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)
