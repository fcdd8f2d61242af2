import numpy as np
import tensorflow as tf

raw = np.array([1, 2, 300], np.int32).tobytes()
print(tf.io.decode_raw(raw, tf.int32))
print(tf.io.decode_raw([b'\x01\x02', b'\x03\x04'], tf.uint8))
print(tf.io.decode_raw(np.array([1.5, -2], '>f4').tobytes(), tf.float32, little_endian=False))
image = tf.reshape(tf.io.decode_raw(bytes(range(12)), tf.uint8), [2, 2, 3])
print(image)
try:
    tf.io.decode_raw(b'\x01\x02\x03', tf.int16)
except tf.errors.InvalidArgumentError as e:
    print(e)
try:
    tf.io.decode_raw([b'\x01\x02', b'\x03'], tf.uint8)
except tf.errors.InvalidArgumentError as e:
    print(e)
