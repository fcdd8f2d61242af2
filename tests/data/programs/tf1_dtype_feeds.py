# TF1
import numpy as np
import tensorflow as tf

kinds = [tf.float16, tf.float32, tf.float64, tf.int8, tf.uint8, tf.int16, tf.uint16, tf.int32, tf.int64, tf.bool,
         tf.complex64, tf.complex128]
with tf.Session() as sess:
    for kind in kinds:
        p = tf.placeholder(kind, name='p')
        for value in [1, 0.5, True, [1, 0], np.float64(2.75), -1, 300, 1j, '5', [1.5, True], np.array([1, 2], np.int8)]:
            try:
                out = sess.run(p, {p: value})
                print(kind.name, repr(value), '->', repr(out))
            except Exception as e:
                print(kind.name, repr(value), type(e).__name__, str(e).splitlines()[0])
