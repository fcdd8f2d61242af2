import tensorflow as tf
from tensorflow.python.framework import ops, tensor as tensor_lib
from tensorflow.python.framework.ops import EagerTensor
from tensorflow.python.types import core

x = tf.constant([1, 2])
print(isinstance(x, EagerTensor), isinstance(x, tf.Tensor), isinstance(x, tensor_lib.Tensor))
print(isinstance(x, tensor_lib.Tensor), tf.is_tensor(x), tf.is_tensor([1]))
with tf.Graph().as_default():
    y = tf.constant([1, 2])
    print(isinstance(y, EagerTensor), isinstance(y, tensor_lib.Tensor), isinstance(y.op, ops.Operation))
print(isinstance(tf.float32, tf.DType), isinstance(tf.errors.OutOfRangeError(None, None, 'x'), tf.errors.OpError))
print(tf.dtypes.DType is tf.DType, isinstance(tf.Variable(1), tf.Variable), isinstance(tf.Variable(1), tf.Tensor))
