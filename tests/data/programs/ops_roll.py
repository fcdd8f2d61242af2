import tensorflow as tf

t = tf.range(5)
print(tf.roll(t, shift=2, axis=0))
print(tf.roll(t, -1, 0).numpy())
m = tf.reshape(tf.range(6), [2, 3])
print(tf.roll(m, shift=[1, -2], axis=[0, 1]))
print(tf.roll(m, shift=[2, -3], axis=[1, 1]).numpy())
print(tf.reverse(m, [0]).numpy(), tf.reverse(m, [-1]).numpy())
print(tf.reverse_sequence([[1, 2, 3, 0], [4, 5, 0, 0]], [3, 2], seq_axis=1, batch_axis=0))
try:
    tf.roll(m, 1, 5)
except tf.errors.InvalidArgumentError as e:
    print(e)
