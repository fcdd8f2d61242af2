"""pool_ops.py - Pooling over images of one, two and three dimensions, and batches normalised."""

from __future__ import annotations

from typing import Any

from berth.framework import convert, dtypes, gen, scopes
from berth.ops import array_ops, math_ops, random_ops

_FORMATS = {1: 'NWC', 2: 'NHWC', 3: 'NDHWC'}


def _sizes(value: Any, count: int, channel_at: int, name: str) -> list:
    """Returns a number for each dimension, of one for all or each of the spatial ones."""
    if value is None:
        return [1] * (count + 2)
    values = [value] if isinstance(value, int) or not hasattr(value, '__len__') else list(value)
    if len(values) == count + 2:
        return values
    if len(values) == 1:
        values = values * count
    elif len(values) != count:
        raise ValueError(f'{name} should be of length 1, {count} or {count + 2}. Received: {name}={values} of length '
                         f'{len(values)}')
    return [1, 1] + values if channel_at == 1 else [1] + values + [1]


def _paddings(padding: Any, rank: int = 4) -> tuple[Any, list]:
    """Returns the attributes padding and explicit_paddings of what a caller gives."""
    if not isinstance(padding, (list, tuple)):
        return padding, []
    if len(padding) != rank:
        raise ValueError(f'When padding is a list, it must be of length {rank} (number of dimensions). Received: '
                         f'padding={padding} of length {len(padding)}')
    for i, pair in enumerate(padding):
        if not isinstance(pair, (list, tuple)):
            raise ValueError('When padding is a list, each element in padding must be a list/tuple of size 2. Received: '
                             f'padding={padding} with element at index {i} of type {type(pair)}')
        if len(pair) != 2:
            raise ValueError('When padding is a list, each element in padding must be a list/tuple of size 2. Received: '
                             f'padding={padding} with element at index {i} of length {len(pair)}')
    return 'EXPLICIT', [n for pair in padding for n in pair]


def _refuse_vectors(padding: Any, data_format: Any) -> None:
    if isinstance(padding, (list, tuple)) and data_format == 'NCHW_VECT_C':
        raise ValueError("`data_format='NCHW_VECT_C'` is not supported with explicit padding. "
                         f'Received: padding={padding}')


def _pool(op: str, argument: str, value: Any, ksize: Any, strides: Any, padding: Any, data_format: Any, count: int,
          name: Any) -> Any:
    """Makes a node of |op| over |count| spatial dimensions."""
    data_format = data_format or _FORMATS[count]
    at = 1 if data_format.startswith('NC') else count + 1
    attrs = {'ksize': _sizes(ksize, count, at, 'ksize'), 'strides': _sizes(strides, count, at, 'strides')}
    if op == 'MaxPool':
        _refuse_vectors(padding, data_format)
        attrs['padding'], attrs['explicit_paddings'] = _paddings(padding)
    else:
        attrs['padding'] = padding
    return gen.apply(op, name, {argument: value}, {**attrs, 'data_format': data_format})


def max_pool(value: Any = None, ksize: Any = None, strides: Any = None, padding: Any = None, data_format: Any = 'NHWC',
             name: str | None = None, input: Any = None) -> Any:  # pylint: disable=redefined-builtin
    """Takes the largest value of each window."""
    value = input if value is None else value
    with scopes.name_scope(name, 'MaxPool', [value]) as name:
        sizes = [ksize] if isinstance(ksize, int) else list(ksize)
        if any(isinstance(size, int) and size == 0 for size in sizes):
            at = 1 if (data_format or 'NHWC').startswith('NC') else 3
            raise ValueError(f'`ksize` cannot be zero. Received: ksize={_sizes(ksize, 2, at, "ksize")}')
        return _pool('MaxPool', 'input', value, ksize, strides, padding, data_format, 2, name)


def avg_pool(value: Any = None, ksize: Any = None, strides: Any = None, padding: Any = None, data_format: Any = 'NHWC',
             name: str | None = None, input: Any = None) -> Any:  # pylint: disable=redefined-builtin
    """Takes the mean of each window."""
    value = input if value is None else value
    with scopes.name_scope(name, 'AvgPool', [value]) as name:
        return _pool('AvgPool', 'value', value, ksize, strides, padding, data_format, 2, name)


