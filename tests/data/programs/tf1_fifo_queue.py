# TF1
import tensorflow as tf

q = tf.FIFOQueue(3, tf.float32, shapes=[[]], name='q')
init = q.enqueue_many([[0.1, 0.2, 0.3]])
x = q.dequeue()
y = x + 1
again = q.enqueue([y])
with tf.Session() as sess:
    sess.run(init)
    for _ in range(4):
        sess.run(again)
    print(sess.run(q.size()))
    print(sess.run(x), sess.run(q.dequeue_many(2)), sess.run(q.size()))
    sess.run(q.close())
    try:
        sess.run(x)
    except tf.errors.OutOfRangeError as e:
        print(e.message.splitlines()[-1])
    try:
        sess.run(again, {x: 1.})
    except tf.errors.CancelledError as e:
        print(e.message.splitlines()[-1])
    print(sess.run(q.is_closed()))
print(q.name, q.dtypes, q.shapes, q.names, q.queue_ref)
q2 = tf.FIFOQueue(2, [tf.int32, tf.string], shapes=[[], [2]], names=['n', 's'])
enq = q2.enqueue({'n': 1, 's': ['a', 'b']})
deq = q2.dequeue()
print(deq)
with tf.Session() as sess:
    sess.run(enq)
    print(sess.run(deq))
for bad in [lambda: q.enqueue(['text']), lambda: q2.enqueue({'n': 1}), lambda: q2.enqueue([1, ['a', 'b']]),
            lambda: q.dequeue_many(1)]:
    try:
        print(bad())
    except Exception as e:
        print(type(e).__name__, e)
