# TF1
import numpy as np
import tensorflow as tf

images = tf.constant(np.arange(12, dtype=np.float32).reshape(6, 2))
labels = tf.constant([0, 1, 2, 3, 4, 5])
image, label = tf.train.slice_input_producer([images, labels], shuffle=False)
print(image, label)
xb, yb = tf.train.batch([image, label], batch_size=4, num_threads=1, capacity=8)
print(xb, yb)
d = tf.train.batch({'x': image, 'y': label}, 2)
print(sorted((k, v.shape.as_list()) for k, v in d.items()))
many = tf.train.batch([tf.constant([1, 2, 3])], 2, enqueue_many=True)
print(many)
sx = tf.train.shuffle_batch([tf.constant(5), tf.constant('s')], batch_size=3, capacity=20, min_after_dequeue=5)
print(sx)
print(len(tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS)))
with tf.Session() as sess:
    sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess, coord)
    try:
        print(sess.run(many), sess.run(many))
        print(sess.run(sx))
        a, b = sess.run([xb, yb])
        print(a.shape, b.shape, (a[:, 0] == 2 * b).all())
    finally:
        coord.request_stop()
        coord.join(threads)
for bad in [lambda: tf.train.batch([], 2), lambda: tf.train.shuffle_batch([image], 2, 5, 5),
            lambda: tf.train.batch([tf.placeholder(tf.float32)], 2),
            lambda: tf.train.string_input_producer([]), lambda: tf.train.limit_epochs(image, 0)]:
    try:
        print(bad())
    except ValueError as e:
        print(e)
