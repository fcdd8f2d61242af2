import tensorflow as tf


def attempt(code):
    try:
        exec(code, {'tf': tf})
        print('fine', code)
    except (ImportError, AttributeError) as error:
        print(type(error).__name__, str(error).split(' (')[0])


attempt('import tensorflow.nonsense')
attempt('import tensorflow.contrib')
attempt('import tensorflow.contrib.slim as slim')
attempt('from tensorflow.contrib import layers')
attempt('from tensorflow import nonsense')
attempt('from tensorflow.math import nonsense')
attempt('import tensorflow.python.ops.nonsense')
attempt('from tensorflow.python.ops import nonsense')
attempt('from tensorflow.examples.tutorials.mnist import input_data')
attempt('tf.nonsense')
attempt('tf.math.nonsense')
attempt('tf.compat.v1.nonsense')
attempt('tf.errors.nonsense')
attempt('tf.contrib.layers')
attempt('from tensorflow import Session')
attempt('from tensorflow.python.framework.ops import nonsense')
