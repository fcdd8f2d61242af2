"""check_shapes.py - tf.debugging.assert_*: types, ranks and shapes, checked before a run where they are known."""

from __future__ import annotations

from typing import Any, Callable, Optional

from berth import _core as core
from berth.framework import convert, dtypes, gen, scopes
from berth.ops import array_ops, flow_ops, order_ops
from berth.ops.signature import reordered


def _prefix(message: str | None) -> str:
    return f'{message}.  ' if message else ''


def _name_of(tensor: Any) -> str:
    """Returns a tensor's name, nothing for one that is in no graph."""
    return '' if isinstance(tensor, core.Tensor) else tensor.name


def _label(tensor: Any) -> str:
    """Returns what a text calls a tensor: by its name, where it has one."""
    return _name_of(tensor) or f'shape={tensor.shape} dtype={tensor.dtype.name}'


def _fine(name: str) -> Any:
    """Returns what says that nothing is left to be checked: an operation, in a graph."""
    return None if scopes.executing_eagerly() else order_ops.no_op(name)


# ---- Types ----

def assert_type(tensor: Any, tf_type: Any, message: str | None = None, name: str | None = None) -> Any:
    """Raises TypeError unless |tensor| has that type."""
    wanted = dtypes.as_dtype(tf_type)
    with scopes.name_scope(name, 'assert_type', [tensor]):
        tensor = convert.convert_to_tensor(tensor, name='tensor')
        if tensor.dtype != wanted:
            raise TypeError(f'{_prefix(message)}{_name_of(tensor) or "tensor"} must be of type {wanted!r}; '
                            f'got {tensor.dtype!r}')
        return _fine('statically_determined_correct_type')


def assert_type_v2(tensor: Any, tf_type: Any, message: str | None = None, name: str | None = None) -> None:
    """Raises TypeError unless |tensor| has that type."""
    assert_type(tensor, tf_type, message, name)


def assert_integer(x: Any, message: str | None = None, name: str | None = None) -> Any:
    """Raises TypeError unless |x| holds integers."""
    with scopes.name_scope(name, 'assert_integer', [x]):
        tensor = convert.convert_to_tensor(x, name='x')
        if not tensor.dtype.is_integer:
            raise TypeError(f'{_prefix(message)}Expected "x" to be integer type.  Found: '
                            f'{_name_of(tensor) or "tensor"} of dtype {tensor.dtype}')
        return _fine('statically_determined_was_integer')


def assert_integer_v2(x: Any, message: str | None = None, name: str | None = None) -> None:
    """Raises TypeError unless |x| holds integers."""
    assert_integer(x, message, name)


def assert_scalar(tensor: Any, name: str | None = None, message: str | None = None) -> Any:
    """Returns |tensor| as a tensor; ValueError unless it is a scalar."""
    with scopes.name_scope(name, 'assert_scalar', [tensor]) as scope:
        tensor = convert.convert_to_tensor(tensor, name=scope)
        if tensor.shape.rank != 0:
            about = '' if isinstance(tensor, core.Tensor) else f' for {tensor.name}'
            raise ValueError(f'{_prefix(message)}Expected scalar shape{about}, saw shape: {tensor.shape}.')
        return tensor


assert_scalar_v2 = reordered(assert_scalar, 'tensor message name')


def assert_same_float_dtype(tensors: Any = None, dtype: Any = None) -> Any:
    """Returns the one type of floating point that all have; ValueError when there is none."""
    wanted = None if dtype is None else dtypes.as_dtype(dtype)
    first: Any = None
    for tensor in tensors or ():
        found = tensor.dtype.base_dtype
        if wanted is None:
            wanted, first = found, tensor
        elif found != wanted:
            as_first = '' if first is None else f' as {_shown(first)}'
            raise ValueError(f'{_shown(tensor)}, type={found}, must be of the same type ({wanted}){as_first}.')
    wanted = dtypes.float32 if wanted is None else wanted
    if not wanted.is_floating:
        raise ValueError(f'Expected floating point type, got {wanted}.')
    return wanted


def _shown(tensor: Any) -> str:
    return str(tensor) if isinstance(tensor, core.Tensor) else tensor.name


def assert_proper_iterable(values: Any) -> None:
    """Raises TypeError for what cannot be gone through, and for texts, tensors and arrays."""
    import numpy

    from berth.framework.node import Tensor

    if isinstance(values, (Tensor, numpy.ndarray, bytes, str)) or hasattr(values, '_parts'):
        raise TypeError(f'Expected argument "values" to be a "proper" iterable.  Found: {type(values)}')
    if not hasattr(values, '__iter__'):
        raise TypeError(f'Expected argument "values" to be iterable.  Found: {type(values)}')


