import threading

import tensorflow as tf

v = tf.Variable(0)
results = {}


def work(n):
    with tf.device("/cpu:0"):
        t = tf.constant(n) * 10
    v.assign_add(n)
    results[n] = (t.numpy(), tf.executing_eagerly(), t.device)


threads = [threading.Thread(target=work, args=(i,)) for i in range(5)]
for t in threads:
    t.start()
for t in threads:
    t.join()
print(sorted(results.items()), v.numpy())


@tf.function
def f(x):
    return x + 1


answers = []
threads = [threading.Thread(target=lambda i=i: answers.append(int(f(tf.constant(i))))) for i in range(4)]
for t in threads:
    t.start()
for t in threads:
    t.join()
print(sorted(answers), f.experimental_get_tracing_count())
with tf.Graph().as_default():
    print(tf.executing_eagerly())
    t = threading.Thread(target=lambda: print(tf.executing_eagerly()))
    t.start()
    t.join()
