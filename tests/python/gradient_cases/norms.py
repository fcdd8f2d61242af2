"""Batch normalization, of images in each order of axes, trained and frozen."""


def _norm(version='V3', is_training=True, data_format='NHWC', dtype='float32', shape=(2, 3, 3, 4), channels=4):
    def case(tf, x):
        a, s, b = x(list(shape), 1, dtype=dtype), x([channels], 2, 0.5, 1.5), x([channels], 3)
        moments = tf.constant([], 'float32'), tf.constant([], 'float32')
        if not is_training:
            moments = tf.linspace(0.1, 0.3, channels), tf.linspace(0.5, 1.5, channels)
        op = getattr(tf.raw_ops, f'FusedBatchNorm{version}')
        y = op(x=a, scale=s, offset=b, mean=moments[0], variance=moments[1], epsilon=0.01, data_format=data_format,
               is_training=is_training)
        return y[0], [a, s, b]
    return case


def _grad(version='V3', is_training=True, data_format='NHWC', shape=(2, 3, 3, 4), channels=4, dtype='float32'):
    def case(tf, x):
        d, a, s = x(list(shape), 1, dtype=dtype), x(list(shape), 2, dtype=dtype), x([channels], 3, 0.5, 1.5)
        values = a if dtype == 'float32' else tf.cast(a, 'float32')
        axes = [i for i in range(len(shape)) if data_format[i] != 'C']
        mean, variance = tf.nn.moments(tf.stop_gradient(values), axes)
        more = {'reserve_space_3': tf.constant([0.0])} if version == 'V3' else {}
        op = getattr(tf.raw_ops, f'FusedBatchNormGrad{version}')
        made = op(y_backprop=d, x=a, scale=s, reserve_space_1=mean, reserve_space_2=variance, epsilon=0.01,
                  data_format=data_format, is_training=is_training, **more)
        return [made[0], made[1], made[2]], [d, a, s]
    return case


CASES = {
    'batch_norm': _norm(),
    'batch_norm_v1': _norm(''),
    'batch_norm_v2': _norm('V2'),
    'batch_norm_half': _norm(dtype='float16'),
    'batch_norm_frozen': _norm(is_training=False),
    'batch_norm_frozen_v1': _norm('', is_training=False),
    'batch_norm_grad': _grad(),
    'batch_norm_grad_v1': _grad(''),
    'batch_norm_grad_v2': _grad('V2'),
    'batch_norm_grad_half': _grad(dtype='float16'),
    'batch_norm_grad_frozen': _grad(is_training=False),
}
RENAMED = tuple(CASES)
# TensorFlow's third gradients take the mean for constant.
ONCE = tuple(name for name in CASES if '_grad' in name)
ROUGH = ('batch_norm_grad_frozen',)
