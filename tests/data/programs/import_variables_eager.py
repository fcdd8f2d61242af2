import tensorflow as tf
from tensorflow.python.ops import variables, resource_variable_ops
from tensorflow.python.ops.variables import Variable
from tensorflow.python.ops.resource_variable_ops import ResourceVariable, BaseResourceVariable

v = tf.Variable([1., 2.], name='v')
print(isinstance(v, variables.Variable), isinstance(v, ResourceVariable), type(v) is ResourceVariable)
print(isinstance(v, BaseResourceVariable), resource_variable_ops.is_resource_variable(v))
print(type(v))
w = ResourceVariable(3.0, name='w')
print(w, isinstance(w, tf.Variable), Variable is tf.Variable)
print(issubclass(ResourceVariable, tf.Variable))
