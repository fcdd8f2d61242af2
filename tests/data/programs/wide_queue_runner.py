# TF1
import threading
import tensorflow as tf

q = tf.FIFOQueue(10, [tf.int32, tf.string], shapes=[[], []], names=['n', 's'], name='q')
enq = q.enqueue({'n': 1, 's': 'a'})
many = q.enqueue_many({'n': [2, 3, 4], 's': ['b', 'c', 'd']})
out = q.dequeue()
print(sorted(out), out['n'].dtype, q.names, q.dtypes, q.shapes, q.name)
with tf.Session() as s:
    s.run([enq])
    s.run(many)
    print(s.run(q.size()))
    print(sorted(s.run(out).items()))
    print(sorted(s.run(q.dequeue_many(2)).items()))
    s.run(q.close())
    print(s.run(q.is_closed()))
    print(sorted(s.run(out).items()))
    try:
        s.run(out)
    except tf.errors.OutOfRangeError as e:
        print(e.message.split('\n\t')[0].split('Node:')[-1])
    try:
        s.run(enq)
    except tf.errors.CancelledError as e:
        print(type(e).__name__, e.message.split('\n\t')[0].split('Node:')[-1])
try:
    q.enqueue({'n': 1})
except ValueError as e:
    print(e)
try:
    q.enqueue([1, 'a'])
except ValueError as e:
    print(e)
