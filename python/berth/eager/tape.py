"""tape - tf.GradientTape: slopes of what was computed in a with block.

Where ops run at once the extension notes them (`core.Tape`). In a graph, or a function that is being
traced, the graph is what was noted: a tape remembers where it began and which tensors it watches.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from typing import Any

from berth import _core as core
from berth.base import execution, logging, naming
from berth.eager import context, structure
from berth.framework import convert, dtypes, emission, errors, scopes
from berth.framework.indexed_slices import IndexedSlices
from berth.framework.node import SymbolicTensor
from berth.ops import array_ops, functional_ops, gradients_ops, math_ops, reduce_ops
from berth.ops.gradients_ops import UnconnectedGradients

_SMOOTH = frozenset((dtypes.float16, dtypes.float32, dtypes.float64, dtypes.bfloat16, dtypes.complex64,
                     dtypes.complex128, dtypes.resource, dtypes.variant))


@naming.public('eager.backprop')
class GradientTape:
    """Remembers what is computed while it is open, to give gradients of it."""

    def __init__(self, persistent: bool = False, watch_accessed_variables: bool = True) -> None:
        self._persistent = persistent
        self._watches_variables = watch_accessed_variables
        self._clear()
        self._recording = False
        self._thread = 0  # Whose work it records.
        self._used = False

    def _clear(self) -> None:
        self._tape: Any = None  # Of calls at once; made when it is needed.
        self._graph: Any = None  # Of a graph: which, and from which node to which.
        self._spans: list[list[Any]] = []
        self._watched: dict[int, Any] = {}  # Tensors of the graph, by identity.
        self._variables: dict[int, Any] = {}  # In the order of reading.

    # ---- Recording ----

    def __enter__(self) -> 'GradientTape':
        self._push()
        return self

    def __exit__(self, *exc: Any) -> None:
        if self._recording:
            self._pop()

    def _push(self) -> None:
        if self._recording:
            raise ValueError('Tape is still recording, This can happen if you try to re-enter an already-active tape.')
        if scopes.executing_eagerly():
            if self._tape is None or self._used:
                self._tape = core.Tape(context.settings.handle())
                self._used = False
            self._tape.push()
        else:
            graph = scopes.get_default_graph()
            if self._graph is not graph:
                self._graph, self._spans = graph, []
        self._resume()

    def _resume(self) -> None:
        if self._graph is not None:
            self._spans.append([self._graph.version, None])
        self._recording = True
        self._thread = threading.get_ident()
        execution.tapes.append(self)
        self._is_slow = bool(emission.own_ops)  # Calls of these ops have to be seen here.
        if self._is_slow:
            execution.enter_scope()

    def _pop(self) -> None:
        if not self._recording:
            raise ValueError('Tape is not recording.')
        if self._tape is not None:
            self._tape.pop()
        if self._spans:
            self._spans[-1][1] = self._graph.version
        self._recording = False
        execution.tapes.remove(self)
        if self._is_slow:
            execution.leave_scope()

    @contextlib.contextmanager
    def stop_recording(self) -> Iterator[None]:
        """What is computed inside is not remembered."""
        if not self._recording:
            raise ValueError('Tape is not recording.')
        tape = self._tape
        self._pop()
        try:
            yield
        finally:
            self._resume()
            if tape is not None:
                tape.push()

    @contextlib.contextmanager
    def _ensure_recording(self) -> Iterator[None]:
        if self._recording:
            yield
            return
        self._push()
        try:
            yield
        finally:
            self._pop()

    def reset(self) -> None:
        """Forgets everything and begins anew."""
        was_recording = self._recording
        if was_recording:
            self._pop()
        self._clear()
        if was_recording:
            self._push()

    def watch(self, tensor: Any) -> None:
        """Makes what depends on |tensor| be remembered."""
        for item in map(_copy_here, structure.flatten(tensor)):
            if not (isinstance(item, (core.Tensor, SymbolicTensor)) or _has_handle(item)):
                raise ValueError(f'Passed in object {item} of type {type(item).__name__!r}, not tf.Tensor or tf.Variable '
                                 'or ExtensionType.')
            if _has_handle(item):
                self._note(item, item.handle)
                continue
            if item.dtype.base_dtype not in _SMOOTH:
                logging.log_first_n(logging.WARN, 'The dtype of the watched tensor must be floating (e.g. tf.float32), '
                                    f'got {item.dtype!r}', 5)
            self._watch(item)

    def _watch(self, item: Any) -> None:
        item = self._inside(item)
        if isinstance(item, core.Tensor):
            if self._tape is None:
                self._tape = core.Tape(context.settings.handle())
                if self._recording:
                    self._tape.push()
            self._tape.watch(item)
        else:
            self._watched[id(item)] = item

    def _inside(self, item: Any) -> Any:
        """Returns what stands for a tensor from outside in the function that is traced."""
        graph = self._graph
        if graph is None or not isinstance(item, core.Tensor) or not hasattr(graph, 'capture'):
            return item
        return graph.capture(item)

    def _note(self, variable: Any, handle: Any) -> None:
        self._variables[id(handle)] = variable
        if scopes.executing_eagerly():
            self._watch(handle)

    def note_variable(self, variable: Any) -> None:
        """Takes note that |variable| is read."""
        if not (self._watches_variables and getattr(variable, 'trainable', False) and self._is_mine()):
            return
        # What stands for an argument in a function that is traced is nothing to a tape around the call.
        if self._graph is not None or isinstance(variable.handle, core.Tensor):
            self._note(variable, variable.handle)

    def _is_mine(self) -> bool:
        """True where this thread's work is what it records."""
        if scopes.executing_eagerly():
            return self._tape is not None and any(tape is self._tape for tape in core.tapes())
        return self._thread == threading.get_ident()

    def watched_variables(self) -> tuple[Any, ...]:
        """The variables that were read, or watched."""
        return tuple(self._variables.values())

    # ---- Gradients ----

    def gradient(self, target: Any, sources: Any, output_gradients: Any = None,
                 unconnected_gradients: Any = UnconnectedGradients.NONE) -> Any:
        """Returns the slopes of |target| by |sources|, in the form of these."""
        if self._tape is None and self._graph is None and self._used:
            raise RuntimeError('A non-persistent GradientTape can only be used to compute one set of gradients (or '
                               'jacobians)')
        if self._recording:
            if not self._persistent:
                self._pop()
            else:
                logging.log_first_n(logging.WARN, 'Calling GradientTape.gradient on a persistent tape inside its context '
                                    'is significantly less efficient than calling it outside the context (it causes the '
                                    'gradient ops to be recorded on the tape, leading to increased CPU and memory usage). '
                                    'Only call GradientTape.gradient inside the context if you actually want to trace the '
                                    'gradient in order to compute higher order derivatives.', 1)
        if target is None:
            raise TypeError('Argument `target` should be a list or nested structure of Tensors, Variables or CompositeTensors '
                            'to be differentiated, but received None.')
        flat = [_copy_here(source) for source in structure.flatten(sources)]
        dys = None if output_gradients is None else structure.flatten(output_gradients)
        found = self._slopes(structure.flatten(target), flat, dys, _is_zero(unconnected_gradients))
        self._forget()
        return structure.pack(sources, iter(found))

    def _slopes(self, targets: list[Any], sources: list[Any], dys: Any, zero: bool) -> list[Any]:
        ys = [_value(t) for t in targets]
        xs = [_source(s) for s in sources]
        if not all(isinstance(y, core.Tensor) for y in ys):
            xs = [x if _has_handle(s) else self._inside(x) for x, s in zip(xs, sources)]
        for y in ys:
            if y.dtype.base_dtype not in _SMOOTH or y.dtype in (dtypes.resource, dtypes.variant):
                logging.log_first_n(logging.WARN, 'The dtype of the target tensor must be floating (e.g. tf.float32) when '
                                    f'calling GradientTape.gradient, got {y.dtype!r}', 5)
        for x in xs:
            if x.dtype.base_dtype not in _SMOOTH:
                logging.log_first_n(logging.WARN, 'The dtype of the source tensor must be floating (e.g. tf.float32) when '
                                    f'calling GradientTape.gradient, got {x.dtype!r}', 5)
        is_eager = all(isinstance(t, core.Tensor) for t in ys)
        found = self._at_once(ys, xs, dys) if is_eager else self._in_graph(ys, xs, sources, dys)
        for slope, source in zip(found, sources):
            if isinstance(slope, SymbolicTensor):  # What comes out of a loop may know less than the source does.
                slope.set_shape(source.shape)
        found = [_by_itself(s, targets, dys) if slope is None else slope for slope, s in zip(found, sources)]
        return [_zeros(s) if slope is None and zero else slope for slope, s in zip(found, sources)]

    def _at_once(self, ys: list[Any], xs: list[Any], dys: Any) -> list[Any]:
        if self._tape is None:
            return [None] * len(xs)
        # What is in a graph was not computed here.
        asked = [x for x in xs if isinstance(x, core.Tensor)]
        given = [None] * len(ys) if dys is None else [
            None if dy is None else convert.convert_to_tensor(dy, dtype=y.dtype) for y, dy in zip(ys, dys)]
        try:
            found = iter(self._tape.gradient(ys, given, asked))
        except errors.NotFoundError as error:
            op = error.message.partition('(op type: ')[2].partition(')')[0]
            raise LookupError(f'gradient registry has no entry for: {op}' if op else error.message) from None
        return [slope_of(next(found)) if isinstance(x, core.Tensor) else None for x in xs]

    def _in_graph(self, ys: list[Any], xs: list[Any], sources: list[Any], dys: Any) -> list[Any]:
        asked = [i for i, (x, s) in enumerate(zip(xs, sources)) if id(x) in self._watched or self._knows(s)]
        if not asked or not self._spans:
            return [None] * len(xs)
        found = gradients_ops.slopes(ys, [xs[i] for i in asked], dys, 'gradient_tape', False, False, self._unseen(),
                                     'none', self._spans[0][0])
        slopes: list[Any] = [None] * len(xs)
        for i, slope in zip(asked, found):
            slopes[i] = slope
        return slopes

    def _unseen(self) -> list[Any]:
        """Returns what the graph has got while the tape did not record: constants to it."""
        made, ops = [], self._graph._ops
        ends = [span[1] for span in self._spans]
        starts = [span[0] for span in self._spans[1:]] + [len(ops)]
        for end, start in zip(ends, starts):
            made += [op.outputs[0] for op in ops[len(ops) if end is None else end:start] if op.outputs]
        return made

    def _knows(self, source: Any) -> bool:
        return _has_handle(source) and id(source.handle) in self._variables

    # ---- Jacobians ----

    def jacobian(self, target: Any, sources: Any, unconnected_gradients: Any = UnconnectedGradients.NONE,
                 parallel_iterations: Any = None, experimental_use_pfor: bool = True) -> Any:
        """Returns the slopes of each element of |target| by |sources|."""
        zero = _is_zero(unconnected_gradients)
        flat = [_copy_here(source) for source in structure.flatten(sources)]
        self._begin_jacobian()
        target = _value(target)
        sizes = array_ops.shape(target)
        count = target.shape.num_elements()

        def row(index: Any) -> list[Any]:
            one = array_ops.one_hot(index, reduce_ops.reduce_prod(sizes) if count is None else count, dtype=target.dtype)
            return self._slopes([target], flat, [array_ops.reshape(one, sizes)], zero)

        found = []
        for source, part in zip(flat, _stacked(row, flat, reduce_ops.reduce_prod(sizes) if count is None else count)):
            if part is not None:
                form = array_ops.concat([sizes, array_ops.shape(_value(source))], 0)
                part = array_ops.reshape(part, form)
                if not _is_now(part):
                    part.set_shape(target.shape.concatenate(_value(source).shape))
            found.append(part)
        self._forget()
        return structure.pack(sources, iter(found))

    def batch_jacobian(self, target: Any, source: Any, unconnected_gradients: Any = UnconnectedGradients.NONE,
                       parallel_iterations: Any = None, experimental_use_pfor: bool = True) -> Any:
        """Returns the slopes of each row of |target| by the same row of |source|."""
        target_shape = target.shape
        if target_shape.rank is None:
            dim = None
        else:
            dim = target_shape.as_list()[0] if target_shape.rank > 0 else None
        if not target_shape.with_rank_at_least(2).rank or not (
                target_shape[:1].is_compatible_with(source.shape[:1])) or dim == -1:
            raise ValueError(f'Need first dimension of target shape ({target.shape}) and source shape ({source.shape}) to '
                             'match.')
        self._begin_jacobian()
        sizes, zero = array_ops.shape(target), _is_zero(unconnected_gradients)
        count = target_shape[1:].num_elements()
        columns = reduce_ops.reduce_prod(sizes[1:]) if count is None else count

        def column(index: Any) -> list[Any]:
            one = array_ops.one_hot(index, columns, dtype=target.dtype)
            spread = array_ops.tile(array_ops.reshape(one, array_ops.concat([[1], sizes[1:]], 0)),
                                    array_ops.concat([sizes[:1], array_ops.ones_like(sizes[1:])], 0))
            return self._slopes([target], [source], [spread], zero)

        found = _stacked(column, [source], columns)[0]
        self._forget()
        if found is None:
            return None
        rest = list(range(2, (source.shape.rank or 0) + 1))
        found = array_ops.transpose(found, [1, 0] + rest)
        form = array_ops.concat([sizes, array_ops.shape(_value(source))[1:]], 0)
        return array_ops.reshape(found, form)

    def _begin_jacobian(self) -> None:
        if self._tape is None and self._graph is None and self._used:
            raise RuntimeError('A non-persistent GradientTape can only be used to compute one set of gradients (or '
                               'jacobians)')
        if self._recording and not self._persistent:
            self._pop()

    def _forget(self) -> None:
        if not self._persistent:
            self._tape, self._graph, self._used = None, None, True


