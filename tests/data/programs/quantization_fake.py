import numpy as np
import tensorflow as tf

x = tf.constant([[-7.0, -1.23], [0.4, 5.0]])
print(tf.quantization.fake_quant_with_min_max_args(x, min=-2, max=3).numpy())
print(tf.quantization.fake_quant_with_min_max_vars(x, -1.0, 1.5, num_bits=4, narrow_range=True).numpy())
print(tf.quantization.fake_quant_with_min_max_vars_per_channel(x, [-1.0, 0.0], [2.0, 6.0]).numpy())


@tf.function
def rounded(value):
    return tf.quantization.fake_quant_with_min_max_vars(value, 0.0, 6.0)


print(rounded(x).numpy(), rounded(x).shape)
try:
    tf.quantization.fake_quant_with_min_max_args(x, min=2, max=1)
except tf.errors.InvalidArgumentError as error:
    print(str(error).split('}} ')[1].split(' [Op')[0])
