import copy
import pickle
import tensorflow as tf

for value in (tf.float32, tf.TensorShape([2, None]), tf.TensorSpec([2], tf.int32, 'x'),
              tf.DeviceSpec(job='worker', device_type='GPU', device_index=1),
              tf.config.LogicalDeviceConfiguration(memory_limit=100)):
    other = pickle.loads(pickle.dumps(value))
    print(repr(other), other == value, copy.deepcopy(value) == value)
error = pickle.loads(pickle.dumps(tf.errors.NotFoundError(None, None, 'gone')))
print(repr(error), error.message, error.error_code)
print(pickle.loads(pickle.dumps(tf.TensorShape)) is tf.TensorShape)
print(pickle.loads(pickle.dumps(tf.Variable)) is tf.Variable)
print(tf.float32.__class__.__qualname__, tf.errors.NotFoundError.__name__)
print(tf.TensorShape.__module__, tf.Variable.__module__, tf.Graph.__module__)
