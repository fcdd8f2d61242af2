import tensorflow as tf

t = tf.constant([[1, 2], [3, 4]])
data = tf.io.serialize_tensor(t)
print(data)
back = tf.io.parse_tensor(data, out_type=tf.int32)
print(back)
for value in (tf.constant(1.5), tf.constant(['a', 'bc']), tf.constant([True, False]), tf.zeros([0, 3])):
    again = tf.io.parse_tensor(tf.io.serialize_tensor(value), value.dtype)
    print(again)
try:
    tf.io.parse_tensor(data, tf.float32)
except tf.errors.InvalidArgumentError as e:
    print(e)
try:
    tf.io.parse_tensor(b'\xff\xff', tf.float32)
except tf.errors.InvalidArgumentError as e:
    print(e)
