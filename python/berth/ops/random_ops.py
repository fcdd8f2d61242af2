"""random_ops.py - Random tensors, and the seeds that they get."""

from __future__ import annotations

from typing import Any

from berth.framework import convert, dtypes, gen, scopes, seeds, tensor_shape
from berth.ops import math_ops


def get_seed(op_seed: int | None) -> tuple[int | None, int | None]:
    """Returns the two seeds of a random op, or twice None where any will do."""
    found = seeds.get_seed(op_seed) if scopes.executing_eagerly() else _graph_seed(op_seed)
    return found if any(found) or op_seed is not None else (None, None)


def _graph_seed(op_seed: int | None) -> tuple[int, int]:
    """Returns the two seeds of a random op: of the graph and of the op, (0, 0) for any."""
    graph = scopes.get_default_graph()
    if graph.seed is not None:
        if op_seed is None:
            op_seed = graph._random_ops
            graph._random_ops += 1
        return seeds.pair(graph.seed, op_seed)
    return (0, 0) if op_seed is None else seeds.pair(seeds.DEFAULT, op_seed)


def _seed_attrs(seed: int | None) -> dict:
    if scopes.executing_eagerly():
        first, second = seeds.get_seed(seed)
    else:
        first, second = _graph_seed(seed)
    return {'seed': first, 'seed2': second}


def shape_tensor(shape: Any) -> Any:
    """Returns the tensor of a shape, as draws take it."""
    is_empty = isinstance(shape, (list, tuple)) and not shape
    if isinstance(shape, (list, tuple)):
        shape = [tensor_shape.dimension_value(size) for size in shape]
    return convert.convert_to_tensor(shape, dtype=dtypes.int32 if is_empty else None, name='shape')


def _scaled(op: str, name: Any, shape: Any, mean: Any, stddev: Any, dtype: Any, seed: Any) -> Any:
    """Makes normal values of some kind, times stddev, plus mean."""
    shape = shape_tensor(shape)
    mean = convert.convert_to_tensor(mean, dtype=dtype, name='mean')
    stddev = convert.convert_to_tensor(stddev, dtype=dtype, name='stddev')
    values = gen.apply(op, None, {'shape': shape}, {'dtype': dtype, **_seed_attrs(seed)})
    return math_ops.add(values * stddev, mean, name=name)


def random_normal(shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = dtypes.float32,
                  seed: int | None = None, name: str | None = None) -> Any:
    """Makes normally distributed values."""
    with scopes.name_scope(name, 'random_normal', [shape, mean, stddev]) as name:
        return _scaled('RandomStandardNormal', name, shape, mean, stddev, dtype, seed)


def truncated_normal(shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = dtypes.float32,
                     seed: int | None = None, name: str | None = None) -> Any:
    """Makes normally distributed values within two standard deviations."""
    with scopes.name_scope(name, 'truncated_normal', [shape, mean, stddev]) as name:
        return _scaled('TruncatedNormal', name, shape, mean, stddev, dtype, seed)


def random_uniform(shape: Any, minval: Any = 0, maxval: Any = None, dtype: Any = dtypes.float32,
                   seed: int | None = None, name: str | None = None) -> Any:
    """Makes uniformly distributed values."""
    dtype = dtypes.as_dtype(dtype)
    if dtype.name not in ('float16', 'bfloat16', 'float32', 'float64', 'int32', 'int64'):
        raise ValueError(f'Argument `dtype` got invalid value {dtype}. Accepted dtypes are (tf.float16, '
                         'tf.bfloat16, tf.float32, tf.float64, tf.int32, tf.int64).')
    if maxval is None:
        if dtype.is_integer:
            raise ValueError(f'Must specify maxval for integer dtype {dtype!r}')
        maxval = 1
    with scopes.name_scope(name, 'random_uniform', [shape, minval, maxval]) as name:
        shape = shape_tensor(shape)
        # TensorFlow takes a shorter way for whole numbers of Python.
        from_zero = isinstance(minval, int) and minval == 0
        is_unit = from_zero and isinstance(maxval, int) and maxval == 1
        if not is_unit or dtype.is_integer:
            minval = convert.convert_to_tensor(minval, dtype=dtype, name='min')
            maxval = convert.convert_to_tensor(maxval, dtype=dtype, name='max')
        seeds = _seed_attrs(seed)
        if dtype.is_integer:
            return gen.apply('RandomUniformInt', name, {'shape': shape, 'minval': minval, 'maxval': maxval}, seeds)
        values = gen.apply('RandomUniform', None, {'shape': shape}, {'dtype': dtype, **seeds})
        if is_unit:
            return values
        if from_zero:
            return gen.apply('Mul', None, {'x': values, 'y': maxval})
        return math_ops.add(values * (maxval - minval), minval, name=name)


