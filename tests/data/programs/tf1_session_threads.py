# TF1
import threading
import tensorflow as tf

x = tf.placeholder(tf.float32, [None], name='x')
y = {'sum': tf.reduce_sum(x), 'pair': (x * 2, [tf.reduce_max(x)])}
total = tf.Variable(0, name='total')
inc = tf.assign_add(total, 1, use_locking=True)
results = {}
with tf.Session() as sess:
    sess.run(total.initializer)

    def work(k):
        out = []
        for i in range(20):
            out.append(sess.run(y, {x: [k, i]})['sum'])
            sess.run(inc.op)
        results[k] = out
        print_default.append(tf.get_default_session() is None)

    print_default = []
    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    for k in sorted(results):
        print(k, [float(v) for v in results[k]] == [float(k + i) for i in range(20)])
    print(sess.run(total), print_default)
with tf.Graph().as_default() as g:
    seen = []
    t = threading.Thread(target=lambda: seen.append(tf.get_default_graph() is g))
    t.start()
    t.join()
    print(seen)
