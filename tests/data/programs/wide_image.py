import tensorflow as tf

img = tf.reshape(tf.range(48, dtype=tf.float32), [4, 4, 3]) / 48.
print(tf.image.rgb_to_grayscale(img).shape, tf.image.flip_left_right(img)[0, 0], tf.image.flip_up_down(img)[0, 0])
print(tf.image.rot90(img)[0, 0], tf.image.transpose(img).shape, tf.image.central_crop(img, 0.5).shape)
print(tf.image.resize(img, [2, 2])[..., 0], tf.image.resize(img, [8, 8], method='nearest').shape)
print(tf.image.crop_to_bounding_box(img, 1, 1, 2, 2).shape, tf.image.pad_to_bounding_box(img, 1, 1, 6, 6).shape)
print(tf.image.adjust_brightness(img, 0.1)[0, 0], tf.image.adjust_contrast(img, 2.)[0, 0], tf.image.adjust_gamma(img, 2.)[0, 0])
print(tf.image.convert_image_dtype(img, tf.uint8)[0], tf.image.convert_image_dtype(tf.constant([255], tf.uint8), tf.float32))
print(tf.image.rgb_to_hsv(img)[0, 1], tf.image.hsv_to_rgb(tf.image.rgb_to_hsv(img))[3, 3])
print(tf.image.per_image_standardization(img)[0, 0], tf.image.resize_with_crop_or_pad(img, 2, 6).shape)
print(tf.image.total_variation(img), tf.image.psnr(img, img * 0.9, 1.0))
for bad in (lambda: tf.image.flip_left_right([1., 2.]), lambda: tf.image.resize(img, [2]), lambda: tf.image.central_crop(img, 1.5),
            lambda: tf.image.crop_to_bounding_box(img, 3, 3, 4, 4), lambda: tf.image.rgb_to_grayscale(img[..., :2]),
            lambda: tf.image.resize(img, [2, 2], method='lanczos')):
    try:
        print(bad())
    except Exception as e:
        print(type(e).__name__, e)
