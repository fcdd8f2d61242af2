"""node.py - Operation and Tensor: a node of a graph, and one of its outputs.

Both are small handles. The node itself, its edges and attributes, is in the
graph of the extension; what is asked for is read from there.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from berth import _core as core
from berth.base import naming
from berth.framework import dtypes, errors
from berth.framework.tensor_shape import TensorShape

errors.install(core)

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_SCRIPT = os.path.join(_PACKAGE, '_start', 'script.py')  # Below it is a program of `berth run`.
_LAUNCHERS = ('<frozen runpy>', '<frozen importlib._bootstrap>')
_ADVICE = (
    'You can attempt the following resolutions to the problem: If you are running in Graph mode, use Eager '
    'execution mode or decorate this function with @tf.function. If you are using AutoGraph, you can try '
    'decorating this function with @tf.function. If that does not work, then you may be using an unsupported '
    'feature or your source code may not be visible to AutoGraph. See https://github.com/tensorflow/tensorflow/'
    'blob/master/tensorflow/python/autograph/g3doc/reference/limitations.md#access-to-source-code for more '
    'information.')


class OperatorNotAllowedInGraphError(TypeError):
    """Raised when Python asks a tensor of a graph for its value."""


class InaccessibleTensorError(ValueError):
    """Raised when what is fetched was marked as not fetchable."""


for _class in (OperatorNotAllowedInGraphError, InaccessibleTensorError):
    _class.__module__ = 'tensorflow.python.framework.errors_impl'


class OutOfScopeError(TypeError):
    """Raised for a tensor of a function that is over; programs see a TypeError, in the same words wherever it is met."""


OutOfScopeError.__name__ = OutOfScopeError.__qualname__ = 'TypeError'
OutOfScopeError.__module__ = 'builtins'


def capture_frames() -> tuple[Any, ...]:
    """Returns where the caller's caller is and who called it, for Operation.frames()."""
    return core.call_stack(2)


def is_library_file(name: str) -> bool:
    """True for a file of this package."""
    return name.startswith(_PACKAGE)


@naming.public('framework.ops')
class Operation(core.Ref):
    """A node of a graph."""

    __slots__ = (
        '__dict__',
        '__weakref__',
        '_device',
        '_frames',
        '_inputs',
        '_outputs',
        '_single',
        'graph',
        'name',
        'node',
        'type',
    )

    def __init__(self, graph: Any, op_type: str, name: str,  # pylint: disable=super-init-not-called
                 inputs: list[Tensor], frames: Any) -> None:
        self.graph = graph
        self.node = -1
        self.type = op_type
        self.name = name
        self._device = ''
        self._inputs: list[Tensor] | None = inputs
        self._outputs: list[Tensor] | None = None
        self._single: SymbolicTensor | None = None
        self._frames = frames

    def _settle(self, node: int) -> None:
        """Says which node of the graph it is, which knows the inputs from now on."""
        core.Ref.__init__(self, self.graph, node)
        self.node = node
        self._inputs = None

    @property
    def device(self) -> str:
        """The device asked for, '' when none is."""
        return self._device

    @property
    def inputs(self) -> tuple[Tensor, ...]:
        """The tensors it reads."""
        if self._inputs is None:
            ops = self.graph._ops
            pairs = self.graph._core.node_inputs(self.node)
            found = [ops[node].outputs[index] for node, index in pairs]
            if self.type in ('Merge', 'RefMerge'):
                return tuple(found)  # It may begin a loop that is closed later.
            self._inputs = found
        return tuple(self._inputs)

    @property
    def outputs(self) -> list[Tensor]:
        """The tensors it makes."""
        if self._outputs is None:
            if self._single is not None:
                self._outputs = [self._single]
            else:
                count = self.graph._core.node_outputs(self.node)
                self._outputs = [SymbolicTensor(self, i) for i in range(count)]
        return self._outputs

    def single(self, dtype: dtypes.DType | None) -> SymbolicTensor:
        """Returns the one output that it has, of a type that may be known."""
        out = self._single = SymbolicTensor(self, 0)
        out._dtype = dtype
        return out

    @property
    def control_inputs(self) -> list[Operation]:
        """The operations that run before it without giving it a value."""
        ops = self.graph._ops
        return [ops[node] for node in self.graph._core.node_controls(self.node)]

    @property
    def node_def(self) -> Any:
        """The node as a NodeDef message."""
        from berth.base import protos

        if self.node < 0:
            return protos.NodeDef(name=self.name, op=self.type, device=self._device)
        definition = protos.NodeDef.FromString(self.graph._core.node_def(self.node))
        self.graph._mark(definition)
        return definition

    @property
    def op_def(self) -> Any:
        """What an op of this type takes and gives, as an OpDef message."""
        from berth.framework import graph_members

        return graph_members.op_def(self.type)

    @property
    def traceback(self) -> Any:
        """Where the node was made, outermost call first."""
        import traceback

        return traceback.StackSummary.from_list(
            [traceback.FrameSummary(f, line, name, lookup_line=False, line='') for f, line, name in self.frames(False)])

    def frames(self, user_only: bool) -> list[tuple[str, int, str]]:
        """Returns (file, line, function) of the calls that made it, outermost first."""
        stack = self._frames or ()
        calls = [(code.co_filename, core.code_line(code, place), code.co_name)
                 for code, place in zip(stack[-2::-2], stack[::-2])]
        del calls[:max((i + 1 for i, call in enumerate(calls) if call[0] == _SCRIPT), default=0)]
        while calls and (calls[0][0] in _LAUNCHERS or is_library_file(calls[0][0])):
            calls.pop(0)
        if user_only:
            calls = [c for c in calls if not is_library_file(c[0])]
        return calls

    def colocation_groups(self) -> list[bytes]:
        """The groups of nodes that are placed together with it."""
        groups = self.graph._groups.get(self.node)
        return list(groups) if groups else [b'loc:@' + self.name.encode()]

    def get_attr(self, name: str) -> Any:
        """Returns the value of an attribute."""
        try:
            value = self.graph._core.node_attr(self.node, name)
        except Exception as error:
            raise ValueError(str(error)) from None
        return _attr_value(value)

    def run(self, feed_dict: Any = None, session: Any = None) -> None:
        """Runs it in a session, the default one unless told otherwise."""
        from berth.framework import scopes

        scopes.default_session_for(self, session, 'execute operation using `run()`',
                                   'with sess.as_default():', 'run').run(self, feed_dict)

    def values(self) -> tuple[Tensor, ...]:
        """The tensors it makes."""
        return tuple(self.outputs)

    def _set_device(self, device: Any) -> None:
        self.graph._set_device(self, device)

    @classmethod
    def from_node_def(cls, node_def: Any, g: Any, inputs: Any = None, output_types: Any = None,
                      control_inputs: Any = None, input_types: Any = None, original_op: Any = None,
                      op_def: Any = None) -> Operation:
        """Adds the operation of a NodeDef message to a graph."""
        from berth.framework import graph_members

        with g.device(node_def.device or None), g.control_dependencies(control_inputs or []):
            return graph_members.make_op(g, node_def.op, node_def.name + '/', list(inputs or []), dict(node_def.attr))

    def __repr__(self) -> str:
        return f'<tf.Operation {self.name!r} type={self.type}>'

    def __str__(self) -> str:
        return str(self.node_def)


