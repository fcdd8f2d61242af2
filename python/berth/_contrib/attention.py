"""attention.py - tf.contrib.seq2seq: how much of a memory a query looks at."""

from __future__ import annotations

import functools
import math
from typing import Any

from berth._contrib.helpers import with_shape
from berth._layers.core import Dense
from berth.framework import convert, dtypes, nest, scopes
from berth.ops import array_ops, check_ops, functional_ops, init_ops, math_ops, nn_ops, random_ops, reduce_ops
from berth.variables import scope as variable_scope


class AttentionMechanism:
    """What turns a query and a state into weights of the rows of a memory, and the next state."""

    @property
    def alignments_size(self) -> Any:
        """How many rows the memory has."""
        raise NotImplementedError

    @property
    def state_size(self) -> Any:
        """How large states are."""
        raise NotImplementedError


# ---- Memories ----


def _size(tensor: Any, axis: int) -> Any:
    """Returns a size: a number, if that is known."""
    return tensor.shape.as_list()[axis] or array_ops.shape(tensor)[axis]


def _masked(memory: Any, lengths: Any, checks: bool) -> Any:
    """Returns a memory with zeros behind the end of its sequences."""
    memory = nest.map_structure(lambda m: convert.convert_to_tensor(m, name='memory'), memory)
    for part in nest.flatten(memory):
        if checks and not part.shape[2:].is_fully_defined():
            raise ValueError(f'Expected memory {part.name} to have fully defined inner dims, but saw shape: '
                             f'{part.shape}')
    if lengths is None:
        return memory
    steps = array_ops.shape(nest.flatten(memory)[0])[1]

    def cut(part: Any) -> Any:
        mask = array_ops.sequence_mask(lengths, maxlen=steps, dtype=part.dtype)
        shape = array_ops.concat([array_ops.shape(mask), array_ops.ones([part.shape.rank - 2], dtypes.int32)], 0)
        return part * array_ops.reshape(mask, shape)

    return nest.map_structure(cut, memory)


def _masked_score(score: Any, lengths: Any, value: Any) -> Any:
    """Returns scores with |value| behind the end of sequences."""
    if lengths is None:
        return score
    message = 'All values in memory_sequence_length must greater than zero.'
    with scopes.control_dependencies([check_ops.assert_positive(lengths, message=message)]):
        mask = array_ops.sequence_mask(lengths, maxlen=array_ops.shape(score)[1])
        return array_ops.where(mask, score, value * array_ops.ones_like(score))


class Mechanism(AttentionMechanism):
    """One with layers for queries and for its memory."""

    def __init__(self, query_layer: Any, memory: Any, probability_fn: Any, memory_sequence_length: Any = None,
                 memory_layer: Any = None, check_inner_dims_defined: bool = True, score_mask_value: Any = None,
                 custom_key_value_fn: Any = None, name: str | None = None) -> None:
        if not callable(probability_fn):
            raise TypeError(f'probability_fn must be callable, saw type: {type(probability_fn).__name__}')
        lengths = memory_sequence_length
        lengths = None if lengths is None else convert.convert_to_tensor(lengths, name='memory_sequence_length')
        self._query_layer, self._memory_layer = query_layer, memory_layer
        self.dtype = dtypes.as_dtype(memory_layer.dtype)
        mask = -math.inf if score_mask_value is None else score_mask_value
        self._probability_fn = lambda score, before: probability_fn(_masked_score(score, lengths, mask), before)
        with scopes.name_scope(name, 'BaseAttentionMechanismInit', nest.flatten(memory)):
            self._values = _masked(memory, lengths, check_inner_dims_defined)
            self._keys = memory_layer(self._values) if memory_layer else self._values
            if custom_key_value_fn is not None:
                self._keys, self._values = custom_key_value_fn(self._keys, self._values)
            self._batch_size, self._alignments_size = _size(self._keys, 0), _size(self._keys, 1)

    memory_layer = property(lambda self: self._memory_layer)
    query_layer = property(lambda self: self._query_layer)
    values = property(lambda self: self._values)
    keys = property(lambda self: self._keys)
    batch_size = property(lambda self: self._batch_size)
    alignments_size = property(lambda self: self._alignments_size)
    state_size = property(lambda self: self._alignments_size)

    def initial_alignments(self, batch_size: Any, dtype: Any) -> Any:
        """Returns weights of zeros."""
        sizes = batch_size, self._alignments_size
        return with_shape(array_ops.zeros(array_ops.stack(sizes), dtype),
                          [None if convert.is_tensor(size) else size for size in sizes])

    def initial_state(self, batch_size: Any, dtype: Any) -> Any:
        """Returns the first state: the same weights."""
        return self.initial_alignments(batch_size, dtype)

    def _score(self, query: Any) -> Any:
        """Returns how well each row fits."""
        raise NotImplementedError

    _scope = ''

    def __call__(self, query: Any, state: Any) -> tuple[Any, Any]:
        """Returns weights, and the same as the next state."""
        with variable_scope.variable_scope(None, self._scope, [query]):
            weights = self._probability_fn(self._score(query), state)
        return weights, weights