def random_shuffle(value: Any, seed: int | None = None, name: str | None = None) -> Any:
    """Changes the order along the first dimension."""
    return gen.apply('RandomShuffle', name, {'value': value}, _seed_attrs(seed))


def _samples(name: Any, default: str, logits: Any, num_samples: Any, seed: Any, dtype: Any) -> Any:
    with scopes.name_scope(name, default, [logits]):
        logits = convert.convert_to_tensor(logits, name='logits')
        return gen.apply('Multinomial', None, {'logits': logits, 'num_samples': num_samples},
                         {'output_dtype': dtype or dtypes.int64, **_seed_attrs(seed)})


def multinomial(logits: Any, num_samples: Any, seed: int | None = None, name: str | None = None,
                output_dtype: Any = None) -> Any:
    """Draws from a categorical distribution."""
    return _samples(name, 'multinomial', logits, num_samples, seed, output_dtype)


def categorical(logits: Any, num_samples: Any, dtype: Any = None, seed: int | None = None,
                name: str | None = None) -> Any:
    """Draws from a categorical distribution."""
    return _samples(name, 'categorical', logits, num_samples, seed, dtype)


def scaled_gamma(values: Any, alpha: Any, beta: Any) -> Any:
    """Returns what was drawn for |alpha|, for another rate; never 0."""
    import numpy as np

    return math_ops.maximum(np.finfo(alpha.dtype.as_numpy_dtype).tiny, values / beta)


def both_shapes(alpha: Any, beta: Any, dtype: Any) -> tuple[Any, Any]:
    """Returns |alpha| in the shape of both, and |beta|, which is 1 where it is None."""
    from berth.ops import array_ops

    alpha = convert.convert_to_tensor(alpha, name='alpha', dtype=dtype)
    beta = convert.convert_to_tensor(1 if beta is None else beta, name='beta', dtype=dtype)
    shape = gen.apply('BroadcastArgs', None, {'s0': array_ops.shape(alpha), 's1': array_ops.shape(beta)})
    return array_ops.broadcast_to(alpha, shape), beta


def random_gamma(shape: Any, alpha: Any, beta: Any = None, dtype: Any = dtypes.float32, seed: int | None = None,
                 name: str | None = None) -> Any:
    """Draws from gamma distributions."""
    with scopes.name_scope(name, 'random_gamma', [shape, alpha, beta]):
        shape = convert.convert_to_tensor(shape, name='shape', dtype=dtypes.int32)
        alpha, beta = both_shapes(alpha, beta, dtype)
        values = gen.apply('RandomGamma', None, {'shape': shape, 'alpha': alpha}, _seed_attrs(seed))
        return scaled_gamma(values, alpha, beta)


def random_poisson_v2(shape: Any, lam: Any, dtype: Any = dtypes.float32, seed: int | None = None,
                      name: str | None = None) -> Any:
    """Draws from Poisson distributions."""
    with scopes.name_scope(name, 'random_poisson', [lam, shape]):
        shape = convert.convert_to_tensor(shape, name='shape', dtype=dtypes.int32)
        return gen.apply('RandomPoissonV2', None, {'shape': shape, 'rate': lam},
                         {'dtype': dtype, **_seed_attrs(seed)})


def random_poisson(lam: Any, shape: Any, dtype: Any = dtypes.float32, seed: int | None = None,
                   name: str | None = None) -> Any:
    """Draws from Poisson distributions."""
    return random_poisson_v2(shape, lam, dtype, seed, name)


def random_crop(value: Any, size: Any, seed: int | None = None, name: str | None = None) -> Any:
    """Cuts a part of a given size out at a random place."""
    from berth.ops import array_ops, flow_ops, order_ops, reduce_ops

    with scopes.name_scope(name, 'random_crop', [value, size]) as name:
        value = convert.convert_to_tensor(value, name='value')
        size = convert.convert_to_tensor(size, dtype=dtypes.int32, name='size')
        shape = array_ops.shape(value)
        check = flow_ops.Assert(reduce_ops.reduce_all(shape >= size),
                                        ['Need value.shape >= size, got ', shape, size], summarize=1000)
        shape = order_ops.with_dependencies([check], shape)
        limit = shape - size + 1
        offset = random_uniform(array_ops.shape(shape), dtype=size.dtype, maxval=size.dtype.max, seed=seed) % limit
        return array_ops.slice(value, offset, size, name=name)
