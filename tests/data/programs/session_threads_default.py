# TF1
import threading
import tensorflow as tf

x = tf.placeholder(tf.int32, [], name='x')
y = tf.square(x)
g = tf.get_default_graph()
sess = tf.Session()
log = {}


def work(k):
    log[k] = [tf.get_default_session() is None, tf.get_default_graph() is g, sess.run({'y': y}, {'x:0': k})['y']]
    with sess.as_default():
        log[k].append(int(y.eval({x: k + 1})))
    try:
        y.eval({x: 1})
    except ValueError:
        log[k].append('no session')
    with sess.graph.as_default():
        log[k].append(tf.get_default_graph() is g)


with sess.as_default():
    threads = [threading.Thread(target=work, args=(k,)) for k in range(3)]
    [t.start() for t in threads]
    [t.join() for t in threads]
for k in sorted(log):
    print(k, log[k])
q = tf.FIFOQueue(1, tf.int32)
result = []


def wait():
    try:
        sess.run(q.dequeue())
    except Exception as e:
        result.append(type(e).__name__)


deq = q.dequeue()
close = q.close(cancel_pending_enqueues=True)
t = threading.Thread(target=lambda: result.append(sess.run(deq)))
t.start()
sess.run(q.enqueue(42))
t.join()
print(result)
