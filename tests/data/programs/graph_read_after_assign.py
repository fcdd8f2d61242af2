# TF1
import tensorflow as tf

v = tf.Variable([1, 2, 3, 4], name='v')
before = tf.identity(v)
flat = tf.reshape(v, [2, 2])
deeper = tf.identity(tf.identity(before))
column = tf.expand_dims(v, 1)
update = tf.assign(v, [10, 20, 30, 40])
with tf.control_dependencies([update]):
    after = tf.identity(v)
    late = before + 0
    late_flat = flat * 1
    late_deeper = deeper + 0
    late_column = tf.reduce_sum(column)
with tf.Session() as sess:
    sess.run(v.initializer)
    print(sess.run(after))
    sess.run(v.initializer)
    print(sess.run(late))
    sess.run(v.initializer)
    print(sess.run(late_deeper))
    sess.run(v.initializer)
    print(sess.run(late_flat))
    sess.run(v.initializer)
    print(sess.run(late_column))
    sess.run(v.initializer)
    print(sess.run(update), sess.run(v))
