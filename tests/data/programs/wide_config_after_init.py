import tensorflow as tf

print(tf.config.list_physical_devices('GPU'), tf.config.get_visible_devices())
print(tf.config.get_soft_device_placement(), tf.config.threading.get_intra_op_parallelism_threads())
tf.config.threading.set_intra_op_parallelism_threads(2)
tf.config.threading.set_inter_op_parallelism_threads(3)
print(tf.config.threading.get_intra_op_parallelism_threads(), tf.config.threading.get_inter_op_parallelism_threads())
tf.config.set_soft_device_placement(False)
x = tf.constant(1)
print(tf.config.get_soft_device_placement())
for call in (lambda: tf.config.threading.set_intra_op_parallelism_threads(4),
             lambda: tf.config.set_visible_devices([], 'GPU'),
             lambda: tf.config.set_visible_devices([], 'CPU'),
             lambda: tf.config.experimental.set_memory_growth(tf.config.list_physical_devices('CPU')[0], True),
             lambda: tf.config.experimental.get_memory_growth('GPU:0'),
             lambda: tf.config.experimental.get_memory_info('GPU:0'),
             lambda: tf.config.experimental.set_virtual_device_configuration('x', []),
             lambda: tf.config.experimental.get_device_details(tf.config.list_physical_devices('CPU')[0]),
             lambda: tf.config.list_logical_devices('TPU')):
    try:
        print(call())
    except Exception as e:
        print(type(e).__name__, e)
with tf.device('/GPU:0'):
    try:
        print(tf.add(1, 2))
    except Exception as e:
        print(type(e).__name__, e)
