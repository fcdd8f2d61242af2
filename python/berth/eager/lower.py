"""lower - A traced function as a graph that a session runs.

Arguments become _Arg nodes and results _Retval nodes, calls of other functions are replaced
by what those do, and ops that act are tied together in the order of the program.
"""

from __future__ import annotations

import functools
from typing import Any, Sequence

from berth import _core as core
from berth.eager import context
from berth.eager.func_graph import FuncGraph
from berth.framework import errors
from berth.framework import schema as schemas
from berth.framework.device_spec import DeviceSpecV2
from berth.framework.node import Operation

Out = tuple  # (node, index)
# Nodes that functions run; calls of traced functions are among the calls of their graph.
_FUNCTIONAL = frozenset(('Case', 'If', 'PartitionedCall', 'StatefulPartitionedCall', 'StatelessCase', 'StatelessIf',
                         'StatelessWhile', 'While'))


class Lowered:
    """A graph to run, with what goes in and comes out."""

    def __init__(self, graph: FuncGraph, devices: Sequence[str]) -> None:
        self.core = core.Graph()
        self.sources: dict[str, Operation] = {}  # By the names of nodes: what they were traced as.
        self.feeds: list[Out] = []
        self.pins: list[tuple[int, str]] = []  # Nodes whose device is known.
        self.bodies: list[_Body] = []
        self.libraries: list[FuncGraph] = []  # Graphs whose functions are there.
        body = self._body(graph)
        for tensor, device in zip(graph.inputs, devices):
            body.outs[tensor.op, 0] = self._arg(tensor, device)
        self.targets = body.copy()
        self.results = [body.find(tensor) for tensor in graph.outputs]
        self.fetches = [body.find(_behind(tensor)) for tensor in graph.outputs]
        self._add_results(graph)
        if not self.fetches and not self.targets:
            self.targets = [self.core.op('NoOp', None, [], None)]  # A run needs something to do.

    def _body(self, graph: FuncGraph) -> '_Body':
        """Returns what copies the whole function."""
        return _Body(self, graph, '', '')

    def _arg(self, tensor: Any, device: str) -> Out:
        """Makes the node of an argument; constants that were captured are none."""
        if tensor.op.type == 'Const':
            return ()
        name = tensor.op.name.lower().replace('/', '_')
        node = self.core.op('_Arg', name, [], {
            'T': core.DType(tensor.dtype.number), 'index': len(self.feeds)})
        self.feeds.append((node, 0))
        self.pins.append((node, device))
        return node, 0

    def _add_results(self, graph: FuncGraph) -> None:
        for index, (tensor, out) in enumerate(zip(graph.outputs, self.results)):
            name = tensor.op.name.lower().replace('/', '_') + '_RetVal'
            node = self.core.op('_Retval', name, [out], {
                'T': core.DType(tensor.dtype.number), 'index': index})
            device = _asked(tensor.op)
            if device:
                self.pins.append((node, device))


def _behind(tensor: Any) -> Any:
    """Returns what a result is a copy of: there it is already, on the device that made it."""
    source = tensor
    while source.op.type == 'Identity' and not source.op.device:
        source = source.op.inputs[0]
    return tensor if source.op.type == 'Placeholder' else source


def _asked(op: Operation) -> str:
    """Returns the device asked for by what a result comes from, if there is one."""
    while op.type == 'Identity' and not op.device:
        op = op.inputs[0].op
    if not op.device:
        return ''
    wish = DeviceSpecV2.from_string(op.device)
    for name in context.settings.names():
        if DeviceSpecV2.from_string(name).make_merged_spec(wish).to_string() == name:
            return name
    if not context.settings.is_soft():
        raise errors.InvalidArgumentError(
            None, None, f'Unable to find any devices for spec {op.device}')
    return ''


