import tensorflow as tf

img = tf.reshape(tf.range(4 * 6), [4, 6, 1])
print(tf.squeeze(tf.image.crop_to_bounding_box(img, 1, 2, 2, 3)))
print(tf.squeeze(tf.image.pad_to_bounding_box(img, 1, 0, 6, 7)))
print(tf.squeeze(tf.image.central_crop(img, 0.5)))
print(tf.squeeze(tf.image.flip_left_right(img))[0], tf.squeeze(tf.image.flip_up_down(img))[:, 0])
print(tf.squeeze(tf.image.rot90(img)))
print(tf.squeeze(tf.image.rot90(img, k=2))[0], tf.image.rot90(img, 3).shape)
print(tf.image.transpose(img).shape)
for args in ((-1, 0, 2, 2), (3, 0, 2, 2), (0, 5, 2, 2)):
    try:
        tf.image.crop_to_bounding_box(img, *args)
    except ValueError as e:
        print(e)
try:
    tf.image.central_crop(img, 1.5)
except ValueError as e:
    print(e)
