import tensorflow as tf


def attempt(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, "|", e)


c = tf.config
c.threading.set_inter_op_parallelism_threads(2)
c.threading.set_intra_op_parallelism_threads(3)
print(c.threading.get_inter_op_parallelism_threads(), c.threading.get_intra_op_parallelism_threads())
c.set_soft_device_placement(False)
print(c.get_soft_device_placement())
c.optimizer.set_jit(True)
print(c.optimizer.get_jit())
c.optimizer.set_jit("autoclustering")
print(c.optimizer.get_jit())
c.optimizer.set_jit(False)
print(repr(c.optimizer.get_jit()))
c.optimizer.set_experimental_options({"constant_folding": False, "layout_optimizer": True})
print(c.optimizer.get_experimental_options())
c.experimental.enable_tensor_float_32_execution(False)
print(c.experimental.tensor_float_32_execution_enabled())
c.experimental.set_synchronous_execution(True)
c.experimental.set_device_policy("warn")
print(c.experimental.get_device_policy())
c.experimental.set_device_policy("explicit")
print(c.experimental.get_device_policy())
attempt(lambda: c.experimental.set_device_policy("rude"))
c.experimental.set_device_policy(None)
print(c.experimental.get_device_policy())
tf.constant(1) + 1
attempt(lambda: c.threading.set_inter_op_parallelism_threads(4))
attempt(lambda: c.threading.set_intra_op_parallelism_threads(3))
attempt(lambda: c.set_soft_device_placement(True))
print(c.get_soft_device_placement())
attempt(lambda: c.experimental.set_synchronous_execution(False))
attempt(lambda: c.optimizer.set_jit(True))
attempt(lambda: c.threading.set_intra_op_parallelism_threads(-1))
attempt(lambda: c.set_logical_device_configuration(c.list_physical_devices("CPU")[0], [c.LogicalDeviceConfiguration()] * 2))
