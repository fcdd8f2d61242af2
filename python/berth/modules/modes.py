"""modes - Graphs and eager execution for a with block, and other things that programs reach into."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from berth.base import execution
from berth.framework import scopes
from berth.framework.graph import Graph


@contextlib.contextmanager
def graph_mode() -> Iterator[None]:
    """Makes ops build the default graph in the block."""
    graph = scopes.get_default_graph() if scopes.has_default_graph() else Graph()
    with graph.as_default():
        yield


@contextlib.contextmanager
def eager_mode() -> Iterator[None]:
    """Makes ops run at once in the block."""
    was_eager, items = execution.is_eager(), scopes.default_graphs.items
    execution.set_eager(True)
    scopes.default_graphs.replace([])
    try:
        yield
    finally:
        scopes.default_graphs.replace(items)
        execution.set_eager(was_eager)


def is_resource_variable(var: Any) -> bool:
    """True for a variable that is used through a handle."""
    from berth.variables.members import BaseResourceVariable

    return isinstance(var, BaseResourceVariable) or hasattr(var, '_should_act_as_resource_variable')


# ---- tensorflow.python.tf2 ----


def enabled() -> bool:
    """True when ops run at once, as in TF2."""
    return execution.is_eager()


def enable() -> None:
    """Does what enable_v2_behavior does."""
    from berth.eager import context

    context.enable_v2_behavior()


def disable() -> None:
    """Does what disable_v2_behavior does."""
    from berth.eager import context

    context.disable_v2_behavior()


# ---- tensorflow.python.framework.smart_cond ----


def smart_constant_value(pred: Any) -> Any:
    """Returns the truth of |pred| where it is known, and None where it is not."""
    from berth.framework import static_value
    from berth.framework.convert import is_tensor

    if isinstance(pred, int) and pred in (0, 1):
        return bool(pred)
    if not is_tensor(pred):
        raise TypeError('Argument `pred` must be a Tensor, or a Python bool, or 1 or 0. Received: '
                        f'pred={pred} of type {type(pred).__name__}')
    value = static_value.get_static_value(pred)
    return None if value is None else bool(value)


def smart_cond(pred: Any, true_fn: Any = None, false_fn: Any = None, name: Any = None) -> Any:
    """Calls one of two functions, at once where it is known which."""
    if not callable(true_fn):
        raise TypeError(f'Argument `true_fn` must be callable. Received {true_fn}')
    if not callable(false_fn):
        raise TypeError(f'Argument `false_fn` must be callable. Received {false_fn}')
    truth = smart_constant_value(pred)
    if truth is not None:
        return (true_fn if truth else false_fn)()
    from berth.ops import flow_ops

    return flow_ops.cond(pred, true_fn=true_fn, false_fn=false_fn, name=name)


# ---- tensorflow.python.eager.context ----


def async_wait() -> None:
    """Returns when all calls are done: they are when they return, and errors are raised by them."""
