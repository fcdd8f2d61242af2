# TF1
import tensorflow as tf

tf.enable_eager_execution()
print(tf.executing_eagerly())
x = tf.random_normal([2, 2])
print(x.shape, x.dtype)
print(tf.log(tf.constant([1.0])))
v = tf.Variable(1)
print(v.numpy())
print(tf.constant([[1, 2]]).shape[1])
