import tensorflow as tf


def attempt(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, "|", e)


cpu = tf.config.list_physical_devices("CPU")[0]
attempt(lambda: tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration(memory_limit=10)]))
attempt(lambda: tf.config.set_logical_device_configuration("CPU", []))
tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration(), tf.config.LogicalDeviceConfiguration()])
print(tf.config.get_logical_device_configuration(cpu))
devices = tf.config.list_logical_devices("CPU")
print(devices, devices[1].name, devices[1].device_type)
with tf.device(devices[1]):
    a = tf.constant([1.0, 2.0])
    v = tf.Variable(a)
print(a.device, v.device, (a + a).device)
with tf.device("/CPU:1"):
    b = a * 2
    with tf.device(None):
        d = a * 3
    with tf.device("cpu:0"):
        e = a * 4
print(b.device, d.device, e.device, e)
attempt(lambda: tf.config.set_logical_device_configuration(cpu, []))
attempt(lambda: tf.device("/CPU:7").__enter__())
attempt(lambda: tf.device(cpu))
attempt(lambda: tf.device(lambda op: "/cpu:0"))
attempt(lambda: tf.device(5))
attempt(lambda: tf.device("nonsense"))
attempt(lambda: tf.config.set_visible_devices([], "CPU"))
attempt(lambda: tf.config.set_visible_devices(devices[0]))
attempt(lambda: tf.config.experimental.set_memory_growth(cpu, True))
attempt(lambda: tf.config.experimental.get_memory_info("GPU:0"))
attempt(lambda: a.cpu().device)
attempt(lambda: a.gpu())
attempt(lambda: tf.identity(a).backing_device)
