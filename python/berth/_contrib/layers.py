"""layers.py - tf.contrib.layers: layers that open a scope, normalise and activate, and obey arg_scope."""

from __future__ import annotations

import functools
from typing import Any, Callable

from berth._contrib import layer_utils
from berth._contrib.arguments import add_arg_scope
from berth._contrib.variables import model_variable
from berth._layers import convolutional, core, normalization, pooling
from berth.framework import convert, dtypes, scopes
from berth.framework.collections import GraphKeys
from berth.ops import array_ops, init_ops, math_ops, nn_ops, reduce_ops
from berth.variables.scope import variable_scope

_ZEROS = init_ops.zeros_initializer()


# ---- Initialisers ----


def variance_scaling_initializer(factor: float = 2.0, mode: str = 'FAN_IN', uniform: bool = False, seed: Any = None,
                                 dtype: Any = dtypes.float32) -> Any:
    """Returns a function that draws values whose variance goes by the number of inputs or outputs."""
    if mode not in ('FAN_IN', 'FAN_OUT', 'FAN_AVG'):
        raise TypeError('Unknown mode %s [FAN_IN, FAN_OUT, FAN_AVG]', mode)
    return init_ops.variance_scaling_initializer(factor, mode.lower(), 'uniform' if uniform else 'truncated_normal',
                                                 seed, dtype)


def xavier_initializer(uniform: bool = True, seed: Any = None, dtype: Any = dtypes.float32) -> Any:
    """Returns a function that draws values scaled by the mean of inputs and outputs."""
    return variance_scaling_initializer(1.0, 'FAN_AVG', uniform, seed, dtype)


xavier_initializer_conv2d = xavier_initializer


# ---- What layers share ----


def _getter(renamed: dict[str, str] | None = None) -> Callable[..., Any]:
    """Returns a getter of variables that belong to the model, under other names."""
    def wrapper(getter: Any, name: str, *values: Any, **options: Any) -> Any:
        start, slash, last = name.rpartition('/')
        collections = list(options.get('collections') or []) or [GraphKeys.GLOBAL_VARIABLES]
        options['collections'] = list(dict.fromkeys([*collections, GraphKeys.MODEL_VARIABLES]))
        return getter(start + slash + (renamed or {}).get(last, last), *values, **options)

    return wrapper


def _collect(variable: Any, collections: Any, name: str) -> None:
    """Adds a variable to the collections that are given for its name."""
    keys = collections.get(name) if isinstance(collections, dict) else collections
    for key in keys or []:
        if not any(variable is other for other in scopes.get_collection(key)):
            scopes.add_to_collection(key, variable)


_named = layer_utils.collect_named_outputs


def _finished(outputs: Any, normalizer_fn: Any, normalizer_params: Any, activation_fn: Any) -> Any:
    """Normalises, and calls the activation."""
    if normalizer_fn is not None:
        outputs = normalizer_fn(outputs, **(normalizer_params or {}))
    return outputs if activation_fn is None else activation_fn(outputs)


def _order(data_format: Any) -> str:
    return 'channels_first' if data_format and data_format.startswith('NC') else 'channels_last'


def _check_format(data_format: Any) -> None:
    if data_format not in ('NCHW', 'NHWC'):
        raise ValueError('data_format has to be either NCHW or NHWC.')


# ---- Products and convolutions ----


@add_arg_scope
def fully_connected(inputs: Any, num_outputs: int, activation_fn: Any = nn_ops.relu, normalizer_fn: Any = None,
                    normalizer_params: Any = None, weights_initializer: Any = xavier_initializer(),
                    weights_regularizer: Any = None, biases_initializer: Any = _ZEROS, biases_regularizer: Any = None,
                    reuse: Any = None, variables_collections: Any = None, outputs_collections: Any = None,
                    trainable: bool = True, scope: Any = None) -> Any:
    """Multiplies by a matrix, adds a bias or normalises, and activates."""
    if not isinstance(num_outputs, int):
        raise ValueError(f'num_outputs type should be one of {[int]}, got {type(num_outputs)}.')
    getter = _getter({'bias': 'biases', 'kernel': 'weights'})
    with variable_scope(scope, 'fully_connected', [inputs], reuse=reuse, custom_getter=getter) as opened:
        inputs = convert.convert_to_tensor(inputs)
        layer = core.Dense(num_outputs, None, not normalizer_fn and bool(biases_initializer), weights_initializer,
                           biases_initializer, weights_regularizer, biases_regularizer, trainable=trainable,
                           name=opened.name, dtype=inputs.dtype.base_dtype, _scope=opened, _reuse=reuse)
        outputs = layer(inputs)
        _collect(layer.kernel, variables_collections, 'weights')
        if layer.bias is not None:
            _collect(layer.bias, variables_collections, 'biases')
        outputs = _finished(outputs, normalizer_fn, normalizer_params, activation_fn)
        return _named(outputs_collections, opened.name, outputs)


