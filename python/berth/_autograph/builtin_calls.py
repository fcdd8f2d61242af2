"""builtin_calls - Python's own functions where they are given tensors."""

from __future__ import annotations

from typing import Any

from berth.framework import convert, dtypes, gen, scopes
from berth.ops import array_ops, flow_ops, math_ops

_NONE = object()


def abs_(x: Any) -> Any:
    """abs."""
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
OVERLOADS: dict[Any, Any] = {abs: abs_, float: float_, int: int_, len: len_, print: print_, range: range_}
