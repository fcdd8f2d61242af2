import tensorflow as tf
from tensorflow.python import tf2
from tensorflow.python.framework import smart_cond as smart_module
from tensorflow.python.framework.smart_cond import smart_cond, smart_constant_value
from tensorflow.python.ops import standard_ops

print(tf2.enabled())
print(smart_cond(True, lambda: 'yes', lambda: 'no'), smart_cond(tf.constant(False), lambda: 1, lambda: 2))
print(smart_constant_value(1), smart_constant_value(tf.constant(True)))
try:
    smart_constant_value('x')
except TypeError as error:
    print(error)
print(standard_ops.reduce_sum([1, 2]), standard_ops.matmul([[1]], [[2]]), smart_module.__name__)