def _layer(units: Any, name: str, dtype: Any) -> Any:
    return Dense(units, name=name, use_bias=False, dtype=dtype or dtypes.float32)


def _softmax_or(given: Any) -> Any:
    function = nn_ops.softmax if given is None else given
    return lambda score, _: function(score)


# ---- Products: Luong ----


def _luong_score(query: Any, keys: Any, scale: bool) -> Any:
    """Returns products of a query with keys."""
    depth, units = query.shape.as_list()[-1], keys.shape.as_list()[-1]
    if depth != units:
        raise ValueError('Incompatible or unknown inner dimensions between query and keys.  '
                         f'Query ({query}) has units: {depth}.  Keys ({keys}) have units: {units}.  '
                         f'Perhaps you need to set num_units to the keys\' dimension ({units})?')
    score = math_ops.matmul(array_ops.expand_dims(query, 1), keys, transpose_b=True)
    score = array_ops.squeeze(score, [1])
    if not scale:
        return score
    return score * variable_scope.get_variable('attention_g', dtype=query.dtype, shape=(),
                                               initializer=init_ops.ones_initializer(dtype=query.dtype))


class LuongAttention(Mechanism):
    """Products of queries and keys."""

    _scope = 'luong_attention'

    def __init__(self, num_units: Any, memory: Any, memory_sequence_length: Any = None, scale: bool = False,
                 probability_fn: Any = None, score_mask_value: Any = None, dtype: Any = None,
                 custom_key_value_fn: Any = None, name: str = 'LuongAttention') -> None:
        super().__init__(None, memory, _softmax_or(probability_fn), memory_sequence_length,
                         _layer(num_units, 'memory_layer', dtype), score_mask_value=score_mask_value,
                         custom_key_value_fn=custom_key_value_fn, name=name)
        self._scale = scale

    def _score(self, query: Any) -> Any:
        return _luong_score(query, self._keys, self._scale)


# ---- Sums: Bahdanau ----


def _bahdanau_score(query: Any, keys: Any, units: Any, normalize: bool) -> Any:
    """Returns what a vector makes of the sums of a query and keys."""
    vector = variable_scope.get_variable('attention_v', [units], dtype=query.dtype)
    total = keys + array_ops.expand_dims(query, 1)
    if normalize:
        factor = variable_scope.get_variable(
            'attention_g', shape=(), dtype=query.dtype,
            initializer=init_ops.constant_initializer(math.sqrt(1.0 / units), dtype=query.dtype))
        total += variable_scope.get_variable('attention_b', [units], dtype=query.dtype,
                                             initializer=init_ops.zeros_initializer(dtype=query.dtype))
        vector = factor * vector * math_ops.rsqrt(reduce_ops.reduce_sum(math_ops.square(vector)))
    return reduce_ops.reduce_sum(vector * math_ops.tanh(total), [2])


class BahdanauAttention(Mechanism):
    """Sums of queries and keys, seen by a vector."""

    _scope = 'bahdanau_attention'

    def __init__(self, num_units: Any, memory: Any, memory_sequence_length: Any = None, normalize: bool = False,
                 probability_fn: Any = None, score_mask_value: Any = None, dtype: Any = None,
                 custom_key_value_fn: Any = None, name: str = 'BahdanauAttention') -> None:
        super().__init__(_layer(num_units, 'query_layer', dtype), memory, _softmax_or(probability_fn),
                         memory_sequence_length, _layer(num_units, 'memory_layer', dtype),
                         score_mask_value=score_mask_value, custom_key_value_fn=custom_key_value_fn, name=name)
        self._num_units, self._normalize = num_units, normalize

    def _score(self, query: Any) -> Any:
        return _bahdanau_score(self._query_layer(query), self._keys, self._num_units, self._normalize)


# ---- Those that only go on ----


def safe_cumprod(x: Any, *values: Any, **options: Any) -> Any:
    """Returns running products of numbers between 0 and 1, by their logarithms."""
    with scopes.name_scope(None, 'SafeCumprod', [x]):
        x = convert.convert_to_tensor(x, name='x')
        least = float(_tiny(x.dtype))
        return math_ops.exp(math_ops.cumsum(math_ops.log(math_ops.clip_by_value(x, least, 1)), *values, **options))


def _tiny(dtype: Any) -> Any:
    """Returns the smallest normal number of a type."""
    import numpy as np

    return np.finfo(dtype.as_numpy_dtype).tiny


