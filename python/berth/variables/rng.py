"""rng - tf.random.Generator: random numbers from a state that a variable keeps.

The state is Philox's counter and key. Who draws takes a part of the sequence: 256 steps for each
number, as TensorFlow does, whatever is really used.
"""

from __future__ import annotations

import contextlib
from typing import Any

from berth.base import naming
from berth.framework import convert, dtypes, gen, scopes
from berth.ops import array_ops, math_ops, reduce_ops
from berth.ops.stateless_ops import Algorithm, number_of, unsupported
from berth.variables.graph_variable import Variable

_SIGN = -2 ** 63
_WORD = 2 ** 64
_COUNTERS = {Algorithm.PHILOX.value: 2, Algorithm.THREEFRY.value: 1, Algorithm.AUTO_SELECT.value: 2}


def _state_size(alg: int) -> int:
    if alg not in _COUNTERS:
        raise unsupported(alg)
    return _COUNTERS[alg] + 1


def create_rng_state(seed: Any, alg: Any) -> Any:
    """Makes a state of a number or of several."""
    size = _state_size(number_of(alg))
    if isinstance(seed, int):
        seed = [seed >> 64 * i for i in range(size)]
    if isinstance(seed, (list, tuple)):
        seed = [(s % _WORD ^ 2 ** 63) + _SIGN if isinstance(s, int) else s for s in seed]
    state = array_ops.reshape(math_ops.cast(seed, dtypes.int64), [-1])[0:size]
    missing = math_ops.maximum(size - state.shape.as_list()[0], 0)
    made = array_ops.concat([array_ops.zeros([missing], dtypes.int64), state], 0)
    made.set_shape([size])
    return made


