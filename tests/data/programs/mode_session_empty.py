import tensorflow as tf

with tf.compat.v1.Session() as sess:
    print(tf.executing_eagerly(), tf.constant(2))
    y = tf.constant(2) * 3
    try:
        sess.run(y)
    except Exception as error:
        print(type(error).__name__, error)
    try:
        print(y.eval())
    except Exception as error:
        print(type(error).__name__, error)