def _conv(rank: Any, public: str) -> Any:
    @add_arg_scope
    @functools.wraps(_convolution)
    def function(inputs: Any, num_outputs: int, kernel_size: Any, stride: Any = 1, padding: Any = 'SAME',
                 data_format: Any = None, rate: Any = 1, activation_fn: Any = nn_ops.relu, normalizer_fn: Any = None,
                 normalizer_params: Any = None, weights_initializer: Any = xavier_initializer(),
                 weights_regularizer: Any = None, biases_initializer: Any = _ZEROS, biases_regularizer: Any = None,
                 reuse: Any = None, variables_collections: Any = None, outputs_collections: Any = None,
                 trainable: bool = True, scope: Any = None) -> Any:
        return _convolution(rank, inputs, num_outputs, kernel_size, stride, padding, data_format, rate, activation_fn,
                            normalizer_fn, normalizer_params, weights_initializer, weights_regularizer,
                            biases_initializer, biases_regularizer, reuse, variables_collections, outputs_collections,
                            trainable, scope)

    function.__name__ = function.__qualname__ = public
    return function


def _convolution(rank: Any, inputs: Any, num_outputs: int, kernel_size: Any, stride: Any, padding: Any,
                 data_format: Any, rate: Any, activation_fn: Any, normalizer_fn: Any, normalizer_params: Any,
                 weights_initializer: Any, weights_regularizer: Any, biases_initializer: Any, biases_regularizer: Any,
                 reuse: Any, variables_collections: Any, outputs_collections: Any, trainable: bool,
                 scope: Any) -> Any:
    """Convolves, adds a bias or normalises, and activates."""
    if data_format not in (None, 'NWC', 'NCW', 'NHWC', 'NCHW', 'NDHWC', 'NCDHW'):
        raise ValueError(f'Invalid data_format: {data_format!r}')
    getter = _getter({'bias': 'biases', 'kernel': 'weights'})
    with variable_scope(scope, 'Conv', [inputs], reuse=reuse, custom_getter=getter) as opened:
        inputs = convert.convert_to_tensor(inputs)
        found = inputs.shape.rank
        if rank is not None and rank + 2 != found:
            raise ValueError(f'Convolution expects input with rank {rank + 2}, got {found}')
        kinds = {3: convolutional.Conv1D, 4: convolutional.Conv2D, 5: convolutional.Conv3D}
        if found not in kinds:
            raise ValueError('Convolution not supported for input with rank', found)
        layer = kinds[found](
            num_outputs, kernel_size, stride, padding, _order(data_format), rate, None,
            not normalizer_fn and bool(biases_initializer), weights_initializer, biases_initializer,
            weights_regularizer, biases_regularizer, trainable=trainable, name=opened.name,
            dtype=inputs.dtype.base_dtype, _scope=opened, _reuse=reuse)
        outputs = layer(inputs)
        _collect(layer.kernel, variables_collections, 'weights')
        if layer.use_bias:
            _collect(layer.bias, variables_collections, 'biases')
        outputs = _finished(outputs, normalizer_fn, normalizer_params, activation_fn)
        return _named(outputs_collections, opened.name, outputs)


convolution = _conv(None, 'convolution')
convolution1d = conv1d = _conv(1, 'convolution1d')
convolution2d = conv2d = _conv(2, 'convolution2d')
convolution3d = conv3d = _conv(3, 'convolution3d')


