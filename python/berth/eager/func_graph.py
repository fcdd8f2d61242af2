"""func_graph - The graph of a traced function: what it captures, and in which order it acts."""

from __future__ import annotations

import functools
import re
import weakref
from typing import Any, Optional

from berth import _core as core
from berth.eager import switches
from berth.framework import errors, flow_context, gen, scopes, seeds
from berth.framework.composite import Composite, not_dense
from berth.framework.graph import Graph
from berth.framework.graph_scopes import ControlScope
from berth.framework.node import InaccessibleTensorError, Operation, OutOfScopeError
from berth.ops import array_ops

# A tensor with at most so many elements is captured by value.
_SMALL = 128
# Random ops need no order: each has a sequence of its own; collectives wait for each other by themselves. Stacks keep what
# slopes need, in an order of their own. Slopes ask for shapes of variables inside of loops, where nothing outside waits; runs
# keep the order of these and of changes by themselves.
_FREE = frozenset((
    'CollectiveBcastRecv', 'CollectiveBcastRecvV2', 'CollectiveBcastSend', 'CollectiveBcastSendV2',
    'CollectiveGather', 'CollectiveReduce', 'NcclAllReduce', 'Multinomial', 'ParameterizedTruncatedNormal', 'Placeholder', 'RandomGamma', 'RandomPoisson',
    'RandomPoissonV2', 'RandomShuffle', 'RandomStandardNormal', 'RandomUniform',
    'RandomUniformInt', 'StackPopV2', 'StackPushV2', 'StackV2', 'TruncatedNormal', 'VarHandleOp', 'VariableShape'))
_READERS = frozenset((
    'ReadVariableOp', 'ResourceGather', 'ResourceGatherNd', 'VarIsInitializedOp', 'QueueSizeV2', 'QueueIsClosedV2'))
# Through these a resource goes as it is.
_PASSES = frozenset(('Identity', 'Switch', 'Enter', 'Merge', 'Exit', 'NextIteration'))
# What branches and loops are made of.
_FLOW = frozenset(('Enter', 'Exit', 'LoopCond', 'Merge', 'NextIteration', 'Switch'))
CALLS = frozenset(('PartitionedCall', 'StatefulPartitionedCall'))


