import tensorflow as tf

img = tf.reshape(tf.range(16, dtype=tf.float32), [4, 4, 1])
print(tf.squeeze(tf.image.resize(img, [2, 2])))
print(tf.squeeze(tf.image.resize(img, [3, 6])))
print(tf.squeeze(tf.image.resize(img, [6, 3], method='nearest')))
print(tf.image.resize(tf.cast(img, tf.uint8), (2, 3)).dtype)
print(tf.image.resize(tf.cast(img, tf.uint8), (2, 3), method=tf.image.ResizeMethod.NEAREST_NEIGHBOR).dtype)
print(tf.squeeze(tf.image.resize(img, [2, 6], preserve_aspect_ratio=True)))
batch = tf.stack([img, img + 1])
print(tf.image.resize(batch, [5, 5]).shape)
print(tf.squeeze(tf.image.resize_with_pad(img, 2, 6)))
print(tf.squeeze(tf.image.resize_with_crop_or_pad(img, 2, 6)))
try:
    tf.image.resize([1., 2.], [2, 2])
except ValueError as e:
    print(e)
try:
    tf.image.resize(img, [2])
except ValueError as e:
    print(e)
