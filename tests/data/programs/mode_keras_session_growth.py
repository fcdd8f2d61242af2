import tensorflow as tf

physical_devices = tf.config.list_physical_devices('GPU')
try:
    tf.config.experimental.set_memory_growth(physical_devices[0], True)
except (IndexError, RuntimeError, ValueError) as error:
    print('Invalid device or cannot modify virtual devices once initialized.', type(error).__name__)
gpu_options = tf.compat.v1.GPUOptions(per_process_gpu_memory_fraction=0.333)
sess = tf.compat.v1.Session(config=tf.compat.v1.ConfigProto(gpu_options=gpu_options))
print(gpu_options)
a = tf.random.uniform([3], seed=1)
print(a.shape, a.device)
print(sess)
