# TF1
import re
import threading
import tensorflow as tf
F = tf.float32


def by_priority(close):
    """Many are taken from a queue by priority when all are there."""
    with tf.Graph().as_default(), tf.Session() as session:
        queue = tf.queue.PriorityQueue(10, [F], [()])
        number = tf.placeholder(tf.int64, [])
        put, take, size, end = queue.enqueue((number, 1.)), queue.dequeue_many(2)[0], queue.size(), queue.close()
        found = []

        def work():
            try:
                found.append(session.run(take).tolist())
            except tf.errors.OutOfRangeError as error:
                found.append(re.findall('requested.*', str(error))[0])

        thread = threading.Thread(target=work)
        thread.start()
        session.run(put, {number: 9})
        thread.join(.2)
        found.append(int(session.run(size)))
        session.run(end) if close else session.run(put, {number: 3})
        thread.join(20)
        print('by priority', found, session.run(size))


by_priority(False)
by_priority(True)
