"""nn_ops.py - Layers' ops: activations, convolutions, pooling, losses."""

from __future__ import annotations

import numbers
from typing import Any, Callable

from berth.framework import convert, dtypes, errors, gen, scopes
from berth.framework.gen import wrapper
from berth.framework.tensor_shape import TensorShape
from berth.ops import array_ops, math_ops, random_ops, reduce_ops, stateless_ops

relu = wrapper('Relu')
relu6 = wrapper('Relu6')
elu = wrapper('Elu')
selu = wrapper('Selu')
softplus = wrapper('Softplus')
softsign = wrapper('Softsign')
l2_loss = wrapper('L2Loss')
lrn = wrapper('LRN')
local_response_normalization = lrn
sigmoid = math_ops.sigmoid
tanh = math_ops.tanh


def zero_fraction(value: Any, name: str | None = None) -> Any:
    """Returns which part of the values is zero."""
    from berth.ops import flow_ops

    with scopes.name_scope(name, 'zero_fraction', [value]):
        value = convert.convert_to_tensor(value, name='value')
        size = array_ops.size(value, out_type=dtypes.int64)
        # Few enough are counted in 32 bits.
        nonzero = flow_ops.cond(size <= dtypes.int32.max,
                                lambda: math_ops.cast(_count_nonzero(value, dtypes.int32), dtypes.int64),
                                lambda: _count_nonzero(value, dtypes.int64))
        with scopes.name_scope('counts_to_fraction'):
            zeros = math_ops.cast(size - nonzero, dtypes.float32)
            fraction = zeros / math_ops.cast(size, dtypes.float32)
        return array_ops.identity(fraction, 'fraction')


def _count_nonzero(value: Any, dtype: Any) -> Any:
    with scopes.name_scope('count_nonzero', None, [value]):
        zero = array_ops.zeros([], dtype=value.dtype)
        return reduce_ops.reduce_sum(math_ops.cast(math_ops.not_equal(value, zero), dtype), name='nonzero_count')


@gen.quick('LeakyRelu', 'features alpha name')
def leaky_relu(features: Any, alpha: float = 0.2, name: str | None = None) -> Any:
    """Returns x where it is positive, alpha * x elsewhere."""
    with scopes.name_scope(name, 'LeakyRelu', [features, alpha]) as name:
        features = convert.convert_to_tensor(features, name='features')
        if features.dtype.is_integer:
            features = math_ops.cast(features, dtypes.float32)
        return gen.apply('LeakyRelu', name, {'features': features}, {'alpha': alpha})


def _along(op: str, logits: Any, axis: Any, name: Any) -> Any:
    """Applies an op of the last dimension to another one."""
    return along(lambda x, name: gen.apply(op, name, {'logits': x}), logits, axis, name)


def along(compute: Callable[[Any, Any], Any], logits: Any, axis: Any, name: Any) -> Any:
    """Applies to a dimension what works on the last one, and gives a tensor or several."""
    logits = convert.convert_to_tensor(logits)
    rank = logits.shape.rank
    if axis == -1 or rank is not None and axis == rank - 1:
        return compute(logits, name)
    if rank is not None and not -rank <= axis < rank:
        raise errors.InvalidArgumentError(
            None, None, f'`dim` must be in the range [{-rank}, {rank}) where {rank} is the number of dimensions in the '
            f'input. Received: dim={axis}')
    return _swapped(compute, logits, axis, name)


def _swapped(compute: Callable[[Any, Any], Any], logits: Any, axis: int, name: Any) -> Any:
    array_ops.rank(logits)  # TensorFlow makes this node, too, and does not use it.
    rank = array_ops.rank(logits)
    axis = axis if logits.shape.rank is None or axis >= 0 else axis + logits.shape.rank

    def swap(x: Any, name: Any = None) -> Any:
        last = math_ops.subtract(rank, 1)
        order = array_ops.concat([math_ops.range(axis), [last], math_ops.range(axis + 1, last), [axis]], 0)
        return array_ops.transpose(x, order, name=name) if name else array_ops.transpose(x, order)

    found = compute(swap(logits), None)
    return tuple(swap(part, name) for part in found) if isinstance(found, tuple) else swap(found, name)


@gen.quick('Softmax', 'logits axis=- name dim=-')
def softmax(logits: Any, axis: Any = None, name: str | None = None, dim: Any = None) -> Any:
    """Returns exp(x) / sum(exp(x)) along a dimension."""
    axis = dim if axis is None else axis
    return _along('Softmax', logits, -1 if axis is None else axis, name)


