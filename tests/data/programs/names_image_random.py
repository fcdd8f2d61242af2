import tensorflow as tf

tf.random.set_seed(5)
x = tf.reshape(tf.range(24, dtype=tf.float32), [4, 6, 1]) / 24
print(tf.squeeze(tf.image.random_flip_left_right(x, seed=1))[0])
print(tf.squeeze(tf.image.random_flip_up_down(x, seed=3))[0])
print(tf.squeeze(tf.image.random_brightness(x, 0.2, seed=2))[0])
print(tf.squeeze(tf.image.random_contrast(x, 0.2, 0.5, seed=2))[0])
print(tf.squeeze(tf.image.random_crop(x, [2, 3, 1], seed=4)))
for bad in (lambda: tf.image.random_contrast(x, 0.5, 0.2), lambda: tf.image.random_brightness(x, -1.0)):
    try:
        bad()
    except ValueError as e:
        print(e)
