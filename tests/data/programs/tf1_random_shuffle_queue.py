# TF1
import tensorflow as tf

q = tf.RandomShuffleQueue(capacity=20, min_after_dequeue=0, dtypes=[tf.int32], shapes=[[]], seed=3)
enq = q.enqueue_many([list(range(10))])
deq = q.dequeue_many(10)
pq = tf.PaddingFIFOQueue(5, [tf.int32], shapes=[[None]])
put = [pq.enqueue([[1] * n]) for n in (1, 3, 2)]
got = pq.dequeue_many(3)
prio = tf.PriorityQueue(5, [tf.string], shapes=[[]])
add = prio.enqueue_many([tf.constant([3, 1, 2], tf.int64), ['c', 'a', 'b']])
with tf.Session() as sess:
    sess.run(enq)
    print(sorted(sess.run(deq)), sess.run(q.size()))
    for op in put:
        sess.run(op)
    print(sess.run(got))
    sess.run(add)
    print(sess.run(prio.dequeue()), sess.run(prio.dequeue_many(2)))
    sess.run(q.close(cancel_pending_enqueues=True))
    try:
        sess.run(q.dequeue())
    except tf.errors.OutOfRangeError as e:
        print(e.message.splitlines()[-1])
print(q.name, pq.name, prio.name, isinstance(q, tf.QueueBase))
