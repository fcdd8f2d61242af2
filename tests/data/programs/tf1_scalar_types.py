# TF1
import numpy as np
import tensorflow as tf

with tf.Session() as sess:
    for t in [tf.constant(1), tf.constant(1.5), tf.constant(True), tf.constant('s'), tf.constant(1, tf.int64),
              tf.constant([1]), tf.constant([]), tf.constant([[]]), tf.constant(2, tf.float16), tf.constant(1j),
              tf.cast(3.7, tf.uint8), tf.zeros([0, 3]), tf.constant(np.int16(4)), tf.shape(tf.zeros([2, 3]))]:
        out = sess.run(t)
        print(type(out).__name__, repr(out), getattr(out, 'dtype', None), np.shape(out))
    out = sess.run(tf.constant([1., 2.]))
    print(out.flags.writeable, out.flags.owndata or out.base is not None, out.flags.c_contiguous)
    print(sess.run(tf.constant(5)) + 1, int(sess.run(tf.constant(5.9))), bool(sess.run(tf.constant(0))))
    print('%d %.2f' % (sess.run(tf.constant(3)), sess.run(tf.constant(2.345))))
    print(np.float32(0.1) == sess.run(tf.constant(0.1)), sess.run(tf.constant(0.1, tf.float64)) == 0.1)
    print([i for i in sess.run(tf.range(3))], sum(sess.run(tf.range(4))), max(sess.run(tf.constant([3, 1]))))
