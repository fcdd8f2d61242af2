import tensorflow.compat.v1 as tf

print(tf.executing_eagerly())
a = tf.constant([[1., 2.], [3., 4.]])
print(a)
print(tf.reduce_sum(a, axis=1, keep_dims=True) if False else tf.reduce_sum(a, 1, keepdims=True))
v = tf.Variable(2.0, name='v')
print(v)
v.assign(3.0)
print(v.numpy(), tf.log(v))
print(tf.get_variable('w', shape=[2], initializer=tf.zeros_initializer()))
with tf.variable_scope('scope'):
    print(tf.get_variable('w', shape=[], initializer=tf.ones_initializer()).name)
print(tf.random_uniform([2], maxval=1).shape, tf.to_float(3))
