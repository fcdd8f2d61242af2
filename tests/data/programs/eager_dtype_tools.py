import numpy as np
import tensorflow as tf

print(tf.float32.max, tf.int32.min, tf.uint8.max, tf.float64.min)
print(tf.as_dtype("float32"), tf.dtypes.as_dtype(np.int64), tf.as_dtype(tf.bool))
print(tf.cast([1.8, -1.8], tf.int32), tf.cast([0, 1, 2], tf.bool), tf.cast(True, tf.float32))
print(tf.cast(tf.constant([255, 256, -1]), tf.uint8), tf.saturate_cast([300, -5, 7], tf.uint8))
print(tf.cast(1e10, tf.int32) if False else "", tf.cast([1 + 2j], tf.complex128))
print(tf.float32.is_floating, tf.int8.is_integer, tf.uint8.is_unsigned, tf.bool.is_bool, tf.complex64.is_complex)
print(tf.float32.is_compatible_with(tf.float64), tf.float32.base_dtype, tf.float32.size, tf.string.size)
print({tf.float32: 1}[tf.float32], tf.float32 in (tf.float16, tf.float32), str(tf.int64), repr(tf.string))
for value in (1, 1.5, True, "a", b"b", [1, 2], [[1.0]], np.float16(2), np.arange(3), (1, 2.0)):
    print(repr(value), "->", tf.convert_to_tensor(value).dtype.name, tf.convert_to_tensor(value).shape)
try:
    tf.cast("1.5", tf.float32)
except Exception as e:
    print(type(e).__name__, str(e).splitlines()[0])
try:
    tf.constant([1.5, 2.5], dtype=tf.int64)
except Exception as e:
    print(type(e).__name__, e)
print(tf.strings.to_number(["1.5", "2"]), tf.strings.as_string([1, 2]))
print(tf.zeros([2], tf.float16) + 1, tf.ones([2], tf.int8) * 3, tf.constant(3, tf.uint16) // 2)
