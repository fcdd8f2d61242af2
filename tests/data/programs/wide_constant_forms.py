import numpy as np
import tensorflow as tf

print(tf.constant(3), tf.constant([[1, 2], [3, 4]]), tf.constant(5, shape=[2, 2]), tf.constant([1, 2], tf.float64, name='n'))
print(repr(tf.constant([1.5])), repr(tf.constant('x')), repr(tf.constant([[True]])), tf.constant([]), tf.constant([[]]))
print(tf.zeros([2]), tf.ones([1, 2], tf.int32), tf.fill([2], 7), tf.zeros_like([1, 2]), tf.ones_like([1.]), tf.range(5), tf.range(1, 2, 0.25), tf.linspace(0., 1., 3))
print(tf.one_hot([0, 2], 3), tf.one_hot(1, 2, on_value='y', off_value='n'), tf.eye(2), tf.repeat([1, 2], 2), tf.tile([1, 2], [2]), tf.meshgrid([1, 2], [3]))
print(tf.constant(np.array(['a', 'bc'])), tf.constant(np.float16(1.5)), tf.constant((1, 2)), tf.constant([np.int8(1)]))
print(tf.convert_to_tensor(1.5), tf.convert_to_tensor([1], dtype_hint=tf.float32), tf.is_tensor(3), tf.is_tensor(tf.constant(3)), tf.identity(4))
for bad in (lambda: tf.constant([[1], [2, 3]]), lambda: tf.constant([1, 'a']), lambda: tf.constant([1, 2], shape=[3]), lambda: tf.constant(None),
            lambda: tf.constant([None, 1]), lambda: tf.constant({}), lambda: tf.constant(object()), lambda: tf.constant(2**70), lambda: tf.constant(1.5, 'int32'),
            lambda: tf.zeros(), lambda: tf.zeros([-1]), lambda: tf.zeros('a'), lambda: tf.ones([2], 'what'), lambda: tf.fill([2], [1]), lambda: tf.range(0, 5, 0),
            lambda: tf.range(5, 0), lambda: tf.range('a'), lambda: tf.one_hot('a', 3), lambda: tf.one_hot([0], -1), lambda: tf.linspace(0, 1, -1), lambda: tf.convert_to_tensor(tf.constant(1), tf.float32),
            lambda: tf.constant(tf.constant(1), tf.float32), lambda: tf.constant([1, 2], shape=[2, 2])):
    try:
        print(bad())
    except Exception as e:
        print(type(e).__name__, e)
