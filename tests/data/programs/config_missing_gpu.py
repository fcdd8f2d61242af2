import tensorflow as tf


def attempt(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, "|", e)


def place(what):
    with tf.device("/GPU:0"):
        return what()


gpus = tf.config.list_physical_devices("GPU")
if gpus:
    print("found", gpus)
else:
    print("no GPU")
print("Num GPUs Available: ", len(gpus))
attempt(lambda: place(lambda: tf.constant([1.0])).device)
attempt(lambda: place(lambda: tf.constant([1.0]) + 1).device)
attempt(lambda: place(lambda: tf.Variable([1.0])).device)
attempt(lambda: place(lambda: tf.random.uniform([2])).shape)
tf.config.set_soft_device_placement(False)
attempt(lambda: place(lambda: tf.constant([1.0])).device)
attempt(lambda: place(lambda: tf.add(tf.constant([1.0]), 1.0)).device)
attempt(lambda: place(lambda: tf.Variable([1.0])).device)
attempt(lambda: place(lambda: tf.random.uniform([2])).shape)
attempt(lambda: place(lambda: tf.function(lambda x: x + 1)(1)))
attempt(lambda: tf.config.experimental.get_memory_info("GPU:0"))
attempt(lambda: tf.config.experimental.set_memory_growth(gpus[0], True))
attempt(lambda: tf.config.set_visible_devices([], "GPU"))
attempt(lambda: tf.config.get_visible_devices("GPU"))
attempt(lambda: tf.config.set_visible_devices([tf.config.PhysicalDevice("/physical_device:GPU:0", "GPU")], "GPU"))
attempt(lambda: tf.config.experimental.get_memory_growth(tf.config.PhysicalDevice("/physical_device:GPU:0", "GPU")))
attempt(lambda: tf.config.experimental.reset_memory_stats("CPU:0"))
