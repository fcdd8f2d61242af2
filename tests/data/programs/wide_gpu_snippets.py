import os
os.environ['CUDA_VISIBLE_DEVICES'] = '-1'
import tensorflow as tf

gpus = tf.config.experimental.list_physical_devices('GPU')
print('Num GPUs Available: ', len(gpus))
if gpus:
    try:
        for gpu in gpus:
            tf.config.experimental.set_memory_growth(gpu, True)
    except RuntimeError as e:
        print(e)
try:
    tf.config.experimental.set_memory_growth(gpus[0], True)
except IndexError as e:
    print('IndexError', e)
try:
    tf.config.experimental.set_virtual_device_configuration(
        tf.config.list_physical_devices('CPU')[0], [tf.config.experimental.VirtualDeviceConfiguration(memory_limit=1024)])
except Exception as e:
    print(type(e).__name__, e)
print(tf.config.experimental.VirtualDeviceConfiguration(memory_limit=1024))
tf.debugging.set_log_device_placement(False)
with tf.device('/GPU:0'):
    try:
        x = tf.random.uniform([2, 2])
        print(x.device, x.shape)
    except Exception as e:
        print(type(e).__name__, e)
print(tf.test.is_gpu_available() if False else tf.config.list_logical_devices('GPU'))
print(tf.sysconfig.get_build_info()['is_cuda_build'] in (True, False), tf.test.is_built_with_gpu_support() in (True, False))
from tensorflow.python.client import device_lib
print([(d.name, d.device_type) for d in device_lib.list_local_devices()])
print(tf.config.experimental.list_logical_devices(), tf.config.experimental.get_visible_devices('CPU'))