@add_arg_scope
def convolution2d_transpose(inputs: Any, num_outputs: int, kernel_size: Any, stride: Any = 1, padding: Any = 'SAME',
                            data_format: Any = 'NHWC', activation_fn: Any = nn_ops.relu, normalizer_fn: Any = None,
                            normalizer_params: Any = None, weights_initializer: Any = xavier_initializer(),
                            weights_regularizer: Any = None, biases_initializer: Any = _ZEROS,
                            biases_regularizer: Any = None, reuse: Any = None, variables_collections: Any = None,
                            outputs_collections: Any = None, trainable: bool = True, scope: Any = None) -> Any:
    """Convolves backwards, adds a bias or normalises, and activates."""
    _check_format(data_format)
    getter = _getter({'bias': 'biases', 'kernel': 'weights'})
    with variable_scope(scope, 'Conv2d_transpose', [inputs], reuse=reuse, custom_getter=getter) as opened:
        inputs = convert.convert_to_tensor(inputs)
        layer = convolutional.Conv2DTranspose(
            num_outputs, kernel_size, stride, padding, _order(data_format), None,
            not normalizer_fn and bool(biases_initializer), weights_initializer, biases_initializer,
            weights_regularizer, biases_regularizer, trainable=trainable, name=opened.name,
            dtype=inputs.dtype.base_dtype, _scope=opened, _reuse=reuse)
        outputs = layer(inputs)
        _collect(layer.kernel, variables_collections, 'weights')
        if layer.bias is not None:
            _collect(layer.bias, variables_collections, 'biases')
        outputs = _finished(outputs, normalizer_fn, normalizer_params, activation_fn)
        return _named(outputs_collections, opened.name, outputs)


conv2d_transpose = convolution2d_transpose


# ---- Pooling, dropout, shapes ----


def _pool(kind: Any, default: str, inputs: Any, kernel_size: Any, stride: Any, padding: Any, data_format: Any,
          outputs_collections: Any, scope: Any) -> Any:
    _check_format(data_format)
    with scopes.name_scope(scope, default, [inputs]) as opened:
        inputs = convert.convert_to_tensor(inputs)
        layer = kind(kernel_size, stride, padding, _order(data_format), _scope=opened)
        return _named(outputs_collections, opened, layer(inputs))


@add_arg_scope
def max_pool2d(inputs: Any, kernel_size: Any, stride: Any = 2, padding: Any = 'VALID', data_format: Any = 'NHWC',
               outputs_collections: Any = None, scope: Any = None) -> Any:
    """Takes the largest of windows of images."""
    return _pool(pooling.MaxPooling2D, 'MaxPool2D', inputs, kernel_size, stride, padding, data_format,
                 outputs_collections, scope)


@add_arg_scope
def avg_pool2d(inputs: Any, kernel_size: Any, stride: Any = 2, padding: Any = 'VALID', data_format: Any = 'NHWC',
               outputs_collections: Any = None, scope: Any = None) -> Any:
    """Takes the mean of windows of images."""
    return _pool(pooling.AveragePooling2D, 'AvgPool2D', inputs, kernel_size, stride, padding, data_format,
                 outputs_collections, scope)


@add_arg_scope
def dropout(inputs: Any, keep_prob: Any = 0.5, noise_shape: Any = None, is_training: Any = True,
            outputs_collections: Any = None, scope: Any = None, seed: Any = None) -> Any:
    """Zeros elements at random, in training."""
    with variable_scope(scope, 'Dropout', [inputs], custom_getter=_getter()) as opened:
        inputs = convert.convert_to_tensor(inputs)
        layer = core.Dropout(1 - keep_prob, noise_shape, seed, opened.name, _scope=opened)
        return _named(outputs_collections, opened.name, layer(inputs, training=is_training))


@add_arg_scope
def flatten(inputs: Any, outputs_collections: Any = None, scope: Any = None) -> Any:
    """Joins all dimensions but the first."""
    with scopes.name_scope(scope, 'Flatten', [inputs]) as opened:
        inputs = convert.convert_to_tensor(inputs)
        return _named(outputs_collections, opened, core.flatten(inputs))


@add_arg_scope
def one_hot_encoding(labels: Any, num_classes: int, on_value: float = 1.0, off_value: float = 0.0,
                     outputs_collections: Any = None, scope: Any = None) -> Any:
    """Turns numbers of classes into rows with one 1."""
    with scopes.name_scope(scope, 'OneHotEncoding', [labels, num_classes]) as opened:
        labels = convert.convert_to_tensor(labels)
        if labels.dtype == dtypes.int32:
            labels = math_ops.to_int64(labels)
        outputs = array_ops.one_hot(labels, num_classes, on_value=on_value, off_value=off_value)
        return _named(outputs_collections, opened, outputs)


# ---- Normalisation ----


