import tensorflow as tf
from tensorflow.compat.v1 import ConfigProto
from tensorflow.compat.v1 import InteractiveSession

config = ConfigProto()
config.gpu_options.allow_growth = True
session = InteractiveSession(config=config)

x = tf.constant([1., 2.])
print(x, tf.executing_eagerly())
print(float(tf.reduce_sum(x)), (x * 3).numpy())
v = tf.Variable(4)
v.assign_add(1)
print(v)
print(tf.compat.v1.get_default_session() is session)
session.close()
