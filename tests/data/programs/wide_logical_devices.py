import tensorflow as tf

cpus = tf.config.list_physical_devices('CPU')
print(cpus)
tf.config.set_logical_device_configuration(
    cpus[0], [tf.config.LogicalDeviceConfiguration(), tf.config.LogicalDeviceConfiguration()])
print(tf.config.get_logical_device_configuration(cpus[0]))
logical = tf.config.list_logical_devices()
print(logical, len(logical))
with tf.device('/CPU:1'):
    a = tf.constant([[1., 2.]])
    b = tf.matmul(a, a, transpose_b=True)
print(a.device, b.device)
with tf.device('/CPU:0'):
    c = b + 1
print(c.device, c)
try:
    tf.config.set_logical_device_configuration(cpus[0], [tf.config.LogicalDeviceConfiguration()])
except RuntimeError as e:
    print(e)
try:
    with tf.device('/CPU:2'):
        tf.constant(1)
except Exception as e:
    print(type(e).__name__, e)
@tf.function
def f(x):
    with tf.device('/CPU:1'):
        return x * 2
print(f(tf.constant(2)), f(tf.constant(2)).device)
