import numpy as np
import tensorflow as tf

x = tf.constant([[3., 1.], [2., 4.]])
print(np.max(x), np.argmax(x, axis=1), np.concatenate([x, x]).shape, np.dot(x, [1., 1.]), np.linalg.norm(x).round(3), np.transpose(x))
print(np.where(x > 2), np.clip(x, 2, 3), np.split(x, 2)[0], np.array_equal(x, x), np.isnan(x).any(), np.expand_dims(x, 0).shape)
a = np.zeros(2); a[:] = x[0]; print(a)
l = [float(v) for v in x[0]]; print(l, sum(x), max(x[0]), min(x[1]), sorted(x[0].numpy()))
print(x.numpy()[0, 1], x.numpy().astype(int), tf.constant(x.numpy().T), np.float32(2) * x, 2 ** x, 1 / x, x // 2, divmod(7, 2))
print(list(zip(x, [1, 2]))[0][1], [t.numpy().tolist() for t in x], len(x), x.shape.as_list(), tuple(x.shape), x.shape == (2, 2))
print(isinstance(x.shape[0], int), x.shape[0] * 2, range(x.shape[0]), np.zeros(x.shape).shape, tf.TensorShape([2, 2]) == x.shape, x.shape[-1:])
print(tf.reduce_sum(x).numpy().item(), float(x[0, 0]), int(x[1, 1]), x[0, 0] == 3, bool(x[0, 0] == 3), x[0] in [1] if False else 'skip', str(x[0, 0].numpy()))
for f in (lambda: x[0, 0] in x, lambda: np.array(x)[5], lambda: x + np.ones(3), lambda: x.shape + 1, lambda: 'v' + x, lambda: x < 'a', lambda: round(x), lambda: x[0].item(), lambda: np.asarray(x, dtype=np.int32).sum()):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)
