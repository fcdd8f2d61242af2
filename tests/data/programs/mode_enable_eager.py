import tensorflow as tf

tf.compat.v1.enable_eager_execution()
print(tf.executing_eagerly(), tf.constant(1))
tf.compat.v1.enable_v2_behavior()
print(tf.executing_eagerly())
try:
    tf.compat.v1.enable_eager_execution(config='growth')
except TypeError as error:
    print(error)
with tf.Graph().as_default():
    print(tf.executing_eagerly(), tf.compat.v1.executing_eagerly_outside_functions())
    with tf.init_scope():
        print(tf.executing_eagerly())


@tf.function
def f():
    print(tf.executing_eagerly(), tf.compat.v1.executing_eagerly_outside_functions())


f()