@gen.quick('LogSoftmax', 'logits axis=- name dim=-')
def log_softmax(logits: Any, axis: Any = None, name: str | None = None, dim: Any = None) -> Any:
    """Returns the logarithm of softmax."""
    axis = dim if axis is None else axis
    return _along('LogSoftmax', logits, -1 if axis is None else axis, name)


@gen.quick('BiasAdd', 'value bias data_format name', converts_first=True)
def bias_add(value: Any, bias: Any, data_format: str | None = None, name: str | None = None) -> Any:
    """Adds a bias to the last dimension, or to the channels."""
    with scopes.name_scope(name, 'BiasAdd', [value, bias]) as name:
        formats = {None: 'NHWC', 'NHWC': 'NHWC', 'NCHW': 'NCHW', 'N...C': 'NHWC', 'NC...': 'NCHW'}
        if data_format not in formats:
            raise ValueError('`data_format` must be of the form `N...C` or `NC...`. Received: '
                             f'data_format={data_format}')
        value = convert.convert_to_tensor(value, name='input')
        bias = convert.convert_to_tensor(bias, dtype=value.dtype.base_dtype, name='bias')
        return gen.apply('BiasAdd', name, {'value': value, 'bias': bias}, {'data_format': formats[data_format]})


def l2_normalize(x: Any, axis: Any = None, epsilon: float = 1e-12, name: str | None = None,
                 dim: Any = None) -> Any:
    """Divides by the Euclidean norm along a dimension."""
    axis = dim if axis is None else axis
    with scopes.name_scope(name, 'l2_normalize', [x]) as name:
        x = convert.convert_to_tensor(x, name='x')
        total = reduce_ops.reduce_sum(math_ops.square(x), axis, keepdims=True)
        return math_ops.multiply(x, math_ops.rsqrt(math_ops.maximum(total, epsilon)), name=name)


def moments(x: Any, axes: Any, shift: Any = None, name: str | None = None, keep_dims: Any = None,
            keepdims: Any = None) -> Any:
    """Returns mean and variance over axes."""
    keep = bool(keepdims if keepdims is not None else keep_dims)
    with scopes.name_scope(name, 'moments', [x, axes]):
        x = convert.convert_to_tensor(x, name='x')
        y = math_ops.cast(x, dtypes.float32) if x.dtype == dtypes.float16 else x
        mean = reduce_ops.reduce_mean(y, axes, keepdims=True, name='mean')
        centred = math_ops.squared_difference(y, array_ops.stop_gradient(mean))
        variance = reduce_ops.reduce_mean(centred, axes, keepdims=True, name='variance')
        if not keep:
            mean, variance = array_ops.squeeze(mean, axes), array_ops.squeeze(variance, axes)
        if x.dtype == dtypes.float16:
            return math_ops.cast(mean, dtypes.float16), math_ops.cast(variance, dtypes.float16)
        return mean, variance


def dropout(x: Any, keep_prob: Any = None, noise_shape: Any = None, seed: int | None = None,
            name: str | None = None, rate: Any = None) -> Any:
    """Sets a random part of the values to zero and scales the rest up."""
    if rate is not None and keep_prob is not None:
        raise ValueError("Cannot specify both 'keep_prob' and 'rate'.")
    try:
        rate = 1.0 - keep_prob if keep_prob is not None else rate
    except TypeError:
        raise ValueError('`keep_prob` must be a floating point number or Tensor. '
                         f'Received: keep_prob={keep_prob}') from None
    if rate is None:
        raise ValueError(f'`rate` must be provided. Received: rate={rate}')

    def draw(shape: Any, dtype: Any) -> Any:
        return random_ops.random_uniform(shape, seed=seed, dtype=dtype)

    # Where nothing is dropped, later ops have the seeds that they would have had.
    return _dropout(x, rate, noise_shape, draw, lambda: random_ops.get_seed(seed), name, 'dropout')


def stateless_dropout(x: Any, rate: Any, seed: Any, rng_alg: Any = None, noise_shape: Any = None,
                      name: str | None = None) -> Any:
    """Sets a random part of the values to zero, by |seed| alone, and scales the rest up."""
    def draw(shape: Any, dtype: Any) -> Any:
        return stateless_ops.stateless_uniform(shape, seed, dtype=dtype, alg=rng_alg)

    return _dropout(x, rate, noise_shape, draw, lambda: None, name, 'stateless_dropout')


def general_dropout(x: Any, rate: Any, uniform_sampler: Any, noise_shape: Any = None, name: str | None = None) -> Any:
    """Sets to zero what |uniform_sampler| draws less than |rate| for, and scales the rest up."""
    return _dropout(x, rate, noise_shape, uniform_sampler, lambda: None, name, 'general_dropout')


