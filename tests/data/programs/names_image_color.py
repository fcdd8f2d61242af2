import tensorflow as tf

rgb = tf.constant([[[1.0, 0.5, 0.0], [0.25, 0.25, 0.25]], [[0.1, 0.9, 0.3], [0.0, 0.0, 1.0]]])
hsv = tf.image.rgb_to_hsv(rgb)
print(hsv)
print(tf.image.hsv_to_rgb(hsv))
print(tf.image.adjust_saturation(rgb, 2.0))
print(tf.image.adjust_hue(rgb, 0.2))
img = tf.constant([[[10, 200, 30], [50, 0, 0]]], tf.uint8)
print(tf.image.adjust_saturation(img, 3))
print(tf.image.adjust_hue(img, 0.1))
print(tf.image.rgb_to_yuv(rgb))
print(tf.abs(tf.image.yuv_to_rgb(tf.image.rgb_to_yuv(rgb))) > 0.2)
print(tf.image.rgb_to_yiq(rgb))
