import numpy as np
import tensorflow as tf

print(tf.constant(1).dtype, tf.constant(1.).dtype, tf.constant(True).dtype, tf.constant('a').dtype, tf.constant(1j).dtype)
print(tf.constant(2**40).dtype if False else 'skip', tf.constant(np.float64(1)).dtype, tf.constant([1, 2.5]).dtype)
print(tf.constant(np.arange(3)).dtype, tf.convert_to_tensor([np.float32(1), 2]).dtype)
x = tf.constant([1, 2, 3])
print(x / 2, x // 2, x % 2, x ** 2, -x, abs(-x))
print(tf.constant([7., -7.]) // 2., tf.constant([7, -7]) // 2, tf.constant([7, -7]) % 3, tf.truncatediv([7, -7], 2))
print(tf.constant(3) / tf.constant(2), tf.divide(3, 2), tf.math.floordiv(3., 2.))
print(tf.cast([1.9, -1.9], tf.int32), tf.cast(300, tf.uint8), tf.saturate_cast(300, tf.uint8), tf.cast([0, 2], tf.bool))
print(tf.as_dtype('float32'), tf.as_dtype(np.int64), tf.dtypes.as_dtype(float), tf.float32.as_numpy_dtype)
print(tf.int8.min, tf.int8.max, tf.float16.max, tf.bfloat16.size, tf.bool.is_bool, tf.qint8.is_quantized)
print(tf.float32 == np.float32, tf.float32 == 'float32', tf.int32 != tf.int64, hash(tf.int32) == hash(tf.int32))
for bad in (lambda: x + 1.5, lambda: x + tf.constant(1.), lambda: tf.constant(1.) + np.float64(1),
            lambda: tf.constant(1.) + np.array([1., 2.]), lambda: tf.constant(3.7, tf.int32),
            lambda: tf.constant(256, tf.uint8), lambda: tf.constant('a', tf.int32), lambda: tf.as_dtype('floot'),
            lambda: tf.constant(True) + 1, lambda: x & 1, lambda: tf.constant(1.) & 1, lambda: ~x, lambda: tf.sqrt(4)):
    try:
        print(bad())
    except Exception as e:
        print(type(e).__name__, e)
