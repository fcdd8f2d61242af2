"""more_layers.py - tf.contrib.layers, the rest: separable and other convolutions, normalisations of examples, shapes."""

from __future__ import annotations

from typing import Any

from berth._contrib.arguments import add_arg_scope
from berth._contrib.layers import _check_format, _collect, _finished, _getter, _named, _order, _pool, xavier_initializer
from berth._contrib.variables import model_variable
from berth._layers import convolutional, pooling
from berth.framework import convert, dtypes, scopes
from berth.ops import array_ops, conv_ops, init_ops, math_ops, nn_ops, pool_ops, reduce_ops
from berth.variables.scope import variable_scope

_ZEROS = init_ops.zeros_initializer()


def _two(value: Any) -> list[int]:
    """Returns a number twice, or the two that are given."""
    if isinstance(value, int):
        return [value, value]
    if len(value) != 2:
        raise ValueError('Must be a list with 2 elements: %s' % value)
    return [int(value[0]), int(value[1])]


def _keys(collections: Any, name: str) -> Any:
    return collections.get(name) if isinstance(collections, dict) else collections


# ---- Convolutions ----


@add_arg_scope
def separable_convolution2d(inputs: Any, num_outputs: Any, kernel_size: Any, depth_multiplier: int = 1, stride: Any = 1,
                            padding: Any = 'SAME', data_format: Any = 'NHWC', rate: Any = 1,
                            activation_fn: Any = nn_ops.relu, normalizer_fn: Any = None, normalizer_params: Any = None,
                            weights_initializer: Any = xavier_initializer(), pointwise_initializer: Any = None,
                            weights_regularizer: Any = None, biases_initializer: Any = _ZEROS,
                            biases_regularizer: Any = None, reuse: Any = None, variables_collections: Any = None,
                            outputs_collections: Any = None, trainable: bool = True, scope: Any = None) -> Any:
    """Convolves each channel by itself and then, unless |num_outputs| is None, the channels at each place."""
    _check_format(data_format)
    getter = _getter({'bias': 'biases', 'depthwise_kernel': 'depthwise_weights',
                      'pointwise_kernel': 'pointwise_weights'})
    with variable_scope(scope, 'SeparableConv2d', [inputs], reuse=reuse, custom_getter=getter) as opened:
        inputs = convert.convert_to_tensor(inputs)
        if num_outputs is None:
            outputs = _depthwise(inputs, _two(kernel_size), depth_multiplier, _two(stride), padding, data_format,
                                 _two(rate), weights_initializer, weights_regularizer,
                                 None if normalizer_fn else biases_initializer, biases_regularizer,
                                 variables_collections, trainable)
        else:
            layer = convolutional.SeparableConv2D(
                num_outputs, kernel_size, _two(stride), padding, _order(data_format), _two(rate), depth_multiplier,
                None, not normalizer_fn and bool(biases_initializer), weights_initializer,
                weights_initializer if pointwise_initializer is None else pointwise_initializer, biases_initializer,
                weights_regularizer, weights_regularizer, biases_regularizer, trainable=trainable, name=opened.name,
                dtype=inputs.dtype.base_dtype, _scope=opened, _reuse=reuse)
            outputs = layer(inputs)
            _collect(layer.depthwise_kernel, variables_collections, 'weights')
            _collect(layer.pointwise_kernel, variables_collections, 'weights')
            if layer.bias is not None:
                _collect(layer.bias, variables_collections, 'biases')
        return _named(outputs_collections, opened.name,
                      _finished(outputs, normalizer_fn, normalizer_params, activation_fn))


separable_conv2d = separable_convolution2d


def _depthwise(inputs: Any, kernel: list[int], multiplier: int, stride: list[int], padding: Any, data_format: str,
               rate: list[int], initializer: Any, regularizer: Any, biases_initializer: Any, biases_regularizer: Any,
               collections: Any, trainable: bool) -> Any:
    """Convolves each channel by itself, and adds a bias."""
    is_first, dtype = data_format == 'NCHW', inputs.dtype.base_dtype
    channels = inputs.shape.as_list()[1 if is_first else 3]
    weights = model_variable('depthwise_weights', [*kernel, channels, multiplier], dtype, initializer, regularizer,
                             trainable, _keys(collections, 'weights'))
    strides = [1, 1, *stride] if is_first else [1, *stride, 1]
    outputs = conv_ops.depthwise_conv2d(inputs, weights, strides, padding, rate=rate, data_format=data_format)
    if biases_initializer is None:
        return outputs
    biases = model_variable('biases', [multiplier * channels], dtype, biases_initializer, biases_regularizer, trainable,
                            _keys(collections, 'biases'))
    return nn_ops.bias_add(outputs, biases, data_format=data_format)


