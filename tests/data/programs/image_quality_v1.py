# TF1
import tensorflow as tf

x = tf.placeholder(tf.float32, [2, 20, 20, 3])
made = [tf.image.ssim(x, x, 1.0), tf.image.sobel_edges(x), *tf.image.image_gradients(x),
        *tf.image.sample_distorted_bounding_box([90, 80, 3], tf.constant([[[0.1, 0.2, 0.8, 0.9]]]), seed=1, seed2=2),
        tf.image.extract_glimpse(x, [3, 4], [[0.0, 0.0]] * 2), *tf.nn.fractional_max_pool(x, [1.0, 1.5, 1.4, 1.0]),
        *tf.nn.fractional_avg_pool(x, [1.0, 1.5, 1.4, 1.0]), tf.math.reduce_euclidean_norm(x, [1, 2])]
for value in made:
    print(value.name, value.shape, value.dtype)
decoded, logs = tf.nn.ctc_beam_search_decoder(x[0], tf.fill([20], 20), top_paths=3)
print([d.values.name for d in decoded], logs.name, logs.shape, decoded[0].indices.shape)
for ys in (made[8], made[11], made[14]):
    before = len(tf.get_default_graph().get_operations())
    print(tf.gradients(ys, x))
    print([(o.name, o.type) for o in tf.get_default_graph().get_operations()[before:]])