def _attr_value(value: Any) -> Any:
    """Gives an attribute of the extension the form that programs know."""
    if isinstance(value, core.DType):
        return dtypes.as_dtype(int(value))
    if isinstance(value, core.Shape):
        return TensorShape(value.dims).as_proto()
    if isinstance(value, core.Tensor):
        from berth.base import protos

        return protos.TensorProto.FromString(value.to_proto())
    if isinstance(value, list):
        return [_attr_value(item) for item in value]
    return value


_BINARY_OPERATORS = ('add', 'and', 'div', 'floordiv', 'matmul', 'mod', 'mul', 'or', 'pow', 'sub', 'truediv', 'xor')


def _of_kind(name: str) -> Any:
    """Makes a member that the classes below Tensor have to have."""
    def member(self: Any, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError(f'{type(self).__name__}.{name}')

    return member


@naming.public('types.core', 'Tensor')
class Native:
    """What tensors and variables are, and objects of programs that say in __tf_tensor__ which tensor they stand for."""

    __slots__ = ()


@naming.public('framework.tensor')
class Tensor(Native):
    """A value of a program; operators on it make operations."""

    __slots__ = ()
    __array_priority__ = 100
    # What every kind of tensor has, each in its own way.
    dtype: Any = property(_of_kind('dtype'))
    shape: Any = property(_of_kind('shape'))
    name: Any = property(_of_kind('name'))
    ndim: Any = property(_of_kind('ndim'))
    op: Any
    graph: Any
    numpy: Any
    set_shape: Any = _of_kind('set_shape')
    eval: Any = _of_kind('eval')
    OVERLOADABLE_OPERATORS = frozenset(
        [f'__{r}{name}__' for name in _BINARY_OPERATORS for r in ('', 'r')]
        + [f'__{name}__' for name in ('abs', 'eq', 'ge', 'getitem', 'gt', 'invert', 'le', 'lt', 'ne', 'neg')])

    def get_shape(self) -> TensorShape:
        """What is known of its shape."""
        return self.shape

    def ref(self) -> Reference:
        """Returns something hashable that stands for the tensor."""
        return Reference(self)

    def experimental_ref(self) -> Reference:
        """Returns something hashable that stands for the tensor."""
        return self.ref()

    def __iter__(self) -> Iterator[Tensor]:
        raise OperatorNotAllowedInGraphError('Iterating over a symbolic `tf.Tensor` is not allowed. ' + _ADVICE)

    def __bool__(self) -> bool:
        raise OperatorNotAllowedInGraphError(
            'Using a symbolic `tf.Tensor` as a Python `bool` is not allowed. ' + _ADVICE)


# What arrays of numpy have, and people expect of tensors.
NUMPY_NAMES = frozenset(('T', 'astype', 'ravel', 'transpose', 'reshape', 'clip', 'size', 'tolist', 'data'))


def numpy_advice(tensor: Any, name: str) -> AttributeError:
    """Returns the error for something of numpy's that is asked of a tensor."""
    return AttributeError(
        f"{type(tensor).__name__} object has no attribute '{name}'. \n        If you are looking for numpy-related methods, "
        'please run the following:\n        tf.experimental.numpy.experimental_enable_numpy_behavior()\n      ')


@naming.public('framework.ops')
class SymbolicTensor(core.Ref, Tensor):
    """One output of an operation."""

    __slots__ = ('__dict__', '__weakref__', '_dtype', 'assign', 'op', 'value_index')

    def __init__(self, op: Operation, index: int) -> None:
        core.Ref.__init__(self, op.graph, op.node, index)
        self.op = op
        self.value_index = index
        self._dtype: dtypes.DType | None = None

    def __getattr__(self, name: str) -> Any:
        if name in NUMPY_NAMES:
            raise numpy_advice(self, name)
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def __round__(self, ndigits: Any = None) -> Any:
        raise numpy_advice(self, 'astype')

    @property
    def graph(self) -> Any:
        """The graph it is in."""
        return self.op.graph

    @property
    def name(self) -> str:
        """The name of its operation and the number of the output."""
        op = self.op
        return op.__dict__.get('shown') or f'{op.name}:{self.value_index}'

    @property
    def device(self) -> str:
        """The device asked for, '' when none is."""
        return self.op._device

    @property
    def dtype(self) -> dtypes.DType:
        """The type of its elements."""
        if self._dtype is None:
            self._dtype = dtypes.as_dtype(self.op.graph._core.output_dtype(self.op.node, self.value_index))
        return self._dtype

    @property
    def _rank_and_dims(self) -> tuple[int, ...] | None:
        return self.op.graph._core.output_shape(self.op.node, self.value_index)

    @property
    def shape(self) -> TensorShape:
        """What is known of its shape."""
        return TensorShape(self._rank_and_dims)

    @property
    def ndim(self) -> int | None:
        """How many dimensions it has, None when that is not known."""
        dims = self._rank_and_dims
        return None if dims is None else len(dims)

    def set_shape(self, shape: Any) -> None:
        """Adds what the caller knows of the shape."""
        dims = TensorShape(shape)
        if dims.rank is None:
            return
        try:
            self.op.graph._core.set_shape(self.op.node, self.value_index, tuple(dims.as_list()))
        except errors.InvalidArgumentError as error:
            raise ValueError(error.message) from None

    def consumers(self) -> list[Operation]:
        """The operations that read it."""
        ops = self.op.graph._ops
        return [ops[node] for node, _ in self.op.graph._core.consumers(self.op.node, self.value_index)]

    def eval(self, feed_dict: Any = None, session: Any = None) -> Any:
        """Returns its value in a session, the default one unless told otherwise."""
        from berth.framework import scopes

        return scopes.default_session_for(self, session, 'evaluate tensor using `eval()`',
                                          'with sess.as_default()', 'eval').run(self, feed_dict)

    def __len__(self) -> int:
        raise TypeError(f'len is not well defined for a symbolic Tensor ({self.name}). '
                        'Please call `x.shape` rather than `len(x)` for shape information.')

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        raise NotImplementedError(
            f'Cannot convert a symbolic tf.Tensor ({self.name}) to a numpy array. This error may indicate that '
            'you\'re trying to pass a Tensor to a NumPy call, which is not supported.')

    def __eq__(self, other: object) -> Any:
        return self._compared('Equal', other, False)

    def __ne__(self, other: object) -> Any:
        return self._compared('NotEqual', other, True)

    def _compared(self, op: str, other: object, differs: bool) -> Any:
        """Compares values while a function is traced; in other graphs, whether they are one tensor."""
        graph = self.op.graph
        if graph.building_function:
            return graph.compared(self, op, other, differs)
        return (self is other) != differs

    __hash__ = object.__hash__

    def __repr__(self) -> str:
        return f'<tf.Tensor {self.name!r} shape={self._shape_text()} dtype={self.dtype.name}>'

    def __str__(self) -> str:
        shape = '' if self._rank_and_dims is None else f', shape={self._shape_text()}'
        device = f', device={self.op._device}' if self.op._device else ''
        return f'Tensor("{self.name}"{shape}, dtype={self.dtype.name}{device})'

    def _shape_text(self) -> str:
        return str(self.shape)


class Reference:
    """A hashable stand-in for a tensor or a variable."""

    def __init__(self, target: Any) -> None:
        self._target = target

    def deref(self) -> Any:
        """Returns what it stands for."""
        return self._target

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Reference) and self._target is other._target

    def __hash__(self) -> int:
        return id(self._target)

    def __repr__(self) -> str:
        return f'<Reference wrapping {self._target!r}>'