# ---- Ranks ----

class _Rule:
    """A condition on a rank: its name, its words, and how it is checked before and in a run."""

    def __init__(self, label: str, words: str, fits: Callable[[int, list[int]], bool], op: str) -> None:
        self.label, self.words, self.fits, self.op = label, words, fits, op


_EXACT = _Rule('assert_rank', 'rank', lambda found, ranks: found == ranks[0], 'Equal')
_AT_LEAST = _Rule('assert_rank_at_least', 'rank at least', lambda found, ranks: found >= ranks[0], 'GreaterEqual')
_ONE_OF = _Rule('assert_rank_in', 'rank in', lambda found, ranks: found in ranks, 'Equal')


def _check_rank(rule: _Rule, x: Any, ranks: Any, data: Any, summarize: Any, message: str | None,
                name: str | None) -> Any:
    """Raises when the rank is known and wrong; otherwise returns the operation that checks it."""
    is_one = rule is not _ONE_OF
    with scopes.name_scope(name, rule.label, [x, ranks] if is_one else [x, *ranks]):
        x = convert.convert_to_tensor(x, name='x')
        wanted = [convert.convert_to_tensor(r, name='rank') for r in ([ranks] if is_one else ranks)]
        shape = None if isinstance(x, core.Tensor) else array_ops.shape(x)
        for each in wanted:
            assert_type(each, dtypes.int32)
            if each.shape.rank != 0:
                raise ValueError('Rank must be a scalar.')
        known = [convert.constant_value(each) for each in wanted]
        if x.shape.rank is None or any(value is None for value in known):
            return _rank_assertion(rule, x, shape, wanted, data, summarize, message)
        numbers = [int(value) for value in known]  # type: ignore[arg-type]
        if not rule.fits(x.shape.rank, numbers):
            asked = numbers[0] if is_one else tuple(numbers)
            raise ValueError(f'{_prefix(message)}Tensor {_name_of(x)} must have {rule.words} {asked}.  '
                             f'Received rank {x.shape.rank}, shape {x.shape}')
        return _fine('static_checks_determined_all_ok')


def _rank_assertion(rule: _Rule, x: Any, shape: Any, wanted: list[Any], data: Any, summarize: Any,
                    message: str | None) -> Any:
    """Makes the operation that checks a rank in a run."""
    rank = array_ops.rank(x)
    pairs = [(each, rank) if rule is _ONE_OF else (rank, each) for each in wanted]
    holds = [gen.apply(rule.op, None, {'x': a, 'y': b}) for a, b in pairs]
    condition = holds[0]
    for each in holds[1:]:
        condition = gen.apply('LogicalOr', None, {'x': condition, 'y': each})
    shown = data or [_prefix(message), f'Tensor {_name_of(x)} must have {rule.words}', *wanted,
                     'Received shape: ', shape]
    return flow_ops.Assert(condition, shown, summarize)


def assert_rank(x: Any, rank: Any, data: Any = None, summarize: Any = None, message: str | None = None,
                name: str | None = None) -> Any:
    """Raises ValueError, or makes an op that fails, unless |x| has |rank| dimensions."""
    return _check_rank(_EXACT, x, rank, data, summarize, message, name)


def assert_rank_at_least(x: Any, rank: Any, data: Any = None, summarize: Any = None,
                         message: str | None = None, name: str | None = None) -> Any:
    """Raises ValueError, or makes an op that fails, unless |x| has |rank| dimensions or more."""
    return _check_rank(_AT_LEAST, x, rank, data, summarize, message, name)


def assert_rank_in(x: Any, ranks: Any, data: Any = None, summarize: Any = None, message: str | None = None,
                   name: str | None = None) -> Any:
    """Raises ValueError, or makes an op that fails, unless the rank of |x| is one of |ranks|."""
    return _check_rank(_ONE_OF, x, list(ranks), data, summarize, message, name)


def assert_rank_v2(x: Any, rank: Any, message: str | None = None, name: str | None = None) -> Any:
    """Raises ValueError, or makes an op that fails, unless |x| has |rank| dimensions."""
    return assert_rank(x, rank, message=message, name=name)


def assert_rank_at_least_v2(x: Any, rank: Any, message: str | None = None, name: str | None = None) -> Any:
    """Raises ValueError, or makes an op that fails, unless |x| has |rank| dimensions or more."""
    return assert_rank_at_least(x, rank, message=message, name=name)


