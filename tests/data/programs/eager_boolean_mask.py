import tensorflow as tf


def attempt(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, "|", e)


t = [0, 1, 2, 3]
mask = [True, False, True, False]
attempt(lambda: tf.boolean_mask(t, mask))
attempt(lambda: tf.boolean_mask([[1, 2], [3, 4], [5, 6]], [True, False, True]))
attempt(lambda: tf.boolean_mask([[1, 2], [3, 4]], [[True, False], [False, True]]))
attempt(lambda: tf.boolean_mask([[1, 2], [3, 4]], [True, False], axis=1))
attempt(lambda: tf.boolean_mask([1, 2, 3], [True, False]))
attempt(lambda: tf.boolean_mask([[1, 2], [3, 4]], [True, False, True], axis=1))
attempt(lambda: tf.boolean_mask([1, 2, 3], True))
attempt(lambda: tf.boolean_mask([1, 2, 3], [1, 0, 1]))
attempt(lambda: tf.boolean_mask([1, 2], [[True, False]]))
attempt(lambda: tf.where([True, False, True]))
attempt(lambda: tf.where([[True, False], [False, True]], 1.0, [[5.0, 6.0], [7.0, 8.0]]))
attempt(lambda: tf.where([True, False], [1, 2]))
attempt(lambda: tf.where([True, False, True], [1, 2], [3, 4]))
attempt(lambda: tf.gather([1, 2, 3], [0, 2]))
attempt(lambda: tf.gather([1, 2, 3], 5))
attempt(lambda: tf.gather([[1, 2], [3, 4]], [1], axis=1))
attempt(lambda: tf.gather([[1, 2], [3, 4]], [[0], [1]], batch_dims=1, axis=1))
attempt(lambda: tf.one_hot([0, 2, 5], 3))
attempt(lambda: tf.one_hot([0, 1], 2, on_value=5, off_value=-1, dtype=tf.float32))
attempt(lambda: tf.one_hot([0, 1], 2, on_value=5.0, off_value=0))
attempt(lambda: tf.one_hot([0.5], 2))
attempt(lambda: tf.one_hot([1], [2]))
attempt(lambda: tf.one_hot([0, 1], 3, axis=0, on_value=True, off_value=False))
attempt(lambda: tf.sequence_mask([1, 3, 2], 5))
