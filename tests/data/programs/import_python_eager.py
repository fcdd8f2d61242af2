import tensorflow as tf
from tensorflow.python.eager import context, def_function
from tensorflow.python.eager.context import executing_eagerly
from tensorflow.python.eager.def_function import function

print(context.executing_eagerly(), executing_eagerly(), context.context().executing_eagerly())


@def_function.function
def double(x):
    return x * 2


@function
def triple(x):
    return x * 3


print(double(tf.constant(2)), triple(tf.constant([1., 2.])))
with context.graph_mode():
    x = tf.constant(1)
    print(x, context.executing_eagerly())
with context.eager_mode():
    print(tf.constant(2))
print(context.num_gpus(), [d for d in context.context().devices()][0])