def assert_rank_in_v2(x: Any, ranks: Any, message: str | None = None, name: str | None = None) -> Any:
    """Raises ValueError, or makes an op that fails, unless the rank of |x| is one of |ranks|."""
    return assert_rank_in(x, ranks, message=message, name=name)


# ---- Shapes ----

def assert_shapes(shapes: Any, data: Any = None, summarize: Any = None, message: str | None = None,
                  name: str | None = None) -> Any:
    """Raises ValueError, or makes ops that fail, unless sizes are those, or of one letter all the same."""
    pairs = list(shapes.items()) if isinstance(shapes, dict) else list(shapes)
    with scopes.name_scope(name, 'assert_shapes', [tensor for tensor, _ in pairs]):
        checks = _Sizes(data, summarize, message)
        items = [(convert.convert_to_tensor(tensor), _symbols(symbols)) for tensor, symbols in pairs]
        for tensor, symbols in items:
            checks.add_rank(tensor, symbols)
        for tensor, symbols in items:
            checks.add_sizes(tensor, symbols)
    return order_ops.group(*checks.ops)


def _symbols(symbols: Any) -> list[Any]:
    """Returns what is asked of each size: a number, a letter, or None where anything is fine."""
    if isinstance(symbols, (str, tuple, list)):
        return [None if each == '.' else each for each in symbols]
    return [symbols]


def _number(symbol: Any) -> Optional[int]:
    try:
        return int(symbol)
    except (TypeError, ValueError):
        return None


class _Sizes:
    """The sizes that letters stand for so far, and the operations that are left to run."""

    def __init__(self, data: Any, summarize: Any, message: str | None) -> None:
        self._data, self._summarize, self._message = data, summarize, message
        self._known: dict[Any, tuple[Any, str]] = {}
        self.ops: list[Any] = []

    def add_rank(self, tensor: Any, symbols: list[Any]) -> None:
        """Checks how many sizes there are; a scalar is as good as a row of one."""
        rest = [s for s in symbols if s not in ('*', Ellipsis)]
        if len(rest) != len(symbols):
            op = assert_rank_at_least(tensor, len(rest), self._data, self._summarize, self._message)
        elif len(symbols) < 2:
            op = assert_rank_in(tensor, [0, 1], self._data, self._summarize, self._message)
        else:
            op = assert_rank(tensor, len(symbols), self._data, self._summarize, self._message)
        if op is not None:
            self.ops.append(op)

    def add_sizes(self, tensor: Any, symbols: list[Any]) -> None:
        """Checks every size that something is asked of."""
        from_end = bool(symbols) and symbols[0] in ('*', Ellipsis)
        rest = [s for s in symbols if s not in ('*', Ellipsis)]
        for index, symbol in enumerate(rest):
            if symbol is None or tensor.shape.rank == 0:
                continue
            place = index - len(rest) if from_end else index
            self._add_size(tensor, place, symbol)

    def _add_size(self, tensor: Any, place: int, symbol: Any) -> None:
        size = self._size(tensor, place)
        number = _number(symbol)
        if number is not None:
            self._compare(tensor, place, size, number, 'Specified explicitly')
        elif symbol in self._known:
            wanted, source = self._known[symbol]
            self._compare(tensor, place, size, wanted, source)
        else:
            self._known[symbol] = size, f'Specified by tensor {_label(tensor)} dimension {place}'

    @staticmethod
    def _size(tensor: Any, place: int) -> Any:
        """Returns a size as a number, or as a tensor where it is known only in a run."""
        if tensor.shape.rank is not None and tensor.shape.as_list()[place] is not None:
            return tensor.shape.as_list()[place]
        return array_ops.shape(tensor)[place]

    def _compare(self, tensor: Any, place: int, size: Any, wanted: Any, source: str) -> None:
        about = f'Tensor {_label(tensor)} dimension {place} must have size'
        if isinstance(size, int) and isinstance(wanted, int):
            if size != wanted:
                raise ValueError(f'{_prefix(self._message)}{source}.  {about} {wanted}.  Received size {size}, '
                                 f'shape {tensor.shape}')
            return
        shown = self._data or [_prefix(self._message), source, about, wanted, 'Received shape: ',
                               array_ops.shape(tensor)]
        holds = gen.apply('Equal', None, {'x': size, 'y': wanted})
        self.ops.append(flow_ops.Assert(holds, shown, self._summarize))
