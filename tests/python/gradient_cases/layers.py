"""Convolutions, pools, activations, biases, norms and losses."""


def _conv2d(strides, padding, shape=(2, 5, 6, 3), dtype='float32'):
    def case(tf, x):
        a, w = x(list(shape), 1, dtype=dtype), x([3, 2, 3, 4], 2, dtype=dtype)
        return tf.nn.conv2d(a, w, [1, *strides, 1], padding), [a, w]
    return case


def _conv2d_transpose(tf, x):
    a, w = x([1, 3, 3, 2], 1), x([2, 2, 4, 2], 2)
    return tf.nn.conv2d_transpose(a, w, [1, 6, 6, 4], 2), [a, w]


def _conv2d_filter(tf, x):
    a, d = x([1, 4, 4, 2], 1), x([1, 3, 3, 3], 2)
    op = tf.raw_ops.Conv2DBackpropFilter
    return op(input=a, filter_sizes=[2, 2, 2, 3], out_backprop=d, strides=[1, 1, 1, 1], padding='VALID'), [a, d]


def _depthwise(padding, strides=1):
    def case(tf, x):
        a, w = x([2, 4, 4, 3], 1), x([2, 2, 3, 2], 2)
        return tf.nn.depthwise_conv2d(a, w, [1, strides, strides, 1], padding), [a, w]
    return case


def _depthwise_input(tf, x):
    w, d = x([2, 2, 3, 2], 1), x([1, 4, 4, 6], 2)
    op = tf.raw_ops.DepthwiseConv2dNativeBackpropInput
    return op(input_sizes=[1, 4, 4, 3], filter=w, out_backprop=d, strides=[1, 1, 1, 1], padding='SAME'), [w, d]


def _depthwise_filter(tf, x):
    a, d = x([1, 4, 4, 3], 1), x([1, 4, 4, 6], 2)
    op = tf.raw_ops.DepthwiseConv2dNativeBackpropFilter
    return op(input=a, filter_sizes=[2, 2, 3, 2], out_backprop=d, strides=[1, 1, 1, 1], padding='SAME'), [a, d]


def _conv3d(tf, x):
    a, w = x([1, 3, 4, 4, 2], 1), x([2, 2, 2, 2, 3], 2)
    return tf.nn.conv3d(a, w, [1, 1, 2, 1, 1], 'SAME'), [a, w]


def _conv3d_transpose(tf, x):
    a, w = x([1, 2, 2, 2, 3], 1), x([2, 2, 2, 2, 3], 2)
    return tf.nn.conv3d_transpose(a, w, [1, 4, 4, 4, 2], 2), [a, w]


def _conv3d_filter(tf, x):
    a, d = x([1, 3, 3, 3, 2], 1), x([1, 2, 2, 2, 3], 2)
    op = tf.raw_ops.Conv3DBackpropFilterV2
    return op(input=a, filter_sizes=[2, 2, 2, 2, 3], out_backprop=d, strides=[1] * 5, padding='VALID'), [a, d]


def _dilation(tf, x):
    a, w = x([1, 5, 5, 2], 1), x([2, 2, 2], 2)
    return tf.nn.dilation2d(a, w, [1, 1, 1, 1], 'SAME', 'NHWC', [1, 1, 1, 1]), [a, w]


def _pool(kind, size=2, strides=2, padding='SAME', dtype='float32'):
    def case(tf, x):
        a = x([2, 5, 5, 3], 1, dtype=dtype)
        return getattr(tf.nn, kind)(a, size, strides, padding), [a]
    return case


def _pool3d(kind):
    def case(tf, x):
        a = x([1, 4, 4, 4, 2], 1)
        return getattr(tf.nn, kind)(a, 2, 2, 'VALID'), [a]
    return case


def _pool_v2(tf, x):
    a = x([1, 4, 4, 2], 1)
    y = tf.raw_ops.MaxPoolV2(input=a, ksize=tf.constant([1, 2, 2, 1]), strides=tf.constant([1, 2, 2, 1]), padding='SAME')
    return y, [a]


def _pool_argmax(tf, x):
    a = x([2, 4, 4, 2], 1)
    y, _ = tf.nn.max_pool_with_argmax(a, 2, 2, 'SAME')
    return y, [a]


def _lrn(tf, x):
    a = x([1, 3, 3, 8], 1)
    return tf.nn.lrn(a, 4, bias=1.0, alpha=0.001 / 9.0, beta=0.75), [a]


def _one(op, low=-2.0, high=2.0, dtype='float32', shape=(3, 4)):
    def case(tf, x):
        a = x(list(shape), 1, low, high, dtype)
        return op(tf)(a), [a]
    return case


def _bias(dtype='float32'):
    def case(tf, x):
        a, b = x([2, 3, 3, 4], 1, dtype=dtype), x([4], 2, dtype=dtype)
        return tf.nn.bias_add(a, b), [a, b]
    return case


def _bias_first_twice(tf, x):
    d = x([2, 4, 3, 3], 1)
    y = tf.raw_ops.BiasAddGrad(out_backprop=d, data_format='NCHW')
    return y, [d]


def _bias_v1(tf, x):
    a, b = x([2, 3, 4], 1), x([4], 2)
    return tf.raw_ops.BiasAddV1(value=a, bias=b), [a, b]


