# TF1
import tensorflow as tf

img = tf.reshape(tf.range(12, dtype=tf.float32), [1, 2, 6, 1])
a = tf.image.resize_images(img, [4, 3])
b = tf.image.resize_bilinear(img, [4, 3], align_corners=True)
c = tf.image.resize_nearest_neighbor(img, [4, 3])
d = tf.image.resize_images(img, [3, 3], method=tf.image.ResizeMethod.NEAREST_NEIGHBOR, align_corners=True)
e = tf.image.resize_bilinear(tf.cast(img, tf.int32), [1, 2])
f = tf.image.resize_image_with_pad(img, 4, 4)
print(a, b, c, d, e)
with tf.Session() as sess:
    for t in (a, b, c, d, e, f):
        print(sess.run(tf.squeeze(t)))
