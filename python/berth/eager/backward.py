"""backward - Calls of functions that a tape notes.

A run of the function gives, besides its results, what their slopes are computed from; a second run,
of the nodes that the library adds to the same graph, gives the slopes. What is inside of a branch or
a loop cannot be kept: it is computed again, from values that are.
"""

from __future__ import annotations

from typing import Any, Sequence

from berth import _core as core
from berth.base import execution
from berth.eager import context, lower

_FLOW = frozenset(('Switch', 'RefSwitch', 'Enter', 'RefEnter'))
_SMOOTH = frozenset((1, 2, 8, 14, 18, 19))  # Numbers of types that have slopes.
_RESOURCE = 20


class Backward:
    """A function with its slopes, placed for arguments on certain devices."""

    def __init__(self, function: Any, devices: Sequence[str]) -> None:
        graph = function.graph
        lowered = lower.Lowered(graph, devices)
        self._core = lowered.core
        self._types = [self._core.output_dtype(*out) for out in lowered.fetches]
        self._smooth = [i for i, kind in enumerate(self._types) if kind in _SMOOTH]
        sources = [i for i, out in enumerate(lowered.feeds)
                   if self._core.output_dtype(*out) in _SMOOTH or self._core.output_dtype(*out) == _RESOURCE]
        count = self._core.node_count
        dys = [(self._core.op('Placeholder', f'dy_{i}', [], {'dtype': core.DType(self._types[i])}), 0)
               for i in self._smooth]
        slopes = self._core.gradients(None, [lowered.fetches[i] for i in self._smooth],
                                      [lowered.feeds[i] for i in sources], dys, [], 'gradients', False, False, True, 0)
        self._slopes: list[Any] = [None] * len(lowered.feeds)
        for i, slope in zip(sources, slopes):
            self._slopes[i] = slope
        self._kept = self._needed(count, lowered.feeds)
        session = context.settings.handle().session(self._core, function._preferred(context.settings.handle()))
        for node, device in lowered.pins:
            session.pin(node, device)
        self._result_count = len(lowered.fetches)
        self._forward = session.make_callable(lowered.feeds, [*lowered.fetches, *self._kept], lowered.targets)
        self._wanted = [place for slope in self._slopes for place in _places(slope)]
        self._feeds = [*lowered.feeds, *self._kept, *dys]
        self._backward = session.make_callable(self._feeds, self._wanted) if self._wanted else None

    def _needed(self, count: int, feeds: list[Any]) -> list[Any]:
        """Returns what the slopes are computed from and can be kept."""
        in_flow = self._in_flow(count)
        found: dict[Any, None] = {}
        again: set[int] = set()
        pending: list[Any] = []
        for node in range(count, self._core.node_count):
            pending += [out for out in self._core.node_inputs(node) if out[0] < count]
        while pending:
            out = tuple(pending.pop())
            if out[0] not in in_flow:
                found[out] = None
            elif out[0] not in again:
                again.add(out[0])
                pending += self._core.node_inputs(out[0])
        for node in again:
            self._check_again(node)
        return [out for out in found if out not in set(feeds)]

    def _in_flow(self, count: int) -> set[int]:
        """Returns the nodes that may not have a value, and what depends on them."""
        inside: set[int] = set()
        for node in range(count):
            if self._core.node_op(node) in _FLOW or any(out[0] in inside for out in self._core.node_inputs(node)):
                inside.add(node)
        return inside

    def _check_again(self, node: int) -> None:
        """Refuses to compute anew what may come out otherwise."""
        op = self._core.node_op(node)
        if core.op_schema(op)['is_stateful'] and op not in ('ReadVariableOp', 'VarHandleOp'):
            raise NotImplementedError(
                f'The gradient of a call of a tf.function needs {self._core.node_name(node)} ({op}), which is inside of '
                'a branch or a loop and would not give the same again. Compute the gradient inside of the function.')

    def run(self, tensors: Sequence[Any]) -> tuple[list[Any], list[Any]]:
        """Runs the function; returns its results, and what its slopes need."""
        values = self._forward(*tensors)
        return values[:self._result_count], values[self._result_count:]

    def slopes(self, tensors: Sequence[Any], kept: Sequence[Any], results: Sequence[Any],
               dys: Sequence[Any]) -> list[Any]:
        """Returns slopes by the arguments, from those by the results."""
        if self._backward is None:
            return [None] * len(self._slopes)
        from berth.framework import convert
        from berth.ops import array_ops

        given = [array_ops.zeros_like(results[i]) if dys[i] is None else convert.convert_to_tensor(_slices(dys[i]))
                 for i in self._smooth]
        values = iter(self._backward(*tensors, *kept, *given))
        return [_filled(slope, values) for slope in self._slopes]


def _slices(slope: Any) -> Any:
    from berth.framework.indexed_slices import IndexedSlices

    return IndexedSlices(*slope) if isinstance(slope, tuple) else slope


def _places(slope: Any) -> list[Any]:
    """Returns the outputs that a slope is made of."""
    if slope is None:
        return []
    return [place for place in slope if place is not None] if len(slope) == 3 else [slope]


def _filled(slope: Any, values: Any) -> Any:
    """Returns a slope with values instead of outputs."""
    if slope is None:
        return None
    if len(slope) == 2:
        return next(values)
    return tuple(None if place is None else next(values) for place in slope)


def call(function: Any, tensors: Sequence[Any], given: Sequence[Any]) -> list[Any]:
    """Runs |function| and tells the tapes of this thread how its slopes are had."""
    inputs = [*tensors, *given]
    key = context.state.device, tuple(tensor.device for tensor in inputs), context.settings.epoch
    known = function.__dict__.setdefault('_backwards', {})
    found = known.get(key)
    if found is None:
        known.clear()
        devices = iter([tensor.device for tensor in inputs])
        found = known[key] = Backward(function, [
            '' if tensor.op.type == 'Const' else next(devices) for tensor in function.graph.inputs])
    if execution.tapes:
        for variable in function.graph.variables:
            execution.note_variable(variable)
    results, kept = found.run(inputs)
    for tape in core.tapes():
        results = tape.note(lambda dys: found.slopes(inputs, kept, results, dys), inputs, results)
    return results