@add_arg_scope
def convolution2d_in_plane(inputs: Any, kernel_size: Any, stride: Any = 1, padding: Any = 'SAME',
                           activation_fn: Any = nn_ops.relu, normalizer_fn: Any = None, normalizer_params: Any = None,
                           weights_initializer: Any = xavier_initializer(), weights_regularizer: Any = None,
                           biases_initializer: Any = _ZEROS, biases_regularizer: Any = None, reuse: Any = None,
                           variables_collections: Any = None, outputs_collections: Any = None, trainable: bool = True,
                           scope: Any = None) -> Any:
    """Convolves all channels with the same filter."""
    with variable_scope(scope, 'ConvInPlane', [inputs], reuse=reuse) as opened:
        inputs = convert.convert_to_tensor(inputs)
        dtype, channels = inputs.dtype.base_dtype, inputs.shape.as_list()[3]
        weights = model_variable('weights', [*_two(kernel_size), 1, 1], dtype, weights_initializer, weights_regularizer,
                                 trainable, _keys(variables_collections, 'weights'))
        outputs = conv_ops.depthwise_conv2d(inputs, array_ops.tile(weights, [1, 1, channels, 1]),
                                            [1, *_two(stride), 1], padding)
        if normalizer_fn is None and biases_initializer is not None:
            biases = model_variable('biases', [channels], dtype, biases_initializer, biases_regularizer, trainable,
                                    _keys(variables_collections, 'biases'))
            outputs = nn_ops.bias_add(outputs, biases)
        return _named(outputs_collections, opened.name,
                      _finished(outputs, normalizer_fn, normalizer_params, activation_fn))


conv2d_in_plane = convolution2d_in_plane


@add_arg_scope
def convolution3d_transpose(inputs: Any, num_outputs: int, kernel_size: Any, stride: Any = 1, padding: Any = 'SAME',
                            data_format: Any = 'NDHWC', activation_fn: Any = nn_ops.relu, normalizer_fn: Any = None,
                            normalizer_params: Any = None, weights_initializer: Any = xavier_initializer(),
                            weights_regularizer: Any = None, biases_initializer: Any = _ZEROS,
                            biases_regularizer: Any = None, reuse: Any = None, variables_collections: Any = None,
                            outputs_collections: Any = None, trainable: bool = True, scope: Any = None) -> Any:
    """Convolves volumes backwards, adds a bias or normalises, and activates."""
    if data_format not in ('NCDHW', 'NDHWC'):
        raise ValueError('data_format has to be either NCDHW or NDHWC.')
    getter = _getter({'bias': 'biases', 'kernel': 'weights'})
    with variable_scope(scope, 'Conv3d_transpose', [inputs], reuse=reuse, custom_getter=getter) as opened:
        inputs = convert.convert_to_tensor(inputs)
        layer = convolutional.Conv3DTranspose(
            num_outputs, kernel_size, stride, padding, _order(data_format), None,
            not normalizer_fn and bool(biases_initializer), weights_initializer, biases_initializer,
            weights_regularizer, biases_regularizer, trainable=trainable, name=opened.name,
            dtype=inputs.dtype.base_dtype, _scope=opened, _reuse=reuse)
        outputs = layer(inputs)
        _collect(layer.kernel, variables_collections, 'weights')
        if layer.bias is not None:
            _collect(layer.bias, variables_collections, 'biases')
        return _named(outputs_collections, opened.name,
                      _finished(outputs, normalizer_fn, normalizer_params, activation_fn))


conv3d_transpose = convolution3d_transpose


# ---- Pooling ----


def _pool3d(kind: Any, default: str, inputs: Any, kernel_size: Any, stride: Any, padding: Any, data_format: Any,
            outputs_collections: Any, scope: Any) -> Any:
    if data_format not in ('NCDHW', 'NDHWC'):
        raise ValueError('data_format has to be either NCDHW or NDHWC.')
    order = 'NCHW' if data_format == 'NCDHW' else 'NHWC'
    return _pool(kind, default, inputs, kernel_size, stride, padding, order, outputs_collections, scope)


