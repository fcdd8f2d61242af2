"""recording - Where summaries of TF2 go, for which step, and whether they are written at all."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from typing import Any

from berth.base import execution
from berth.framework import convert, dtypes, gen, scopes, static_value


class _State(threading.local):
    """What each thread has chosen."""

    writer: Any = None
    step: Any = None
    condition: Any = None  # A bool, a tensor, or what gives one; None: true.
    is_first_replica: Any = True  # The same, of the replica of a strategy.


state = _State()


def get_step() -> Any:
    """Returns the step that summaries of this thread are of, where they do not say so."""
    return state.step


def set_step(step: Any) -> None:
    """Sets the step that summaries of this thread are of."""
    state.step = step


def checked_step(step: Any) -> Any:
    """Returns |step| as a tensor of one number."""
    tensor = convert.convert_to_tensor(step, dtypes.int64)
    if tensor.shape.num_elements() != 1:
        raise ValueError(f'Argument `step` must be a scalar. Received step with shape {tensor.shape}.')
    return tensor


@contextlib.contextmanager
def record_if(condition: Any) -> Iterator[None]:
    """Writes summaries where |condition| holds: a bool, a tensor, or what gives one."""
    before, state.condition = state.condition, condition
    try:
        yield
    finally:
        state.condition = before


def _settled(condition: Any) -> Any:
    return condition() if callable(condition) else condition


def should_record_summaries() -> Any:
    """Returns a tensor that says whether summaries are written here."""
    condition = state.condition
    known = condition if condition is None or callable(condition) else static(condition)
    if state.writer is None or (known is not None and not callable(known) and not known):
        return convert.constant(False)
    first, condition = _settled(state.is_first_replica), _settled(condition)
    return gen.apply('LogicalAnd', None, {'x': first, 'y': True if condition is None else condition})


def static(value: Any) -> Any:
    """Returns |value| as a bool where that is known while a graph is built, or None."""
    if isinstance(value, bool):
        return value
    if scopes.executing_eagerly() or isinstance(value, execution.tensor_class):
        return bool(value)
    if getattr(value, 'op', None) is not None and value.op.type == 'LogicalAnd':
        known = [static(tensor) for tensor in value.op.inputs]
        return all(known) if None not in known else None
    found = static_value.get_static_value(value)
    return None if found is None else bool(found)
