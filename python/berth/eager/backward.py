"""backward - Calls of functions that a tape notes.

A run of the function gives, besides its results, what their slopes are computed from; a second run,
of the nodes that the library adds to the same graph, gives the slopes. What is inside of a branch or
a loop cannot be kept: it is computed again, from values that are, and refused where that would not give
the same. Slopes of slopes are had in the same way, by further nodes of that graph.
"""

from __future__ import annotations

from typing import Any, Iterable, Optional, Sequence

from berth import _core as core
from berth.base import execution
from berth.eager import context, lower, taped
from berth.eager.func_graph import FuncGraph
from berth.eager.tape import note_call, slope_of
from berth.framework import emission, errors

_FLOW = frozenset(('Switch', 'RefSwitch', 'Enter', 'RefEnter'))
_SMOOTH = frozenset((1, 2, 8, 14, 18, 19))  # Numbers of types that have slopes.
_RESOURCE = 20
_HANDLES = frozenset((_RESOURCE, 21))  # Of resources and variants.


class Backward:
    """A function with its slopes, placed for arguments on certain devices."""

    def __init__(self, function: Any, devices: Sequence[str]) -> None:
        lowered = taped.Taped(function.graph, devices)
        again = taped.Taped(function.graph, devices, True) if lowered.writes else lowered
        graph = _SlopeGraph(again, function.graph)
        count = again.core.node_count
        self._first = Slopes(graph, again.feeds, again.fetches)
        kept: list[Any] = []
        self._refusal: Optional[NotImplementedError] = None
        try:
            kept = _Needed(again.core, count).outs(again.feeds)
        except NotImplementedError as error:
            self._refusal = error.with_traceback(None)  # It may be that nobody asks for slopes.
        session = _session(function, again)
        first_session = session if again is lowered else _session(function, lowered)
        self._result_count = len(lowered.fetches)
        self._forward = first_session.make_callable(lowered.feeds, [*lowered.fetches, *kept], lowered.targets)
        self._first.prepare(session, kept)

    def run(self, tensors: Sequence[Any]) -> tuple[list[Any], list[Any]]:
        """Runs the function; returns its results, and what its slopes need."""
        values = self._forward(*tensors)
        return values[:self._result_count], values[self._result_count:]

    def slopes(self, tensors: Sequence[Any], kept: Sequence[Any], results: Sequence[Any],
               dys: Sequence[Any]) -> list[Any]:
        """Returns slopes by the arguments, from those by the results."""
        if self._refusal is not None:
            raise NotImplementedError(*self._refusal.args)
        return self._first.run(tensors, kept, results, dys)


class Slopes:
    """Nodes of a graph that compute the slopes of some outputs by others, and their runs."""

    def __init__(self, graph: '_SlopeGraph', sources: list[Any], targets: list[Any]) -> None:
        self._graph, self._sources = graph, sources
        view = graph._core
        types = [view.output_dtype(*out) for out in targets]
        self._smooth = [i for i, kind in enumerate(types) if kind in _SMOOTH]
        asked = [i for i, out in enumerate(sources)
                 if view.output_dtype(*out) in _SMOOTH or view.output_dtype(*out) == _RESOURCE]
        # A name that begins so tells one call from the other where arrays of tensors are concerned.
        self._dys = [(view.op('Placeholder', graph.fresh('dy'), [], {'dtype': core.DType(types[i])}), 0)
                     for i in self._smooth]
        graph._adopt()
        found = graph.slopes([targets[i] for i in self._smooth], [sources[i] for i in asked], self._dys)
        self._places: list[Any] = [None] * len(sources)
        for i, slope in zip(asked, found):
            self._places[i] = slope
        self._wanted = [place for slope in self._places for place in _places(slope)]
        self._run: Any = None
        self._next: Optional[Slopes] = None

    def prepare(self, session: Any, kept: Sequence[Any]) -> None:
        """Gets ready to be run with values for |kept|, too."""
        self._session, self._kept = session, kept
        if self._wanted:
            self._run = session.make_callable([*self._sources, *kept, *self._dys], self._wanted)

    def run(self, values: Sequence[Any], kept: Sequence[Any], results: Sequence[Any], dys: Sequence[Any]) -> list[Any]:
        """Returns the slopes where the sources are |values|, from those by the targets, which are |results|."""
        if self._run is None:
            return [None] * len(self._places)
        from berth.framework import convert
        from berth.ops import array_ops

        given = [array_ops.zeros_like(results[i]) if dys[i] is None else convert.convert_to_tensor(slope_of(dys[i]))
                 for i in self._smooth]
        made = self._run(*values, *kept, *given)
        if core.tapes():
            inputs = [*values, *given]
            before = list(made)
            made = note_call(lambda ddys: self._further().run(inputs, kept, before, ddys), inputs, made)
        found = iter(made)
        return [_filled(slope, found) for slope in self._places]

    def _further(self) -> 'Slopes':
        """Returns the slopes of these slopes."""
        if self._next is None:
            view = self._graph._core
            count = view.node_count
            self._next = Slopes(self._graph, [*self._sources, *self._dys], self._wanted)
            _Needed(view, count).check(self._kept)
            self._next.prepare(self._session, self._kept)
        return self._next


