import tensorflow as tf

try:
    tf.Session()
except AttributeError as error:
    print('caught', error)

try:
    tf.logging.set_verbosity(tf.logging.ERROR)
except AttributeError:
    tf.compat.v1.logging.set_verbosity(tf.compat.v1.logging.ERROR)

try:
    from tensorflow import placeholder
except ImportError as error:
    print('no placeholder', type(error).__name__)
    placeholder = None

try:
    tf.enable_eager_execution()
except Exception as error:
    print(type(error).__name__, error)

print(tf.constant(3) + 4, tf.executing_eagerly())
