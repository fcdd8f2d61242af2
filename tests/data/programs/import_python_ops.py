import tensorflow as tf
from tensorflow.python.ops import math_ops, array_ops, nn_ops, clip_ops
from tensorflow.python.ops import state_ops, random_ops, init_ops, control_flow_ops
from tensorflow.python.framework import constant_op, dtypes, ops, tensor_shape

x = constant_op.constant([[1., 2.], [3., 4.]])
print(math_ops.reduce_sum(x, axis=0))
print(array_ops.reshape(x, [4]), array_ops.shape(x))
print(math_ops.matmul(x, x), math_ops.cast(x, dtypes.int32))
print(nn_ops.relu(-x) if hasattr(nn_ops, 'relu') else 'no relu', nn_ops.softmax(x).shape)
print(clip_ops.clip_by_value(x, 1.5, 3.5))
print(array_ops.zeros_like(x), array_ops.concat([x, x], 0).shape)
print(math_ops.reduce_mean(x), math_ops.argmax(x, 1), math_ops.maximum(x, 2.0))
print(tensor_shape.TensorShape([1, None]), dtypes.as_dtype('float32'))
print(ops.convert_to_tensor([1, 2]), ops.executing_eagerly_outside_functions())
with ops.name_scope('outer'):
    print(control_flow_ops.group() is None)
