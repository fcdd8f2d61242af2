"""stateless_ops - Random numbers that their seeds decide, and nothing that went before."""

from __future__ import annotations

import enum
from typing import Any

from berth.base import naming
from berth.framework import convert, dtypes, gen, scopes
from berth.framework.node import Tensor
from berth.ops import array_ops, math_ops, random_ops


@naming.public('ops.random_ops_util')
class Algorithm(enum.Enum):
    """How random bits are made."""

    PHILOX = 1
    THREEFRY = 2
    AUTO_SELECT = 3


def unsupported(alg: Any) -> ValueError:
    """Returns the error for an algorithm that there is not."""
    names: Any = ('philox', 'threefry', 'auto_select')
    if isinstance(alg, int):
        names = [kind.value for kind in Algorithm]
    elif not isinstance(alg, str):
        names = list(Algorithm)
    return ValueError(f'Argument `alg` got unsupported value {alg}. Supported values are {names[0]} for the Philox '
                      f'algorithm, {names[1]} for the ThreeFry algorithm, and {names[2]} for auto-selection.')


def number_of(alg: Any) -> Any:
    """Returns the number of an algorithm given by number, name or tensor."""
    if isinstance(alg, (int, Tensor)):
        return alg
    if isinstance(alg, Algorithm):
        return alg.value
    if not isinstance(alg, str):
        raise TypeError(f"Can't convert argument `alg` (of value {alg} and type {type(alg)}) to int.")
    plain = alg.strip().lower().replace('-', '').replace('_', '')
    names = {'philox': Algorithm.PHILOX, 'threefry': Algorithm.THREEFRY, 'autoselect': Algorithm.AUTO_SELECT}
    if plain not in names:
        raise unsupported(alg)
    return names[plain].value


def _key_counter_alg(seed: Any, alg: Any) -> dict[str, Any]:
    """Returns what the ops take for a seed of two numbers."""
    number = number_of('auto_select' if alg is None else alg)
    key, counter = gen.apply('StatelessRandomGetKeyCounter', None, {'seed': seed})
    if number == Algorithm.THREEFRY.value:
        counter = counter[:1]  # Which the op refuses, as it does in TensorFlow.
    elif not isinstance(number, Tensor) and number not in [kind.value for kind in Algorithm]:
        raise unsupported(number)
    return {'key': key, 'counter': counter, 'alg': number}


def _normal(op: str, label: str, args: tuple[Any, ...], name: Any, alg: Any) -> Any:
    """Makes normal values of some kind, times a deviation, plus a mean."""
    shape, seed, mean, stddev, dtype = args
    with scopes.name_scope(name, label, [shape, seed, mean, stddev]) as name:
        shape = random_ops.shape_tensor(shape)
        mean = convert.convert_to_tensor(mean, dtype=dtype, name='mean')
        stddev = convert.convert_to_tensor(stddev, dtype=dtype, name='stddev')
        values = gen.apply(op, None, {'shape': shape, **_key_counter_alg(seed, alg)}, {'dtype': dtype})
        return math_ops.add(values * stddev, mean, name=name)


def stateless_normal(shape: Any, seed: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = dtypes.float32,
                     name: str | None = None, alg: Any = 'auto_select') -> Any:
    """Makes normally distributed values."""
    return _normal('StatelessRandomNormalV2', 'stateless_random_normal', (shape, seed, mean, stddev, dtype), name, alg)


def stateless_truncated_normal(shape: Any, seed: Any, mean: Any = 0.0, stddev: Any = 1.0,
                               dtype: Any = dtypes.float32, name: str | None = None,
                               alg: Any = 'auto_select') -> Any:
    """Makes normally distributed values within two standard deviations."""
    return _normal('StatelessTruncatedNormalV2', 'stateless_truncated_normal', (shape, seed, mean, stddev, dtype),
                   name, alg)


_KINDS = ('float16', 'bfloat16', 'float32', 'float64', 'int32', 'int64', 'uint32', 'uint64')