class FuncGraph(Graph):
    """The graph of a traced function; values from outside come in as further inputs."""

    building_function = True

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name
        # Where tensors may be captured from: the function that was being traced.
        self.outer_graph = scopes.default_graphs.top()
        self.captures: list[tuple[Any, Any]] = []  # (outside, inside)
        self.inputs: list[Any] = []
        self.outputs: list[Any] = []
        self.structured_outputs: Any = None
        self.structured_input_signature: Any = None
        self.refusal: Optional[str] = None  # Why no variable may be created.
        self.created: list[Any] = []  # Weak references to variables made while tracing.
        self._watched: list[Any] = []
        self.calls: dict[Operation, Any] = {}  # The concrete function behind a node.
        self.given: Optional[list[Any]] = None  # The tensors of the call that it is traced for.
        self.acts_later = False  # What acts in it is not to be run.
        self._joins: dict[Operation, list[Any]] = {}  # What branches and loops are joined by.
        self.seed = seeds.global_seed()

    def __str__(self) -> str:
        return f'FuncGraph(name={self.name}, id={id(self)})'

    def scratch(self) -> 'FuncGraph':
        """Returns a graph for what is only tried."""
        made = FuncGraph('tmp')
        made.refusal = self.refusal
        return made

    @property
    def variables(self) -> tuple[Any, ...]:
        """The variables that are read or changed, while they live."""
        found = [reference() for reference in self._watched]
        return tuple(v for v in found if v is not None)

    def watch(self, variable: Any) -> None:
        """Notes that |variable| is used."""
        if all(reference() is not variable for reference in self._watched):
            self._watched.append(weakref.ref(variable))

    @staticmethod
    def compared(tensor: Any, op: str, other: Any, differs: bool) -> Any:
        """Returns what == or != gives for a tensor of a function; |differs| is for what is none."""
        if not switches.tensor_equality_enabled():
            return (tensor is other) != differs
        if other is None:
            return differs
        return gen.apply(op, None, {'x': tensor, 'y': other}, {'incompatible_shape_error': False})

    # ---- Captures ----

    def capture(self, tensor: Any, name: Optional[str] = None) -> Any:
        """Returns what stands for |tensor| in this graph."""
        for outside, inside in self.captures:
            if outside is tensor:
                return inside
        if not isinstance(tensor, core.Tensor):
            self._check_in_scope(tensor)
        inside = self._stand_in(tensor, name)
        self.captures.append((tensor, inside))
        return inside

    _capture = capture

    def capture_for_call(self, tensor: Any) -> Any:
        """Returns what stands for |tensor| as an input of a function that is called here."""
        if not isinstance(tensor, core.Tensor) and tensor.graph is self:
            return tensor
        known = [inside for outside, inside in self.captures if outside is tensor]
        if known:
            return known[0]
        if not isinstance(tensor, core.Tensor):
            self._check_in_scope(tensor)
        count = sum(inside.op.name.startswith('unknown') for _, inside in self.captures)
        name = 'unknown' if count == 0 else f'unknown_{count - 1}'
        with self.as_default(), self.name_scope(None), self.control_dependencies(None):
            inside = array_ops.placeholder(tensor.dtype, tensor.shape, name)
        self.captures.append((tensor, inside))
        return inside

    def _stand_in(self, tensor: Any, name: Optional[str]) -> Any:
        """Makes a constant of a small value, and an input of anything else."""
        with self.as_default(), self.control_dependencies(None):
            if (isinstance(tensor, core.Tensor) and tensor.dtype.name not in ('resource', 'variant')
                    and tensor.shape.num_elements() <= _SMALL):
                value: Any = tensor.to_host()
                op = self.add('Const', name or 'Const', [],
                              {'dtype': core.DType(value._number), 'value': value})
                return op.single(tensor.dtype)
            return array_ops.placeholder(tensor.dtype, tensor.shape, name)

    def _check_in_scope(self, tensor: Any) -> None:
        """Raises unless |tensor| is of a function that is being traced around this one."""
        graph = self.outer_graph
        while graph is not None and graph is not tensor.graph:
            graph = getattr(graph, 'outer_graph', None)
        if graph is None:
            raise out_of_scope(tensor)

    @property
    def external_captures(self) -> list[Any]:
        """What is captured, from outside."""
        return [outside for outside, _ in self.captures]

    # ---- Order ----

    def add(self, op_type: str, name: Optional[str], inputs: list[Any], attrs: Any,
            colocate: tuple[Operation, ...] = ()) -> Operation:
        """Makes an operation; a branch or loop knows what acts in it."""
        flow = self._scopes.flow
        if flow is not None and op_type == 'StatefulPartitionedCall':
            raise NotImplementedError(
                'Berth does not call a tf.function that changes something in a branch or loop of another one yet. '
                'Write what it does there, or call it outside of tf.cond and tf.while_loop.')
        if self._has_flow and op_type not in _FLOW:
            self._check_reach(inputs)
        op = super().add(op_type, name, inputs, attrs, colocate)
        if flow is not None and acts(op_type):
            flow.acting.append(op)
        return op

    def _commit(self, op: Operation, inputs: list[Any], attrs: Any, controls: list[int]) -> Operation:
        try:
            return super()._commit(op, inputs, attrs, controls)
        except ValueError as error:
            text = _with_labels(str(error), inputs) if self._has_flow else str(error)
            if text == str(error):
                raise
            raise ValueError(text) from None

    def _emit_slopes(self, node: int, slopes: list[Any]) -> Any:
        """Knows the slopes of calls as well."""
        self._adopt()
        op = self._ops[node]
        if op not in self.calls:
            return super()._emit_slopes(node, slopes)
        from berth.eager import call_slopes

        return call_slopes.slopes(self, op, slopes)

    def _check_reach(self, inputs: list[Any]) -> None:
        """Raises InaccessibleTensorError for what was made in a branch or loop that is not around."""
        here = self._scopes.flow
        for item in inputs:
            for tensor in item if isinstance(item, (list, tuple)) else (item,):
                flow = flow_context.inside_of(tensor.op)
                if flow is not None and not flow_context.is_around(flow, here):
                    raise out_of_reach(tensor, f'{id(flow)}', flow.label(), self, here)

    def note_join(self, op: Operation, contexts: list[Any]) -> None:
        """Notes that |op| runs after everything that acts in |contexts|, and may be waited for outside."""
        self._joins[op] = contexts
        if contexts[0].outer is not None:
            contexts[0].outer.acting.append(op)

    def order(self) -> Any:
        """Returns an Order: what each op must wait for, and what must run even if nobody reads it.

        Ops that act are to run as written: readers of a resource after the last that changed
        it, who changes it after all those before, and what acts on no resource one by one.
        What follows a branch or loop waits for the op that joins it.
        """
        walk = _Order(self._joins)
        if self.acts_later:
            return walk
        for op in self.get_operations():
            if op in self._joins:
                walk.join(op)
            elif acts(op.type):
                walk.add(op, [self._source(t) for t in op.inputs if t.dtype.name == 'resource'])
        return walk

    def finish(self) -> None:
        """Adds a node that waits for everything that acts."""
        must_run = self.order().must_run
        if must_run:
            with ControlScope(self, must_run):
                self.add('NoOp', 'NoOp', [], None)

    def _source(self, tensor: Any) -> Any:
        """Returns the tensor that a resource comes from."""
        while tensor.op.type in _PASSES:
            tensor = tensor.op.inputs[0]
        return tensor


