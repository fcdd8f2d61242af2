# TF1
"""Sparse tensors in the queues of tf.train.batch and its kin: nodes, batches, and as strings."""
import numpy as np
import tensorflow as tf


def show(graph):
    for op in graph.get_operations():
        print(' ', op.name, op.type, [i.name for i in op.inputs], [str(o.shape) for o in op.outputs])




def run(build, steps=3):
    print('==', build.__name__)
    with tf.Graph().as_default() as graph:
        batch = build()
        show(graph)
        with tf.Session() as sess:
            sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
            coordinator = tf.train.Coordinator()
            threads = tf.train.start_queue_runners(sess, coordinator)
            try:
                for _ in range(steps):
                    found = sess.run(batch)
                    parts = found if isinstance(found, (list, tuple)) and not hasattr(found, 'indices') else [found]
                    if isinstance(found, dict):
                        parts = [found[key] for key in sorted(found)]
                    for part in parts:
                        print(type(part).__name__, [x.tolist() for x in part] if isinstance(part, tuple) else part.tolist())
            except tf.errors.OutOfRangeError as error:
                print('end', str(error).splitlines()[0])
            coordinator.request_stop()
            coordinator.join(threads, stop_grace_period_secs=5)


def numbers(count=5):
    return tf.train.range_input_producer(count, shuffle=False, num_epochs=1).dequeue()


def row(number):
    places = tf.cast(tf.reshape(tf.range(number), [-1, 1]), tf.int64)
    return tf.SparseTensor(places, tf.cast(tf.range(number), tf.float32) * 2., [6])


def one():
    return tf.train.batch([row(numbers())], 2)


def several():
    number = numbers()
    return tf.train.batch({'s': row(number), 'n': number, 't': tf.SparseTensor([[0]], [tf.as_string(number)], [1])}, 2,
                          allow_smaller_final_batch=True)


def many():
    number = numbers()
    matrix = tf.SparseTensor([[0, 0], [2, 1]], tf.stack([number, number + 1]), [3, 2])
    return tf.train.batch([matrix, [1, 2, 3]], 3, enqueue_many=True)


def kept():
    number = numbers(8)
    return tf.train.maybe_batch([row(number), number], tf.equal(number % 2, 0), 2)


def kept_many():
    number = numbers()
    matrix = tf.SparseTensor([[0, 0], [2, 1]], tf.stack([number, number + 1]), [3, 2])
    return tf.train.maybe_batch([matrix, [1, 2, 3]], tf.constant([True, False, True]), 2, enqueue_many=True)


def shuffled():
    return tf.train.shuffle_batch([row(tf.constant(3))], 2, 10, 2, seed=4)


def joined():
    return tf.train.batch_join([[row(tf.constant(3)), 1], [row(tf.constant(3)), 1]], 3)


def shuffle_joined():
    return tf.train.shuffle_batch_join([[row(tf.constant(2))], [row(tf.constant(2))]], 3, 20, 2, seed=1)


for each in (one, several, many, kept, kept_many, shuffled, joined, shuffle_joined):
    run(each)

with tf.Session() as sess:
    first = tf.SparseTensor([[0, 1], [2, 0]], [1., 2.], [3, 4])
    second = tf.SparseTensor([[1, 1]], [3.], [2, 5])
    whole, rows = tf.serialize_sparse(first), tf.io.serialize_many_sparse(first)
    print(sess.run(whole), sess.run(rows).tolist())
    back = tf.deserialize_many_sparse(tf.stack([whole, tf.io.serialize_sparse(second)]), tf.float32, rank=3)
    print(back.indices.shape, back.dense_shape.shape, [x.tolist() for x in sess.run(back)])
    print([x.tolist() for x in sess.run(tf.io.deserialize_many_sparse(rows, dtype=tf.float32))])
for bad in (lambda: tf.serialize_sparse([1.]), lambda: tf.train.batch_join([[row(tf.constant(3))], [tf.constant(3)]], 2)):
    try:
        bad()
    except Exception as error:
        print(type(error).__name__, str(error)[:60])
