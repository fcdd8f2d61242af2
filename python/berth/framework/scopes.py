"""scopes.py - The default graph, and the scopes that act on it."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from typing import Any

from berth import _core as core
from berth import _mode
from berth.base import execution, naming
from berth.framework.graph import Graph
from berth.framework.node import Operation, Tensor


class DefaultStack(threading.local):
    """What is the default in this thread, innermost last."""

    def __init__(self) -> None:
        self.items: list[Any] = []

    @contextlib.contextmanager
    def push(self, item: Any) -> Iterator[Any]:
        """Makes |item| the default inside a with block."""
        self.items.append(item)
        try:
            yield item
        finally:
            if self.items[-1] is not item:
                raise AssertionError(
                    f'Nesting violated for default stack of {type(item)!r} objects')
            self.items.pop()

    def top(self) -> Any:
        """Returns the innermost one, or None."""
        return self.items[-1] if self.items else None


class _GraphStack(DefaultStack):
    """Default graphs; while there is one, ops of the thread do not run at once."""

    def __init__(self) -> None:
        super().__init__()
        self.bottom: Graph | None = None  # The default outside all blocks: every thread has its own.

    @contextlib.contextmanager
    def push(self, item: Any) -> Iterator[Any]:
        """Makes |item| the default inside a with block."""
        try:
            with super().push(item):
                execution.set_graphs(len(self.items))
                yield item
        finally:
            execution.set_graphs(len(self.items))

    def replace(self, items: list[Any]) -> list[Any]:
        """Makes |items| the stack of this thread; returns the one before."""
        before, self.items = self.items, items
        execution.set_graphs(len(items))
        return before


default_graphs = _GraphStack()


def executing_eagerly() -> bool:
    """True when operations run at once instead of being added to a graph."""
    return execution.executing_eagerly()


def executing_eagerly_outside_functions() -> bool:
    """True when ops run at once here, or would outside of the function that is traced."""
    return execution.is_eager() and all(graph.building_function for graph in default_graphs.items)


def get_default_graph() -> Graph:
    """Returns the graph that operations are added to in this thread."""
    items = default_graphs.items
    if items:
        return items[-1]
    graph = default_graphs.bottom
    if graph is None:
        graph = default_graphs.bottom = Graph()
    return graph


def has_default_graph() -> bool:
    """True when a with block in this thread set the default graph."""
    return bool(default_graphs.items)


def reset_default_graph() -> None:
    """Forgets the default graph of this thread."""
    if default_graphs.items:
        raise AssertionError('Do not use tf.reset_default_graph() to clear nested graphs. If you need a cleared '
                             'graph, exit the nesting and create a new graph.')
    default_graphs.bottom = None


def graph_of_inputs(inputs: Any) -> Graph:
    """Returns the graph of |inputs|, the default one when none of them is in one.

    A function that is being traced captures what is in others.
    """
    if default_graphs.items and default_graphs.items[-1].building_function:
        return default_graphs.items[-1]
    first: Any = None
    for item in _flat(inputs):
        element = item if isinstance(item, (Tensor, Operation)) else _element_of(item)
        if element is None or isinstance(element, core.Tensor):  # A value, in no graph.
            continue
        if first is None:
            first = element
        elif element.graph is not first.graph:
            raise ValueError(f'{element} must be from the same graph as {first} (graphs are {element.graph} and '
                             f'{first.graph}).')
    return get_default_graph() if first is None else first.graph


def _flat(items: Any) -> Iterator[Any]:
    for item in items:
        if isinstance(item, (list, tuple)):
            yield from item
        else:
            yield item


def _element_of(item: Any) -> Any:
    wrapped = getattr(item, '_as_graph_element', None)
    if wrapped is None:
        return None
    element = wrapped()
    return element if isinstance(element, (Tensor, Operation)) else None


def get_current_name_scope() -> str:
    """Returns the name scope in force, without a slash."""
    return core.eager_scope().rstrip('/') if executing_eagerly() else get_default_graph().get_name_scope()


def eager_name(name: str) -> str:
    """Returns |name| inside of the scope of this thread where ops run at once."""
    return core.eager_scope() + name


@naming.public('framework.ops', 'name_scope_v1')
class name_scope(core.NameScope):
    """Names of operations made inside begin with the scope's; v1 arguments."""

    _default: Any = None  # What makes another graph the default, if it must.

    def _enter(self) -> str:
        """Begins a scope of the graph that is being built."""
        if self.name is None and self._values is not None:
            raise ValueError(f'At least one of name ({None}) and default_name ({None}) should be provided.')
        graph = graph_of_inputs(self._values) if self._values else get_default_graph()
        if graph is not get_default_graph():
            self._default = graph.as_default()
            self._default.__enter__()
        self._graph = graph
        self._names = graph._scopes.names
        return graph._enter_name(self.name)

    def _exit(self, *exc: Any) -> None:
        """Ends it."""
        self._graph._scopes.names = self._names
        if self._default is not None:
            self._default.__exit__(*exc)


