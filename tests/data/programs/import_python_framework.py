import tensorflow as tf
from tensorflow.python.framework import errors_impl, errors, tensor_util, tensor_spec
from tensorflow.python.framework import device, function, importer, indexed_slices
from tensorflow.python.framework import random_seed, sparse_tensor, versions
from tensorflow.python.framework.ops import get_default_graph, Graph
from tensorflow.python.framework.errors_impl import InvalidArgumentError, NotFoundError
from tensorflow.python.framework.tensor_spec import TensorSpec
from tensorflow.python.framework.tensor_shape import TensorShape, Dimension
from tensorflow.python.framework.dtypes import float32, int64, as_dtype

print(errors.InvalidArgumentError is InvalidArgumentError is errors_impl.InvalidArgumentError)
print(tensor_util.constant_value(tf.constant([1, 2])))
print(tensor_util.make_tensor_proto([1.0]).dtype, tensor_util.is_tf_type(tf.constant(1)))
print(TensorSpec([None, 2], float32), tensor_spec.TensorSpec is tf.TensorSpec)
print(TensorShape([2]) == [2], Dimension(3), as_dtype(int64).name)
print(Graph is tf.Graph, get_default_graph() is not None)
print(random_seed.get_seed(None), versions.VERSION == tf.__version__)
try:
    tf.reshape([1, 2, 3], [2])
except InvalidArgumentError as error:
    print(error.error_code, error.message)
