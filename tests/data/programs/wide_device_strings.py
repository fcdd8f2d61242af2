import tensorflow as tf

for name in ('/cpu:0', '/CPU:0', 'cpu', '/device:CPU:0', 'CPU:0', '/job:localhost/replica:0/task:0/device:CPU:0', None, '', '/device:cpu:*',
             '/gpu:0', '/gpu:7', '/tpu:0', '/cpu:1', 'nonsense', '/job:worker/cpu:0', '/cpu:a', '//', 3, tf.DeviceSpec(device_type='CPU', device_index=0)):
    try:
        with tf.device(name):
            print(repr(name), tf.constant(1).device, (tf.constant(1) + 1).device)
    except Exception as e:
        print(repr(name), type(e).__name__, e)
spec = tf.DeviceSpec.from_string('/job:ps/task:3/device:GPU:1')
print(spec.job, spec.task, spec.replica, spec.device_type, spec.device_index, spec.to_string(), spec.replace(task=None).to_string())
print(spec.make_merged_spec(tf.DeviceSpec(device_type='CPU')).to_string(), spec == tf.DeviceSpec.from_string('/job:ps/task:3/gpu:1'), repr(spec))
print(tf.config.list_logical_devices()[0].name, tf.test.gpu_device_name() == '', tf.test.is_built_with_cuda() in (True, False))
