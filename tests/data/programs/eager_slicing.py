import numpy as np
import tensorflow as tf


def attempt(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, "|", e)


t = tf.constant([0, 1, 1, 2, 3, 5, 8, 13, 21, 34])
print(t[0].numpy(), t[-1].numpy(), t[:4].numpy(), t[4:].numpy(), t[2:7].numpy(), t[::2].numpy(), t[::-1].numpy())
m = tf.constant([[1, 2], [3, 4], [5, 6]])
print(m[1, 1].numpy(), m[1, :].numpy(), m[:, 1].numpy(), m[-1, :].numpy(), m[1:, :].numpy())
c = tf.reshape(tf.range(24), [2, 3, 4])
print(c[:, :, 3], c[..., 0], c[0, ..., -1], c[tf.newaxis].shape, c[:, None, 1:].shape, c[..., tf.newaxis].shape)
print(c[1][2][3], c[1, tf.constant(2)], c[tf.constant(0):tf.constant(1)].shape, c[np.int64(1), 0])
print(t[tf.constant(3)], t[5:2], t[100:], t[-100:2])
attempt(lambda: t[10])
attempt(lambda: t[-11])
attempt(lambda: t["a"])
attempt(lambda: t[1.5])
attempt(lambda: t[[1, 2]])
attempt(lambda: t[np.array([1, 2])])
attempt(lambda: t[np.array(1)])
attempt(lambda: t[True])
attempt(lambda: t[tf.constant([True] * 10)])
attempt(lambda: t[tf.constant([1, 2])])
attempt(lambda: t[::0])
attempt(lambda: t[0, 0])
attempt(lambda: m[..., ..., 0])
attempt(lambda: t[t > 4])
attempt(lambda: m[0:1:1, tf.constant(0, tf.int64)])
attempt(lambda: t[None, 1:3, None])
attempt(lambda: tf.slice(t, begin=[1], size=[3]))
attempt(lambda: tf.slice(m, [0, 1], [-1, 1]))
attempt(lambda: tf.slice(m, [0, 1], [4, 1]))
attempt(lambda: tf.strided_slice(t, [1], [8], [2]))