class _Body:
    """A function on its way into the graph: at the top, or in the place of a call."""

    def __init__(self, into: Lowered, graph: FuncGraph, prefix: str, device: str) -> None:
        self.into, self.graph, self.prefix, self.device = into, graph, prefix, device
        self.outs: dict[tuple[Operation, int], Out] = {}
        self.nodes: dict[Operation, list[int]] = {}  # What stands for an op that others wait for.
        order = graph.order()
        self.early = order.early
        self.waits, self.must_run, self._first = order.waits, order.must_run, order.first
        self._loops: list[tuple[int, Any]] = []  # Merges, and what comes back to them.
        into.bodies.append(self)

    def find(self, tensor: Any) -> Out:
        """Returns what |tensor| is in the graph."""
        return self.outs[tensor.op, tensor.value_index]

    def _finish(self) -> list[int]:
        """Adds a node that waits for everything that must run."""
        nodes = [node for op in self.must_run for node in self.nodes[op]]
        if not nodes:
            return []
        last = self.graph._ops[-1]  # FuncGraph.finish() made it.
        return [self.into.core.op('NoOp', self.prefix + last.name, [], None, self.device or None,
                                  nodes)]

    def copy(self) -> list[int]:
        """Adds everything that results or actions need; returns what to wait for."""
        wanted = self._wanted()
        results = {tensor.op for tensor in self.graph.outputs}
        for op in self.graph._ops:
            if op in wanted and op not in results and not self.outs.get((op, 0)):
                self._put(op)
        for merge, end in self._loops:
            self.into.core.close_loop(merge, self.find(end))
        last = self._finish()
        for op in self.graph._ops:
            if op in results:
                self._add(op, last)
        return last

    def _put(self, op: Operation) -> None:
        """Adds what stands for one node."""
        if op in self.graph.calls:
            self._inline(op)
        elif self.graph._core.functions and (op.type in _FUNCTIONAL or op.type in self.graph._core.functions):
            self._import(op)
        else:
            self._add(op)

    def _import(self, op: Operation) -> None:
        """Copies a node that functions of a GraphDef run, with those."""
        from berth.base import protos

        core_graph, name = self.into.core, self.prefix + op.name
        definition = protos.GraphDef()
        if self.graph not in self.into.libraries:
            self.into.libraries.append(self.graph)
            definition.library.CopyFrom(protos.GraphDef.FromString(self.graph._core.export()).library)
        node = definition.node.add()
        node.CopyFrom(op.node_def)
        node.name, node.device = name, op.device or self.device
        del node.input[:]
        places = {f'given_{i}:0': self.find(tensor) for i, tensor in enumerate(op.inputs)}
        node.input.extend(places)
        # A name that is a scope of others, too, is taken.
        _, (made,) = core_graph.import_(definition.SerializeToString(), None, places, (), (name,), self._controls(op), True)
        self._note(op, core_graph.node_name(made), made)

    def _wanted(self) -> set[Operation]:
        wanted: set[Operation] = set()
        pending = [tensor.op for tensor in self.graph.outputs] + list(self.must_run)
        while pending:
            op = pending.pop()
            if op not in wanted:
                wanted.add(op)
                pending += [tensor.op for tensor in op.inputs]
                pending += op.control_inputs
        return wanted

    def _controls(self, op: Operation) -> list[int]:
        before = op.control_inputs + self.waits.get(op, [])
        return list(dict.fromkeys(node for other in before for node in self.nodes.get(other, [])))

    def _add(self, op: Operation, after: Sequence[int] = ()) -> None:
        """Copies one node."""
        name = self.prefix + op.name
        node = self.into.core.op(op.type, name, self._inputs(op), self._attrs(op),
                                 op.device or self.device or None,
                                 [*self._controls(op), *after], (), True)
        self._note(op, name, node)
        if op.type == 'Merge' and op.inputs[1].op.node > op.node:
            self._loops.append((node, op.inputs[1]))

    def _note(self, op: Operation, name: str, node: int) -> None:
        """Remembers that |op| has become |node|."""
        self.into.sources[name] = op
        self.nodes[op] = [node]
        for index in range(len(op.outputs)):
            self.outs[op, index] = node, index

    def _inputs(self, op: Operation) -> list[Any]:
        """Returns the inputs, those of an argument of many in a list."""
        # What comes back to the beginning of a loop is not there yet.
        found: list[Any] = [self.find(tensor if tensor.op.node < op.node else op.inputs[0])
                            for tensor in op.inputs]
        if len(found) < 2 and not any(arg.is_list for arg in schemas.find(op.type).inputs):
            return found
        grouped: list[Any] = []
        for arg in schemas.find(op.type).inputs:
            first, count = op.graph._core.arg_range(op.node, arg.name, False)
            grouped.append(found[first:first + count] if arg.is_list else found[first])
        return grouped

    def _attrs(self, op: Operation) -> dict[str, Any]:
        read = op.graph._core.node_attr
        attrs = {name: read(op.node, name) for name in _attr_names(op.type)}
        if op.name in op.graph._overridden:
            attrs['_gradient_op_type'] = read(op.node, '_gradient_op_type')
        group = op.graph._groups.get(op.node)
        if group:
            start = len(b'loc:@')
            attrs['_class'] = [b'loc:@' + self.prefix.encode() + name[start:] for name in group]
        return attrs

    def _inline(self, op: Operation) -> None:
        """Puts what a function does in the place of its call."""
        function = self.graph.calls[op]
        body = type(self)(self.into, function.graph, self.prefix + op.name + '/', op.device or self.device)
        insides = [inside for inside in function.graph.inputs if inside.op.type != 'Const']
        for inside, tensor in zip(insides, op.inputs):
            body.outs[inside.op, 0] = self.find(tensor)
        body.start_after(self._controls(op))
        self.nodes[op] = body.copy()
        for index, tensor in enumerate(function.graph.outputs):
            self.outs[op, index] = body.find(tensor)

    def start_after(self, nodes: list[int]) -> None:
        """Makes what acts in this body wait for |nodes|."""
        if not nodes:
            return
        for op in self._first:
            self.waits[op] = [_Node(node) for node in nodes] + self.waits[op]  # type: ignore
        self.nodes = {_Node(node): [node] for node in nodes}  # type: ignore[misc]


class _Node(int):
    """A node that is there already, in the place of an op."""


@functools.lru_cache(maxsize=None)
def _attr_names(op_type: str) -> tuple:
    return tuple(schemas.find(op_type).attrs)
