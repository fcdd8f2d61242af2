import tensorflow as tf
tf.compat.v1.disable_eager_execution()

tf.constant(1, name='a')
try:
    tf.compat.v1.enable_eager_execution()
except ValueError as error:
    print(error)
tf.compat.v1.reset_default_graph()
tf.compat.v1.enable_eager_execution()
print(tf.constant(1))
