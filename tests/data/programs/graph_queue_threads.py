# TF1
import threading
import tensorflow as tf

q = tf.FIFOQueue(2, [tf.int32], shapes=[[]], name='jobs')
x = tf.placeholder(tf.int32, [], name='x')
put = q.enqueue([x])
many = q.enqueue_many([tf.range(4)])
take = q.dequeue()
batch = q.dequeue_many(3)
some = q.dequeue_up_to(5)
print(take, batch, some)
with tf.Session() as sess:
    producer = threading.Thread(target=lambda: [sess.run(put, {x: i}) for i in range(6)])
    producer.start()
    print([int(sess.run(take)) for _ in range(3)], sess.run(batch).tolist())
    producer.join()
    filler = threading.Thread(target=lambda: sess.run(many))
    filler.start()
    print(sess.run(batch).tolist(), int(sess.run(take)))
    filler.join()
    sess.run(put, {x: 40})
    sess.run(q.close())
    print(sess.run(some).tolist())
    for op in (take, batch, some, put):
        try:
            print(sess.run(op, {x: 1}))
        except (tf.errors.OutOfRangeError, tf.errors.CancelledError) as e:
            print(type(e).__name__, e.message)
    r = tf.FIFOQueue(1, tf.float32, name='timed')
    try:
        sess.run(r.dequeue(), options=tf.RunOptions(timeout_in_ms=200))
    except tf.errors.DeadlineExceededError as e:
        print(type(e).__name__, e.message)
    s = tf.FIFOQueue(1, tf.float32, shared_name='shared', name='s1')
    u = tf.FIFOQueue(1, tf.float32, shared_name='shared', name='s2')
    sess.run(s.enqueue(2.5))
    print(sess.run(u.dequeue()), sess.run(u.size()))
