"""func_graph - The graph of a traced function: what it captures, and in which order it acts."""

from __future__ import annotations

import functools
import weakref
from typing import Any, Optional

from berth import _core as core
from berth.framework import scopes, seeds
from berth.framework.graph import Graph
from berth.framework.graph_scopes import ControlScope
from berth.framework.node import Operation
from berth.ops import array_ops

# A tensor with at most so many elements is captured by value.
_SMALL = 128
# Random ops need no order: each has a sequence of its own.
_FREE = frozenset((
    'Multinomial', 'ParameterizedTruncatedNormal', 'Placeholder', 'RandomGamma', 'RandomPoisson',
    'RandomPoissonV2', 'RandomShuffle', 'RandomStandardNormal', 'RandomUniform',
    'RandomUniformInt', 'TruncatedNormal', 'VarHandleOp'))
_READERS = frozenset((
    'ReadVariableOp', 'ResourceGather', 'ResourceGatherNd', 'VarIsInitializedOp', 'VariableShape',
    'QueueSizeV2', 'QueueIsClosedV2'))
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
        self.seed = seeds.global_seed()

    def __str__(self) -> str:
        return f'FuncGraph(name={self.name}, id={id(self)})'

    @property
    def variables(self) -> tuple[Any, ...]:
        """The variables that are read or changed, while they live."""
        found = [reference() for reference in self._watched]
        return tuple(v for v in found if v is not None)

    def watch(self, variable: Any) -> None:
        """Notes that |variable| is used."""
        if all(reference() is not variable for reference in self._watched):
            self._watched.append(weakref.ref(variable))

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
        """Makes an operation; what only reads is read before a branch or loop that needs it."""
        if self._scopes.flow is None or not acts(op_type):
            return super().add(op_type, name, inputs, attrs, colocate)
        if op_type not in _READERS:
            raise NotImplementedError(
                f'{op_type} in a branch or loop of a tf.function: Berth does not keep the order of what '
                'acts there yet. Move it out of tf.cond or tf.while_loop, or use a TF1 session.')
        with self.control_dependencies(None):
            return super().add(op_type, name, inputs, attrs, colocate)

    def order(self) -> tuple[dict[Operation, list[Operation]], list[Operation]]:
        """Returns what each op must wait for, and what must run even if nobody reads it.

        Ops that act are to run as written: readers of a resource after the last that changed
        it, who changes it after all those before, and what acts on no resource one by one.
        """
        walk = _Order()
        for op in self.get_operations():
            if acts(op.type):
                walk.add(op, [self._source(t) for t in op.inputs if t.dtype.name == 'resource'])
        return walk.waits, walk.must_run

    def finish(self) -> None:
        """Adds a node that waits for everything that acts."""
        _, must_run = self.order()
        if must_run:
            with ControlScope(self, must_run):
                self.add('NoOp', 'NoOp', [], None)

    def _source(self, tensor: Any) -> Any:
        """Returns the tensor that a resource comes from."""
        while tensor.op.type == 'Identity':
            tensor = tensor.op.inputs[0]
        return tensor


class _Order:
    """What has acted on what so far."""

    def __init__(self) -> None:
        self.waits: dict[Operation, list[Operation]] = {}
        self.must_run: list[Operation] = []
        self._writers: dict[Any, Operation] = {}
        self._readers: dict[Any, list[Operation]] = {}

    def add(self, op: Operation, resources: list[Any]) -> None:
        """Puts |op|, which acts on |resources|, behind those it must follow."""
        self.must_run.append(op)
        waits: list[Operation] = []
        reads = op.type in _READERS
        for resource in resources or [None]:
            if resource in self._writers:
                waits.append(self._writers[resource])
            if reads:
                self._readers.setdefault(resource, []).append(op)
            else:
                waits += self._readers.pop(resource, [])
                self._writers[resource] = op
        self.waits[op] = list(dict.fromkeys(waits))


@functools.lru_cache(maxsize=None)
def _is_stateful(op_type: str) -> bool:
    return bool(core.op_schema(op_type).get('is_stateful'))


def acts(op_type: str) -> bool:
    """True for ops that must run, and in order, although nobody may read what they give."""
    if op_type in CALLS:
        return op_type == 'StatefulPartitionedCall'
    return op_type not in _FREE and _is_stateful(op_type)


def out_of_scope(tensor: Any) -> TypeError:
    """Returns the error for a tensor that is used outside of the function or graph that made it."""
    lines = [f'    File "{file}", line {line}, in {name}'
             for file, line, name in tensor.op.frames(True)]
    return TypeError(
        f'{tensor!r} is out of scope and cannot be used here. Use return values, explicit Python '
        'locals or TensorFlow collections to access it.\nPlease see https://www.tensorflow.org/'
        'guide/function#all_outputs_of_a_tffunction_must_be_return_values for more information.'
        f'\n\n{tensor!r} was defined here:\n' + '\n'.join(lines) + '\n\n'
        f'The tensor {tensor!r} cannot be accessed from here, because it was defined in '
        f'{tensor.graph}, which is out of scope.')


def without_value(tensor: Any) -> TypeError:
    """Returns the error for a tensor of a graph where a value is needed."""
    return out_of_scope(tensor)
