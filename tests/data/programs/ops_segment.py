import tensorflow as tf

c = tf.constant([[1, 2, 3, 4], [4, 3, 2, 1], [5, 6, 7, 8]])
print(tf.math.segment_sum(c, [0, 0, 1]))
print(tf.math.segment_mean(tf.cast(c, tf.float32), [0, 0, 1]).numpy())
print(tf.math.segment_max(c, [0, 0, 1]).numpy())
print(tf.math.segment_min(c, [0, 0, 2]).numpy())
print(tf.math.segment_prod(c, [0, 1, 1]).numpy())
print(tf.math.unsorted_segment_sum(c, [0, 1, 0], num_segments=2))
print(tf.math.unsorted_segment_max([5, 1, 7], [0, -1, 2], 4).numpy())
print(tf.math.unsorted_segment_mean([1.0, 2.0, 6.0], [1, 1, 0], 3).numpy())
print(tf.math.unsorted_segment_prod([1.0, 2.0, 6.0], [1, 1, 0], 3).numpy())
print(tf.math.unsorted_segment_sqrt_n([1.0, 2.0, 6.0], [1, 1, 0], 2).numpy())
try:
    tf.math.segment_sum(c, [1, 0, 2])
except tf.errors.InvalidArgumentError as e:
    print(e)
try:
    tf.math.unsorted_segment_sum(c, [0, 1, 5], num_segments=2)
except tf.errors.InvalidArgumentError as e:
    print(e)
