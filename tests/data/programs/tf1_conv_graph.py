# TF1
import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 8, 8, 3], name='x')
w = tf.Variable(tf.ones([3, 3, 3, 4]) * 0.5, name='w')
b = tf.Variable(tf.zeros([4]), name='b')
conv = tf.nn.conv2d(x, w, strides=[1, 2, 2, 1], padding='SAME')
out = tf.nn.relu(tf.nn.bias_add(conv, b))
deep = tf.nn.depthwise_conv2d(out, tf.ones([2, 2, 4, 1]), [1, 1, 1, 1], 'VALID')
back = tf.nn.conv2d_transpose(deep, tf.ones([2, 2, 3, 4]), [2, 6, 6, 3], [1, 2, 2, 1])
flat = tf.nn.conv1d(tf.reshape(out, [-1, 16, 4]), tf.ones([3, 4, 2]), 1, 'SAME')
cube = tf.nn.conv3d(tf.reshape(x, [-1, 2, 4, 8, 3]), tf.ones([1, 2, 2, 3, 1]), [1, 1, 1, 1, 1], 'VALID')
for tensor in (conv, out, deep, back, flat, cube):
    print(tensor.name, tensor.shape)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    values = np.arange(2 * 8 * 8 * 3).reshape(2, 8, 8, 3) / 64.0
    found = session.run([conv, deep, back, flat, cube], {x: values})
for value in found:
    print(value.shape, np.round(float(value.sum()), 1))
try:
    tf.nn.conv2d(x, tf.ones([3, 3, 2, 4]), [1, 1, 1, 1], 'SAME')
except ValueError as error:
    print(error)
