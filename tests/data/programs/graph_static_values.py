# TF1
import tensorflow as tf
from tensorflow.python.framework import tensor_util

a = tf.constant([2, 3])
b = tf.shape(tf.zeros([4, 5]))
p = tf.placeholder(tf.int32, [2])
for t in (a, b, p, a + 1, tf.stack([2, 3]), tf.range(3), tf.rank(tf.zeros([2, 2])), tf.size(tf.zeros([3])), tf.cast(a, tf.float32),
          tf.concat([a, b], 0), a[0], tf.equal(a, a), tf.fill([2], 1), tf.identity(a), -a):
    print(t.op.type, tensor_util.constant_value(t))
print(tf.reshape(tf.zeros([6]), a).shape, tf.reshape(tf.zeros([6]), p).shape, tf.zeros(a).shape, tf.ones(p).shape)
print(tf.zeros(tf.stack([2, p[0]])).shape, tf.tile(tf.zeros([2]), [a[0]]).shape)
print(tf.broadcast_to(tf.zeros([1]), b[:1]).shape, tf.random_uniform(a).shape)
print(tensor_util.constant_value_as_shape(tf.stack([p[0], 4])))
print(tensor_util.make_tensor_proto([1, 2]))
print(tensor_util.MakeNdarray(tensor_util.make_tensor_proto([[1., 2.]])))