def _is_now(value: Any) -> bool:
    return isinstance(value, core.Tensor)


_MOST_ROWS = 64  # Of a jacobian that are written out in a graph; more are made in a loop.


def _stacked(row: Any, sources: list[Any], count: Any) -> list[Any]:
    """Returns for each source what |row| gives for 0 to |count|, one after the other; None where there is nothing."""
    if isinstance(count, int) and (count <= _MOST_ROWS or scopes.executing_eagerly()):
        rows = [row(index) for index in range(count)]
        parts = [[made[i] for made in rows] for i in range(len(sources))]
        return [None if not part or all(p is None for p in part)
                else array_ops.stack([_dense(p, source) for p in part]) for part, source in zip(parts, sources)]
    known = [slope is not None for slope in row(0)]
    if not any(known):
        return [None] * len(sources)

    def turn(index: Any) -> list[Any]:
        return [_dense(slope, source) for slope, source, is_there in zip(row(index), sources, known) if is_there]

    made = iter(functional_ops.map_fn(turn, math_ops.range(count), [
        _value(source).dtype for source, is_there in zip(sources, known) if is_there]))
    return [next(made) if is_there else None for is_there in known]


def _is_zero(unconnected: Any) -> bool:
    text = getattr(unconnected, 'value', unconnected)
    if text not in ('none', 'zero'):
        raise ValueError(f"Unknown value for unconnected_gradients: '{unconnected}'")
    return text == 'zero'


