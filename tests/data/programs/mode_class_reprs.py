import tensorflow as tf

print(tf.Graph, tf.Operation, tf.Tensor, tf.Variable)
print(tf.DType, tf.TensorShape, tf.TensorSpec, tf.IndexedSlices)
print(type(tf.Variable(1.0)), type(tf.float32), type(tf.constant([1]).shape))
print(tf.compat.v1.Session, tf.compat.v1.InteractiveSession, tf.compat.v1.GraphKeys)
print(tf.errors.InvalidArgumentError, tf.errors.OpError, tf.errors.ResourceExhaustedError)
print(tf.config.PhysicalDevice, tf.config.LogicalDevice, tf.config.LogicalDeviceConfiguration)
print(tf.Module, tf.DeviceSpec, tf.compat.v1.DeviceSpec, tf.compat.v1.Dimension)
print(type(tf.function(lambda: 1)).__name__, tf.test.TestCase, tf.queue.FIFOQueue)
print(tf.compat.v1.ConfigProto, tf.compat.v1.GPUOptions, tf.compat.v1.RunMetadata)
print(tf.random_normal_initializer, tf.compat.v1.zeros_initializer, tf.zeros_initializer)
print(tf.VariableAggregation, tf.compat.v1.VariableScope, tf.TypeSpec)
with tf.Graph().as_default():
    c = tf.constant(1)
    print(type(c), type(c.op), type(c.graph), type(tf.compat.v1.get_variable('a', [])))
    print(type(tf.compat.v1.Variable(1, use_resource=False)))
