"""builtin_calls - Python's own functions where they are given tensors."""

from __future__ import annotations

from typing import Any

from berth.framework import convert, dtypes, gen, scopes
from berth.ops import array_ops, flow_ops, functional_ops, math_ops, sort_ops

_NONE = object()


def _is_dataset(x: Any) -> bool:
    """True for datasets, which only their methods are asked of: they stand above this package."""
    return hasattr(x, '_loop_items') and hasattr(x, 'cardinality')


def abs_(x: Any) -> Any:
    """abs."""
    if _is_dataset(x):
        return x.map(math_ops.abs)
    return math_ops.abs(x) if convert.is_tensor(x) else abs(x)


def float_(x: Any = 0) -> Any:
    """float."""
    if not convert.is_tensor(x):
        return float(x)
    return _number(x, dtypes.float32)


def int_(x: Any = 0, base: Any = _NONE) -> Any:
    """int."""
    if not convert.is_tensor(x):
        return int(x) if base is _NONE else int(x, base)
    if base not in (10, _NONE):
        raise NotImplementedError(f'base {base} not supported for int')
    return _number(x, dtypes.int32)


def _number(x: Any, dtype: Any) -> Any:
    if x.dtype == dtypes.string:
        return gen.apply('StringToNumber', None, {'string_tensor': x}, {'out_type': dtype})
    return math_ops.cast(x, dtype)


def len_(s: Any) -> Any:
    """len."""
    if hasattr(s, '_with_flow'):
        return s.size()
    if _is_dataset(s):
        return _cardinality(s)
    return _length(s) if convert.is_tensor(s) else len(s)


def _length(s: Any) -> Any:
    """Returns the length of the first axis, a number if it is known."""
    if s.shape.rank and s.shape.as_list()[0] is not None:
        return s.shape.as_list()[0]
    if s.shape.rank == 0:
        raise ValueError(f'len requires a non-scalar tensor, got one of shape {array_ops.shape(s)}')
    if s.shape.rank is not None:
        return array_ops.shape(s)[0]
    rank = array_ops.rank(s)

    def refuse() -> Any:
        text = gen.apply('StringJoin', None, {'inputs': [
            'len requires non-zero rank, got ', gen.apply('AsString', None, {'input': rank})]})
        with scopes.control_dependencies([flow_ops.Assert(False, [text])]):
            return convert.constant(0, dtypes.int32)

    return flow_ops.cond(rank > 0, lambda: array_ops.shape(s)[0], refuse)


def _cardinality(dataset: Any) -> Any:
    """Returns how many elements a dataset has, if it knows that."""
    count = dataset.cardinality()
    text = gen.apply('StringJoin', None, {'inputs': [
        'len requires dataset with definitive cardinality, got ', gen.apply('AsString', None, {'input': count})]})
    with scopes.control_dependencies([flow_ops.Assert(count >= 0, [text])]):
        return array_ops.identity(count)


def enumerate_(iterable: Any, start: Any = 0) -> Any:
    """enumerate."""
    return iterable.enumerate(start) if _is_dataset(iterable) else enumerate(iterable, start)


def zip_(*iterables: Any, **kwargs: Any) -> Any:
    """zip."""
    if iterables and all(_is_dataset(one) for one in iterables):
        return iterables[0].zip(tuple(iterables))
    return zip(*iterables, **kwargs)


def map_(function: Any, *iterables: Any) -> Any:
    """map."""
    if iterables and all(_is_dataset(one) for one in iterables):
        return iterables[0].zip(tuple(iterables)).map(function)
    return map(function, *iterables)


def filter_(function: Any, iterable: Any) -> Any:
    """filter."""
    return iterable.filter(function) if _is_dataset(iterable) else filter(function, iterable)


def any_(iterable: Any) -> Any:
    """any."""
    if not _is_dataset(iterable):
        return any(iterable)
    _check_truths('any', iterable)
    return iterable.filter(lambda x: x).take(1).reduce(convert.constant(False), math_ops.logical_or)


def all_(iterable: Any) -> Any:
    """all."""
    if not _is_dataset(iterable):
        return all(iterable)
    _check_truths('all', iterable)
    return iterable.filter(math_ops.logical_not).take(1).reduce(
        convert.constant(True), lambda state, x: math_ops.logical_and(state, x))


def _check_truths(name: str, dataset: Any) -> None:
    """Raises unless the elements of |dataset| are truths."""
    spec = dataset.element_spec
    if getattr(spec, 'dtype', None) != dtypes.bool:
        raise ValueError(f'in graph mode, the "{name}" builtin only supports datasets that return bool scalars; '
                         f'got: {spec}')


def sorted_(iterable: Any, key: Any = _NONE, reverse: Any = _NONE) -> Any:
    """sorted."""
    if not convert.is_tensor(iterable):
        return sorted(iterable, **{name: value for name, value in (('key', key), ('reverse', reverse))
                                   if value is not _NONE})
    direction = 'DESCENDING' if reverse is not _NONE and reverse else 'ASCENDING'
    ranked = iterable if key is _NONE else functional_ops.vectorized_map(key, iterable)
    if ranked.shape.rank is not None and ranked.shape.rank != 1:
        raise ValueError('sort only supports only 1D tensors')
    if ranked is iterable:
        return sort_ops.sort(iterable, direction=direction)
    return array_ops.gather(iterable, sort_ops.argsort(ranked, direction=direction))


def print_(*objects: Any, **kwargs: Any) -> None:
    """print."""
    unknown = tuple(set(kwargs) - {'sep', 'end', 'file', 'flush'})
    if unknown:
        raise ValueError(f'invalid keyword arguments: {unknown}')
    if any(convert.is_tensor(item) for item in objects):
        from berth.ops import logging_ops

        logging_ops.print_v2(*objects, **kwargs)
        return
    print(*objects, **kwargs)


def range_(start_or_stop: Any, stop: Any = _NONE, step: Any = _NONE) -> Any:
    """range."""
    given = [value for value in (start_or_stop, stop, step) if value is not _NONE]
    if not any(convert.is_tensor(value) for value in given):
        return range(*given)
    if len(given) == 3:
        return math_ops.range(*given)
    if len(given) == 2:
        return math_ops.range(start_or_stop, math_ops.maximum(start_or_stop, stop))
    return math_ops.range(math_ops.maximum(start_or_stop, 0))


# What converted code calls instead of these; others are called as they are.
OVERLOADS: dict[Any, Any] = {
    abs: abs_, all: all_, any: any_, enumerate: enumerate_, filter: filter_, float: float_, int: int_, len: len_,
    map: map_, print: print_, range: range_, sorted: sorted_, zip: zip_}
