# TF1
"""The input pipeline of the CIFAR-10 tutorial, on a file of made images."""
import threading

import numpy as np
import tensorflow as tf

SIDE, CHANNELS, IMAGES, BATCH = 32, 3, 60, 8
RECORD = 1 + SIDE * SIDE * CHANNELS

source = np.random.RandomState(7)
for part in range(2):
    pixels = source.randint(0, 256, [IMAGES // 2, RECORD]).astype(np.uint8)
    pixels[:, 0] = (np.arange(IMAGES // 2) + part) % 10
    pixels.tofile('data_batch_%d.bin' % part)


def read(queue):
    key, value = tf.FixedLengthRecordReader(record_bytes=RECORD).read(queue)
    raw = tf.decode_raw(value, tf.uint8)
    label = tf.cast(tf.strided_slice(raw, [0], [1]), tf.int32)
    planes = tf.reshape(tf.strided_slice(raw, [1], [RECORD]), [CHANNELS, SIDE, SIDE])
    return key, label, tf.cast(tf.transpose(planes, [1, 2, 0]), tf.float32)


def distort(image):
    image = tf.random_crop(image, [24, 24, CHANNELS])
    image = tf.image.random_flip_left_right(image)
    image = tf.image.random_brightness(image, max_delta=63)
    image = tf.image.random_contrast(image, lower=0.2, upper=1.8)
    image = tf.image.per_image_standardization(image)
    image.set_shape([24, 24, CHANNELS])
    return image


names = ['data_batch_0.bin', 'data_batch_1.bin']
queue = tf.train.string_input_producer(names)
key, label, image = read(queue)
label.set_shape([1])
images, labels = tf.train.shuffle_batch([distort(image), label], batch_size=BATCH, num_threads=4,
                                        capacity=20 + 3 * BATCH, min_after_dequeue=20)
labels = tf.reshape(labels, [BATCH])
print(images, labels)
plain = tf.train.string_input_producer(names, shuffle=False, num_epochs=1)
plain_key, plain_label, plain_image = read(plain)
plain_label.set_shape([1])
plain_images, plain_labels, plain_keys = tf.train.batch(
    [tf.image.resize_image_with_crop_or_pad(plain_image, 24, 24), plain_label, plain_key], 7, num_threads=1)
before = threading.active_count()
with tf.Session() as sess:
    sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess=sess, coord=coord)
    print(len(threads))
    for _ in range(20):
        a, b = sess.run([images, labels])
        ok = np.allclose(a.mean((1, 2, 3)), 0, atol=1e-3) and np.allclose(a.std((1, 2, 3)), 1, atol=1e-3)
        assert a.shape == (BATCH, 24, 24, 3) and ok and set(b) <= set(range(10))
    try:
        while True:
            a, b, k = sess.run([plain_images, plain_labels, plain_keys])
            print(k[0], b.ravel().tolist(), a.sum(), a[0, 3, 5].tolist())
    except tf.errors.OutOfRangeError as e:
        print(type(e).__name__)
    coord.request_stop()
    coord.join(threads)
print(any(t.is_alive() for t in threads), threading.active_count() - before)
