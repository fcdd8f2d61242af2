import numpy as np
import tensorflow as tf

image = tf.reshape(tf.range(50, dtype=tf.float32), [1, 5, 5, 2])
filters = tf.reshape(tf.range(36, dtype=tf.float32), [3, 3, 2, 2]) / 8
print(tf.nn.conv2d(image, filters, strides=1, padding='SAME').shape)
print(tf.nn.conv2d(image, filters, strides=2, padding='VALID').numpy())
print(tf.nn.conv2d(image, filters, [1, 2], [[0, 0], [1, 1], [0, 2], [0, 0]]).numpy()[0, 0])
print(tf.nn.conv2d(image, filters, 1, 'VALID', dilations=2).numpy())
print(tf.nn.conv2d_transpose(image, filters, [1, 10, 10, 2], 2).numpy()[0, 4])
print(tf.nn.depthwise_conv2d(image, filters, [1, 1, 1, 1], 'VALID').numpy()[0, 1])
print(tf.nn.separable_conv2d(image, filters, tf.ones([1, 1, 4, 1]), [1, 2, 2, 1], 'SAME').numpy()[..., 0])
line = tf.reshape(tf.range(12, dtype=tf.float32), [2, 6, 1])
print(tf.nn.conv1d(line, tf.ones([3, 1, 2]), stride=2, padding='SAME').numpy())
print(tf.nn.conv1d_transpose(line, tf.ones([3, 2, 1]), [2, 12, 2], 2).numpy()[0, :3])
volume = tf.reshape(tf.range(64, dtype=tf.float32), [1, 4, 4, 4, 1])
print(tf.nn.conv3d(volume, tf.ones([2, 2, 2, 1, 1]), [1, 2, 2, 2, 1], 'VALID').numpy().ravel())
print(tf.nn.convolution(image, filters).shape, tf.nn.convolution(line, tf.ones([2, 1, 3]), padding='SAME').shape)
print(tf.nn.atrous_conv2d(image, filters, 2, 'SAME').numpy()[0, 2, 2])
print(tf.nn.conv_transpose(line, tf.ones([2, 1, 1]), [2, 12, 1], 2).numpy()[1, :, 0])
half = tf.cast(image, tf.float16)
print(tf.nn.conv2d(half, tf.cast(filters, tf.float16), 1, 'VALID').dtype)
print(np.allclose(tf.nn.conv2d(image, filters, 1, 'SAME'), tf.nn.convolution(image, filters, padding='SAME')))