def _dropout(x: Any, rate: Any, noise_shape: Any, draw: Any, skip: Any, name: str | None, default: str) -> Any:
    """Drops values for which |draw| gives less than |rate|; |skip| is called where nothing is drawn."""
    is_number = isinstance(rate, numbers.Real)
    with scopes.name_scope(name, default, [x]):
        if is_number and not 0 <= rate < 1:
            raise ValueError(f'`rate` must be a scalar tensor or a float in the range [0, 1). Received: rate={rate}')
        x = convert.convert_to_tensor(x, name='x')
        if not x.dtype.is_floating:
            raise ValueError('`x.dtype` must be a floating point tensor as `x` will be scaled. Received: '
                             f'x_dtype={x.dtype}')
        if is_number and rate == 0:
            skip()
            return x
        scaled = _scaled_up(x, rate, is_number)
        sizes = array_ops.shape(x) if noise_shape is None else _noise_sizes(x, noise_shape)
        noise = draw(shape=sizes, dtype=x.dtype.base_dtype)
        found = array_ops.where_v2(noise >= rate, scaled, convert.constant(0, x.dtype.base_dtype))
        if not scopes.executing_eagerly():
            found.set_shape(x.shape)
        return found


def _scaled_up(x: Any, rate: Any, is_number: bool) -> Any:
    """Returns |x| as large as makes up for what will be dropped."""
    kind = x.dtype.base_dtype
    if is_number:
        return math_ops.multiply(x, convert.convert_to_tensor(1 / (1 - rate), dtype=kind))
    if not convert.is_tensor(rate):
        raise ValueError(f'`rate` must be a scalar or scalar tensor. Received: rate={rate}')
    rate.shape.assert_has_rank(0)
    if rate.dtype.base_dtype != kind:
        raise ValueError('`x.dtype` must be compatible with `rate.dtype`. Received: '
                         f'x.dtype={x.dtype} and rate.dtype={rate.dtype}')
    one = convert.constant(1, dtype=kind)
    part = gen.apply('Sub', None, {'x': one, 'y': rate})
    return gen.apply('RealDiv', None, {'x': x, 'y': part})


def _noise_sizes(x: Any, sizes: Any) -> Any:
    """Returns the shape of what is drawn: sizes that are not given are those of |x|."""
    try:
        given = TensorShape(sizes)
    except (TypeError, ValueError):
        return sizes
    if given.rank is not None and x.shape.rank == given.rank:
        return TensorShape([own if size is None else size for own, size in zip(x.shape.as_list(), given.as_list())])
    return sizes


def in_top_k(predictions: Any, targets: Any, k: Any, name: str | None = None) -> Any:
    """Tells whether the targets are among the k best predictions."""
    with scopes.name_scope(name, 'in_top_k'):
        return gen.apply('InTopKV2', name, {'predictions': predictions, 'targets': targets, 'k': k})


def top_k(input: Any, k: Any = 1, sorted: bool = True,  # pylint: disable=redefined-builtin
          index_type: Any = dtypes.int32, name: str | None = None) -> Any:
    """Returns the k largest values and where they are."""
    return gen.apply('TopKV2', name, {'input': input, 'k': k}, {'sorted': sorted, 'index_type': index_type})


def xw_plus_b(x: Any, weights: Any, biases: Any, name: str | None = None) -> Any:
    """Returns matmul(x, weights) + biases."""
    with scopes.name_scope(name, 'xw_plus_b', [x, weights, biases]) as name:
        x = convert.convert_to_tensor(x, name='x')
        weights = convert.convert_to_tensor(weights, name='weights')
        biases = convert.convert_to_tensor(biases, name='biases')
        return bias_add(math_ops.matmul(x, weights), biases, name=name)


def relu_layer(x: Any, weights: Any, biases: Any, name: str | None = None) -> Any:
    """Returns relu(matmul(x, weights) + biases)."""
    with scopes.name_scope(name, 'relu_layer', [x, weights, biases]) as name:
        x = convert.convert_to_tensor(x, name='x')
        weights = convert.convert_to_tensor(weights, name='weights')
        biases = convert.convert_to_tensor(biases, name='biases')
        return relu(bias_add(math_ops.matmul(x, weights), biases), name=name)


def batch_normalization(x: Any, mean: Any, variance: Any, offset: Any, scale: Any, variance_epsilon: float,
                        name: str | None = None) -> Any:
    """Brings values to another mean and variance."""
    with scopes.name_scope(name, 'batchnorm', [x, mean, variance, scale, offset]):
        factor = math_ops.rsqrt(variance + variance_epsilon)
        if scale is not None:
            factor = factor * scale
        scaled = x * math_ops.cast(factor, x.dtype)
        shift = offset - mean * factor if offset is not None else -mean * factor
        return scaled + math_ops.cast(shift, x.dtype)
