# TF1
import threading
import tensorflow as tf

coord = tf.train.Coordinator()
print(coord.should_stop(), coord.joined, coord.wait_for_stop(0.01))


def fail():
    try:
        raise ValueError('worker failed')
    except ValueError as e:
        coord.request_stop(e)


t = threading.Thread(target=fail)
t.start()
t.join()
print(coord.should_stop())
try:
    coord.raise_requested_exception()
except ValueError as e:
    print('requested:', e)
try:
    coord.join([t])
except ValueError as e:
    print('joined:', e, coord.joined)
try:
    coord.request_stop(ValueError('late'))
except Exception as e:
    print(type(e).__name__, e)
coord.clear_stop()
coord.request_stop(tf.errors.OutOfRangeError(None, None, 'end of data'))
coord.join([])
print('clean')
other = tf.train.Coordinator(clean_stop_exception_types=(KeyError,))
with other.stop_on_exception():
    raise KeyError('fine')
other.join()
stuck = threading.Event()
w = threading.Thread(target=stuck.wait, name='stuck')
w.start()
last = tf.train.Coordinator()
last.register_thread(w)
last.request_stop()
try:
    last.join(stop_grace_period_secs=0.05)
except RuntimeError as e:
    print(e)
stuck.set()
count = []
c = tf.train.Coordinator()


def tick(step):
    count.append(step)
    if len(count) == 3:
        c.request_stop()


looper = tf.train.LooperThread.loop(c, 0.001, tick, args=(2,))
c.join([looper])
print(count)
try:
    tf.train.LooperThread('x', 1)
except ValueError as e:
    print(e)
with tf.Session() as sess:
    print(sess.run(tf.constant(1)))
