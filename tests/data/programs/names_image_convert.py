import tensorflow as tf

img = tf.constant([[[0, 128, 255], [10, 20, 30]]], tf.uint8)
f = tf.image.convert_image_dtype(img, tf.float32)
print(f)
print(tf.image.convert_image_dtype(f, tf.uint8))
print(tf.image.convert_image_dtype([[[0.5, 1.2, -0.3]]], tf.uint8, saturate=True))
print(tf.image.convert_image_dtype(img, tf.uint16))
print(tf.image.convert_image_dtype(tf.constant([[[-128, 127]]], tf.int8), tf.float32))
print(tf.image.rgb_to_grayscale(img))
print(tf.image.grayscale_to_rgb(tf.constant([[[1], [2]]])))
print(tf.image.rgb_to_grayscale(f).shape)