@add_arg_scope
def batch_norm(inputs: Any, decay: Any = 0.999, center: bool = True, scale: bool = False, epsilon: float = 0.001,
               activation_fn: Any = None, param_initializers: Any = None, param_regularizers: Any = None,
               updates_collections: Any = GraphKeys.UPDATE_OPS, is_training: Any = True, reuse: Any = None,
               variables_collections: Any = None, outputs_collections: Any = None, trainable: bool = True,
               batch_weights: Any = None, fused: Any = None, data_format: Any = 'NHWC',
               zero_debias_moving_mean: bool = False, scope: Any = None, renorm: bool = False,
               renorm_clipping: Any = None, renorm_decay: float = 0.99, adjustment: Any = None) -> Any:
    """Normalises over the batch; updates go to a collection, or with None are waited for."""
    del renorm_clipping, renorm_decay
    for what, given in (('batch_weights', batch_weights), ('renorm', renorm), ('adjustment', adjustment),
                        ('zero_debias_moving_mean', zero_debias_moving_mean)):
        if given is not None and given is not False:
            raise NotImplementedError(f'tf.contrib.layers.batch_norm: Berth does not have `{what}`')
    _check_format(data_format)
    starts, penalties = param_initializers or {}, param_regularizers or {}
    with variable_scope(scope, 'BatchNorm', [inputs], reuse=reuse, custom_getter=_getter()) as opened:
        inputs = convert.convert_to_tensor(inputs)
        layer = normalization.BatchNormalization(
            1 if data_format == 'NCHW' else -1, decay, epsilon, center, scale, starts.get('beta', _ZEROS),
            starts.get('gamma', init_ops.ones_initializer()), starts.get('moving_mean', _ZEROS),
            starts.get('moving_variance', init_ops.ones_initializer()), penalties.get('beta'), penalties.get('gamma'),
            trainable=trainable, name=opened.name, fused=fused, _scope=opened, _reuse=reuse)
        layer.updates_collection = updates_collections
        outputs = layer(inputs, training=is_training)
        if updates_collections is None and layer.updates:
            with scopes.control_dependencies(layer.updates):
                outputs = array_ops.identity(outputs)
        for name in ('moving_mean', 'moving_variance', 'beta', 'gamma'):
            if getattr(layer, name) is not None:
                _collect(getattr(layer, name), variables_collections, name)
        outputs = outputs if activation_fn is None else activation_fn(outputs)
        return _named(outputs_collections, opened.name, outputs)


@add_arg_scope
def layer_norm(inputs: Any, center: bool = True, scale: bool = True, activation_fn: Any = None, reuse: Any = None,
               variables_collections: Any = None, outputs_collections: Any = None, trainable: bool = True,
               begin_norm_axis: int = 1, begin_params_axis: int = -1, scope: Any = None) -> Any:
    """Normalises each example by itself."""
    with variable_scope(scope, 'LayerNorm', [inputs], reuse=reuse) as opened:
        inputs = convert.convert_to_tensor(inputs)
        rank, kind = inputs.shape.rank, inputs.dtype.base_dtype
        if rank is None:
            raise ValueError(f'Inputs {inputs.name} has undefined rank.')
        first = begin_norm_axis + rank if begin_norm_axis < 0 else begin_norm_axis
        if begin_params_axis >= rank or first >= rank:
            raise ValueError(f'begin_params_axis ({begin_params_axis}) and begin_norm_axis ({first}) must be < '
                             f'rank(inputs) ({rank})')
        sizes = inputs.shape[begin_params_axis:]
        if not sizes.is_fully_defined():
            raise ValueError(f'Inputs {inputs.name}: shape(inputs)[{begin_params_axis}:] is not fully defined: '
                             f'{inputs.shape}')
        made: dict[str, Any] = {}
        for name, is_wanted, start in (('beta', center, _ZEROS), ('gamma', scale, init_ops.ones_initializer())):
            keys = (variables_collections.get(name) if isinstance(variables_collections, dict)
                    else variables_collections)
            made[name] = model_variable(name, shape=sizes, dtype=kind, initializer=start, collections=keys,
                                        trainable=trainable) if is_wanted else None
        mean, variance = nn_ops.moments(inputs, list(range(first, rank)), keep_dims=True)
        tiny = 1e-12 if kind != dtypes.float16 else 1e-3
        outputs = nn_ops.batch_normalization(inputs, mean, variance, made['beta'], made['gamma'], tiny)
        outputs.set_shape(inputs.shape)
        outputs = outputs if activation_fn is None else activation_fn(outputs)
        return _named(outputs_collections, opened.name, outputs)