def _softmax_xent(tf, x):
    a, p = x([3, 4], 1, -2, 2), x([3, 4], 2, 0, 1)
    return tf.nn.softmax_cross_entropy_with_logits(labels=p, logits=a), [a, p]


def _softmax_xent_v1(tf, x):
    a, p = x([3, 4], 1, -2, 2), x([3, 4], 2, 0, 1)
    return tf.compat.v1.nn.softmax_cross_entropy_with_logits(labels=p, logits=a), [a, p]


def _sparse_xent(tf, x):
    a = x([3, 4], 1, -2, 2)
    return tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[0, 2, 3], logits=a), [a]


def _ctc(tf, x):
    a = x([4, 2, 3], 1, -2, 2)
    labels = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], tf.constant([0, 1, 1], 'int32'), [2, 2])
    return tf.compat.v1.nn.ctc_loss(labels, a, [4, 3]), [a]


CASES = {
    'conv2d': _conv2d((1, 1), 'SAME'),
    'conv2d_strides': _conv2d((2, 1), 'VALID'),
    'conv2d_explicit': _conv2d((1, 2), [[0, 0], [1, 2], [0, 1], [0, 0]]),
    'conv2d_half': _conv2d((1, 1), 'SAME', dtype='float16'),
    'conv2d_double': _conv2d((1, 1), 'SAME', dtype='float64'),
    'conv2d_empty': _conv2d((1, 1), 'SAME', shape=(0, 5, 6, 3)),
    'conv2d_transpose': _conv2d_transpose,
    'conv2d_filter': _conv2d_filter,
    'depthwise': _depthwise('SAME'),
    'depthwise_valid': _depthwise('VALID', 2),
    'depthwise_input': _depthwise_input,
    'depthwise_filter': _depthwise_filter,
    'conv3d': _conv3d,
    'conv3d_transpose': _conv3d_transpose,
    'conv3d_filter': _conv3d_filter,
    'dilation2d': _dilation,
    'max_pool': _pool('max_pool2d', 3, 2),
    'max_pool_valid': _pool('max_pool2d', 2, 1, 'VALID'),
    'max_pool_half': _pool('max_pool2d', 2, 2, 'VALID', 'float16'),
    'max_pool_double': _pool('max_pool2d', 2, 2, 'VALID', 'float64'),
    'max_pool_explicit': _pool('max_pool2d', 2, 2, [[0, 0], [1, 0], [0, 1], [0, 0]]),
    'avg_pool': _pool('avg_pool2d', 3, 2),
    'avg_pool_valid': _pool('avg_pool2d', 2, 1, 'VALID'),
    'max_pool3d': _pool3d('max_pool3d'),
    'avg_pool3d': _pool3d('avg_pool3d'),
    'max_pool_v2': _pool_v2,
    'max_pool_argmax': _pool_argmax,
    'lrn': _lrn,
    'relu': _one(lambda tf: tf.nn.relu),
    'relu_half': _one(lambda tf: tf.nn.relu, dtype='float16'),
    'relu_bfloat16': _one(lambda tf: tf.nn.relu, dtype='bfloat16'),
    'relu_double': _one(lambda tf: tf.nn.relu, dtype='float64'),
    'relu_empty': _one(lambda tf: tf.nn.relu, shape=(0, 3)),
    'elu_double': _one(lambda tf: tf.nn.elu, dtype='float64'),
    'softplus_half': _one(lambda tf: tf.nn.softplus, dtype='float16'),
    'softmax_half': _one(lambda tf: tf.nn.softmax, dtype='float16'),
    'softmax_bfloat16': _one(lambda tf: tf.nn.softmax, dtype='bfloat16'),
    'softmax_empty': _one(lambda tf: tf.nn.softmax, shape=(0, 3)),
    'log_softmax_three': _one(lambda tf: tf.nn.log_softmax, shape=(2, 2, 3)),
    'relu6': _one(lambda tf: tf.nn.relu6, -3, 9),
    'leaky_relu': _one(lambda tf: lambda a: tf.nn.leaky_relu(a, 0.3)),
    'elu': _one(lambda tf: tf.nn.elu),
    'selu': _one(lambda tf: tf.nn.selu),
    'softplus': _one(lambda tf: tf.nn.softplus),
    'softsign': _one(lambda tf: tf.nn.softsign),
    'softmax': _one(lambda tf: lambda a: tf.nn.softmax(a) * a),
    'softmax_double': _one(lambda tf: tf.nn.softmax, dtype='float64'),
    'log_softmax': _one(lambda tf: lambda a: tf.nn.log_softmax(a) * a),
    'l2_loss': _one(lambda tf: tf.nn.l2_loss),
    'softplus_grad': _one(lambda tf: lambda a: tf.raw_ops.SoftplusGrad(gradients=a, features=a * 2)),
    'bias_add': _bias(),
    'bias_add_double': _bias('float64'),
    'bias_add_bfloat16': _bias('bfloat16'),
    'bias_add_grad_first': _bias_first_twice,
    'bias_add_v1': _bias_v1,
    'softmax_xent': _softmax_xent,
    'softmax_xent_v1': _softmax_xent_v1,
    'sparse_xent': _sparse_xent,
    'ctc_loss': _ctc,
}

ONCE = ('max_pool_explicit',)
UNNAMED = ('bias_add_v1',)
ROUGH = ('softmax_xent', 'softmax_xent_v1')  # Their labels are no probabilities.
