# TF1
import numpy as np
import tensorflow as tf

elems = tf.constant([1, 2, 3, 4])
squares = tf.map_fn(lambda x: x * x, elems)
pairs = tf.map_fn(lambda x: (x, tf.cast(x, tf.float32) / 2), elems, dtype=(tf.int32, tf.float32))
total = tf.foldl(lambda a, x: a + x, elems)
right = tf.foldr(lambda a, x: a * 10 + x, elems)
running = tf.scan(lambda a, x: a + x, elems, initializer=100)
with tf.Session() as sess:
    print(sess.run(squares), sess.run(pairs))
    print(sess.run([total, right, running]))
    m = tf.placeholder(tf.float32, [None, 2])
    rows = tf.map_fn(lambda r: tf.reduce_sum(r), m)
    print(sess.run(rows, {m: np.arange(6).reshape(3, 2)}), rows.shape)
