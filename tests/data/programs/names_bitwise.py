import tensorflow as tf

a = tf.constant([0, 5, 3, 14], tf.int32)
b = tf.constant([5, 0, 7, 11], tf.int32)
print(tf.bitwise.bitwise_and(a, b), tf.bitwise.bitwise_or(a, b), tf.bitwise.bitwise_xor(a, b))
print(tf.bitwise.invert(tf.constant([0, 1], tf.uint8)))
print(tf.bitwise.left_shift(a, 1), tf.bitwise.right_shift(a, 1))
print(a & b, a | b, a ^ b, ~a)
try:
    tf.bitwise.bitwise_and([1.0], [2.0])
except Exception as e:
    print(type(e).__name__)