def max_pool2d(input: Any, ksize: Any, strides: Any, padding: Any,  # pylint: disable=redefined-builtin
               data_format: Any = 'NHWC', name: str | None = None) -> Any:
    """Takes the largest value of each window over height and width."""
    with scopes.name_scope(name, 'MaxPool2d', [input]) as name:
        return _pool('MaxPool', 'input', input, ksize, strides, padding, data_format, 2, name)


def avg_pool2d(input: Any, ksize: Any, strides: Any, padding: Any,  # pylint: disable=redefined-builtin
               data_format: Any = 'NHWC', name: str | None = None) -> Any:
    """Takes the mean of each window over height and width."""
    with scopes.name_scope(name, 'AvgPool2D', [input]) as name:
        return _pool('AvgPool', 'value', input, ksize, strides, padding, data_format, 2, name)


def _pool_line(op: str, argument: str, value: Any, ksize: Any, strides: Any, padding: Any, data_format: Any,
               name: Any) -> Any:
    """Pools lines as images that are one pixel high."""
    data_format = data_format or 'NWC'
    at = 1 if data_format.startswith('NC') else 2
    axis = 1 if data_format == 'NWC' else 2
    attrs = {'ksize': [1] + _sizes(ksize, 1, at, 'ksize'), 'strides': [1] + _sizes(strides, 1, at, 'strides'),
             'padding': padding, 'data_format': 'NHWC' if data_format == 'NWC' else 'NCHW'}
    if op == 'MaxPool':
        attrs['padding'], explicit = _paddings(padding, 3)
        attrs['explicit_paddings'] = [0, 0] + explicit if explicit else []
    image = array_ops.expand_dims(value, axis)
    return array_ops.squeeze(gen.apply(op, name, {argument: image}, attrs), axis)


def max_pool1d(input: Any, ksize: Any, strides: Any, padding: Any,  # pylint: disable=redefined-builtin
               data_format: Any = 'NWC', name: str | None = None) -> Any:
    """Takes the largest value of each window along lines."""
    with scopes.name_scope(name, 'MaxPool1d', [input]) as name:
        _refuse_vectors(padding, data_format)
        return _pool_line('MaxPool', 'input', input, ksize, strides, padding, data_format, name)


def avg_pool1d(input: Any, ksize: Any, strides: Any, padding: Any,  # pylint: disable=redefined-builtin
               data_format: Any = 'NWC', name: str | None = None) -> Any:
    """Takes the mean of each window along lines."""
    with scopes.name_scope(name, 'AvgPool1D', [input]) as name:
        return _pool_line('AvgPool', 'value', input, ksize, strides, padding, data_format, name)


def max_pool3d(input: Any, ksize: Any, strides: Any, padding: Any,  # pylint: disable=redefined-builtin
               data_format: Any = 'NDHWC', name: str | None = None) -> Any:
    """Takes the largest value of each window over depth, height and width."""
    with scopes.name_scope(name, 'MaxPool3D', [input]) as name:
        return _pool('MaxPool3D', 'input', input, ksize, strides, padding, data_format, 3, name)


def avg_pool3d(input: Any, ksize: Any, strides: Any, padding: Any,  # pylint: disable=redefined-builtin
               data_format: Any = 'NDHWC', name: str | None = None) -> Any:
    """Takes the mean of each window over depth, height and width."""
    with scopes.name_scope(name, 'AvgPool3D', [input]) as name:
        return _pool('AvgPool3D', 'input', input, ksize, strides, padding, data_format, 3, name)


def _spatial(input: Any, data_format: Any, what: str) -> int:  # pylint: disable=redefined-builtin
    """Returns how many spatial dimensions |input| has."""
    shape = getattr(input, 'shape', None)
    if shape is not None:
        count = len(shape) - 2
    elif data_format is not None:
        count = len(data_format) - 2
    else:
        raise ValueError(f'`input` must have a static shape or {what} must be given. Received: input.shape={shape} and '
                         f'data_format={data_format}')
    if not 1 <= count <= 3:
        raise ValueError(f'`input.shape.rank` must be 3, 4 or 5. Received: input.shape={shape} of rank {count + 2}.')
    return count


