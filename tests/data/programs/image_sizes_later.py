# Images whose sizes, turns and fractions are known only when a function runs.
import tensorflow as tf

x = tf.reshape(tf.range(2 * 5 * 7 * 3, dtype=tf.float32), [2, 5, 7, 3])


def show(name, function, *given, shape=(None, None, None, 3)):
    traced = tf.function(function, input_signature=[tf.TensorSpec(shape)] + [
        tf.TensorSpec([], one.dtype) for one in given])
    try:
        y = traced(x, *given)
        known = traced.get_concrete_function().output_shapes
        places = tf.cast(tf.reshape(tf.range(tf.size(y)) % 13, tf.shape(y)), tf.float32)
        print(name, y.shape, known, int(tf.reduce_sum(y)), int(tf.reduce_sum(y * places)))
    except tf.errors.InvalidArgumentError as error:
        print(name, type(error).__name__)


for shape in ((None, None, None, 3), (2, None, 7, 3)):
    for size in ((3, 9), (9, 3), (5, 7), (20, 20), (1, 1)):
        show(size, lambda a: tf.image.resize_with_crop_or_pad(a, *size), shape=shape)
        show(size, lambda a: tf.image.resize_with_crop_or_pad(a[1], *size), shape=shape)
show('size', lambda a, n: tf.image.resize_with_crop_or_pad(a, n, n + 1), tf.constant(4))
for turns in range(-1, 6):
    show(turns, lambda a, k: tf.image.rot90(a, k), tf.constant(turns))
    show(turns, lambda a, k: tf.image.rot90(a[0], k), tf.constant(turns))
for fraction in (0.3, 0.5, 1.0, 1.5):
    show(fraction, lambda a, f: tf.image.central_crop(a, f), tf.constant(fraction))
for seed in range(3):
    tf.random.set_seed(seed)
    for flip in (tf.image.random_flip_left_right, tf.image.random_flip_up_down):
        print(flip(x, seed=seed).numpy()[:, 0, 0, 0], flip(tf.cast(x, tf.uint8)).numpy()[:, 0, 0, 0])
        show(seed, lambda a: flip(a, seed=5))
        show(seed, lambda a: flip(a, seed=5), shape=None)
        show(seed, lambda a: flip(a[0], seed=5), shape=None)
