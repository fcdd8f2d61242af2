import numpy as np
import tensorflow as tf

t = tf.reshape(tf.range(24), [2, 3, 4])
print(t[0, 1, 2], t[..., 0], t[:, ::-1, 0], t[1][2][3], t[-1, -1])
print(t[:, tf.newaxis].shape, t[0, :, None, 1:3].shape, t[tf.constant(1)].shape, t[..., -1, tf.newaxis].shape)
print(t[0, 0, ::2], t[0, 0, 3:0:-1], t[0, 0, 5:], t[0, 0, -100:2])
i = tf.constant(1)
print(t[i, i:], t[np.int64(0), 0])
print(tf.slice(t, [0, 1, 0], [1, 2, -1]), tf.strided_slice(t, [0, 0, 0], [2, 3, 4], [1, 2, 3]))
print(tf.gather(t, [2, 0], axis=1)[0], tf.gather_nd(t, [[0, 0], [1, 2]]))
print(tf.boolean_mask(t, t[:, 0, 0] > 5).shape, tf.boolean_mask([1, 2, 3], [True, False, True]))
print(tf.tensor_scatter_nd_update([1, 2, 3], [[1]], [9]))
for bad in (lambda: t[5], lambda: t[0, 0, 0, 0], lambda: t[1.5], lambda: t['a'], lambda: t[[0, 1]],
            lambda: t[t > 3], lambda: t[::0], lambda: t[..., ...], lambda: tf.slice(t, [0, 0], [1, 1]),
            lambda: tf.slice(t, [0, 0, 0], [3, 1, 1]), lambda: tf.gather(t, 5), lambda: tf.gather(t, [0], axis=4)):
    try:
        print(bad())
    except Exception as e:
        print(type(e).__name__, e)
try:
    t[0] = 1
except TypeError as e:
    print(e)
