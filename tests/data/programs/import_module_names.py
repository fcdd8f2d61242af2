import tensorflow as tf

print(tf.__name__, tf.math.__name__, tf.nn.__name__, tf.compat.v1.__name__)
print(tf.compat.__name__, tf.config.experimental.__name__, tf.compat.v1.nn.__name__)
print(tf.errors.__name__, tf.random.__name__, tf.io.gfile.__name__, tf.compat.v1.logging.__name__)
print(tf.test.__name__, tf.raw_ops.__name__, tf.linalg.__name__, tf.version.__name__)
print(type(tf).__name__, type(tf.math).__name__)
import sys
print('tensorflow' in sys.modules, sys.modules['tensorflow'] is tf)
print(tf.__version__, tf.version.VERSION, tf.compat.v1.VERSION, tf.compat.v1.__version__)
print(tf.reduce_sum.__name__, tf.nn.relu.__name__, tf.constant.__name__, tf.math.add.__name__)