@naming.public('framework.ops')
class name_scope_v2(name_scope):
    """The same with the arguments of version 2: a name, and nothing else."""

    def __init__(self, name: str) -> None:
        if not isinstance(name, str):
            raise ValueError('name for name_scope must be a string.')
        super().__init__(name)


def op_scope(values: Any, name: str | None, default_name: str | None = None) -> name_scope:
    """Returns a name scope; the older order of its arguments."""
    return name_scope(name, default_name, values)


def container(container_name: str) -> Any:
    """Keeps the variables and queues made inside in a container of that name."""
    return get_default_graph().container(container_name)


def device(device_name_or_function: Any) -> Any:
    """Asks for a device for the operations made inside."""
    if executing_eagerly():
        if callable(device_name_or_function):
            when = ' when eager execution is enabled' if _mode.is_v1() else ''
            raise RuntimeError(f'tf.device does not support functions{when}.')
        return execution.device_scope(device_name_or_function)
    return get_default_graph().device(device_name_or_function)


def colocate_with(op: Any, ignore_existing: bool = False) -> Any:
    """Operations made inside are placed where |op| is; TensorFlow says that it is old."""
    from berth.base import logging

    logging.deprecated('_colocate_with', 'tensorflow.python.framework.ops',
                       'Colocations handled automatically by placer.')
    return colocate(op, ignore_existing)


def colocate(op: Any, ignore_existing: bool = False) -> Any:
    """Operations made inside are placed where |op| is."""
    if executing_eagerly():
        return contextlib.nullcontext()
    return get_default_graph().colocate_with(op, ignore_existing)


def control_dependencies(control_inputs: Any) -> Any:
    """Operations made inside run after |control_inputs|."""
    if executing_eagerly():
        return contextlib.nullcontext()
    return get_default_graph().control_dependencies(control_inputs)


@contextlib.contextmanager
def init_scope() -> Iterator[None]:
    """Lifts what is made inside out of functions, control dependencies and name scopes."""
    items = default_graphs.items
    lifted = [i for i, graph in enumerate(items) if graph.building_function]
    if lifted and execution.is_eager():
        default_graphs.replace(items[:lifted[0]])
    try:
        with control_dependencies(None):
            yield
    finally:
        default_graphs.replace(items)


def add_to_collection(name: Any, value: Any) -> None:
    """Adds |value| to a collection of the default graph."""
    get_default_graph().add_to_collection(name, value)


def add_to_collections(names: Any, value: Any) -> None:
    """Adds |value| to several collections of the default graph."""
    get_default_graph().add_to_collections(names, value)


def get_collection(key: Any, scope: str | None = None) -> list[Any]:
    """Returns what is in a collection of the default graph."""
    return get_default_graph().get_collection(key, scope)


def get_collection_ref(key: Any) -> list[Any]:
    """Returns the list behind a collection of the default graph."""
    return get_default_graph().get_collection_ref(key)


def set_random_seed(seed: int) -> None:
    """Sets the seed of the default graph."""
    get_default_graph().seed = seed


# ---- Sessions ----

default_sessions = DefaultStack()


def get_default_session() -> Any:
    """Returns the session that eval() and run() use in this thread."""
    return default_sessions.top()


def default_session_for(item: Any, session: Any, what: str, how: str, method: str) -> Any:
    """Returns |session| or the default one, checked to be of the graph of |item|."""
    is_default = session is None
    if is_default:
        session = get_default_session()
        if session is None:
            raise ValueError(f'Cannot {what}: No default session is registered. Use `{how}` or pass an explicit '
                             f'session to `{method}(session=sess)`')
    if session.graph is not item.graph:
        kind = 'tensor' if isinstance(item, Tensor) else 'operation'
        raise ValueError(f"Cannot use the {'default' if is_default else 'given'} session to "
                         f"{'evaluate' if kind == 'tensor' else 'execute'} {kind}: the {kind}'s graph is different "
                         "from the session's graph."
                         + (f' Pass an explicit session to {_quoted(kind, method)}.' if is_default else ''))
    return session


def _quoted(kind: str, method: str) -> str:
    """Returns the call that TensorFlow advises, which it quotes for tensors only."""
    return f'`{method}(session=sess)`' if kind == 'tensor' else f'{method}(session=sess)'
