import tensorflow as tf


def attempt(*args, **kwargs):
    try:
        print(tf.nn.conv2d(*args, **kwargs).shape)
    except (ValueError, TypeError, tf.errors.OpError) as error:
        print(type(error).__name__, error)


image, filters = tf.ones([1, 5, 5, 4]), tf.ones([3, 3, 4, 8])
attempt(image, tf.ones([3, 3, 3, 8]), 1, 'SAME')
attempt(image, tf.ones([3, 3, 2, 7]), 1, 'SAME')
attempt(image, filters, [1, 0, 1, 1], 'SAME')
attempt(image, filters, [1, 1, 1], 'SAME')
attempt(image, filters, 1, 'SAMES')
attempt(image, filters, [2, 1, 1, 1], 'SAME')
attempt(image, filters, 1, 'SAME', dilations=0)
attempt(image, filters, 1, 'SAME', dilations=[2, 1, 1, 1])
attempt(image, filters, 1, [[0, 0], [1, 1], [2, 2]])
attempt(image, filters, 1, [[0, 1], [1, 1], [2, 2], [0, 0]])
attempt(image, filters, 1, [[0, 0], [-1, 1], [2, 2], [0, 0]])
attempt(image, tf.ones([7, 7, 4, 8]), 1, 'VALID')
attempt(image, tf.ones([0, 3, 4, 8]), 1, 'SAME')
attempt(tf.ones([0, 5, 5, 4]), filters, 1, 'SAME')
attempt(tf.ones([5, 5, 4]), tf.ones([3, 3, 4]), 1, 'SAME')
attempt(image, tf.cast(filters, tf.float64), 1, 'SAME')
attempt(image, filters, 1, 'SAME', data_format='NHCW')
