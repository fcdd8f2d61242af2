# TF1
import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [2, 3], name='x')
t = tf.transpose(x)
base = np.arange(6).reshape(2, 3)
feeds = [base, base.astype(np.float32), base.astype(np.float64), base.T.T, np.asfortranarray(base.astype('f')), base[::-1],
         base.astype('>f4'), base.astype(np.int8), base.tolist(), tuple(map(tuple, base)), np.matrix(base), base > 2,
         np.ma.masked_array(base, base > 3), list(base), [list(map(float, r)) for r in base], base.astype(object),
         np.broadcast_to(np.float32(1), (2, 3)), np.array([[1, 2, 3], [4, 5, 6]], dtype=np.uint8)[:, ::-1]]
with tf.Session() as sess:
    for f in feeds:
        print(sess.run(t, {x: f}).tolist())
    ro = base.astype('f')
    ro.flags.writeable = False
    print(sess.run(x * 1, {x: ro}).flags.writeable)
    big = np.ones([1000, 1000], np.float32)
    y = tf.placeholder(tf.float32)
    print(sess.run(tf.reduce_sum(y), {y: big}), sess.run(tf.reduce_sum(y), {y: big[::2]}), sess.run(tf.shape(y), {y: big.T}))
    big[:] = 2
    print(sess.run(tf.reduce_max(y), {y: big}))
    for bad in [np.array(['a'] * 6).reshape(2, 3), np.zeros([2, 3], dtype='M8[s]'), np.zeros([2, 3, 1]), np.zeros(()), np.nan]:
        try:
            print(sess.run(t, {x: bad}))
        except Exception as e:
            print(type(e).__name__, e)
