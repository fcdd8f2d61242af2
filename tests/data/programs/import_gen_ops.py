from tensorflow.python.ops import gen_math_ops, gen_array_ops, gen_nn_ops
from tensorflow.python.ops.gen_math_ops import mat_mul
import tensorflow as tf

a = tf.constant([[1., 2.], [3., 4.]])
print(gen_math_ops.mat_mul(a, a), mat_mul(a, a, transpose_b=True))
print(gen_array_ops.reshape(a, [4]), gen_math_ops.add_v2(a, 1.0))
print(gen_nn_ops.relu(-a), gen_math_ops.sigmoid(a).shape)
with tf.Graph().as_default():
    print(gen_math_ops.mat_mul(a.numpy(), a.numpy(), name='product'))
print(gen_array_ops.identity(3))