def max_pool_v2(input: Any, ksize: Any, strides: Any, padding: Any,  # pylint: disable=redefined-builtin
                data_format: Any = None, name: str | None = None) -> Any:
    """Takes the largest value of each window over one, two or three dimensions."""
    count = _spatial(input, data_format, 'a data format')
    at = 1 if (data_format or '').startswith('NC') else count + 1
    _refuse_vectors(padding, data_format)
    ksize, strides = _sizes(ksize, count, at, 'ksize'), _sizes(strides, count, at, 'strides')
    if isinstance(padding, (list, tuple)) and count == 3:
        raise ValueError('Explicit padding is not supported with an input tensor of rank 5. '
                         f'Received: padding={padding}')
    if count == 3:
        return _pool('MaxPool3D', 'input', input, ksize, strides, padding, data_format, 3, name)
    return (max_pool1d, max_pool2d)[count - 1](input, ksize, strides, padding, data_format, name)


def avg_pool_v2(input: Any, ksize: Any, strides: Any, padding: Any,  # pylint: disable=redefined-builtin
                data_format: Any = None, name: str | None = None) -> Any:
    """Takes the mean of each window over one, two or three dimensions."""
    count = _spatial(input, data_format, '`data_format`')
    at = 1 if (data_format or '').startswith('NC') else count + 1
    ksize, strides = _sizes(ksize, count, at, 'ksize'), _sizes(strides, count, at, 'strides')
    if count == 1:
        return avg_pool1d(input, ksize, strides, padding, data_format, name)
    op, argument = ('AvgPool', 'value') if count == 2 else ('AvgPool3D', 'input')
    return _pool(op, argument, input, ksize, strides, padding, data_format, count, name)


# ---- Places of the largest ----

def _argmax(input: Any, ksize: Any, strides: Any, padding: Any, data_format: str,  # pylint: disable=redefined-builtin
            kind: Any, include_batch: bool, name: Any) -> Any:
    if data_format != 'NHWC':
        raise ValueError("`data_format` values other  than 'NHWC' are not supported. "
                         f'Received: data_format={data_format}')
    return gen.apply('MaxPoolWithArgmax', name, {'input': input}, {
        'ksize': ksize, 'strides': strides, 'padding': padding, 'Targmax': kind,
        'include_batch_in_index': include_batch})


def max_pool_with_argmax(input: Any, ksize: Any, strides: Any, padding: Any,  # pylint: disable=redefined-builtin
                         data_format: str = 'NHWC', Targmax: Any = None,  # pylint: disable=invalid-name
                         name: str | None = None, output_dtype: Any = None,
                         include_batch_in_index: bool = False) -> Any:
    """Takes the largest value of each window, and says where it is."""
    kind = output_dtype if Targmax is None else Targmax
    return _argmax(input, ksize, strides, padding, data_format, kind or dtypes.int64, include_batch_in_index, name)


def max_pool_with_argmax_v2(input: Any, ksize: Any, strides: Any, padding: Any,  # pylint: disable=redefined-builtin
                            data_format: str = 'NHWC', output_dtype: Any = dtypes.int64,
                            include_batch_in_index: bool = False, name: str | None = None) -> Any:
    """Takes the largest value of each window, and says where it is."""
    return _argmax(input, _sizes(ksize, 2, 3, 'ksize'), _sizes(strides, 2, 3, 'strides'), padding, data_format,
                   output_dtype, include_batch_in_index, name)


# ---- Any of them ----

def _check_pool(shape: list, kind: str, padding: Any, rates: list, strides: list) -> None:
    """Raises for windows that TensorFlow does not have."""
    if not 1 <= len(shape) <= 3:
        raise ValueError(f'`len(window_shape)` must be 1, 2, or 3. Received: window_shape={shape} of length '
                         f'{len(shape)}')
    for name, values in (('strides', strides), ('dilation_rate', rates)):
        if len(values) != len(shape):
            raise ValueError(f'`len({name})` should be {len(shape)}. Received: {name}={values} of length {len(values)}')
    if any(step > size for step, size in zip(strides, shape)):
        raise ValueError('`strides` > `window_shape` not supported due to inconsistency between CPU and GPU '
                         f'implementations. Received: strides={strides} and window_shape={shape}')
    if kind not in ('MAX', 'AVG'):
        raise ValueError(f'{len(shape)}-D {kind} pooling is not supported.')
    if all(rate <= 1 for rate in rates):
        return
    steps, apart = (str(values).replace(',', '') for values in (strides, rates))  # As arrays are shown.
    if any(step > 1 for step in strides):
        raise ValueError(f'`strides > 1` not supported in conjunction with `dilation_rate > 1`. Received: strides={steps} '
                         f'and dilation_rate={apart}')
    if padding == 'SAME':
        raise ValueError(f"pooling with 'SAME' padding is not implemented for `dilation_rate` > 1. Received: "
                         f'padding={padding} and dilation_rate={apart}')