@naming.public('ops.stateful_random_ops')
class Generator:
    """Random numbers, one after the other."""

    def __init__(self, copy_from: Any = None, state: Any = None, alg: Any = None) -> None:
        if copy_from is not None:
            assert (alg or state) is None
            self._alg, state = copy_from.algorithm, copy_from.state
            self._state = _variable(state.read_value())
            return
        assert alg is not None and state is not None
        self._alg = number_of(alg)
        shape = [_state_size(int(self._alg))]
        if isinstance(state, Variable):
            state.shape.assert_is_compatible_with(shape)
            self._state = state
        else:
            value = math_ops.cast(convert.convert_to_tensor(state, dtype_hint=dtypes.int64), dtypes.int64)
            value.shape.assert_is_compatible_with(shape)
            self._state = _variable(value)

    def _checkpoint_children(self) -> dict[str, Any]:
        return {'_state_var': self._state}

    @classmethod
    def from_state(cls, state: Any, alg: Any) -> 'Generator':
        """Makes one with a given state."""
        return cls(state=state, alg=alg)

    @classmethod
    def from_seed(cls, seed: Any, alg: Any = None) -> 'Generator':
        """Makes one whose numbers a seed decides."""
        alg = Algorithm.PHILOX.value if alg is None else number_of(alg)
        return cls(state=create_rng_state(seed, alg), alg=alg)

    @classmethod
    def from_non_deterministic_state(cls, alg: Any = None) -> 'Generator':
        """Makes one whose numbers nobody can foresee."""
        import secrets

        alg = Algorithm.PHILOX.value if alg is None else number_of(alg)
        return cls(state=[secrets.randbits(63) for _ in range(_state_size(alg))], alg=alg)

    @classmethod
    def from_key_counter(cls, key: Any, counter: Any, alg: Any) -> 'Generator':
        """Makes one with a given key and counter."""
        alg = number_of(alg)
        counter = convert.convert_to_tensor(counter, dtype=dtypes.int64)
        key = convert.convert_to_tensor(key, dtype=dtypes.int64)
        counter.shape.assert_is_compatible_with([_state_size(alg) - 1])
        key.shape.assert_is_compatible_with([])
        return cls(state=array_ops.concat([counter, array_ops.reshape(key, [1])], 0), alg=alg)

    # ---- What it is ----

    @property
    def state(self) -> Any:
        """The variable that keeps the state."""
        return self._state

    @property
    def algorithm(self) -> int:
        """The number of the algorithm."""
        return self._alg

    @property
    def key(self) -> Any:
        """The part of the state that stays."""
        return self._state[-1]

    # ---- Changing ----

    def reset(self, state: Any) -> None:
        """Sets the state."""
        value = math_ops.cast(convert.convert_to_tensor(state, dtype_hint=dtypes.int64), dtypes.int64)
        value.shape.assert_is_compatible_with([_state_size(self._alg)])
        self._state.assign(value)

    def reset_from_seed(self, seed: Any) -> None:
        """Begins anew from a seed."""
        self._state.assign(create_rng_state(seed, self._alg))

    def reset_from_key_counter(self, key: Any, counter: Any) -> None:
        """Begins anew from a key and a counter."""
        counter = convert.convert_to_tensor(counter, dtype=dtypes.int64)
        key = convert.convert_to_tensor(key, dtype=dtypes.int64)
        counter.shape.assert_is_compatible_with([_state_size(self._alg) - 1])
        self._state.assign(array_ops.concat([counter, array_ops.reshape(key, [1])], 0))

    def skip(self, delta: Any) -> Any:
        """Takes so many numbers out of the sequence; returns where they begin."""
        return gen.apply('RngReadAndSkip', None, {
            'resource': self._state.handle, 'alg': math_ops.cast(self._alg, dtypes.int32),
            'delta': math_ops.cast(delta, dtypes.uint64)})

    def _drawn(self, op: str, shape: Any, attrs: Any = None, limits: Any = None, name: str | None = None) -> Any:
        """Makes |op| for the next part of the sequence."""
        state = self.skip(reduce_ops.reduce_prod(shape))
        size = _state_size(self._alg) - 1
        counter = array_ops.bitcast(state[:size], dtypes.uint64)
        key = array_ops.bitcast(state[size:size + 1], dtypes.uint64)
        return gen.apply(op, name, {'shape': shape, 'key': key, 'counter': counter, 'alg': self._alg,
                                    **(limits or {})}, attrs or {})

    # ---- Distributions ----

    def normal(self, shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = dtypes.float32,
               name: str | None = None) -> Any:
        """Draws normally distributed values."""
        return self._normal('StatelessRandomNormalV2', shape, (mean, stddev, dtype), name, 'stateful_normal')

    def truncated_normal(self, shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = dtypes.float32,
                         name: str | None = None) -> Any:
        """Draws normally distributed values within two standard deviations."""
        return self._normal('StatelessTruncatedNormalV2', shape, (mean, stddev, dtype), name, 'truncated_normal')

    def _normal(self, op: str, shape: Any, args: tuple[Any, Any, Any], name: Any, default: str) -> Any:
        mean, stddev, dtype = args
        with scopes.name_scope(name, default, [shape, mean, stddev]) as name:
            shape = _shape_tensor(shape)
            mean = convert.convert_to_tensor(mean, dtype=dtype, name='mean')
            stddev = convert.convert_to_tensor(stddev, dtype=dtype, name='stddev')
            return math_ops.add(self._drawn(op, shape, {'dtype': dtype}) * stddev, mean, name=name)

    def uniform(self, shape: Any, minval: Any = 0, maxval: Any = None, dtype: Any = dtypes.float32,
                name: str | None = None) -> Any:
        """Draws uniformly distributed values."""
        kind = dtypes.as_dtype(dtype)
        if kind.is_integer and (minval is None) != (maxval is None):
            raise ValueError(f'For integer dtype {kind}, minval and maxval must be both `None` or both non-`None`; got '
                             f'minval={minval} and maxval={maxval}')
        with scopes.name_scope(name, 'stateful_uniform', [shape, minval, maxval]) as name:
            shape = _shape_tensor(shape)
            if kind.is_integer and minval is None:
                return self._drawn('StatelessRandomUniformFullIntV2', shape, {'dtype': kind}, name=name)
            minval = convert.convert_to_tensor(minval, dtype=kind, name='min')
            maxval = convert.convert_to_tensor(1 if maxval is None else maxval, dtype=kind, name='max')
            if kind.is_integer:
                return self._drawn('StatelessRandomUniformIntV2', shape, None, {'minval': minval, 'maxval': maxval},
                                   name)
            drawn = self._drawn('StatelessRandomUniformV2', shape, {'dtype': kind})
            return math_ops.add(drawn * (maxval - minval), minval, name=name)

    def uniform_full_int(self, shape: Any, dtype: Any = dtypes.uint64, name: str | None = None) -> Any:
        """Draws whole numbers, each of the type as likely as any other."""
        with scopes.name_scope(name, 'stateful_uniform_full_int', [shape]) as name:
            return self._drawn('StatelessRandomUniformFullIntV2', _shape_tensor(shape),
                               {'dtype': dtypes.as_dtype(dtype)}, name=name)

    def binomial(self, shape: Any, counts: Any, probs: Any, dtype: Any = dtypes.int32,
                 name: str | None = None) -> Any:
        """Draws how often something of a probability happens in so many trials."""
        with scopes.name_scope(name, 'binomial', [shape, counts, probs]) as name:
            counts = convert.convert_to_tensor(counts, name='counts')
            probs = convert.convert_to_tensor(probs, name='probs')
            return gen.apply('StatefulRandomBinomial', name, {
                'resource': self._state.handle, 'algorithm': self._alg, 'shape': _shape_tensor(shape),
                'counts': counts, 'probs': probs}, {'dtype': dtypes.as_dtype(dtype)})

    def make_seeds(self, count: int = 1) -> Any:
        """Draws seeds for stateless ops, one in each column."""
        keys = self.uniform_full_int([count], dtypes.int64)
        return array_ops.stack([keys, array_ops.zeros_like(keys)])

    def split(self, count: int = 1) -> list['Generator']:
        """Makes generators of their own."""
        keys = array_ops.unstack(self.uniform_full_int([count], dtypes.int64), num=count)
        return [Generator(state=[0] * (_state_size(self._alg) - 1) + [key], alg=self._alg) for key in keys]


def _variable(value: Any) -> Any:
    """Makes the state's variable, which has a scope of its own in graphs."""
    is_eager = scopes.executing_eagerly()
    with contextlib.nullcontext() if is_eager else scopes.name_scope(None, 'random_generator'):
        return Variable(value, dtype=dtypes.int64, trainable=False, name='StateVar')


def _shape_tensor(shape: Any) -> Any:
    is_empty = isinstance(shape, (list, tuple)) and not shape
    return convert.convert_to_tensor(shape, dtype=dtypes.int64 if is_empty else None, name='shape')


_global: Generator | None = None


def get_global_generator() -> Generator:
    """Returns the generator of the program, made at first use."""
    global _global
    if _global is None:
        with scopes.init_scope():
            _global = Generator.from_non_deterministic_state()
    return _global


def set_global_generator(generator: Generator) -> None:
    """Makes |generator| that of the program."""
    global _global
    _global = generator
