"""critical_section - CriticalSection: functions that run one after another, never two at once."""

from __future__ import annotations

import contextlib
import functools
import itertools
import threading
from typing import Any, Callable, Iterator, NamedTuple

from berth.base import naming
from berth.framework import dtypes, gen, nest, scopes
from berth.framework.node import Operation
from berth.ops import array_ops, order_ops
from berth.ops.tensor_array_ops import TensorArray

EXECUTIONS = 'critical_section_executions'
SECTIONS = 'critical_sections'
_inside = threading.local()
_numbers = itertools.count()


class _Execution(NamedTuple):
    """A function that a section runs, and the resources that it uses."""

    op: Any
    handle: Any
    resources: list[Any]
    exclusive_resource_access: bool


@contextlib.contextmanager
def _entered(signature: tuple[Any, ...]) -> Iterator[None]:
    """Refuses to enter a section from inside of itself."""
    stack = _inside.__dict__.setdefault('stack', [])
    if signature in stack:
        raise ValueError(f'Attempting to lock a CriticalSection (signature={signature}) in which we are already '
                         'running. This is illegal and may cause deadlocks.')
    stack.append(signature)
    try:
        yield
    finally:
        stack.pop()


def _is_tensor(value: Any) -> bool:
    return hasattr(value, 'op') and hasattr(value, 'dtype')


def _closed_over(function: Any) -> list[Any]:
    """Returns the tensors that |function| brings along: they are computed before the section is entered."""
    found: list[Any] = []
    while isinstance(function, functools.partial):
        found += [*function.args, *function.keywords.values()]
        function = function.func
    found += getattr(function, '__defaults__', None) or ()
    for cell in getattr(function, '__closure__', None) or ():
        with contextlib.suppress(ValueError):  # An empty one.
            found.append(cell.cell_contents)
    graph = scopes.get_default_graph()
    flat = [item for value in found if isinstance(value, (list, tuple, dict)) or _is_tensor(value)
            for item in nest.flatten(value)]
    return [item for item in flat if _is_tensor(item) and getattr(item, 'graph', None) is graph]


def _same(value: Any) -> Any:
    """Returns what is there when |value| is."""
    if isinstance(value, TensorArray):
        return value.identity()
    if isinstance(value, Operation):
        return order_ops.group(value)
    return None if value is None else array_ops.identity(value)


@naming.public('ops.critical_section_ops')
class CriticalSection:
    """A lock that functions are executed under."""

    def __init__(self, name: str | None = None, shared_name: str | None = None, critical_section_def: Any = None,
                 import_scope: str | None = None) -> None:
        del import_scope
        if critical_section_def and name is not None:
            raise ValueError(f'Arguments critical_section_def={critical_section_def} and shared_name={shared_name} are '
                             'mutually exclusive. Please only specify one of them.')
        if critical_section_def:
            raise ValueError('Argument `critical_section_def` is not supported.')
        with scopes.name_scope(name, 'CriticalSection', []) as scope, scopes.init_scope():
            if shared_name is None:  # At once, scopes have no names of their own.
                shared_name = f'{scope}{next(_numbers)}' if scopes.executing_eagerly() else scope
            self._handle = gen.apply('MutexV2', scope, {}, {'shared_name': shared_name})
        self._signature = ('', shared_name or id(self._handle), getattr(self._handle, 'device', ''))
        self._shared_name = shared_name
        if not scopes.executing_eagerly():
            scopes.add_to_collections(SECTIONS, self)

    name = property(lambda self: self._handle.op.name, doc='The name of its lock.')

    def execute(self, fn: Callable[[], Any], exclusive_resource_access: bool = True, name: str | None = None) -> Any:
        """Returns what |fn| gives, which runs while nothing else does in this section."""
        with scopes.name_scope(name, 'critical_section_execute', []):
            is_graph = not scopes.executing_eagerly()
            with _entered(self._signature):
                with scopes.control_dependencies(_closed_over(fn) if is_graph else []):
                    lock = gen.apply('MutexLock', None, {'mutex': self._handle}, {})
                before = len(scopes.get_default_graph().get_operations()) if is_graph else 0
                with scopes.control_dependencies([lock]):
                    result = fn()
            if is_graph:
                self._note(lock, before, exclusive_resource_access)
            return self._leave(lock, result)

    def _leave(self, lock: Any, result: Any) -> Any:
        """Returns |result|, which is there once the lock has been given back."""
        flat = [_same(item) for item in nest.flatten(result)]
        with scopes.control_dependencies([item for item in flat if item is not None]):
            with scopes.colocate(self._handle):
                left = gen.apply('ConsumeMutexLock', None, {'mutex_lock': lock}, {})
        with scopes.control_dependencies([left] if left is not None else []):
            return nest.pack_sequence_as(result, [_same(item) for item in flat])

    def _note(self, lock: Any, before: int, is_exclusive: bool) -> None:
        """Keeps which resources are used, and refuses those that another section has for itself."""
        made = scopes.get_default_graph().get_operations()[before:]
        used = {id(tensor): tensor for op in made for tensor in op.inputs if tensor.dtype == dtypes.resource}
        if any(self._is_handle(tensor) for tensor in used.values()):
            raise ValueError('Attempting to lock a CriticalSection in which we are already running '
                             f'(signature={self._signature}). This is illegal and may cause deadlocks.')
        for other in scopes.get_collection(EXECUTIONS):
            common = [tensor for tensor in other.resources if id(tensor) in used]
            if self._is_handle(other.handle) or not common or not (is_exclusive or other.exclusive_resource_access):
                continue
            raise ValueError(f'This execution would access resources: {common}. Either this lock (CriticalSection: '
                             f"{self._handle}) or lock '{other}' (CriticalSection: {other.handle}) requested exclusive "
                             'resource access of this resource. Did you mean to call execute with keyword argument '
                             'exclusive_resource_access=False?')
        execution = _Execution(lock.op, self._handle, list(used.values()), is_exclusive)
        scopes.add_to_collections(EXECUTIONS, execution)

    def _is_handle(self, tensor: Any) -> bool:
        """Tells whether |tensor| is the lock of this section."""
        if tensor is self._handle or tensor.op.type != 'MutexV2':
            return tensor is self._handle
        return bool(self._shared_name) and tensor.op.get_attr('shared_name') == self._shared_name.encode()
