import tensorflow.math as m
import tensorflow.nn as nn
import tensorflow.random as random
import tensorflow.strings as strings
import tensorflow.linalg
import tensorflow.compat.v1.nn as nn1
import tensorflow.compat.v2 as tf2
from tensorflow import math, errors, config, dtypes
from tensorflow.io import gfile
from tensorflow.nn import relu, softmax
from tensorflow.math import reduce_sum, log
from tensorflow.config import experimental, list_physical_devices
from tensorflow.compat import as_bytes, v1
from tensorflow.compat.v1 import logging, app, flags
from tensorflow.errors import InvalidArgumentError
import tensorflow as tf

print(m.sqrt(4.0), nn.relu([-1., 2.]), relu([3.]), softmax([[1., 1.]]))
print(reduce_sum([1, 2]), log(1.0), math is m, m is tf.math, tf2.constant(1))
print(tensorflow.linalg.matmul([[1]], [[2]]), nn1.softmax([[0., 0.]]))
print(strings.join(['a', 'b']), random.uniform([2]).shape, as_bytes('x'))
print(gfile.exists('/nowhere'), list_physical_devices('GPU'), experimental is config.experimental)
print(InvalidArgumentError is errors.InvalidArgumentError, dtypes.float32, v1.__name__)