def _value(item: Any) -> Any:
    """Returns the tensor that |item| is."""
    if isinstance(item, (core.Tensor, SymbolicTensor)):
        return item
    return convert.convert_to_tensor(item)


def _copy_here(item: Any) -> Any:
    """Returns, of a variable with copies on several devices, the one of the replica at work."""
    copy = getattr(item, '_copy_here', None)
    return item if copy is None else copy()


def _has_handle(item: Any) -> bool:
    """True for a variable with a handle, and for what a program wants to be taken for one."""
    return hasattr(item, '_handle') or hasattr(item, '_should_act_as_resource_variable')


def _source(item: Any) -> Any:
    """Returns what slopes are asked for: of a variable its handle."""
    handle = item.handle if _has_handle(item) else None
    return _value(item) if handle is None else handle


def _by_itself(source: Any, targets: list[Any], dys: Any) -> Any:
    """Returns the slope of targets that are |source| itself, None when none is: it needs nothing recorded."""
    own = [i for i, target in enumerate(targets) if target is source]
    if not own or source.dtype.base_dtype not in _SMOOTH:
        return None
    given = [None if dys is None else dys[i] for i in own]
    slopes = [array_ops.ones(array_ops.shape(source), source.dtype.base_dtype) if dy is None
              else convert.convert_to_tensor(dy, dtype=source.dtype.base_dtype) for dy in given]
    return slopes[0] if len(slopes) == 1 else math_ops.add_n(slopes)


def _zeros(source: Any) -> Any:
    return array_ops.zeros_like(_value(source))


def slope_of(parts: Any) -> Any:
    """Returns a slope of the extension as the program has it."""
    return IndexedSlices(*parts) if isinstance(parts, tuple) else parts


def slope_parts(slope: Any) -> Any:
    """Returns a slope of the program as the extension takes it."""
    if slope is None:
        return None
    if isinstance(slope, IndexedSlices):
        return slope.values, slope.indices, slope.dense_shape
    return convert.convert_to_tensor(slope)


def _dense(slope: Any, source: Any) -> Any:
    return _zeros(source) if slope is None else convert.convert_to_tensor(slope)


def note_call(function: Any, inputs: list[Any], outputs: list[Any]) -> list[Any]:
    """Makes every tape that notes this thread's calls know a call whose slopes |function| gives.

    Returns the outputs as they are on the tapes.
    """
    for tape in core.tapes():
        outputs = tape.note(function, inputs, outputs)
    return outputs


execution.new_tape = GradientTape
