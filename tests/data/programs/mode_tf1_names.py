# TF1
import tensorflow as tf
print(tf.__name__, tf.nn.__name__, tf.__version__, tf.VERSION)
try: tf.nn.nonsense
except AttributeError as e: print(e)
try: tf.nonsense
except AttributeError as e: print(e)
try: tf.train.nonsense
except AttributeError as e: print(e)
print(tf.Session, tf.Variable, type(tf.Variable(1)), tf.Dimension)
print(tf.compat.v1.constant(1))
print(hasattr(tf,'placeholder'), hasattr(tf,'function'), hasattr(tf, 'mul'))
import tensorflow.compat.v1 as tf1
print(tf1 is tf, tf1.placeholder is tf.placeholder)
from tensorflow.python.framework import ops
print(ops.get_default_graph() is tf.get_default_graph())
tf.logging.set_verbosity(tf.logging.ERROR)
print(tf.resource_variables_enabled(), tf.executing_eagerly(), tf.control_flow_v2_enabled())
x = tf.placeholder(tf.float32, [None])
print(x.shape, x.shape[0], x.get_shape().as_list())