@add_arg_scope
def bias_add(inputs: Any, activation_fn: Any = None, initializer: Any = _ZEROS, regularizer: Any = None,
             reuse: Any = None, variables_collections: Any = None, outputs_collections: Any = None,
             trainable: bool = True, data_format: Any = 'NHWC', scope: Any = None) -> Any:
    """Adds a learned bias."""
    _check_format(data_format)
    with variable_scope(scope, 'BiasAdd', [inputs], reuse=reuse) as opened:
        inputs = convert.convert_to_tensor(inputs)
        count = inputs.shape.as_list()[1 if data_format == 'NCHW' else -1]
        keys = (variables_collections.get('biases') if isinstance(variables_collections, dict)
                else variables_collections)
        biases = model_variable('biases', shape=[count], dtype=inputs.dtype.base_dtype, initializer=initializer,
                                regularizer=regularizer, collections=keys, trainable=trainable)
        outputs = nn_ops.bias_add(inputs, biases, data_format=data_format)
        outputs = outputs if activation_fn is None else activation_fn(outputs)
        return _named(outputs_collections, opened.name, outputs)


@add_arg_scope
def unit_norm(inputs: Any, dim: int, epsilon: float = 1e-7, scope: Any = None) -> Any:
    """Divides by the length along a dimension."""
    with variable_scope(scope, 'UnitNorm', [inputs]):
        length = math_ops.sqrt(epsilon + reduce_ops.reduce_sum(math_ops.square(inputs), dim, keepdims=True))
        return inputs / length


# ---- Layers in a row ----


def repeat(inputs: Any, repetitions: int, layer: Any, *args: Any, **kwargs: Any) -> Any:
    """Calls a layer several times, each on what the one before gave."""
    scope = kwargs.pop('scope', None)
    with variable_scope(scope, 'Repeat', [inputs]):
        inputs = convert.convert_to_tensor(inputs)
        if scope is None:
            scope = getattr(layer, '__name__', 'repeat')
        for number in range(1, repetitions + 1):
            inputs = layer(inputs, *args, scope=f'{scope}_{number}', **kwargs)
        return inputs


def stack(inputs: Any, layer: Any, stack_args: Any, **kwargs: Any) -> Any:
    """Calls a layer for each of several arguments, each on what the one before gave."""
    scope = kwargs.pop('scope', None)
    if not isinstance(stack_args, (list, tuple)):
        raise ValueError('stack_args need to be a list or tuple')
    with variable_scope(scope, 'Stack', [inputs]):
        inputs = convert.convert_to_tensor(inputs)
        if scope is None:
            scope = getattr(layer, '__name__', 'stack')
        for number, given in enumerate(stack_args, 1):
            given = given if isinstance(given, (list, tuple)) else [given]
            inputs = layer(inputs, *given, scope=f'{scope}_{number}', **kwargs)
        return inputs


relu = functools.partial(fully_connected, activation_fn=nn_ops.relu)
relu6 = functools.partial(fully_connected, activation_fn=nn_ops.relu6)
elu = functools.partial(fully_connected, activation_fn=nn_ops.elu)
linear = functools.partial(fully_connected, activation_fn=None)


def embed_sequence(ids: Any, vocab_size: Any = None, embed_dim: Any = None, unique: bool = False,
                   initializer: Any = None, regularizer: Any = None, trainable: bool = True, scope: Any = None,
                   reuse: Any = None) -> Any:
    """Looks the rows of words up in a table that is learned."""
    from berth.ops import embedding_ops

    if not (reuse or (vocab_size and embed_dim)):
        raise ValueError('Must specify vocab size and embedding dimension when not reusing. Got vocab_size='
                         f'{vocab_size} and embed_dim={embed_dim}')
    if unique:
        raise NotImplementedError('tf.contrib.layers.embed_sequence: Berth does not have `unique`')
    with variable_scope(scope, 'EmbedSequence', [ids], reuse=reuse):
        shape = [vocab_size, embed_dim]
        if reuse and (vocab_size is None or embed_dim is None):
            shape = None  # type: ignore[assignment]
        table = model_variable('embeddings', shape=shape, initializer=initializer, regularizer=regularizer,
                               trainable=trainable)
        return embedding_ops.embedding_lookup(table, ids)
