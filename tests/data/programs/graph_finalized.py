# TF1
import threading
import tensorflow as tf

counter = tf.Variable(0, name='counter')
inc = tf.assign_add(counter, 1, use_locking=True)
init = tf.global_variables_initializer()
tf.get_default_graph().finalize()
with tf.Session() as sess:
    sess.run(init)
    threads = [threading.Thread(target=lambda: [sess.run(inc) for _ in range(50)]) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    print(sess.run(counter))
    try:
        sess.run(tf.add(counter, 1))
    except RuntimeError as e:
        print(e)
    try:
        counter + 1
    except RuntimeError as e:
        print(e)
print(tf.get_default_graph().finalized)
sess.close()
for attempt in (lambda: sess.run(inc), lambda: sess.run(counter)):
    try:
        attempt()
    except RuntimeError as e:
        print(e)
