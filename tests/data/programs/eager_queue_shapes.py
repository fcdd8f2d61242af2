# TF1
import tensorflow as tf

q = tf.FIFOQueue(3, tf.float32, shapes=[[2]])


def attempt(f):
    try:
        print(f().name)
    except Exception as e:
        print(type(e).__name__, e)


attempt(lambda: q.enqueue([[1.0, 2.0, 3.0]]))
attempt(lambda: q.enqueue([[1.0, 2.0]]))
attempt(lambda: q.enqueue([tf.constant([1.0, 2.0])]))
attempt(lambda: q.enqueue([tf.placeholder(tf.float32)]))
attempt(lambda: q.enqueue_many([[[1.0, 2.0], [3.0, 4.0]]]))
attempt(lambda: q.enqueue_many([[1.0, 2.0]]))
attempt(lambda: q.enqueue_many([1.0]))
with tf.Session() as sess:
    sess.run(q.enqueue([[5.0, 6.0]]))
    print(sess.run(q.dequeue()), sess.run(q.size()))
