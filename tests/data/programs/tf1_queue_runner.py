# TF1
import tensorflow as tf

numbers = tf.train.range_input_producer(4, shuffle=False)
value = numbers.dequeue()
q = tf.FIFOQueue(8, tf.int32, shapes=[[]], name='q')
qr = tf.train.QueueRunner(q, [q.enqueue(tf.constant(7)), q.enqueue(tf.constant(7))])
tf.train.add_queue_runner(qr)
print(qr.name, [op.name for op in qr.enqueue_ops], qr.close_op.name, qr.cancel_op.type, qr.queue is q)
print(len(tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS)), numbers.name)
with tf.Session() as sess:
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess=sess, coord=coord)
    print(sorted(t.name for t in threads), all(t.daemon for t in threads))
    print([int(sess.run(q.dequeue())) for _ in range(5)])
    print([int(sess.run(value)) for _ in range(6)])
    coord.request_stop()
    coord.join(threads)
    print(any(t.is_alive() for t in threads), coord.joined, qr.exceptions_raised)
for bad in [lambda: tf.train.QueueRunner(q, []), lambda: tf.train.QueueRunner(),
            lambda: tf.train.QueueRunner(q, [tf.no_op()], queue_closed_exception_types=ValueError),
            lambda: tf.train.start_queue_runners(), lambda: tf.train.start_queue_runners(sess='s'),
            lambda: tf.train.string_input_producer([])]:
    try:
        print(bad())
    except Exception as e:
        print(type(e).__name__, e)
