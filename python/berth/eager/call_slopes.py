"""call_slopes - Slopes of a call of a function that stands in the graph of another one.

What the function does is put into the graph once more, and gone back through there.
"""

from __future__ import annotations

from typing import Any

from berth import _core as core
from berth.eager import lower

_HARMLESS = frozenset(('ReadVariableOp', 'VarHandleOp', 'Placeholder', 'StackV2', 'StackPushV2', 'StackPopV2', 'NoOp'))


class _Place:
    """Where the body of a function is copied to: what lower._Body asks of a lowered graph."""

    def __init__(self, graph: Any) -> None:
        self.core = graph._core
        self.sources: dict[str, Any] = {}
        self.bodies: list[Any] = []
        self.libraries: list[Any] = []


def slopes(graph: Any, op: Any, dys: list[Any]) -> list[Any]:
    """Returns the slopes by the inputs of |op|, a call in |graph|, from those by its outputs, all as places."""
    function = graph.calls[op]
    _check(function)
    place = _Place(graph)
    prefix = graph.unique_name(f'{op.name}_again') + '/'
    body = lower._Body(place, function.graph, prefix, op.device)
    insides = [inside for inside in function.graph.inputs if inside.op.type != 'Const']
    xs = []
    for inside, tensor in zip(insides, op.inputs):
        node = graph._core.op('Identity', prefix + 'given', [(tensor.op.node, tensor.value_index)], None)
        xs.append((node, 0))
        body.outs[inside.op, 0] = node, 0
    body.copy()
    graph._adopt()
    for name, source in place.sources.items():
        if source.name in source.graph._overridden:
            raise NotImplementedError(f'tf.gradients: {source.name}, of tf.custom_gradient, is in a tf.function that is '
                                      'called. Use tf.GradientTape.')
        graph._used.setdefault(name.lower(), 1)
    known = [i for i, dy in enumerate(dys) if dy is not None]
    ys = [body.find(function.graph.outputs[i]) for i in known]
    return graph._core.gradients(graph, ys, xs, [dys[i] for i in known], [], 'again', False, False, False, 0)


def _check(function: Any) -> None:
    """Refuses what may come out otherwise when it is computed again."""
    for op in function.graph._ops:
        if op in function.graph.calls:
            _check(function.graph.calls[op])
        elif core.op_schema(op.type)['is_stateful'] and op.type not in _HARMLESS:
            raise NotImplementedError(f'tf.gradients: {op.name} ({op.type}), in a tf.function that is called, would have to '
                                      'be computed again and would not give the same. Use tf.GradientTape.')
