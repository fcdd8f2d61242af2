import tensorflow as tf

y, idx = tf.unique([1, 1, 2, 4, 4, 4, 7, 8, 8])
print(y, idx)
y, idx, count = tf.unique_with_counts(['b', 'a', 'b', 'c'])
print(y.numpy(), idx.numpy(), count)
print(tf.raw_ops.UniqueV2(x=[[1, 0, 0], [1, 0, 0], [2, 0, 0]], axis=[0]))
print(tf.raw_ops.UniqueWithCountsV2(x=[3, 3, 5], axis=[0]).count.numpy())
out, idx = tf.compat.v1.setdiff1d([1, 2, 3, 4, 5, 6], [1, 3, 5])
print(out.numpy(), idx.numpy())
print(tf.where([True, False, True]))
print(tf.where(tf.constant([[0, 3], [5, 0]])).numpy())
try:
    tf.unique([[1, 2]])
except (ValueError, tf.errors.InvalidArgumentError) as e:
    print(type(e).__name__, e)