def _dilated(input: Any, shape: list, kind: str, rates: list, is_first: bool) -> Any:  # pylint: disable=redefined-builtin
    """Pools what lies |rates| apart: blocks of the input, each taken apart from the others, become batches."""
    if is_first:
        order = [0, *range(2, len(shape) + 2), 1]
        back = [0, len(shape) + 1, *range(1, len(shape) + 1)]
        return array_ops.transpose(_dilated(array_ops.transpose(input, order), shape, kind, rates, False), back)
    sizes, block = array_ops.shape(input)[1:len(shape) + 1], convert.constant(rates, dtypes.int32)
    missing = math_ops.floormod(-sizes, block)
    more = array_ops.stack([array_ops.zeros_like(missing), missing], axis=1)
    batch = gen.apply('SpaceToBatchND', None, {'input': input, 'block_shape': block, 'paddings': more})
    if input.shape.rank is not None:
        batch.set_shape([None] * (len(shape) + 1) + [input.shape.as_list()[-1]])
    pooled = pool(batch, shape, kind, 'VALID')
    return gen.apply('BatchToSpaceND', None, {'input': pooled, 'block_shape': block, 'crops': more})


def pool(input: Any, window_shape: Any, pooling_type: str, padding: Any,  # pylint: disable=redefined-builtin
         dilation_rate: Any = None, strides: Any = None, name: str | None = None, data_format: Any = None,
         dilations: Any = None) -> Any:
    """Pools over one, two or three dimensions, by the largest (MAX) or the mean (AVG)."""
    rates = dilation_rate if dilations is None else dilations
    shape = list(window_shape)
    rates = [1] * len(shape) if rates is None else list(rates)
    steps = [1] * len(shape) if strides is None else list(strides)
    with scopes.name_scope(name, f'{pooling_type.lower()}_pool', [input]) as scope:
        input = convert.convert_to_tensor(input, name='input')
        _check_pool(shape, pooling_type, padding, rates, steps)
        convert.convert_to_tensor(rates, dtypes.int32, name='dilation_rate')
        is_first = data_format is not None and data_format.startswith('NC')
        if any(rate > 1 for rate in rates):
            return _dilated(input, shape, pooling_type, rates, is_first)
        shape, steps = ([1, 1] + n if is_first else [1] + n + [1] for n in (shape, steps))
        if len(shape) == 3:
            function = max_pool if pooling_type == 'MAX' else avg_pool
            axis = 2 if is_first else 1
            image = array_ops.expand_dims(input, axis)
            pooled = function(image, [1] + shape, [1] + steps, padding, 'NCHW' if is_first else 'NHWC', name=scope)
            return array_ops.squeeze(pooled, [axis])
        functions = {('MAX', 4): max_pool, ('AVG', 4): avg_pool, ('MAX', 5): max_pool3d, ('AVG', 5): avg_pool3d}
        return functions[pooling_type, len(shape)](input, shape, steps, padding, data_format, name=scope)


def pool_v2(input: Any, window_shape: Any, pooling_type: str, strides: Any = None,  # pylint: disable=redefined-builtin
            padding: Any = 'VALID', data_format: Any = None, dilations: Any = None, name: str | None = None) -> Any:
    """Pools over one, two or three dimensions, by the largest (MAX) or the mean (AVG)."""
    return pool(input, window_shape, pooling_type, padding, dilations, strides, name, data_format)


# ---- Batches ----

