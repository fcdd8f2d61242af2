# TF1
import tensorflow as tf

counter = tf.Variable(0, name='counter', trainable=False)
inc = tf.assign(counter, counter + 1)
reset = counter.initializer
history = tf.Variable(tf.zeros([5], tf.int32), trainable=False)
write = tf.scatter_update(history, counter, counter * counter)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(4):
        sess.run(write)
        sess.run(inc)
    print(sess.run([counter, history]))
    sess.run(reset)
    print(sess.run(counter))
    print(sess.run(tf.scatter_add(history, [0, 1, 0], [1, 2, 3])))
    print(sess.run(tf.scatter_sub(history, [4], [1])))
    v = counter.assign(5, read_value=False)
    print(sess.run(v), sess.run(counter))
    print(sess.run(counter.count_up_to(7)), sess.run(tf.count_up_to(counter, 7)))
    try:
        sess.run(tf.count_up_to(counter, 7))
    except tf.errors.OutOfRangeError as e:
        print(e.message.splitlines()[-1])
