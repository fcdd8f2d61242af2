"""taped - A function that a tape notes as graphs to run: one for what it does, one for what its slopes compute again.

A variable that is read in a branch or a loop is read before that where this is the same, so that what it was then can be
kept. The second graph has the same nodes as the first, but nothing in it waits for what acts, which therefore is not done
twice.
"""

from __future__ import annotations

from typing import Any, Sequence

from berth import _core as core
from berth.eager import func_graph, lower
from berth.framework.node import Operation

# The ways by which a resource comes into a branch or loop.
_INWARD = frozenset(('Enter', 'Identity', 'Switch'))


class Taped(lower.Lowered):
    """A function to run, or |again|: what is computed anew for its slopes."""

    def __init__(self, graph: Any, devices: Sequence[str], again: bool = False) -> None:
        self.again = again
        self.writes = False  # True when something acts that does not only read.
        super().__init__(graph, devices)

    def _body(self, graph: Any) -> '_Body':
        return _Body(self, graph, '', '')


class _Body(lower._Body):
    """A function, or one that it calls, on its way into such a graph."""

    into: Taped

    def _add(self, op: Operation, after: Sequence[int] = ()) -> None:
        if op in self.early:
            way = _way_in(op)
            if way is not None:
                self._read_before(op, way)
                return
        super()._add(op, () if self.into.again else after)

    def _controls(self, op: Operation) -> list[int]:
        if func_graph.acts(op.type) and op.type != 'ReadVariableOp':
            self.into.writes = True
        if not self.into.again:
            return super()._controls(op)
        return [node for other in op.control_inputs if not func_graph.acts(other.type)
                for node in self.nodes.get(other, [])]

    def start_after(self, nodes: list[int]) -> None:
        if self.into.again:
            return
        super().start_after(nodes)
        if nodes:
            self.early = {op: [lower._Node(node) for node in nodes] + waits  # type: ignore[misc]
                          for op, waits in self.early.items()}

    def _read_before(self, op: Operation, way: list[Any]) -> None:
        """Reads for |op| outside of all branches and loops; what is read goes the way of the resource."""
        view, name = self.into.core, self.prefix + op.name
        kind = core.DType(op.outputs[0].dtype.number)
        waits = [] if self.into.again else [node for other in self.early[op] for node in self.nodes.get(other, [])]
        device = op.device or self.device or None
        node = view.op('ReadVariableOp', f'{name}/before', [self.find(way[-1].op.inputs[0])], self._attrs(op), device,
                       waits)
        out = node, 0
        for tensor in reversed(way):
            if tensor.op.type == 'Identity':
                continue
            inputs = [out] + [self.find(other) for other in tensor.op.inputs[1:]]
            attrs = {key: value for key, value in self._attrs(tensor.op).items() if key != '_class'}
            node = view.op(tensor.op.type, f'{name}/{tensor.op.type}', inputs, {**attrs, 'T': kind})
            out = node, tensor.value_index
        self._note(op, name, view.op('Identity', name, [out], {'T': kind}, device, self._controls(op), (), True))


def _way_in(op: Operation) -> Any:
    """Returns the tensors through which |op| has its resource from outside of all branches and loops, inmost first."""
    way, tensor = [], op.inputs[0]
    while getattr(tensor.op, '_flow', None) is not None:
        if tensor.op.type not in _INWARD:
            return None
        way.append(tensor)
        tensor = tensor.op.inputs[0]
    return way or None