def fused_batch_norm(x: Any, scale: Any, offset: Any, mean: Any = None, variance: Any = None, epsilon: float = 0.001,
                     data_format: str = 'NHWC', is_training: bool = True, name: str | None = None,
                     exponential_avg_factor: float = 1.0) -> Any:
    """Normalises each channel of a batch; returns it with the mean and variance."""
    if (not is_training or exponential_avg_factor != 1.0) and (mean is None or variance is None):
        raise ValueError('Both `mean` and `variance` must be a 1D tensor when `is_training` is False or '
                         f'`exponential_avg_factor` != 1.0. Received: `mean` {mean!r} and `variance` {variance!r}')
    x = convert.convert_to_tensor(x, name='input')
    scale = convert.convert_to_tensor(scale, name='scale')
    offset = convert.convert_to_tensor(offset, name='offset')
    mean, variance = (convert.convert_to_tensor([], dtypes.float32, name='Const') if value is None else value
                      for value in (mean, variance))
    outputs = gen.apply('FusedBatchNormV3', name, {
        'x': x, 'scale': scale, 'offset': offset, 'mean': mean, 'variance': variance}, {
            'epsilon': epsilon, 'exponential_avg_factor': exponential_avg_factor, 'data_format': data_format,
            'is_training': is_training})
    return tuple(outputs[:3])


def _fractional(op: str, value: Any, ratio: Any, flags: dict[str, Any], name: str | None) -> tuple[Any, Any, Any]:
    return gen.apply(op, name, {'value': value}, {'pooling_ratio': ratio, **flags})


def fractional_max_pool(value: Any, pooling_ratio: Any, pseudo_random: bool = False, overlapping: bool = False,
                        deterministic: bool = False, seed: int = 0, seed2: int = 0, name: str | None = None) -> Any:
    """Takes the largest values of windows of uneven sizes; returns these, and where rows and columns begin."""
    return _fractional('FractionalMaxPool', value, pooling_ratio, {
        'pseudo_random': pseudo_random, 'overlapping': overlapping, 'deterministic': deterministic, 'seed': seed,
        'seed2': seed2}, name)


def fractional_avg_pool(value: Any, pooling_ratio: Any, pseudo_random: bool = False, overlapping: bool = False,
                        deterministic: bool = False, seed: int = 0, seed2: int = 0, name: str | None = None) -> Any:
    """Takes the means of windows of uneven sizes; returns these, and where rows and columns begin."""
    return _fractional('FractionalAvgPool', value, pooling_ratio, {
        'pseudo_random': pseudo_random, 'overlapping': overlapping, 'deterministic': deterministic, 'seed': seed,
        'seed2': seed2}, name)


def _seeded(op: str, value: Any, ratio: Any, pseudo_random: bool, overlapping: bool, seed: int,
            name: str | None) -> tuple[Any, Any, Any]:
    """The same, whose windows are those that a seed stands for."""
    first, second = random_ops.get_seed(seed) if seed else (0, 0)
    return _fractional(op, value, ratio, {'pseudo_random': pseudo_random, 'overlapping': overlapping,
                                          'deterministic': seed != 0, 'seed': first, 'seed2': second}, name)


def fractional_max_pool_v2(value: Any, pooling_ratio: Any, pseudo_random: bool = False, overlapping: bool = False,
                           seed: int = 0, name: str | None = None) -> Any:
    """Takes the largest values of windows of uneven sizes; returns these, and where rows and columns begin."""
    given = f'Received: pooling_ratio={pooling_ratio}'
    if isinstance(pooling_ratio, (list, tuple)):
        if pooling_ratio[0] != 1.0 or pooling_ratio[-1] != 1.0:
            raise ValueError(f'`pooling_ratio` should have first and last elements with value 1.0. {given}')
        if any(part < 1.0 for part in pooling_ratio):
            raise ValueError(f'`pooling_ratio` elements should be >= 1.0. {given}')
    elif not isinstance(pooling_ratio, (int, float)):
        raise ValueError(f'`pooling_ratio` should be an int or a list of ints. {given}')
    elif pooling_ratio < 1.0:
        raise ValueError(f'`pooling_ratio` should be >= 1.0. {given}')
    ratio = _sizes(pooling_ratio, 2, 3, 'pooling_ratio')
    return _seeded('FractionalMaxPool', value, ratio, pseudo_random, overlapping, seed, name)


def fractional_avg_pool_v2(value: Any, pooling_ratio: Any, pseudo_random: bool = False, overlapping: bool = False,
                           seed: int = 0, name: str | None = None) -> Any:
    """Takes the means of windows of uneven sizes; returns these, and where rows and columns begin."""
    return _seeded('FractionalAvgPool', value, pooling_ratio, pseudo_random, overlapping, seed, name)