@add_arg_scope
def max_pool3d(inputs: Any, kernel_size: Any, stride: Any = 2, padding: Any = 'VALID', data_format: Any = 'NDHWC',
               outputs_collections: Any = None, scope: Any = None) -> Any:
    """Takes the largest of windows of volumes."""
    return _pool3d(pooling.MaxPooling3D, 'MaxPool3D', inputs, kernel_size, stride, padding, data_format,
                   outputs_collections, scope)


@add_arg_scope
def avg_pool3d(inputs: Any, kernel_size: Any, stride: Any = 2, padding: Any = 'VALID', data_format: Any = 'NDHWC',
               outputs_collections: Any = None, scope: Any = None) -> Any:
    """Takes the mean of windows of volumes."""
    return _pool3d(pooling.AveragePooling3D, 'AvgPool3D', inputs, kernel_size, stride, padding, data_format,
                   outputs_collections, scope)


@add_arg_scope
def pool(inputs: Any, kernel_size: Any, pooling_type: str, padding: Any = 'VALID', data_format: Any = None,
         dilation_rate: Any = 1, stride: Any = 1, outputs_collections: Any = None, scope: Any = None) -> Any:
    """Takes the largest or the mean of windows of however many dimensions."""
    with scopes.name_scope(scope, f'{pooling_type.lower()}_pool', [inputs]) as opened:
        inputs = convert.convert_to_tensor(inputs)
        rank = inputs.shape.rank
        if rank is None:
            raise ValueError('Rank of inputs must be known')
        if rank < 3:
            raise ValueError('Rank of inputs must be >= 3')
        window, rates, strides = ([x] * (rank - 2) if isinstance(x, int) else list(x)
                                  for x in (kernel_size, dilation_rate, stride))
        outputs = pool_ops.pool(inputs, window, pooling_type, padding, rates, strides, data_format=data_format)
        return _named(outputs_collections, opened, outputs)


# ---- Normalisations of each example ----


def _beta_and_gamma(shape: Any, dtype: Any, center: bool, scale: bool, initializers: Any, collections: Any,
                    trainable: bool) -> list[Any]:
    """Makes the offset and the factor, each where it is wanted."""
    starts = initializers or {}
    return [model_variable(name, shape, dtype, starts.get(name, start), collections=_keys(collections, name),
                           trainable=trainable) if is_wanted else None
            for name, is_wanted, start in (('beta', center, _ZEROS), ('gamma', scale, init_ops.ones_initializer()))]


@add_arg_scope
def instance_norm(inputs: Any, center: bool = True, scale: bool = True, epsilon: float = 1e-6, activation_fn: Any = None,
                  param_initializers: Any = None, reuse: Any = None, variables_collections: Any = None,
                  outputs_collections: Any = None, trainable: bool = True, data_format: Any = 'NHWC',
                  scope: Any = None) -> Any:
    """Normalises each channel of each example."""
    inputs = convert.convert_to_tensor(inputs)
    rank = inputs.shape.rank
    if rank is None:
        raise ValueError(f'Inputs {inputs.name} has undefined rank.')
    _check_format(data_format)
    with variable_scope(scope, 'InstanceNorm', [inputs], reuse=reuse) as opened:
        axis = 1 if data_format == 'NCHW' else rank - 1
        channels = inputs.shape.as_list()[axis]
        if channels is None:
            raise ValueError(f'Inputs {inputs.name} has undefined channels dimension {inputs.shape}.')
        parts = _beta_and_gamma([channels], inputs.dtype.base_dtype, center, scale, param_initializers,
                                variables_collections, trainable)
        if data_format == 'NCHW':
            parts = [None if part is None else array_ops.reshape(part, [1, channels] + [1] * (rank - 2))
                     for part in parts]
        mean, variance = nn_ops.moments(inputs, [i for i in range(1, rank) if i != axis], keep_dims=True)
        outputs = nn_ops.batch_normalization(inputs, mean, variance, parts[0], parts[1], epsilon, name='instancenorm')
        outputs.set_shape(inputs.shape)
        return _named(outputs_collections, opened.name, outputs if activation_fn is None else activation_fn(outputs))


