# TF1
import tensorflow as tf

q = tf.FIFOQueue(3, [tf.float32, tf.int32], shapes=[[2], []], names=['v', 'n'], name='q')
print(q.name, q.dtypes, q.shapes, q.names)
put = q.enqueue({'v': [1., 2.], 'n': 7})
get = q.dequeue()
print(put.type, get)
with tf.Session() as sess:
    sess.run([put])
    sess.run(put)
    print(sess.run(q.size()))
    print(sess.run(get))
    sess.run(q.close())
    print(sess.run(get)['n'])
    for op in (get, put):
        try:
            sess.run(op)
        except (tf.errors.OutOfRangeError, tf.errors.CancelledError) as e:
            print(type(e).__name__, e.message.split('\n\nOriginal')[0])
    print(sess.run(q.is_closed()))


def attempt(fn):
    try:
        print(fn())
    except (ValueError, TypeError) as e:
        print(type(e).__name__, e)


p = tf.FIFOQueue(2, tf.float32, shapes=[2], name='p')
attempt(lambda: p.enqueue([1., 2., 3.]))
attempt(lambda: p.enqueue([[1., 2.], [3., 4.]]))
attempt(lambda: p.enqueue_many([[1., 2.], [3., 4.]]).type)
attempt(lambda: p.enqueue_many([1., 2.]))
attempt(lambda: p.enqueue('text'))
attempt(lambda: p.enqueue(([1., 2.], [1., 2.])))
attempt(lambda: q.enqueue([1., 2.]))
attempt(lambda: tf.FIFOQueue(2, [tf.float32, tf.int32], shapes=[[2]]))
attempt(lambda: tf.FIFOQueue(2, [tf.float32]).dequeue_many(2))
attempt(lambda: p.dequeue_many(2))
attempt(lambda: p.dequeue_up_to(2).shape)
