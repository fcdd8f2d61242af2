import os

os.environ["TF_FORCE_GPU_ALLOW_GROWTH"] = "true"
import tensorflow as tf

gpus = tf.config.experimental.list_physical_devices("GPU")
if gpus:
    try:
        for gpu in gpus:
            tf.config.experimental.set_memory_growth(gpu, True)
        logical_gpus = tf.config.experimental.list_logical_devices("GPU")
        print(len(gpus), "Physical GPUs,", len(logical_gpus), "Logical GPUs")
    except RuntimeError as e:
        print(e)
else:
    print("no GPUs")
print("Num GPUs Available: ", len(tf.config.list_physical_devices("GPU")))
print(tf.config.list_physical_devices("CPU"))
print(tf.test.is_built_with_gpu_support(), tf.test.is_built_with_cuda(), tf.test.gpu_device_name() or "no name")
tf.debugging.set_log_device_placement(False)
strategy = "cpu" if not gpus else "gpu"
with tf.device("/" + strategy + ":0"):
    a = tf.random.stateless_uniform([2, 3], seed=[1, 2])
    b = tf.linspace(0.0, 1.0, 3)
    c = tf.linalg.matmul(a, tf.reshape(b, [3, 1]))
print(c.shape, c.device, tf.reduce_sum(c).numpy() > 0)
try:
    tf.config.set_visible_devices([], "GPU")
    print(tf.config.get_visible_devices())
except RuntimeError as e:
    print(e)
try:
    tf.config.set_logical_device_configuration(gpus[0], [tf.config.LogicalDeviceConfiguration(memory_limit=1024)])
except IndexError as e:
    print("IndexError", e)