@add_arg_scope
def group_norm(inputs: Any, groups: int = 32, channels_axis: int = -1, reduction_axes: Any = (-3, -2),
               center: bool = True, scale: bool = True, epsilon: float = 1e-6, activation_fn: Any = None,
               param_initializers: Any = None, reuse: Any = None, variables_collections: Any = None,
               outputs_collections: Any = None, trainable: bool = True, scope: Any = None,
               mean_close_to_zero: bool = False) -> Any:
    """Normalises groups of channels of each example."""
    inputs = convert.convert_to_tensor(inputs)
    rank = inputs.shape.rank
    if rank is None:
        raise ValueError(f'Inputs {inputs.name} has undefined rank.')
    axis = channels_axis % rank
    others = sorted(i % rank for i in reduction_axes)
    if axis in others:
        raise ValueError('Must reduce over the channels axis only within groups: '
                         f'{channels_axis} is in reduction_axes {tuple(reduction_axes)}')
    channels = inputs.shape.as_list()[axis]
    if channels is None:
        raise ValueError(f'Inputs {inputs.name} has undefined channel dimension: {inputs.shape}.')
    if groups > channels:
        raise ValueError(f'Invalid groups {groups} for {channels} channels.')
    if channels % groups:
        raise ValueError(f'{channels} channels is not commensurate with {groups} groups.')
    with variable_scope(scope, 'GroupNorm', [inputs], reuse=reuse) as opened:
        whole, wide = array_ops.shape(inputs), [1] * rank
        grouped = array_ops.reshape(inputs, array_ops.concat(
            [whole[:axis], [groups, channels // groups], whole[axis + 1:]], 0))
        wide[axis:axis + 1] = [groups, channels // groups]
        parts = [None if part is None else array_ops.reshape(part, wide) for part in _beta_and_gamma(
            [channels], inputs.dtype.base_dtype, center, scale, param_initializers, variables_collections, trainable)]
        # Within a group all is reduced: its channels, which are an axis of their own now, too.
        reduced = [i + (i > axis) for i in others] + [axis + 1]
        if mean_close_to_zero:
            mean = reduce_ops.reduce_mean(grouped, reduced, keepdims=True)
            variance = reduce_ops.reduce_mean(math_ops.square(grouped), reduced, keepdims=True) - math_ops.square(mean)
        else:
            mean, variance = nn_ops.moments(grouped, reduced, keep_dims=True)
        outputs = nn_ops.batch_normalization(grouped, mean, variance, parts[0], parts[1], epsilon)
        outputs = array_ops.reshape(outputs, whole)
        outputs.set_shape(inputs.shape)
        return _named(outputs_collections, opened.name, outputs if activation_fn is None else activation_fn(outputs))


# ---- Shapes and activations ----


@add_arg_scope
def softmax(logits: Any, scope: Any = None) -> Any:
    """Makes the last dimension of a tensor of any rank add up to one."""
    with variable_scope(scope, 'softmax', [logits]):
        logits = convert.convert_to_tensor(logits)
        outputs = nn_ops.softmax(array_ops.reshape(logits, [-1, logits.shape.as_list()[-1]]))
        outputs = array_ops.reshape(outputs, array_ops.shape(logits))
        outputs.set_shape(logits.shape)
        return outputs


@add_arg_scope
def maxout(inputs: Any, num_units: int, axis: int = -1, scope: Any = None) -> Any:
    """Takes the largest of each group of features."""
    with scopes.name_scope(scope, 'MaxOut', [inputs]):
        inputs = convert.convert_to_tensor(inputs)
        sizes = inputs.shape.as_list()
        axis %= len(sizes)
        if sizes[axis] % num_units:
            raise ValueError(f'number of features({sizes[axis]}) is not a multiple of num_units({num_units})')
        found = array_ops.shape(inputs)
        shape = array_ops.concat([found[:axis], [num_units, sizes[axis] // num_units], found[axis + 1:]], 0)
        outputs = reduce_ops.reduce_max(array_ops.reshape(inputs, shape), axis + 1)
        outputs.set_shape([*sizes[:axis], num_units, *sizes[axis + 1:]])
        return outputs


@add_arg_scope
def spatial_softmax(features: Any, temperature: Any = None, name: Any = None, variables_collections: Any = None,
                    trainable: bool = True, data_format: str = 'NHWC') -> Any:
    """Returns where, on average, each channel is large: x and y from -1 to 1 for each."""
    _check_format(data_format)
    with variable_scope(name, 'spatial_softmax'):
        features = convert.convert_to_tensor(features)
        if data_format == 'NHWC':
            features = array_ops.transpose(features, [0, 3, 1, 2])
        channels, height, width = features.shape.as_list()[1:]
        if temperature is None:
            temperature = model_variable('temperature', [], dtypes.float32, init_ops.ones_initializer(),
                                         trainable=trainable, collections=_keys(variables_collections, 'temperature'))
        flat = array_ops.reshape(features, [-1, height * width])
        attention = nn_ops.softmax(flat / temperature)
        x, y = array_ops.meshgrid(math_ops.linspace(-1.0, 1.0, num=width), math_ops.linspace(-1.0, 1.0, num=height))
        places = [reduce_ops.reduce_sum(attention * array_ops.reshape(each, [1, height * width]), 1, keepdims=True)
                  for each in (x, y)]
        return array_ops.reshape(array_ops.concat(places, 1), [-1, channels * 2])


@add_arg_scope
def images_to_sequence(inputs: Any, data_format: str = 'NHWC', outputs_collections: Any = None,
                       scope: Any = None) -> Any:
    """Makes steps of columns: [width, batch * height, depth]."""
    _check_format(data_format)
    with scopes.name_scope(scope, 'ImagesToSequence', [inputs]) as opened:
        inputs = convert.convert_to_tensor(inputs)
        if data_format == 'NCHW':
            inputs = array_ops.transpose(inputs, [0, 2, 3, 1])
        _, _, width, depth = inputs.shape.as_list()
        shape = array_ops.shape(inputs)
        outputs = array_ops.transpose(array_ops.reshape(inputs, [shape[0] * shape[1], shape[2], depth]), [1, 0, 2])
        outputs.set_shape([width, None, depth])
        return _named(outputs_collections, opened, outputs)


@add_arg_scope
def sequence_to_images(inputs: Any, height: int, output_data_format: str = 'channels_last',
                       outputs_collections: Any = None, scope: Any = None) -> Any:
    """Makes images of steps that are columns."""
    with scopes.name_scope(scope, 'SequenceToImages', [inputs]) as opened:
        inputs = convert.convert_to_tensor(inputs)
        width, _, depth = inputs.shape.as_list()
        count = array_ops.shape(inputs)[0] if width is None else width
        outputs = array_ops.reshape(array_ops.transpose(inputs, [1, 0, 2]), [-1, height, count, depth])
        if output_data_format == 'channels_first':
            outputs = array_ops.transpose(outputs, [0, 3, 1, 2])
        return _named(outputs_collections, opened, outputs)


@add_arg_scope
def bow_encoder(ids: Any, vocab_size: int, embed_dim: int, sparse_lookup: bool = True, initializer: Any = None,
                regularizer: Any = None, trainable: bool = True, scope: Any = None, reuse: Any = None) -> Any:
    """Returns the mean of the rows of the words of each example."""
    from berth.ops import embedding_ops
    from berth.ops.sparse_tensor import SparseTensor

    with variable_scope(scope, 'bow_encoder', [ids], reuse=reuse):
        table = model_variable('embeddings', [vocab_size, embed_dim], None, initializer, regularizer, trainable)
        if isinstance(ids, SparseTensor):
            return embedding_ops.safe_embedding_lookup_sparse([table], ids, combiner='mean', default_id=0)
        if not sparse_lookup:
            return reduce_ops.reduce_mean(embedding_ops.embedding_lookup(table, ids), 1)
        return embedding_ops.safe_embedding_lookup_sparse([table], _dense_to_sparse(ids, -1), combiner='mean',
                                                          default_id=0)


def _dense_to_sparse(tensor: Any, left_out: Any) -> Any:
    """Returns the elements that are not |left_out|."""
    from berth.ops.sparse_tensor import SparseTensor

    tensor = convert.convert_to_tensor(tensor)
    where = array_ops.where(math_ops.not_equal(tensor, convert.constant(left_out, tensor.dtype)))
    return SparseTensor(where, array_ops.gather_nd(tensor, where), array_ops.shape(tensor, out_type=dtypes.int64))


@add_arg_scope
def dense_to_sparse(tensor: Any, eos_token: Any = 0, outputs_collections: Any = None, scope: Any = None) -> Any:
    """Returns the elements that do not say that a row is over."""
    with variable_scope(scope, 'dense_to_sparse', [tensor]) as opened:
        return _named(outputs_collections, opened.name, _dense_to_sparse(tensor, eos_token))