def monotonic_attention(p_choose_i: Any, previous_attention: Any, mode: str) -> Any:
    """Returns weights that only go on, given how likely each row is to be chosen once it is looked at."""
    chances = convert.convert_to_tensor(p_choose_i, name='p_choose_i')
    before = convert.convert_to_tensor(previous_attention, name='previous_attention')
    if mode == 'recursive':
        return _recursive(chances, before)
    if mode == 'parallel':
        passed = safe_cumprod(1 - chances, axis=1, exclusive=True)
        return chances * passed * math_ops.cumsum(before / math_ops.clip_by_value(passed, 1e-10, 1.0), axis=1)
    if mode == 'hard':
        chances *= math_ops.cumsum(before, axis=1)
        return chances * math_ops.cumprod(1 - chances, axis=1, exclusive=True)
    raise ValueError("mode must be 'recursive', 'parallel', or 'hard'.")


def _recursive(chances: Any, before: Any) -> Any:
    batch = array_ops.shape(chances)[0]
    passed = array_ops.concat([array_ops.ones(array_ops.stack([batch, 1]), chances.dtype), 1 - chances[:, :-1]], 1)
    reached = functional_ops.scan(
        lambda x, pair: array_ops.reshape(pair[0] * x + pair[1], array_ops.stack([batch])),
        [array_ops.transpose(passed), array_ops.transpose(before)],
        array_ops.zeros(array_ops.stack([batch]), chances.dtype))
    return chances * array_ops.transpose(reached)


def _monotonic(noise: Any, mode: str, seed: Any, score: Any, before: Any) -> Any:
    """Returns weights of scores."""
    if noise > 0:
        score += noise * random_ops.random_normal(array_ops.shape(score), dtype=score.dtype, seed=seed)
    chances = math_ops.cast(score > 0, score.dtype) if mode == 'hard' else math_ops.sigmoid(score)
    return monotonic_attention(chances, before, mode)


class MonotonicMechanism(Mechanism):
    """One whose first weights are all on the first row."""

    def initial_alignments(self, batch_size: Any, dtype: Any) -> Any:
        """Returns 1 for the first row."""
        return array_ops.one_hot(array_ops.zeros(array_ops.stack([batch_size]), dtypes.int32), self._alignments_size,
                                 dtype=dtype)

    def _biased(self, score: Any, start: Any) -> Any:
        return score + variable_scope.get_variable(
            'attention_score_bias', shape=(), dtype=score.dtype,
            initializer=init_ops.constant_initializer(start, dtype=score.dtype))


class BahdanauMonotonicAttention(MonotonicMechanism):
    """Sums of queries and keys; weights only go on."""

    _scope = 'bahdanau_monotonic_attention'

    def __init__(self, num_units: Any, memory: Any, memory_sequence_length: Any = None, normalize: bool = False,
                 score_mask_value: Any = None, sigmoid_noise: float = 0.0, sigmoid_noise_seed: Any = None,
                 score_bias_init: float = 0.0, mode: str = 'parallel', dtype: Any = None,
                 name: str = 'BahdanauMonotonicAttention') -> None:
        super().__init__(_layer(num_units, 'query_layer', dtype), memory,
                         functools.partial(_monotonic, sigmoid_noise, mode, sigmoid_noise_seed),
                         memory_sequence_length, _layer(num_units, 'memory_layer', dtype),
                         score_mask_value=score_mask_value, name=name)
        self._num_units, self._normalize, self._start = num_units, normalize, score_bias_init

    def _score(self, query: Any) -> Any:
        return self._biased(
            _bahdanau_score(self._query_layer(query), self._keys, self._num_units, self._normalize), self._start)


class LuongMonotonicAttention(MonotonicMechanism):
    """Products of queries and keys; weights only go on."""

    _scope = 'luong_monotonic_attention'

    def __init__(self, num_units: Any, memory: Any, memory_sequence_length: Any = None, scale: bool = False,
                 score_mask_value: Any = None, sigmoid_noise: float = 0.0, sigmoid_noise_seed: Any = None,
                 score_bias_init: float = 0.0, mode: str = 'parallel', dtype: Any = None,
                 name: str = 'LuongMonotonicAttention') -> None:
        super().__init__(None, memory, functools.partial(_monotonic, sigmoid_noise, mode, sigmoid_noise_seed),
                         memory_sequence_length, _layer(num_units, 'memory_layer', dtype),
                         score_mask_value=score_mask_value, name=name)
        self._scale, self._start = scale, score_bias_init

    def _score(self, query: Any) -> Any:
        return self._biased(_luong_score(query, self._keys, self._scale), self._start)


def hardmax(logits: Any, name: str | None = None) -> Any:
    """Returns 1 for the largest value of each row, and 0 for others."""
    with scopes.name_scope(name, 'Hardmax', [logits]):
        logits = convert.convert_to_tensor(logits, name='logits')
        return array_ops.one_hot(math_ops.argmax(logits, -1), _size(logits, -1), dtype=logits.dtype)
