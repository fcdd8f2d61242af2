"""graph.py - Graph: names, scopes and collections around a graph of the extension.

The extension keeps the nodes. Here is what decides how a node is made: the
name scope, the device scopes, control dependencies and colocation that are in
force, with TensorFlow's rules for each.
"""

from __future__ import annotations

import contextlib
import re
import threading
from collections.abc import Iterator
from typing import Any

from berth import _core as core
from berth.framework import errors
from berth.framework.device_scope import DeviceScope, device_text
from berth.framework.emission import GraphEmission
from berth.framework.graph_members import GraphMembers
from berth.framework.graph_scopes import ControlScope, GraphScopes, ThreadScopes
from berth.framework.node import Operation, SymbolicTensor, Tensor, capture_frames

_GROUPS = re.compile(r'(?<=\[)_class=\[[^]]*\](, )?|, _class=\[[^]]*\]')
_VALID_NAME = re.compile(r'^[A-Za-z0-9.][A-Za-z0-9_.\\/>-]*$')
_VALID_SCOPE = re.compile(r'^[A-Za-z0-9_.\\/>-]*$')


class Graph(GraphMembers, GraphEmission):
    """A set of operations that sessions run."""

    __module__ = 'tensorflow.python.framework.ops'  # Messages show it.
    building_function = False

    def __init__(self) -> None:
        self._core = core.Graph()
        self._ops: list[Operation] = []
        self._by_name: dict[str, Operation] = {}
        self._used: dict[str, int] = {}
        self._scopes: Any = GraphScopes()
        self._groups: dict[int, list[bytes]] = {}
        self._collections: dict[Any, list[Any]] = {}
        self._attrs: dict[str, Any] = {}
        # By type of op: under which name its gradient is registered; and operations that have such a name.
        self._overrides: dict[str, str] = {}
        self._overridden: set[str] = set()
        self._waited_for: set = set()  # Operations that a program made others wait for; their definitions say so.
        self._finalized = False
        self._has_flow = False  # Whether there is a branch or a loop.
        self._moves: list[tuple[int, int]] = []
        self._unfeedable: set = set()
        self._unfetchable: set = set()
        self._handle_nodes: dict[Any, Any] = {}  # That read and delete what sessions keep.
        self._random_ops = 0
        self._emitting: list[Any] = []  # Scopes of what the library is making.
        self.no_way_back, self._back = [], set()  # What loops without gradients give; what is in loops of slopes.
        self._lock = threading.RLock()

    # ---- Names ----

    def unique_name(self, name: str, mark_as_used: bool = True) -> str:
        """Returns |name| in the current scope, with a number when it is taken."""
        scope = self._scopes.names
        if scope:
            name = scope + '/' + name
        key = name.lower()
        count = self._used.get(key, 0)
        if mark_as_used:
            self._used[key] = count + 1
        if count > 0:
            base = key
            while key in self._used:
                key = f'{base}_{count}'
                count += 1
            if mark_as_used:
                self._used[key] = 1
            name = f'{name}_{count - 1}'
        return name

    @contextlib.contextmanager
    def name_scope(self, name: str | None) -> Iterator[str]:
        """Names made inside begin with |name|, which is made unique."""
        scopes = self._scopes
        old = scopes.names
        text = self._enter_name(name)
        try:
            yield text
        finally:
            scopes.names = old

    def _enter_name(self, name: str | None) -> str:
        """Makes |name| the current scope and returns it with a slash."""
        scopes = self._scopes
        if not name:
            scopes.names = ''
            return ''
        self._check_scope(name)
        if name[-1] == '/':
            scopes.names = name[:-1]
            return name
        scopes.names = self.unique_name(name)
        return scopes.names + '/'

    def _check_scope(self, name: Any) -> None:
        if isinstance(name, bytes):
            name = name.decode()
        if self._scopes.names:
            if not _VALID_SCOPE.match(name):
                raise ValueError(f"'{name}' is not a valid scope name. A scope name has to match the following "
                                 f'pattern: {_VALID_SCOPE.pattern}')
        elif not _VALID_NAME.match(name):
            raise ValueError(f"'{name}' is not a valid root scope name. A root scope name has to match the "
                             f'following pattern: {_VALID_NAME.pattern}')

    def get_name_scope(self) -> str:
        """Returns the current scope, without a slash."""
        return self._scopes.names

    # ---- Devices, colocation, control dependencies ----

    @contextlib.contextmanager
    def device(self, device_name_or_function: Any) -> Iterator[None]:
        """Asks for a device for the operations made inside."""
        scope = DeviceScope(device_name_or_function)
        scopes = self._scopes
        scopes.devices = scopes.devices + (scope,)
        try:
            yield
        finally:
            if not scopes.devices or scopes.devices[-1] is not scope:
                raise RuntimeError('Exiting device scope without proper scope nesting.')
            scopes.devices = scopes.devices[:-1]

    @contextlib.contextmanager
    def colocate_with(self, op: Any, ignore_existing: bool = False) -> Iterator[None]:
        """Operations made inside are placed where |op| is."""
        if op is None and not ignore_existing:
            raise ValueError('Trying to reset colocation (op is None) but ignore_existing is not True')
        if self.building_function and isinstance(getattr(op, 'handle', op), core.Tensor):
            op = self.capture(getattr(op, 'handle', op))
        target = op_of(op) if op is not None else None
        scopes = self._scopes
        old = scopes.devices, scopes.colocation
        scopes.devices, scopes.colocation = (), () if ignore_existing else scopes.colocation
        if target is not None:
            scopes.colocation = scopes.colocation + (target,)
        try:
            yield
        finally:
            scopes.devices, scopes.colocation = old

    def control_dependencies(self, control_inputs: Any) -> ControlScope:
        """Operations made inside run after |control_inputs|; None hides outer ones."""
        if control_inputs is None:
            return ControlScope(self, None)
        ops: list[Operation] = []
        current = {op for scope in self._scopes.controls for op in scope.ops}
        for item in control_inputs:
            if hasattr(item, '_update_op'):
                item = item._update_op  # What a read of the variable would wait for, too.
            elif hasattr(item, '_as_graph_element'):
                item = item._as_graph_element()
            found = self.as_graph_element(item)
            op = found.op if isinstance(found, Tensor) else found
            if op not in current:
                ops.append(op)
                current.add(op)
                self._waited_for.add(op.name)
        return ControlScope(self, ops)

    def _controls_for(self, input_ops: set) -> list[Operation]:
        found: list[Operation] = []
        for scope in self._scopes.controls:
            if not any(op in scope.inside for op in input_ops):
                found.extend(op for op in scope.ops if op not in input_ops)
        return found

    @contextlib.contextmanager
    def _attr_scope(self, attrs: dict[str, Any]) -> Iterator[None]:
        """Operations made inside get |attrs| unless they have them."""
        old = self._attrs
        self._attrs = {**old, **attrs}
        try:
            yield
        finally:
            self._attrs = old

    def switch_to_thread_local(self) -> None:
        """From now on every thread has scopes of its own."""
        if not isinstance(self._scopes, ThreadScopes):
            self._scopes = ThreadScopes()

    def _device_of(self, op: Operation) -> str:
        """Returns the device that the scopes in force ask for."""
        for scope in reversed(self._scopes.devices):
            if scope.is_empty:
                continue
            if scope.hides:
                break
            op._device = scope.apply(op)
        return op._device

    def _set_device(self, op: Operation, device: Any) -> None:
        """Changes what |op| asks for, whatever scopes said."""
        text = device_text(device)
        self._core.set_device(op.node, text)
        op._device = text

    # ---- Making operations ----

    def add(self, op_type: str, name: str | None, inputs: list[Any], attrs: dict[str, Any] | None,
            colocate: tuple[Operation, ...] = ()) -> Operation:
        """Makes an operation; |inputs| are tensors of this graph, or lists of them."""
        if self._finalized:
            raise RuntimeError('Graph is finalized and cannot be modified.')
        name = self._node_name(op_type if name is None else name)
        flat: list[Any] = flatten_inputs(inputs)
        scopes = self._scopes
        first = len(self._ops)
        outside = flat  # What was made inside is told by the inputs as they were given.
        if self._has_flow:
            inputs = self._through_flow(op_type, name, inputs, flat)
            flat = flatten_inputs(inputs)
        op = Operation(self, op_type, name, flat, capture_frames())
        if scopes.devices and not colocate:  # What takes a reference goes where that is, whatever the scope says.
            self._device_of(op)
        controls: list[Operation] = []
        if scopes.controls:
            controls = self._controls_for({t.op for t in outside})
        if scopes.flow is not None:
            controls = scopes.flow.wait(flat, controls)
        if self._attrs:
            attrs = {**self._attrs, **(attrs or {})}
        if op_type in self._overrides:
            attrs = {'_gradient_op_type': self._overrides[op_type].encode(), **(attrs or {})}
            self._overridden.add(name)
        if self._container:
            attrs = self._contained(op_type, attrs)
        group = scopes.colocation + colocate if colocate else scopes.colocation
        if group:
            attrs = self._colocate(op, group, attrs)
        op = self._commit(op, inputs, attrs, [c.node for c in controls])
        if scopes.flow is not None:
            scopes.flow.adopt(op)
            if op.node > first:
                self._moves.append((op.node, first))
        return op

    def _in_order(self, items: list[Any]) -> list[Any]:
        """Returns |items|, one for each node, in TensorFlow's order: an operation comes before
        those that bring values into its branch or loop."""
        for node, first in self._moves:
            items.insert(first, items.pop(node))
        return items

    def _through_flow(self, op_type: str, name: str, inputs: list[Any], flat: list[Any]) -> list[Any]:
        """Returns inputs as they are in the branch or loop being built."""
        from berth.framework import flow_context

        for tensor in flat:
            flow_context.check_input(name, op_type, self._scopes.flow, tensor.op)
        return inputs if self._scopes.flow is None else self._scopes.flow.admit(name, inputs)

    def add_plain(self, op_type: str, name: str, inputs: list[Any]) -> Operation:
        """Makes an operation without attributes; the short way where no scope asks for more."""
        scopes = self._scopes
        if (scopes.devices or scopes.controls or scopes.colocation or self._attrs or self._overrides
                or self._finalized or self._has_flow):
            return self.add(op_type, name, inputs, None)
        name = self._node_name(name)
        op = Operation(self, op_type, name, inputs, capture_frames())
        return self._commit(op, inputs, None, [])

    def _commit(self, op: Operation, inputs: list[Any], attrs: Any, controls: list[int]) -> Operation:
        with self._lock:
            try:
                op._settle(self._core.op(op.type, op.name, inputs, attrs, op._device or None, controls, (), True))
            except errors.InvalidArgumentError as error:
                # TensorFlow puts an operation into its group after it has checked it.
                raise ValueError(_GROUPS.sub('', error.message)) from None
            except errors.UnimplementedError as error:
                raise NotImplementedError(error.message) from None
            self._register(op, attrs.get('_class') if attrs else None)
        return op

    def _register(self, op: Operation, groups: list[bytes] | None) -> None:
        self._ops.append(op)
        self._by_name[op.name] = op
        if groups:
            self._groups[op.node] = groups
        for scope in self._scopes.controls:
            scope.inside.add(op)

    def _node_name(self, name: str) -> str:
        if name and name[-1] == '/':
            name = name[:-1]
        else:
            name = self.unique_name(name)
        if not _VALID_NAME.match(name):
            raise ValueError(f'`{name}` is not a valid node name. Accepted names conform to Regex /{_VALID_NAME}/')
        return name

    def _colocate(self, op: Operation, group: tuple[Operation, ...], attrs: Any) -> dict[str, Any]:
        """Returns |attrs| with the groups that |op| joins; the device is the group's."""
        names: set = set()
        for other in group:
            names.update(other.colocation_groups())
            if other._device:
                op._device = other._device
        return {**(attrs or {}), '_class': sorted(names)}

    def _adopt(self) -> None:
        """Makes handles for nodes that the extension has and this graph does not."""
        view = self._core
        for node in range(len(self._ops), view.node_count):
            op = Operation(self, view.node_op(node), view.node_name(node), [], capture_frames())
            op._settle(node)
            op._device = view.node_device(node)
            self._used[op.name.lower()] = max(self._used.get(op.name.lower(), 0), 1)
            try:
                groups = view.node_attr(node, '_class')
            except errors.InvalidArgumentError:
                groups = None
            self._register(op, [g if isinstance(g, bytes) else g.encode() for g in groups] if groups else None)

    def _gradients(self, ys: list[Any], xs: list[Any], dys: list[Any], stops: list[Any], name: str, gated: bool,
                   colocated: bool, first: int = 0) -> list[Any]:
        """Makes the nodes of slopes of |ys| by |xs|; |dys| are places."""
        self._check_not_finalized()
        with self._lock:
            try:
                found = self._core.gradients(self, ys, xs, dys, stops, name, gated, colocated, False, first)
            except errors.NotFoundError as error:
                raise LookupError(error.message) from None
            except errors.InvalidArgumentError as error:
                raise ValueError(error.message) from None
            except errors.UnimplementedError as error:
                raise TypeError(error.message) from None
            finally:
                self._adopt()
        return [self._slope(place) for place in found]

    # ---- Looking ----

    def get_operations(self) -> list[Operation]:
        """The operations, in the order in which they were made."""
        return self._in_order(list(self._ops))

    def get_operation_by_name(self, name: str) -> Operation:
        """Returns the operation called |name|."""
        if not isinstance(name, str):
            raise TypeError(f'Operation names are strings (or similar), not {type(name).__name__}.')
        return self.as_graph_element(name, allow_tensor=False, allow_operation=True)

    def get_tensor_by_name(self, name: str) -> Tensor:
        """Returns the tensor called |name|, such as 'MatMul:0'."""
        if not isinstance(name, str):
            raise TypeError(f'Tensor names are strings (or similar), not {type(name).__name__}.')
        return self.as_graph_element(name, allow_tensor=True, allow_operation=False)

    def as_graph_element(self, obj: Any, allow_tensor: bool = True, allow_operation: bool = True) -> Any:
        """Returns the tensor or operation that |obj| is, names or wraps."""
        from berth.framework import lookup

        return lookup.find(self, obj, allow_tensor, allow_operation)

    def as_graph_def(self, from_version: int | None = None, add_shapes: bool = False) -> Any:
        """Returns the graph as a GraphDef message, all of it: TensorFlow ignores |from_version|, too."""
        from berth.base import protos

        definition = protos.GraphDef.FromString(self._core.export())
        if self._moves:
            nodes = self._in_order(list(definition.node))
            del definition.node[:]
            definition.node.extend(nodes)
        if self._waited_for:
            for node in definition.node:
                self._mark(node)
        if add_shapes:
            self._add_shapes(definition)
        return definition

    def _mark(self, node: Any) -> None:
        """Adds to a NodeDef what only Python knows of it."""
        if node.name in self._waited_for:
            node.attr['_has_manual_control_dependencies'].b = True

    def _add_shapes(self, definition: Any) -> None:
        for node in definition.node:
            for out in self._by_name[node.name].outputs:
                node.attr['_output_shapes'].list.shape.add().CopyFrom(out.shape.as_proto())

    @property
    def version(self) -> int:
        """How many operations there are."""
        return len(self._ops)

    @property
    def graph_def_versions(self) -> Any:
        """The versions that its GraphDef carries."""
        return self.as_graph_def().versions

    # ---- State ----

    @property
    def finalized(self) -> bool:
        """True when it can no longer grow."""
        return self._finalized

    def finalize(self) -> None:
        """Refuses further operations."""
        self._finalized = True

    def _unsafe_unfinalize(self) -> None:
        self._finalized = False

    def _check_not_finalized(self) -> None:
        if self._finalized:
            raise RuntimeError('Graph is finalized and cannot be modified.')

    def scratch(self) -> 'Graph':
        """Returns the graph for what is only tried: this one, whose nodes need not run."""
        return self

    def as_default(self) -> Any:
        """Makes it the default graph of the thread, inside a with block."""
        from berth.framework import scopes

        return scopes.default_graphs.push(self)

    # ---- Collections ----

    def add_to_collection(self, name: Any, value: Any) -> None:
        """Adds |value| to a collection."""
        self._check_not_finalized()
        self._collections.setdefault(name, []).append(value)

    def add_to_collections(self, names: Any, value: Any) -> None:
        """Adds |value| to several collections."""
        # In TensorFlow in the order of a set, any; it shows in get_all_collection_keys().
        for name in (names,) if isinstance(names, str) else sorted(set(names), key=str):
            self.add_to_collection(name, value)

    def get_collection_ref(self, name: Any) -> list[Any]:
        """Returns the list behind a collection."""
        return self._collections.setdefault(name, [])

    def get_collection(self, name: Any, scope: str | None = None) -> list[Any]:
        """Returns what is in a collection, with names that begin with |scope|."""
        items = self._collections.get(name, [])
        if scope is None:
            return list(items)
        pattern = re.compile(scope)
        return [item for item in items if hasattr(item, 'name') and pattern.match(item.name)]

    def get_all_collection_keys(self) -> list[Any]:
        """Returns the names of the collections."""
        return [key for key in self._collections if isinstance(key, str)]

    def clear_collection(self, name: Any) -> None:
        """Empties a collection."""
        self._check_not_finalized()
        self._collections.pop(name, None)

    @property
    def collections(self) -> list[Any]:
        """The names of the collections."""
        return list(self._collections)


def flatten_inputs(inputs: list[Any]) -> list[SymbolicTensor]:
    """Returns |inputs| with the lists in it spread out."""
    flat: list[SymbolicTensor] = []
    for item in inputs:
        if isinstance(item, (list, tuple)):
            flat.extend(item)
        else:
            flat.append(item)
    return flat


def op_of(item: Any) -> Operation:
    """Returns the operation that |item| is or belongs to."""
    if isinstance(item, Operation):
        return item
    if isinstance(item, Tensor):
        return item.op
    if hasattr(item, 'op') and isinstance(item.op, Operation):
        return item.op
    from berth.framework import convert

    return convert.convert_to_tensor(item).op


def shape_attr(shape: Any) -> Any:
    """Returns |shape| as an attribute of the extension."""
    from berth.framework.tensor_shape import TensorShape

    known = TensorShape(shape)
    dims = None if known.rank is None else [-1 if d is None else d for d in known.as_list()]
    return core.Shape(dims)
