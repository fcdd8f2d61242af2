"""checks - What branches and loops must agree on, and what is said when they do not."""

from __future__ import annotations

from typing import Any

from berth._autograph.variables import Undefined, UndefinedReturnValue
from berth.framework import convert, dtypes, flow_context, nest, scopes
from berth.framework.tensor_shape import TensorShape
from berth.ops import array_ops

_HINT = 'to check for None, use `is not None`'
_LEGAL = 'Tensor, int, float, bool or a list, tuple or dict thereof'


def condition(value: Any, what: str) -> Any:
    """Returns what decides a branch or a loop as a tensor; ValueError when it cannot."""
    tensor = convert.convert_to_tensor(value)
    if tensor.dtype.base_dtype != dtypes.bool:
        raise ValueError(f'condition of {what} expected to be `tf.bool` scalar, got {_shown(tensor)}; to use as boolean Tensor, '
                         f'use `tf.cast`; {_HINT}')
    if tensor.shape.rank == 0:
        return tensor
    if tensor.shape.rank is not None:
        count = 1
        for dim in tensor.shape.as_list():
            count *= 1 if dim is None else dim
        if count > 1:
            raise ValueError(f'condition of {what} expected to be `tf.bool` scalar, got {_shown(tensor)}; {_HINT}')
    return array_ops.reshape(tensor, ())


def _shown(tensor: Any) -> str:
    """Returns a tensor in words; a variable of a loop as what it is in TensorFlow's graph of the condition."""
    is_start = not scopes.executing_eagerly() and scopes.get_default_graph().building_function
    return str(tensor).replace('/Merge', '/Placeholder') if is_start else str(tensor)


def _as_tensor(value: Any) -> Any:
    """Returns numbers, texts and arrays as tensors, and anything else as it is."""
    if isinstance(value, (bool, int, float, str)) or type(value).__module__ == 'numpy':
        return convert.convert_to_tensor(value)
    return value


def _is_typed(*values: Any) -> bool:
    return all(convert.is_tensor(value) and hasattr(value, 'dtype') for value in values)


def _same_structure(one: Any, other: Any) -> str:
    """Returns in which way two structures differ, '' when they do not."""
    try:
        nest.assert_same_structure(one, other)
    except (TypeError, ValueError) as error:
        return str(error)
    return ''


# ---- Branches ----


def branch(values: Any, names: Any, which: str) -> None:
    """Raises ValueError when a branch left something without a value."""
    for name, value in zip(names, values):
        if isinstance(value, Undefined):
            raise ValueError(f"'{name}' must also be initialized in the {which} branch")
        if isinstance(value, UndefinedReturnValue):
            raise ValueError(f'the {which} branch must also have a return statement.')


def branches(body: Any, orelse: Any, names: Any) -> None:
    """Raises when two branches give different kinds of things."""
    for name, one, other in zip(names, body, orelse):
        wrong = _same_structure(one, other)
        if wrong:
            raise TypeError(f"'{name}' must have the same nested structure in the main and else branches:\n\n{wrong}")
        for left, right in zip(nest.flatten(one), nest.flatten(other)):
            one_each(name, left, right)


def one_each(name: str, body: Any, orelse: Any) -> None:
    """Raises when two branches give values of different types."""
    if body is None:
        raise ValueError(f"'{name}' is None at the end of the main branch.")
    if orelse is None:
        raise ValueError(f"'{name}' is None at the end of the else branch.")
    body, orelse = _as_tensor(body), _as_tensor(orelse)
    if _is_typed(body, orelse) and body.dtype != orelse.dtype:
        raise TypeError(f"'{name}' has dtype {body.dtype.name} in the main branch, but dtype {orelse.dtype.name} in the "
                        'else branch')


# ---- Loops ----


def starts(values: Any, names: Any, first: Any = None, more: str | None = None) -> None:
    """Raises when a loop would begin with something that has no value."""
    for index, (name, value) in enumerate(zip(names, values)):
        if isinstance(value, UndefinedReturnValue):
            given = None if first is None else first[index]
            if not isinstance(given, (type(None), bool)) or given:
                raise ValueError(f'the return value from a TensorFlow loop may only be a {_LEGAL}; got {type(given)}')
            raise NotImplementedError('a return statement cannot be placed inside this TensorFlow loop; this may happen '
                                      'if a return statement depends on a static Python condition such as a hyperparameter')
        if value is None:
            raise ValueError(f"'{name}' is not allowed to be None before the loop")
        if isinstance(value, Undefined):
            raise ValueError(f"'{name}' must be defined before the loop" + (f'\n{more}' if more else ''))


def turn(inits: Any, entries: Any, exits: Any, names: Any, shapes: Any) -> None:
    """Raises when variables of a loop are others after a turn."""
    for index, name in enumerate(names):
        init, entry, end = inits[index], entries[index], exits[index]
        wrong = _same_structure(init, entry) or _same_structure(entry, end)
        if wrong:
            raise TypeError(f"'{name}' does not have the same nested structure after one iteration.\n\n{wrong}")
        flat = nest.flatten(entry)
        allowed = [None] * len(flat) if shapes is None else _invariants(name, init, shapes[index], len(flat))
        for values in zip(nest.flatten(init), flat, nest.flatten(end), allowed):
            _one_turn(name, *values)


def _invariants(name: str, init: Any, shape: Any, count: int) -> list[Any]:
    if shape is None:
        return [None] * count
    if isinstance(shape, TensorShape):
        return [shape]
    wrong = _same_structure(init, nest.map_structure(lambda _: 0, shape))
    if wrong:
        raise TypeError(f"'{name}' does not have the same nested structure as its corresponding shape invariant."
                        f'\n\n{wrong}')
    return nest.flatten(shape)


def _one_turn(name: str, init: Any, entry: Any, end: Any, allowed: Any) -> None:
    if end is None:
        raise ValueError(f"'{name}' is None at the end of the iteration.")
    init, entry, end = _as_tensor(init), _as_tensor(entry), _as_tensor(end)
    if not _is_typed(entry, end):
        return
    if entry.dtype.base_dtype != end.dtype.base_dtype:
        raise TypeError(f"'{name}' has dtype {entry.dtype.name} before the loop, but dtype {end.dtype.name} after one "
                        'iteration')
    if allowed is None:
        if not flow_context.may_vary(end.shape, entry.shape):
            raise ValueError(f"'{name}' has shape {entry.shape} before the loop, but shape {end.shape} after one iteration. "
                             'Use tf.autograph.experimental.set_loop_options to set shape invariants.')
        return
    allowed = TensorShape(allowed)
    for shape, when in ((init.shape, 'before the loop'), (end.shape, 'after one iteration')):
        if not flow_context.may_vary(shape, allowed):
            raise ValueError(f"'{name}' has shape {shape} {when}, which does not conform with the shape invariant "
                             f'{allowed}.')
