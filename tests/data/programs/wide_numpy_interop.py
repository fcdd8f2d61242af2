import numpy as np
import tensorflow as tf

nd = np.ones([3, 3])
t = tf.multiply(nd, 42)
print(t)
print(np.add(t, 1))
print(t.numpy().flags.writeable, np.asarray(t).dtype, np.array(t).sum())
print(nd * tf.constant(2., tf.float64))
print(type(nd + t).__name__, type(t + nd).__name__)
print(np.sum(tf.ones([2, 2])), np.mean(tf.range(4)), np.sqrt(tf.constant([4., 9.])))
print(tf.reduce_sum(np.array([1, 2, 3], np.int8)))
for i in tf.constant([[1, 2], [3, 4]]):
    print(i, int(i[0]), float(i[1]))
print(len(tf.zeros([4, 2])), bool(tf.constant(3)), [1, 2, 3][tf.constant(1)], range(5)[tf.constant(2)])
print(list(tf.constant([1, 2])), tf.constant([5, 6]).numpy().tolist())
print(tf.constant(3).__index__(), hex(tf.constant(255)), round(float(tf.constant(2.5))))
print(np.array([tf.constant(1), tf.constant(2)]), np.stack([tf.ones(2), tf.zeros(2)]))
print(f'{tf.constant(3.14159).numpy():.2f}', '%d' % tf.constant(4), '{}'.format(tf.constant([1])))
for bad in (lambda: bool(tf.constant([1, 2])), lambda: int(tf.constant([1, 2])), lambda: len(tf.constant(1)),
            lambda: list(tf.constant(1)), lambda: hash(tf.constant(1)), lambda: {tf.constant(1): 2},
            lambda: tf.constant([1, 2]).foo, lambda: tf.constant([1, 2]).append(3),
            lambda: tf.constant(np.array([object()])), lambda: float(tf.constant('a')),
            lambda: '{:.2f}'.format(tf.constant(1.5))):
    try:
        print(bad())
    except Exception as e:
        print(type(e).__name__, e)