class _SlopeGraph(FuncGraph):
    """A lowered function as a graph in which slopes are made."""

    def __init__(self, lowered: lower.Lowered, traced: FuncGraph) -> None:
        super().__init__('slopes')
        self._core = lowered.core
        self._lowered, self._traced = lowered, traced
        self._adopt()
        self._has_own = False
        for op in self._ops:
            source = lowered.sources.get(op.name)
            if source is not None and source.name in source.graph._overridden:
                self._has_own = True
                op.gradient_function = source.__dict__.get('gradient_function')
            elif op.type in emission.own_ops:
                self._has_own = True

    def fresh(self, name: str) -> str:
        """Returns a name that no node has."""
        return self.unique_name(f'gradients/{name}')

    def slopes(self, ys: list[Any], xs: list[Any], dys: list[Any]) -> list[Any]:
        """Makes the nodes of slopes, and returns where they are."""
        with self.as_default():
            try:
                return self._core.gradients(self if self._has_own else None, ys, xs, dys, [], 'gradients', False, False,
                                            True, 0)
            except errors.NotFoundError as error:
                raise LookupError(error.message) from None
            except errors.UnimplementedError as error:
                raise TypeError(error.message) from None
            finally:
                self._adopt()

    def capture(self, tensor: Any, name: Optional[str] = None) -> Any:
        """Returns what stands for |tensor|, of the function or of outside, in this graph."""
        if isinstance(tensor, core.Tensor):
            inside = [i for outside, i in self._traced.captures if outside is tensor]
            if not inside:
                return self._stand_in(tensor, name)
            tensor = inside[0]
        found = [body.outs[tensor.op, tensor.value_index] for body in self._lowered.bodies
                 if body.outs.get((tensor.op, tensor.value_index))]
        if len(found) != 1:
            raise NotImplementedError(f'tf.custom_gradient: {tensor.name} is not one tensor of the function whose gradient '
                                      'is computed. Compute the gradient inside of the function.')
        return self._out(found[0])

    _capture = capture

    def _stand_in(self, tensor: Any, name: Optional[str]) -> Any:
        if tensor.dtype.name in ('resource', 'variant'):
            raise NotImplementedError('tf.custom_gradient: a gradient uses a variable that its function does not. Compute '
                                      'the gradient inside of the function.')
        value: Any = tensor.to_host()
        with self.as_default(), self.control_dependencies(None):
            return self.add('Const', name or 'Const', [],
                            {'dtype': core.DType(value._number), 'value': value}).outputs[0]


class _Needed:
    """What nodes that were added to a graph are computed from."""

    def __init__(self, view: Any, count: int) -> None:
        self._core, self._count = view, count
        self._inside = self._in_flow()
        self._found: dict[Any, None] = {}
        self._again: set[int] = set()
        pending: list[Any] = []
        for node in range(count, view.node_count):
            pending += [out for out in view.node_inputs(node) if out[0] < count]
        while pending:
            out = tuple(pending.pop())
            if out[0] not in self._inside:
                self._found[out] = None
            elif out[0] not in self._again:
                self._again.add(out[0])
                pending += view.node_inputs(out[0])
                pending += [(node, -1) for node in view.node_controls(out[0]) if node in self._inside]

    def _in_flow(self) -> set[int]:
        """Returns the nodes that may not have a value, and what depends on them."""
        inside: set[int] = set()
        for node in range(self._count):
            inputs = [out[0] for out in self._core.node_inputs(node)] or self._core.node_controls(node)
            if self._core.node_op(node) in _FLOW or any(other in inside for other in inputs):
                inside.add(node)
        return inside

    def outs(self, feeds: list[Any]) -> list[Any]:
        """Returns what can be kept; what slopes of slopes may need is among it where it would come out otherwise."""
        for node in self._again:
            self._check_again(node)
        given, view = set(feeds), self._core
        once = [out for out in self._behind(self._found) if out[1] >= 0 and out[0] not in self._inside
                and self._varies(out[0]) and view.output_dtype(*out) not in _HANDLES]
        return [out for out in dict.fromkeys([*self._found, *once]) if out not in given]

    def check(self, kept: Sequence[Any]) -> None:
        """Refuses when anything that is computed anew, but for what was |kept|, may come out otherwise."""
        ends = [*self._found, *(out for node in self._again for out in self._core.node_inputs(node))]
        for node in {out[0] for out in self._behind(ends, kept)} | self._again:
            self._check_again(node)

    def _behind(self, ends: Iterable[Any], known: Iterable[Any] = ()) -> list[Any]:
        """Returns |ends| and what they are computed from, except by way of what is |known|."""
        seen, found, pending = set(known), [], list(ends)
        while pending:
            out = tuple(pending.pop())
            if out not in seen:
                seen.add(out)
                found.append(out)
                pending += self._core.node_inputs(out[0])
                pending += [(node, -1) for node in self._core.node_controls(out[0])]
        return found

    def _varies(self, node: int) -> bool:
        """True for nodes that may give something else the next time, or do something twice."""
        op = self._core.node_op(node)
        if op in ('VarHandleOp', 'Placeholder', '_Arg') or op.startswith('Stack'):
            return False
        return bool(core.op_schema(op)['is_stateful'])

    def _check_again(self, node: int) -> None:
        if not self._varies(node):
            return
        op, name = self._core.node_op(node), self._core.node_name(node)
        why = 'reads a variable that the same branch or loop changes' if op == 'ReadVariableOp' else 'would be run again'
        raise NotImplementedError(
            f'The gradient of a call of a tf.function needs {name} ({op}), which {why} and would not give the same. '
            'Compute the gradient inside of the function.')


def _session(function: Any, lowered: lower.Lowered) -> Any:
    """Returns what runs |lowered|, which is |function|."""
    handle = context.settings.handle()
    made = handle.session(lowered.core, function._preferred(handle))
    for node, device in lowered.pins:
        made.pin(node, device)
    return made


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
    before = list(results)
    return note_call(lambda dys: found.slopes(inputs, kept, before, dys), inputs, results)
