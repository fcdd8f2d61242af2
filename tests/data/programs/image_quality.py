import numpy as np
import tensorflow as tf


def wave(*shape, step=0.7):
    return np.round(np.cos(np.arange(int(np.prod(shape))) * step) / 2 + 0.5, 4).astype(np.float32).reshape(shape)


def tried(f):
    try:
        print(f())
    except Exception as error:
        print(type(error).__name__, str(error).split('\n')[0])


a, b = wave(2, 40, 44, 3), wave(2, 40, 44, 3, step=0.71)
print(np.round(tf.image.ssim(a, b, 1.0).numpy(), 4), np.round(tf.image.ssim(a, a, 1.0).numpy(), 4))
print(np.round(tf.image.ssim((a * 255).astype(np.uint8), (b * 255).astype(np.uint8), 255, filter_size=5), 4))
print(tf.image.ssim(a, b, 1.0, return_index_map=True).shape)
c, d = wave(1, 181, 177, 1, step=0.031), wave(1, 181, 177, 1, step=0.0312)
print(np.round(tf.image.ssim_multiscale(c, d, 1.0), 3))
print(np.round(tf.image.ssim_multiscale(c, d, 1.0, power_factors=(0.3, 0.7), filter_size=7), 3))
tried(lambda: tf.image.ssim(a, wave(2, 40, 43, 3), 1.0))
tried(lambda: tf.image.ssim(wave(4, 4), wave(4, 4), 1.0))
down, across = tf.image.image_gradients(tf.constant(wave(1, 3, 4, 2)))
print(np.round(down.numpy().ravel(), 4), np.round(across.numpy().ravel(), 4))
tried(lambda: tf.image.image_gradients(tf.constant(wave(3, 4, 2))))
edges = tf.image.sobel_edges(tf.constant(wave(1, 4, 3, 2)))
print(edges.shape, np.round(edges.numpy().ravel(), 3))
print(np.round(tf.image.psnr(tf.constant(a), tf.constant(b), 1.0), 3))
tf.random.set_seed(4)
boxes = tf.constant([[[0.1, 0.2, 0.8, 0.9]]])
print([v.numpy().tolist() for v in tf.image.sample_distorted_bounding_box([90, 80, 3], boxes, seed=7)])
print([v.numpy().tolist() for v in tf.image.sample_distorted_bounding_box([90, 80, 3], boxes, seed=7, area_range=(0.3, 0.5))])
print([v.numpy().tolist() for v in tf.image.stateless_sample_distorted_bounding_box(
    [90, 80, 3], boxes, seed=(1, 2), min_object_covered=0.5, aspect_ratio_range=(0.5, 2.0), max_attempts=20)])
tried(lambda: tf.image.sample_distorted_bounding_box([90, 80, 3], tf.zeros([1, 0, 4])))
print(tf.image.extract_glimpse(wave(1, 5, 5, 1), [2, 3], [[1.0, 1.0]], centered=False, normalized=False))
print(tf.image.extract_glimpse(wave(1, 5, 5, 1), [3, 3], [[4.0, 3.0]], centered=False, normalized=False, noise='zero')[0, :, :, 0])
noisy = tf.image.extract_glimpse(wave(1, 5, 5, 1), [9, 9], [[-1.0, -1.0]], noise='gaussian').numpy()
print(noisy.shape, noisy.min() >= 0, noisy.max() <= 1, len(set(noisy.ravel().tolist())) > 20)
x = tf.constant(wave(1, 7, 6, 2))
for pool in (tf.nn.fractional_max_pool, tf.nn.fractional_avg_pool):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y, rows, columns = pool(x, [1.0, 1.5, 1.4, 1.0], seed=3)
        total = tf.reduce_sum(y * y)
    print(np.round(y.numpy().ravel()[:6], 4), rows.numpy(), columns.numpy())
    print(np.round(tape.gradient(total, x).numpy().ravel()[:20], 4))
tried(lambda: tf.nn.fractional_max_pool(x, [1.5, 1.5, 1.4, 1.0]))
tried(lambda: tf.nn.fractional_max_pool(x, 0.5))
tried(lambda: tf.nn.fractional_max_pool(x, 'a'))
logits = tf.constant(np.cos(np.arange(72) ** 1.5 * 0.37).reshape(9, 2, 4).astype(np.float32))
found, logs = tf.nn.ctc_beam_search_decoder(logits, [9, 5], beam_width=10, top_paths=2)
print([(f.indices.numpy().tolist(), f.values.numpy(), f.dense_shape.numpy()) for f in found], np.round(logs, 4))
found, logs = tf.compat.v1.nn.ctc_beam_search_decoder(logits, [9, 5], merge_repeated=True)
print([f.values.numpy() for f in found], np.round(logs, 4))
print([v.numpy().tolist() for v in tf.nn.collapse_repeated([[1, 1, 2, 2, 0], [3, 3, 3, 1, 1]], [4, 5])])
print([v.numpy().tolist() for v in tf.nn.ctc_unique_labels([[1, 1, 2, 3, 2], [5, 4, 4, 4, 4]])])
image, kernel = wave(1, 4, 4, 2), wave(2, 2, 2, 1)
print(np.round(tf.nn.depthwise_conv2d_backprop_input([1, 4, 4, 2], kernel, wave(1, 3, 3, 2), [1, 1, 1, 1], 'VALID').numpy().ravel()[:8], 4))
print(np.round(tf.nn.depthwise_conv2d_backprop_filter(image, [2, 2, 2, 1], wave(1, 3, 3, 2), [1, 1, 1, 1], 'VALID').numpy().ravel(), 4))
v1 = tf.compat.v1.nn
print(np.round(v1.conv2d_backprop_input([1, 4, 4, 2], kernel, wave(1, 3, 3, 1), [1, 1, 1, 1], 'VALID').numpy().ravel()[:8], 4))
print(np.round(v1.conv2d_backprop_filter(image, [2, 2, 2, 1], wave(1, 3, 3, 1), [1, 1, 1, 1], 'VALID').numpy().ravel(), 4))


@tf.function(input_signature=[tf.TensorSpec([None, None, None, 3]), tf.TensorSpec([None, None, None, 3])])
def alike(p, q):
    return tf.image.ssim(p, q, 1.0), tf.image.sobel_edges(p)


print(np.round(alike(a, b)[0], 4), alike(a, b)[1].shape)
