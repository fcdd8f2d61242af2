import tensorflow.compat.v2 as tf
import tensorflow.compat.v1 as tf1
from tensorflow.compat import v1, v2

tf.compat.v1.enable_v2_behavior()
print(tf is v2, tf1 is v1, tf.__name__, tf1.__name__)
print(tf.constant(1), tf1.constant(2), tf.__version__)
print(tf.reduce_sum([[1, 2]], axis=1), tf1.reduce_sum([[1, 2]], reduction_indices=[1]))
print(tf.compat.v1.Session, tf.math.add(1, 2))
print(hasattr(tf, 'Session'), hasattr(tf1, 'Session'), hasattr(tf, 'compat'))
