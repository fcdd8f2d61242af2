import tensorflow as tf

img = tf.reshape(tf.range(12), [2, 2, 3])
print(tf.image.flip_left_right(img).numpy().tolist())
print(tf.image.rot90(img).numpy()[..., 0])
print(tf.reverse(img, [-1]).numpy()[0, 0])
print(tf.nn.space_to_depth(img[tf.newaxis], 2).shape)
patches = tf.space_to_batch([[[[1], [2]], [[3], [4]]]], [2, 2], [[0, 0], [0, 0]])
print(patches.numpy().ravel(), patches.shape)
print(tf.image.adjust_brightness(tf.constant([[[0.1]]]), 0.5).numpy().round(3))
