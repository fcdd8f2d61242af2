"""emission - How nodes that the library makes get into a graph: gradients.

The library decides which nodes there are (`src/grad`); a graph of Python decides what they
are called, where they go and what they wait for, as it does for nodes of the program.
"""

from __future__ import annotations

from typing import Any

from berth import _core as core
from berth.framework import schema
from berth.framework.node import Operation

_gradients: dict[str, Any] = {}  # By the name under which a program has registered it.
own_ops: set[str] = set()  # Those of these names that are ops'.


def register(name: str, function: Any) -> None:
    """Makes |function| the gradient of ops called |name|; None: nothing is to be gone through."""
    if name in _gradients or core.op_gradient(name):
        raise KeyError(f'Registering two gradient with name {name!r}! (Previous registration was in register )')
    _gradients[name] = function
    if name in schema.names():
        own_ops.add(name)


def registered(name: str) -> Any:
    """Returns what a program has registered; KeyError when it has not."""
    return _gradients[name]


class GraphEmission:
    """The methods that core.Graph.gradients() calls."""

    _ops: list[Operation]
    _scopes: Any
    _has_flow: bool
    _attrs: dict[str, Any]
    _back: set[Operation]

    def _emit_name(self: Any, op_type: str, name: str) -> str:
        """Returns the name of a node that is about to be made."""
        return self._node_name(name) if name else self._scopes.names

    def _emit_plain(self: Any) -> bool:
        """True when a node needs nothing but its name and inputs."""
        scopes = self._scopes
        return not (scopes.devices or scopes.controls or scopes.colocation or self._attrs or self._has_flow)

    def _emit_where(self: Any, op_type: str, name: str, inputs: list[Any], waits: list[int]) -> tuple[Any, ...]:
        """Returns the inputs of a node as they are where it is made, its device, what it waits for, its groups.

        |waits| are nodes that it waits for in any case.
        """
        self._adopt()
        tensors = [[self._out(pair) for pair in item] if isinstance(item, list) else self._out(item)
                   for item in inputs]
        flat = [t for item in tensors for t in (item if isinstance(item, list) else [item])]
        scopes = self._scopes
        inside = self._is_inside(op_type, [t.op for t in flat] + [self._ops[node] for node in waits])
        if scopes.flow is not None and not inside:
            tensors = scopes.flow.admit(name, tensors)
            flat = [t for item in tensors for t in (item if isinstance(item, (list, tuple)) else [item])]
        op = Operation(self, op_type, name, flat, None)
        if scopes.devices:
            self._device_of(op)
        controls = self._controls_for({t.op for t in flat}) if scopes.controls and not inside else []
        if scopes.flow is not None and not inside:
            controls = scopes.flow.wait(flat, controls)
        groups = self._colocate(op, scopes.colocation, None)['_class'] if scopes.colocation else None
        places = [[_pair(t) for t in item] if isinstance(item, (list, tuple)) else _pair(item) for item in tensors]
        return places, op._device or None, [c.node for c in controls], groups

    def _emit_done(self: Any, node: int) -> None:
        """Takes in the node that was made."""
        self._adopt()
        op = self._ops[node]
        sources = [t.op for t in op.inputs] + list(op.control_inputs)
        if op.type == 'Enter' or (op.type != 'Exit' and self._is_inside(op.type, sources)):
            self._back.add(op)
        if self._scopes.flow is not None:
            self._scopes.flow.adopt(op)

    def _is_inside(self: Any, op_type: str, sources: list[Operation]) -> bool:
        """True for a node of a loop that slopes go through, which the library has brought there.

        What it reads or waits for, |sources|, tells: a number in such a loop waits for the turn, and must not
        wait for the turn of a loop outside, too.
        """
        if any(op in self._back for op in sources):
            return True
        if op_type in ('Exit', 'RefExit') or not self._has_flow:
            return False
        from berth.framework import flow_context

        loops = [flow_context.loop_of(op) for op in sources]
        return any(loop is not None and not flow_context.is_around(loop, self._scopes.flow) for loop in loops)

    def _emit_push(self: Any, name: str | None, node: int, is_free: bool) -> bool:
        """Begins a scope; True when nodes made in it are plain."""
        scopes = self._scopes
        self._emitting.append((scopes.names, scopes.devices, scopes.colocation))
        if name is not None:
            self._enter_name(name)
        if is_free:
            scopes.devices, scopes.colocation = (), ()
        if node >= 0:
            self._adopt()
            scopes.devices = ()
            scopes.colocation = scopes.colocation + (self._ops[node],)
        return self._emit_plain()

    def _emit_pop(self: Any) -> bool:
        """Ends it; True when nodes made from now on are plain."""
        scopes = self._scopes
        scopes.names, scopes.devices, scopes.colocation = self._emitting.pop()
        return self._emit_plain()

    def _emit_slopes(self: Any, node: int, slopes: list[Any]) -> Any:
        """Returns slopes by the inputs of a node, by a function of the program's; None when it has none."""
        self._adopt()
        op = self._ops[node]
        function = gradient_of(op)
        if function is False:
            return None
        if function is None:
            return [None] * len(op.inputs)
        given = function(op, *[self._slope(s) for s in slopes])
        if not isinstance(given, (list, tuple)):
            given = [given]
        if len(given) != len(op.inputs):
            raise ValueError(f'Num gradients {len(given)} generated for op {op.node_def} do not match num inputs '
                             f'{len(op.inputs)}')
        self._adopt()
        return [_slope_places(self, value) for value in given]

    def _out(self: Any, pair: tuple[int, int]) -> Any:
        return self._ops[pair[0]].outputs[pair[1]]

    def _slope(self: Any, places: Any) -> Any:
        """Returns a slope of the extension as a tensor, or as rows of one."""
        if places is None:
            return None
        if len(places) == 2:
            return self._out(places)
        from berth.framework.indexed_slices import IndexedSlices

        values, indices, sizes = places
        return IndexedSlices(self._out(values), self._out(indices), None if sizes is None else self._out(sizes))


def gradient_of(op: Operation) -> Any:
    """Returns the function that a program has registered for |op|; False when it has none."""
    try:
        name = op.get_attr('_gradient_op_type')
        name = name.decode() if isinstance(name, bytes) else name
    except ValueError:
        name = op.type
    return op.__dict__.get('gradient_function') or _gradients.get(name, False)


def _pair(tensor: Any) -> tuple[int, int]:
    return tensor.op.node, tensor.value_index


def slope_place(value: Any) -> Any:
    """Returns a slope as the extension takes it."""
    if value is None:
        return None
    if hasattr(value, 'indices') and hasattr(value, 'values'):
        return _pair(value.values), _pair(value.indices), None if value.dense_shape is None else _pair(
            value.dense_shape)
    return _pair(value)


def _slope_places(graph: Any, value: Any) -> Any:
    if value is None or (hasattr(value, 'indices') and hasattr(value, 'values')):
        return slope_place(value)
    from berth.framework import convert

    with graph.as_default():
        return _pair(convert.convert_to_tensor(value))
