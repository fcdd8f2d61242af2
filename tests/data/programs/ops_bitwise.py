import tensorflow as tf

a = tf.constant([5, 6, 12], tf.int32)
b = tf.constant([3, 3, 10], tf.int32)
print(tf.bitwise.bitwise_and(a, b), tf.bitwise.bitwise_or(a, b).numpy(), tf.bitwise.bitwise_xor(a, b).numpy())
print(tf.bitwise.invert(a).numpy())
print(tf.bitwise.left_shift(a, [1, 2, 3]).numpy(), tf.bitwise.right_shift(a, [1, 1, 2]).numpy())
print(tf.raw_ops.PopulationCount(x=a))
print(a & b, a | b, a ^ b, ~a)
print((tf.constant([True, False]) ^ True).numpy(), tf.math.logical_xor([True], [True]).numpy())
print(tf.bitcast(tf.constant(1.0), tf.int32), tf.bitcast([1.0, 2.0], tf.uint8).shape)
print(tf.bitcast(tf.constant([0x3f800000, 0x40000000]), tf.float32).numpy())
try:
    tf.bitcast(tf.constant([1, 2, 3], tf.uint8), tf.int32)
except (ValueError, tf.errors.InvalidArgumentError) as e:
    print(type(e).__name__, e)
