import tensorflow as tf

for dt in (tf.float16, tf.float64, tf.int64, tf.uint8):
    x = tf.cast([1, 2, 3], dt)
    print(tf.cumsum(x).numpy(), tf.gather_nd(x, [[2], [0]]).numpy(), tf.roll(x, 1, 0).dtype)
    print(tf.tensor_scatter_nd_update(x, [[0]], tf.cast([9], dt)).numpy())
    print(tf.math.segment_sum(x, [0, 0, 1]).numpy(), tf.linalg.diag(x).numpy().tolist())
print(tf.math.top_k(tf.constant([1, 7, 7], tf.int64)).indices.numpy())
print(tf.scatter_nd([[0]], ['hi'], [2]).numpy())
try:
    tf.cumsum(['a', 'b'])
except (TypeError, ValueError, tf.errors.InvalidArgumentError, tf.errors.NotFoundError) as e:
    print(type(e).__name__, str(e)[:90])
