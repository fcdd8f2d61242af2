import tensorflow as tf

ta = tf.TensorArray(tf.float32, size=0, dynamic_size=True, clear_after_read=False)
ta = ta.write(0, 10)
ta = ta.write(1, 20)
ta = ta.write(2, 30)
print(ta.read(0), ta.read(1))
print(ta.stack(), ta.size())
print(ta.gather([0, 2]), ta.dtype, ta.dynamic_size)


@tf.function
def fib(n):
    out = tf.TensorArray(tf.int32, size=5)
    a, b = tf.constant(0), tf.constant(1)
    for i in range(5):
        out = out.write(i, a)
        a, b = b, a + b
    return out.stack()


print(fib(5))
ta2 = tf.TensorArray(tf.int32, 2).unstack([1, 2])
print(ta2.read(1))
for action in (lambda: ta2.read(5), lambda: ta2.read(1), lambda: ta2.write(7, 1),
               lambda: ta2.write(0, tf.constant(1.5))):
    try:
        action()
    except tf.errors.OpError as e:
        print(type(e).__name__, e.message)
pieces = tf.TensorArray(tf.int32, 2, infer_shape=False).split([1, 2, 3], [1, 2])
print(pieces.concat(), pieces.read(1))