class _Acted:
    """What has acted on what so far, in a function, a branch or a loop."""

    def __init__(self, before: Optional['_Acted'] = None) -> None:
        self.writers: dict[Any, Operation] = dict(before.writers) if before else {}
        self.readers: dict[Any, list[Operation]] = {k: list(v) for k, v in before.readers.items()} if before else {}
        self.written: dict[Any, bool] = {}  # What was touched here, and whether it was changed.

    def waits(self, resource: Any, reads: bool) -> list[Operation]:
        """Returns what one that touches |resource| must follow."""
        found = [self.writers[resource]] if resource in self.writers else []
        return found if reads else found + self.readers.get(resource, [])

    def touch(self, op: Operation, resource: Any, reads: bool) -> None:
        """Notes that |op| touches |resource|."""
        self.written[resource] = not reads or self.written.get(resource, False)
        if reads:
            self.readers.setdefault(resource, []).append(op)
        else:
            self.readers.pop(resource, None)
            self.writers[resource] = op


class _Order:
    """In which order ops act."""

    def __init__(self, joins: dict[Operation, list[Any]]) -> None:
        self.waits: dict[Operation, list[Operation]] = {}
        self.must_run: list[Operation] = []
        self.first: list[Operation] = []  # Those that wait where the whole function has to.
        # Reads in branches and loops that could as well be made before those, and what they would wait for.
        self.early: dict[Operation, list[Operation]] = {}
        self._joins = joins
        self._states: dict[Any, _Acted] = {None: _Acted()}

    def _state(self, flow: Any) -> _Acted:
        """Returns what has acted in |flow|; nothing outside of a loop can be waited for in it."""
        if flow not in self._states:
            is_loop = isinstance(flow, flow_context.WhileContext)
            self._states[flow] = _Acted() if is_loop else _Acted(self._state(flow.outer))
        return self._states[flow]

    def add(self, op: Operation, resources: list[Any]) -> None:
        """Puts |op|, which acts on |resources|, behind those it must follow."""
        flow = getattr(op, '_flow', None)
        state, reads = self._state(flow), op.type in _READERS
        self._wait(op, [other for r in resources or [None] for other in state.waits(r, reads)])
        if op.type == 'ReadVariableOp' and flow is not None and not self._is_written(flow, resources[0]):
            self.early[op] = self._states[None].waits(resources[0], True)
        for resource in resources or [None]:
            state.touch(op, resource, reads)
        if flow is None:
            self.must_run.append(op)
        if flow is None or flow.loop() is None:
            self.first.append(op)

    def _is_written(self, flow: Any, resource: Any) -> bool:
        """True when |resource| has been changed in |flow|, or in what that is in."""
        while flow is not None:
            if self._state(flow).written.get(resource):
                return True
            flow = flow.outer
        return False

    def _forget_early(self, loop: Any) -> None:
        """Knows that what |loop| changes is read anew in every turn."""
        written = self._state(loop).written
        self.early = {op: waits for op, waits in self.early.items()
                      if not (loop.holds(op) and written.get(op.graph._source(op.inputs[0])))}

    def join(self, op: Operation) -> None:
        """Lets |op| stand for what acts in the branches or the loop that it joins."""
        contexts = self._joins[op]
        if isinstance(contexts[0], flow_context.WhileContext):
            self._forget_early(contexts[0])
        outer = contexts[0].outer
        outside = self._state(outer)
        touched: dict[Any, bool] = {}
        for context in contexts:
            for resource, written in self._state(context).written.items():
                touched[resource] = written or touched.get(resource, False)
        for entry in getattr(contexts[0], 'entries', ()):
            self._wait(entry, [other for r, written in touched.items() for other in outside.waits(r, not written)])
            if outer is None or outer.loop() is None:
                self.first.append(entry)
        for resource, written in touched.items():
            outside.touch(op, resource, not written)
        if outer is None:
            self.must_run.append(op)

    def _wait(self, op: Operation, others: list[Operation]) -> None:
        self.waits[op] = list(dict.fromkeys(self.waits.get(op, []) + others))


