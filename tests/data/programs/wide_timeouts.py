# TF1
import tensorflow as tf

q = tf.FIFOQueue(1, tf.float32)
d = q.dequeue()
config = tf.ConfigProto(operation_timeout_in_ms=200)
with tf.Session(config=config) as s:
    try:
        s.run(d)
    except tf.errors.DeadlineExceededError as e:
        print(type(e).__name__, e.message)
    try:
        s.run(d, options=tf.RunOptions(timeout_in_ms=50))
    except tf.errors.DeadlineExceededError as e:
        print(type(e).__name__, e.message)
    s.run(q.enqueue(1.))
    print(s.run(d))
    call = s.make_callable(q.size())
    print(call())
s2 = tf.Session()
s2.close()
s2.close()
tf.Session.reset('')
print('end')
