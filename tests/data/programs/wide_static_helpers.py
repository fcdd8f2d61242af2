# TF1
import tensorflow as tf
from tensorflow.python.framework import ops, dtypes, tensor_shape, constant_op, tensor_util
from tensorflow.python.ops import array_ops, math_ops, control_flow_ops, variables, variable_scope, nn_ops

x = constant_op.constant([1, 2], dtype=dtypes.int32)
y = math_ops.add(array_ops.ones_like(x), x)
print(y, tensor_util.constant_value(x), tensor_util.is_tensor(x))
print(ops.get_default_graph() is tf.get_default_graph(), tensor_shape.TensorShape([1, None]), isinstance(y, tf.Tensor))
g = control_flow_ops.group(y)
print(g.type, variables.Variable is not None, variable_scope.get_variable('v', [1]).name)
print(tf.contrib if hasattr(tf, 'contrib') else 'no contrib', tf.get_static_value(tf.shape(tf.zeros([2, 3]))))
print(tf.is_tensor(x), tf.convert_to_tensor(3.), ops.convert_to_tensor(4), tf.as_dtype('int8'), tf.dimension_value(tf.Dimension(3)), tf.Dimension(None))
print(tf.Dimension(3) + 2, tf.Dimension(4) // 2, tf.Dimension(3) == 3, tf.TensorShape([2, None]).as_list(), nn_ops.relu(tf.constant(-1.)).name)
print(tf.NodeDef(name='n', op='NoOp'), tf.AttrValue(i=3))
