import tensorflow as tf

x = tf.constant([[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], [[7.0, 8.0, 9.0], [10.0, 11.0, 12.0]]])
print(tf.image.adjust_brightness(x, delta=0.1))
print(tf.image.adjust_contrast(x, 2.0))
print(tf.image.adjust_gamma(x, 2.0, gain=0.5))
img = tf.constant([[[10, 200, 30], [0, 0, 0]], [[255, 255, 255], [120, 10, 240]]], tf.uint8)
print(tf.image.adjust_brightness(img, 0.1))
print(tf.image.adjust_contrast(img, 0.5))
print(tf.image.adjust_gamma(img, 2.0))
print(tf.image.per_image_standardization(x))
print(tf.image.total_variation(x))
print(tf.image.psnr(img, tf.image.adjust_brightness(img, 0.1), 255))
