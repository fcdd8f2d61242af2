# TF1
import tensorflow as tf

v = tf.Variable(0, name='counter')
c = v.count_up_to(3)
print(c)
with tf.Session() as sess:
    sess.run(v.initializer)
    try:
        while True:
            print(sess.run(c))
    except tf.errors.OutOfRangeError as e:
        print(e.message.splitlines()[-1])
