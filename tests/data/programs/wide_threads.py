# TF1
import threading
import tensorflow as tf

q = tf.FIFOQueue(100, tf.int32, shapes=[[]])
x = tf.placeholder(tf.int32, [])
enq = q.enqueue(x)
deq = q.dequeue()
sess = tf.Session()
results = []

def producer(k):
    for i in range(5):
        sess.run(enq, {x: k * 10 + i})

def consumer():
    try:
        while True:
            results.append(int(sess.run(deq)))
    except tf.errors.OutOfRangeError:
        pass

threads = [threading.Thread(target=producer, args=(k,)) for k in range(3)]
for t in threads: t.start()
for t in threads: t.join()
print(sess.run(q.size()))
sess.run(q.close())
c = threading.Thread(target=consumer); c.start(); c.join()
print(sorted(results))
def other():
    print(tf.get_default_graph() is sess.graph, tf.get_default_session())
t = threading.Thread(target=other); t.start(); t.join()
coord = tf.train.Coordinator()
def worker():
    with coord.stop_on_exception():
        raise ValueError('in worker')
t = threading.Thread(target=worker); t.start()
try:
    coord.join([t])
except ValueError as e:
    print('joined', e)