def _check_uniform(kind: Any, minval: Any, maxval: Any) -> None:
    """Raises ValueError for a type or limits that there are not."""
    if kind.name not in _KINDS:
        shown = ', '.join(f'tf.{name}' for name in _KINDS)
        raise ValueError(f'Argument `dtype` got invalid value {kind}. Accepted dtypes are ({shown}).')
    if not kind.is_integer:
        return
    if (minval is None) != (maxval is None):
        raise ValueError(f'For integer `dtype` argument {kind}, argument `minval` and `maxval` must be both None or not '
                         f'None. Got `minval`={minval} and `maxval`={maxval}.')
    if minval is not None and kind.is_unsigned:
        raise ValueError(f'Argument `dtype` got invalid value {kind} when argument `minval` is not None. Please don\'t '
                         'use unsigned integers in this case.')


def stateless_uniform(shape: Any, seed: Any, minval: Any = 0, maxval: Any = None, dtype: Any = dtypes.float32,
                      name: str | None = None, alg: Any = 'auto_select') -> Any:
    """Makes uniformly distributed values."""
    kind = dtypes.as_dtype(dtype)
    _check_uniform(kind, minval, maxval)
    if maxval is None and not kind.is_integer:
        maxval = 1
    with scopes.name_scope(name, 'stateless_random_uniform', [shape, seed, minval, maxval]) as name:
        shape = random_ops.shape_tensor(shape)
        if kind.is_integer and minval is None:
            return gen.apply('StatelessRandomUniformFullIntV2', name, {'shape': shape, **_key_counter_alg(seed, alg)},
                             {'dtype': kind})
        minval = convert.convert_to_tensor(minval, dtype=kind, name='min')
        maxval = convert.convert_to_tensor(maxval, dtype=kind, name='max')
        given = {'shape': shape, **_key_counter_alg(seed, alg)}
        if kind.is_integer:
            return gen.apply('StatelessRandomUniformIntV2', name, {**given, 'minval': minval, 'maxval': maxval})
        values = gen.apply('StatelessRandomUniformV2', None, given, {'dtype': kind})
        return math_ops.add(values * (maxval - minval), minval, name=name)


def stateless_gamma(shape: Any, seed: Any, alpha: Any, beta: Any = None, dtype: Any = dtypes.float32,
                    name: str | None = None) -> Any:
    """Draws from gamma distributions."""
    with scopes.name_scope(name, 'stateless_random_gamma', [shape, seed, alpha, beta]):
        shape = random_ops.shape_tensor(shape)
        alpha, beta = random_ops.both_shapes(alpha, beta, dtype)
        given = {'shape': shape, **_key_counter_alg(seed, 'auto_select'), 'alpha': alpha}
        return random_ops.scaled_gamma(gen.apply('StatelessRandomGammaV3', None, given), alpha, beta)


def stateless_poisson(shape: Any, seed: Any, lam: Any, dtype: Any = dtypes.int32, name: str | None = None) -> Any:
    """Draws from Poisson distributions."""
    with scopes.name_scope(name, 'stateless_random_poisson', [shape, seed, lam]):
        return gen.apply('StatelessRandomPoisson', None,
                         {'shape': random_ops.shape_tensor(shape), 'seed': seed, 'lam': lam},
                         {'dtype': dtype})


def stateless_binomial(shape: Any, seed: Any, counts: Any, probs: Any, output_dtype: Any = dtypes.int32,
                       name: str | None = None) -> Any:
    """Draws how often something of a probability happens in so many trials."""
    with scopes.name_scope(name, 'stateless_random_binomial', [shape, seed, counts, probs]):
        shape = random_ops.shape_tensor(shape)
        probs = convert.convert_to_tensor(probs, dtype_hint=dtypes.float32, name='probs')
        counts = convert.convert_to_tensor(counts, dtype_hint=probs.dtype, name='counts')
        return gen.apply('StatelessRandomBinomial', None,
                         {'shape': shape, 'seed': seed, 'counts': counts, 'probs': probs}, {'dtype': output_dtype})


