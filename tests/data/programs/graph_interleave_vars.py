# TF1
import tensorflow as tf

a = tf.Variable(1., name='a')
b = tf.Variable(2., name='b')
old_a = tf.identity(a, name='old_a') + 0.
with tf.control_dependencies([old_a]):
    set_a = tf.assign(a, b)
with tf.control_dependencies([set_a]):
    set_b = tf.assign(b, old_a)
swap = tf.group(set_a, set_b)
ema = tf.Variable(0., name='ema')
with tf.control_dependencies([swap]):
    avg = tf.assign(ema, ema * 0.9 + a * 0.1)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(3):
        sess.run(swap)
        print(sess.run([a, b]))
    print(sess.run(avg), sess.run([a, b]))
    print(sess.run([tf.assign_add(a, 1.), tf.assign_add(b, 1.)]))
    total = tf.add_n([a, b, ema])
    print(sess.run(total))
    print(sess.run(tf.stack([a, b])), sess.run([a * b, a / b, a ** b]))
    print(a.name, a.op.name, a.shape, a.dtype, a.trainable, a.initial_value, a.graph is sess.graph)
    print(sess.run(a.initialized_value()), sess.run(a.value()), sess.run(a.read_value()))
