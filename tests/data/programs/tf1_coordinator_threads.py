# TF1
import threading
import tensorflow as tf

q = tf.FIFOQueue(10, tf.int32, shapes=[[]])
x = tf.placeholder(tf.int32, [])
enqueue = q.enqueue(x)
total = tf.reduce_sum(q.dequeue_many(10))
with tf.Session() as sess:
    def work(start):
        for k in range(start, start + 5):
            sess.run(enqueue, {x: k})
    threads = [threading.Thread(target=work, args=(n,)) for n in (0, 5)]
    for t in threads:
        t.start()
    print(sess.run(total))
    for t in threads:
        t.join()
    coord = tf.train.Coordinator()
    seen = []

    def loop(n):
        while not coord.should_stop():
            seen.append(n)
            if len(seen) > 20:
                coord.request_stop()

    workers = [threading.Thread(target=loop, args=(n,)) for n in range(2)]
    for t in workers:
        t.start()
    coord.join(workers)
    print(coord.should_stop(), len(seen) > 20)
    coord.clear_stop()
    print(coord.should_stop())
    try:
        with coord.stop_on_exception():
            raise ValueError('inside')
    except ValueError as e:
        print('now', e)
    try:
        coord.join([])
    except ValueError as e:
        print('raised', e)
