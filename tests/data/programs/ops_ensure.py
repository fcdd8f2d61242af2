import tensorflow as tf

x = tf.ensure_shape(tf.ones([2, 3]), [2, None])
print(x.shape)

@tf.function(input_signature=[tf.TensorSpec(None, tf.float32)])
def f(t):
    t = tf.ensure_shape(t, [None, 2])
    print('traced', t.shape)
    return tf.reduce_sum(t, axis=1)

print(f(tf.ones([3, 2])))
try:
    tf.ensure_shape(tf.ones([2, 3]), [3, 2])
except tf.errors.InvalidArgumentError as e:
    print(e)
try:
    f(tf.ones([3]))
except (ValueError, tf.errors.InvalidArgumentError) as e:
    print(type(e).__name__, str(e).split('\n')[0])
print(tf.broadcast_dynamic_shape([1, 3], [2, 1]), tf.broadcast_static_shape(tf.TensorShape([1, 3]), tf.TensorShape([2, 1])))
print(tf.raw_ops.BroadcastGradientArgs(s0=[2, 3], s1=[1, 3]))
