import tensorflow as tf


def attempt(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, "|", e)


attempt(lambda: tf.config.experimental.enable_op_determinism())
attempt(lambda: tf.random.uniform([1]))
tf.random.set_seed(1)
attempt(lambda: tf.random.uniform([2]))
attempt(lambda: tf.random.uniform([2], seed=3))
attempt(lambda: tf.keras if False else tf.config.experimental.tensor_float_32_execution_enabled())
tf.config.experimental.enable_tensor_float_32_execution(True)
attempt(lambda: tf.config.experimental.tensor_float_32_execution_enabled())
attempt(lambda: tf.debugging.set_log_device_placement(True))
attempt(lambda: tf.debugging.get_log_device_placement())
attempt(lambda: tf.debugging.set_log_device_placement(False))
attempt(lambda: tf.debugging.disable_traceback_filtering())
attempt(lambda: tf.debugging.is_traceback_filtering_enabled())
attempt(lambda: tf.debugging.enable_traceback_filtering())
attempt(lambda: tf.config.set_soft_device_placement("yes"))
attempt(lambda: tf.config.get_soft_device_placement())
