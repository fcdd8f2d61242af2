# TF1
import numpy as np
import tensorflow as tf


def nodes(graph):
    for n in graph.as_graph_def().node:
        print(n.op, n.name, list(n.input))


def run(build, steps=3, show=True, form=lambda found: found):
    with tf.Graph().as_default() as graph:
        tf.set_random_seed(11)
        fetched = build()
        if show:
            nodes(graph)
            print([s.name for s in tf.get_collection(tf.GraphKeys.SUMMARIES)])
        print(fetched)
        with tf.Session() as sess:
            sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
            coord = tf.train.Coordinator()
            threads = tf.train.start_queue_runners(sess, coord)
            try:
                for _ in range(steps):
                    print(form(sess.run(fetched)))
            except tf.errors.OutOfRangeError as e:
                print('end', e.message.splitlines()[-2])
            finally:
                coord.request_stop()
                coord.join(threads)


def numbers(limit=7, epochs=1):
    return tf.train.range_input_producer(limit, num_epochs=epochs, shuffle=False).dequeue()


run(lambda: tf.train.batch([numbers()], 3, allow_smaller_final_batch=True), 4)
run(lambda: tf.train.batch({'n': numbers(), 's': tf.constant('x')}, 2, capacity=5, name='mine'), 2)
run(lambda: tf.train.batch({'n': numbers()}, 2), 2, False)
n = numbers
run(lambda: tf.train.batch([tf.range(n())], 3, dynamic_pad=True), 2)
run(lambda: tf.train.batch_join([[numbers(3)], [numbers(3)]], 6), 1, form=np.sort)
run(lambda: tf.train.batch([tf.constant([[1, 2], [3, 4], [5, 6]])], 2, enqueue_many=True), 2)


def kept():
    number = numbers()
    return tf.train.maybe_batch([number], tf.equal(number % 2, 0), 2)


run(kept, 2)
run(lambda: tf.train.maybe_batch([tf.constant([1, 2, 3, 4])], [True, False, True, False], 3, enqueue_many=True), 2)
run(lambda: tf.train.maybe_batch([numbers()], False, 2), 0)
run(lambda: tf.train.shuffle_batch([numbers(20)], 4, capacity=50, min_after_dequeue=19, seed=5), 1)
run(lambda: tf.train.shuffle_batch([numbers(20)], 20, capacity=20, min_after_dequeue=0), 1, False, np.sort)
run(lambda: tf.train.shuffle_batch_join([[numbers(6)], [numbers(6)]], 12, 20, 4), 1, form=np.sort)
run(lambda: tf.train.maybe_shuffle_batch([numbers()], 2, 10, 2, True), 0)
run(lambda: tf.train.maybe_shuffle_batch_join([[numbers()]], 2, 10, 2, tf.constant(True)), 0)


def wrong(build):
    with tf.Graph().as_default():
        try:
            print(build())
        except (ValueError, TypeError) as e:
            print(type(e).__name__, e)


a, b = np.float32(1), np.int32(2)
wrong(lambda: tf.train.batch_join([], 2))
wrong(lambda: tf.train.batch_join([{'a': a}, {'b': b}], 2))
wrong(lambda: tf.train.batch_join([[a], [b]], 2))
wrong(lambda: tf.train.maybe_batch([a], [True], 2))
wrong(lambda: tf.train.maybe_batch([a], [[True]], 2, enqueue_many=True))
wrong(lambda: tf.train.maybe_batch([a], tf.placeholder(tf.bool), 2))
wrong(lambda: tf.train.batch_join([[tf.zeros([2])], [tf.zeros([3])]], 2))
wrong(lambda: tf.train.batch([tf.placeholder(tf.float32, [None])], 2))