def stateless_parameterized_truncated_normal(shape: Any, seed: Any, means: Any = 0.0, stddevs: Any = 1.0,
                                             minvals: Any = -2.0, maxvals: Any = 2.0, name: str | None = None) -> Any:
    """Makes normally distributed values within bounds."""
    with scopes.name_scope(name, 'stateless_parameterized_truncated_normal',
                           [shape, means, stddevs, minvals, maxvals]):
        shape = random_ops.shape_tensor(shape)
        parameters = {key: convert.convert_to_tensor(value, name=key) for key, value in (
            ('means', means), ('stddevs', stddevs), ('minvals', minvals), ('maxvals', maxvals))}
        return gen.apply('StatelessParameterizedTruncatedNormal', None,
                         {'shape': shape, 'seed': seed, **parameters})


def _stateless_classes(default: str, logits: Any, num_samples: Any, dtype: Any, seed: Any, name: Any) -> Any:
    with scopes.name_scope(name, default, [logits, seed]):
        logits = convert.convert_to_tensor(logits, name='logits')
        return gen.apply('StatelessMultinomial', None, {'logits': logits, 'num_samples': num_samples, 'seed': seed},
                         {'output_dtype': dtypes.as_dtype(dtype) if dtype else dtypes.int64})


def stateless_categorical(logits: Any, num_samples: Any, seed: Any, dtype: Any = dtypes.int64,
                          name: str | None = None) -> Any:
    """Draws from a categorical distribution."""
    return _stateless_classes('stateless_categorical', logits, num_samples, dtype, seed, name)


def stateless_multinomial(logits: Any, num_samples: Any, seed: Any, output_dtype: Any = dtypes.int64,
                          name: str | None = None) -> Any:
    """Draws from a categorical distribution."""
    return _stateless_classes('stateless_multinomial', logits, num_samples, output_dtype, seed, name)


def stateless_shuffle(value: Any, seed: Any, alg: Any = 'auto_select', name: str | None = None) -> Any:
    """Changes the order along the first dimension."""
    with scopes.name_scope(name, 'stateless_shuffle', [value, seed]):
        given = _key_counter_alg(seed, alg)
        return gen.apply('StatelessShuffle', None, {'value': value, **given})


def split(seed: Any, num: Any = 2, alg: Any = 'auto_select') -> Any:
    """Makes several seeds of one."""
    seed = convert.convert_to_tensor(seed)
    return stateless_uniform([num, 2], seed, minval=None, maxval=None, dtype=seed.dtype, alg=alg)


def index_shuffle(index: Any, seed: Any, max_index: Any) -> Any:
    """Returns where an index goes when numbers up to |max_index| are shuffled."""
    seed = convert.convert_to_tensor(seed)
    front = [[1, 0]] + [[0, 0]] * ((seed.shape.rank or 1) - 1)
    seed = array_ops.pad(seed, front, constant_values=498247692)
    return gen.apply('RandomIndexShuffle', None, {'index': index, 'seed': seed, 'max_index': max_index}, {'rounds': 4})


def fold_in(seed: Any, data: Any, alg: Any = 'auto_select') -> Any:
    """Makes another seed of a seed and a number."""
    data = convert.convert_to_tensor(data)
    first = stateless_uniform([], seed, minval=None, maxval=None, dtype=data.dtype, alg=alg)
    return array_ops.stack([first, data])


class Seeded:
    """Draws for initialisers of TF2: with a seed, the same numbers at every call."""

    def __init__(self, seed: Any) -> None:
        self._seed = None if seed is None else [seed, 0]

    def random_normal(self, shape: Any, mean: Any, stddev: Any, dtype: Any, seed: Any = None) -> Any:
        """Makes normally distributed values."""
        if self._seed is None:
            return random_ops.random_normal(shape, mean, stddev, dtype)
        return stateless_normal(shape, self._seed, mean, stddev, dtype)

    def truncated_normal(self, shape: Any, mean: Any, stddev: Any, dtype: Any, seed: Any = None) -> Any:
        """Makes normally distributed values within two standard deviations."""
        if self._seed is None:
            return random_ops.truncated_normal(shape, mean, stddev, dtype)
        return stateless_truncated_normal(shape, self._seed, mean, stddev, dtype)

    def random_uniform(self, shape: Any, minval: Any, maxval: Any, dtype: Any, seed: Any = None) -> Any:
        """Makes uniformly distributed values."""
        if self._seed is None:
            return random_ops.random_uniform(shape, minval, maxval, dtype)
        return stateless_uniform(shape, self._seed, minval, maxval, dtype)
