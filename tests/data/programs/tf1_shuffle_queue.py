# TF1
import tensorflow as tf

q = tf.RandomShuffleQueue(capacity=20, min_after_dequeue=2, dtypes=[tf.int32], shapes=[[]], seed=3, name='q')
enq = q.enqueue_many([list(range(10))])
pairs = tf.RandomShuffleQueue(10, 0, [tf.int32, tf.string], seed=8)
put = pairs.enqueue([tf.placeholder(tf.int32, name='n'), tf.placeholder(tf.string, name='s')])
print(q.name, q.dtypes, q.shapes, q.queue_ref.op.type, isinstance(q, tf.QueueBase))
print([q.queue_ref.op.get_attr(a) for a in ('capacity', 'min_after_dequeue', 'seed', 'seed2')])
with tf.Session() as sess:
    sess.run(enq)
    print([int(sess.run(q.dequeue())) for _ in range(4)], sess.run(q.size()))
    sess.run(enq)
    print(sess.run(q.dequeue_many(6)), sess.run(q.dequeue_up_to(5)), sess.run(q.size()))
    for k in range(5):
        sess.run(put, {'n:0': k, 's:0': 'v%d' % k})
    print([sess.run(pairs.dequeue()) for _ in range(5)])
    sess.run(q.close())
    print(sess.run(q.dequeue()), sess.run(q.size()))
    for op in [q.dequeue_many(9), enq]:
        try:
            print(sess.run(op))
        except tf.errors.OpError as e:
            print(type(e).__name__, [line for line in e.message.splitlines() if 'Queue' in line and 'node' not in line][:2])
    print(sorted(sess.run(q.dequeue_up_to(100))), sess.run(q.size()))
    try:
        sess.run(q.dequeue())
    except tf.errors.OutOfRangeError as e:
        print([line for line in e.message.splitlines() if 'closed' in line])
    try:
        sess.run(pairs.dequeue_many(2))
    except Exception as e:
        print(type(e).__name__, [line for line in str(e).splitlines() if 'shapes' in line][:1])
for bad in [lambda: tf.RandomShuffleQueue(5, 5, tf.int32), lambda: tf.RandomShuffleQueue(5, -1, tf.int32)]:
    with tf.Graph().as_default(), tf.Session() as sess:
        r = bad()
        try:
            print(sess.run(r.size()))
        except tf.errors.InvalidArgumentError as e:
            print([line for line in e.message.splitlines() if 'must be' in line][:1])
tf.set_random_seed(5)
s = tf.RandomShuffleQueue(9, 0, tf.int32, shapes=[[]])
print([s.queue_ref.op.get_attr(a) for a in ('seed', 'seed2')])
with tf.Session() as sess:
    sess.run(s.enqueue_many([[1, 2, 3, 4, 5, 6, 7]]))
    print(sess.run(s.dequeue_many(7)))