@functools.lru_cache(maxsize=None)
def _is_stateful(op_type: str) -> bool:
    try:
        return bool(core.op_schema(op_type).get('is_stateful'))
    except errors.NotFoundError:
        return True  # A function of an imported graph: it may do anything.


def acts(op_type: str) -> bool:
    """True for ops that must run, and in order, although nobody may read what they give."""
    if op_type in CALLS:
        return op_type == 'StatefulPartitionedCall'
    return op_type not in _FREE and _is_stateful(op_type)


def _with_labels(text: str, inputs: list[Any]) -> str:
    """Returns the text of an error with TensorFlow's names for what comes into a branch or loop."""
    for item in inputs:
        for tensor in item if isinstance(item, (list, tuple)) else (item,):
            label = getattr(tensor.op, 'label', None)
            if label is not None:
                name = re.escape(tensor.op.name) + (f':{tensor.value_index}' if tensor.value_index else '')
                text = re.sub(name + r'(?=[,)])', label, text)
    return text


def _defined_here(tensor: Any) -> str:
    lines = [f'    File "{file}", line {line}, in {name}'
             for file, line, name in tensor.op.frames(True)]
    return (
        f'{tensor!r} is out of scope and cannot be used here. Use return values, explicit Python '
        'locals or TensorFlow collections to access it.\nPlease see https://www.tensorflow.org/'
        'guide/function#all_outputs_of_a_tffunction_must_be_return_values for more information.'
        f'\n\n{tensor!r} was defined here:\n' + '\n'.join(lines) + '\n\n')


def out_of_scope(tensor: Any) -> TypeError:
    """Returns the error for a tensor that is used outside of the function or graph that made it."""
    return OutOfScopeError(
        _defined_here(tensor) + f'The tensor {tensor!r} cannot be accessed from here, because it was defined in '
        f'{tensor.graph}, which is out of scope.')


def out_of_reach(tensor: Any, number: str, label: str, graph: Any, here: Any) -> InaccessibleTensorError:
    """Returns the error for a tensor that is used outside of the branch or loop that made it."""
    place = str(graph) if here is None else f'FuncGraph(name={here.label()}_1, id={id(here)})'
    return InaccessibleTensorError(
        _defined_here(tensor) + f'The tensor {tensor!r} cannot be accessed from {place}, because it was defined in '
        f'FuncGraph(name={label}_1, id={number}), which is out of scope.')


def without_value(tensor: Any) -> Exception:
    """Returns the error for a tensor of a graph where a value is needed."""
    return not_dense(tensor) if isinstance(tensor, Composite) else out_of_scope(tensor)
