"""function - tf.function: Python traced into a graph once for each kind of arguments.

Calling the result replays the graph op by op in the eager runtime, so that variables,
random sequences and devices are the program's own. Python's `if` and `while` on tensors
are not rewritten: they raise, and say what to use.
"""

from __future__ import annotations

import functools
import inspect
import itertools
from typing import Any, Callable, Optional, Sequence

from berth import _core as core
from berth.eager import context
from berth.eager.spec import TensorSpec
from berth.framework import convert, scopes
from berth.framework.graph import Graph
from berth.framework.node import Operation, Tensor
from berth.framework.tensor_shape import TensorShape
from berth.ops import array_ops
from berth.ops import schema as schemas

_numbers = itertools.count(1)
_run_eagerly = False


def runs_eagerly() -> bool:
    """True when decorated functions run as plain Python."""
    return _run_eagerly


def set_runs_eagerly(run_eagerly: bool) -> None:
    """Makes decorated functions run as plain Python, or as graphs."""
    global _run_eagerly
    _run_eagerly = bool(run_eagerly)


class FuncGraph(Graph):
    """The graph of a traced function; values from outside come in as further inputs."""

    building_function = True

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name
        self.captures: list[tuple[Any, Any]] = []  # (outside, placeholder)

    def capture(self, tensor: Any, name: Optional[str] = None) -> Any:
        """Returns the placeholder in this graph that stands for |tensor|."""
        for outside, inside in self.captures:
            if outside is tensor:
                return inside
        with self.as_default():
            inside = array_ops.placeholder(tensor.dtype, tensor.shape, name)
        self.captures.append((tensor, inside))
        return inside


# ---- Structures of tensors ----


def _flatten(value: Any) -> list[Any]:
    """Returns the leaves of nested tuples, lists and dicts, keys in order."""
    if isinstance(value, dict):
        return [leaf for key in sorted(value) for leaf in _flatten(value[key])]
    if isinstance(value, (list, tuple)) and not isinstance(value, TensorShape):
        return [leaf for item in value for leaf in _flatten(item)]
    return [value]


def _pack(shape: Any, leaves: Any) -> Any:
    """Puts |leaves|, an iterator, where those of |shape| were."""
    if isinstance(shape, dict):
        made = {key: _pack(shape[key], leaves) for key in sorted(shape)}
        return type(shape)((key, made[key]) for key in shape)
    if isinstance(shape, tuple) and hasattr(shape, '_fields'):
        return type(shape)(*(_pack(item, leaves) for item in shape))
    if isinstance(shape, (list, tuple)) and not isinstance(shape, TensorShape):
        return type(shape)(_pack(item, leaves) for item in shape)
    return next(leaves)


def _is_tensor(value: Any) -> bool:
    return isinstance(value, (Tensor, TensorSpec)) or type(value).__module__ == 'numpy'


def _kind(value: Any) -> Any:
    """Returns what decides whether a trace fits an argument: types and shapes, or the value."""
    if isinstance(value, dict):
        return dict, tuple((key, _kind(value[key])) for key in sorted(value))
    if isinstance(value, (list, tuple)) and not isinstance(value, TensorShape):
        return type(value), tuple(_kind(item) for item in value)
    if _is_tensor(value):
        tensor: Any = value
        if not isinstance(value, (Tensor, TensorSpec)):
            tensor = convert.convert_to_tensor(value)
        return 'tensor', tensor.dtype, tensor.shape
    try:
        hash(value)
    except TypeError:
        return 'object', id(value)
    return type(value), value


# ---- One trace ----


class ConcreteFunction:
    """A function traced for one kind of arguments."""

    def __init__(self, python: Callable[..., Any], name: str, args: tuple, kwargs: dict) -> None:
        self.name = f'__inference_{name}_{next(_numbers)}'.encode()
        self.graph = FuncGraph(name)
        self.inputs: list[Any] = []
        with self.graph.as_default():
            names = _names_of(python, args, kwargs)
            inside = [self._input(leaf, label) for leaf, label in
                      zip(_flatten([args, kwargs]), names)]
            args, kwargs = _pack([args, kwargs], iter(inside))
            self.structured_outputs = self._outputs_of(python(*args, **kwargs))
        self.outputs: list[Any] = [leaf for leaf in _flatten(self.structured_outputs)
                                   if isinstance(leaf, Tensor)]
        self._steps = self._needed()

    def _input(self, leaf: Any, name: str) -> Any:
        """Returns what stands for an argument in the graph."""
        if not _is_tensor(leaf):
            return leaf
        spec: Any = leaf
        if not isinstance(leaf, (Tensor, TensorSpec)):
            spec = convert.to_array(leaf, None)
        made = array_ops.placeholder(spec.dtype, spec.shape, name)
        self.inputs.append(made)
        return made

    def _outputs_of(self, result: Any) -> Any:
        """Makes tensors of the results, with nodes of their own."""
        leaves: list[Any] = []
        for leaf in _flatten(result):
            if leaf is None or isinstance(leaf, Operation):
                leaves.append(None)
                continue
            leaves.append(array_ops.identity(convert.convert_to_tensor(leaf)))
        return _pack(result, iter(leaves))

    def _needed(self) -> list[Operation]:
        """Returns the ops that the results need, or that do something, in order."""
        wanted = {tensor.op for tensor in self.outputs}
        steps = []
        for op in reversed(self.graph.get_operations()):
            if op in wanted or op.type != 'Placeholder' and _has_effect(op):
                steps.append(op)
                inputs: Any = op.inputs
                wanted.update(tensor.op for tensor in inputs)
                wanted.update(op.control_inputs)
        return steps[::-1]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Runs the graph; arguments that are no tensors are those of the trace."""
        given = [convert.convert_to_tensor(leaf) for leaf in _flatten([args, kwargs])
                 if _is_tensor(leaf) or leaf is not None][:len(self.inputs)]
        return self._call(given)

    def _call(self, given: Sequence[Any]) -> Any:
        values: dict[Any, Any] = {}
        for placeholder, value in itertools.chain(zip(self.inputs, given),
                                                  ((i, o) for o, i in self.graph.captures)):
            values[placeholder.op, 0] = value
        for op in self._steps:
            if (op, 0) not in values or op.type != 'Placeholder':
                self._run(op, values)
        found = iter([values[t.op, t.value_index] for t in self.outputs])
        leaves = [next(found) if isinstance(leaf, Tensor) else leaf
                  for leaf in _flatten(self.structured_outputs)]
        return _pack(self.structured_outputs, iter(leaves))

    def _run(self, op: Operation, values: dict[Any, Any]) -> None:
        """Runs one op where its own device scope says, or else where the call is."""
        tensors: Any = op.inputs
        inputs = [values[tensor.op, tensor.value_index] for tensor in tensors]
        device = context.full_name_of(op.device) or context.state.device
        results = context.run_node(op.type, device, inputs, _attrs_of(op))
        for index, value in enumerate(results):
            values[op, index] = value


def _has_effect(op: Operation) -> bool:
    """True for ops that must run although nobody reads what they give."""
    table = core.op_schema(op.type)
    return bool(table.get('is_stateful')) and op.type not in ('VarHandleOp', 'ReadVariableOp')


@functools.lru_cache(maxsize=None)
def _attr_names(op_type: str) -> tuple:
    return tuple(schemas.find(op_type).attrs)


def _attrs_of(op: Operation) -> dict[str, Any]:
    """Returns the attributes of a node, read once."""
    found = op.__dict__.get('_eager_attrs')
    if found is None:
        found = {name: op.graph._core.node_attr(op.node, name) for name in _attr_names(op.type)}
        op.__dict__['_eager_attrs'] = found
    return found


def _names_of(python: Callable[..., Any], args: tuple, kwargs: dict) -> list[str]:
    """Returns a name for each leaf of the arguments: that of its parameter."""
    try:
        parameters = [p.name for p in inspect.signature(python).parameters.values()
                      if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    except (TypeError, ValueError):
        parameters = []
    names = []
    for index, arg in enumerate(args):
        label = parameters[index] if index < len(parameters) else f'args_{index}'
        names += [getattr(leaf, 'name', None) or label if isinstance(leaf, TensorSpec) else label
                  for leaf in _flatten(arg)]
    for key in sorted(kwargs):
        names += [key] * len(_flatten(kwargs[key]))
    return names


# ---- Functions with many traces ----


class Function:
    """What tf.function returns: traces, made as new kinds of arguments come."""

    def __init__(self, python: Callable[..., Any], input_signature: Any = None) -> None:
        functools.update_wrapper(self, python)
        self._python = python
        self._signature = None if input_signature is None else tuple(input_signature)
        self._traces: dict[Any, ConcreteFunction] = {}
        self._parameters = inspect.signature(python)

    @property
    def python_function(self) -> Callable[..., Any]:
        """The function that was decorated."""
        return self._python

    @property
    def input_signature(self) -> Any:
        """The signature that was asked for, or None."""
        return self._signature

    def experimental_get_tracing_count(self) -> int:
        """Returns how often the function was traced."""
        return len(self._traces)

    def __get__(self, instance: Any, owner: Any) -> Any:
        if instance is None:
            return self
        cache = instance.__dict__.setdefault('_berth_functions', {})
        if self not in cache:
            cache[self] = Function(self._python.__get__(instance, owner), self._signature)
        return cache[self]

    def _bind(self, args: tuple, kwargs: dict) -> tuple[tuple, dict]:
        """Returns the arguments with defaults, as positions where that is possible."""
        try:
            bound = self._parameters.bind(*args, **kwargs)
        except TypeError as error:
            raise self._mismatch(error, args, kwargs) from None
        bound.apply_defaults()
        if self._signature is None:
            return bound.args, bound.kwargs
        return self._cast(bound.args, args, kwargs), bound.kwargs

    def _cast(self, values: tuple, args: tuple, kwargs: dict) -> tuple:
        """Returns arguments as tensors that fit the signature."""
        made = []
        for value, spec in zip(values, self._signature or ()):
            if not isinstance(value, (Tensor, TensorSpec)):
                value = convert.convert_to_tensor(value, spec.dtype)
            if not spec.is_compatible_with(value):
                found = TensorSpec(value.shape, value.dtype)
                raise self._mismatch(f'Can not cast {found!r} to {spec!r}', args, kwargs)
            made.append(value)
        return tuple(made) + values[len(made):]

    def _mismatch(self, why: Any, args: tuple, kwargs: dict) -> TypeError:
        return TypeError(f'Binding inputs to tf.function failed due to `{why}`. Received args: '
                         f'{args} and kwargs: {kwargs} for signature: {self._signature_text()}.')

    def _signature_text(self) -> str:
        names = list(self._parameters.parameters.values())
        if self._signature is not None:
            return '(' + ', '.join(f'{p.name}: {spec!r}' for p, spec in
                                   zip(names, self._signature)) + ')'
        shown = [p.replace(default=_Captured()) if p.default is not p.empty else p for p in names]
        return str(self._parameters.replace(parameters=shown))

    def _trace_for(self, args: tuple, kwargs: dict) -> ConcreteFunction:
        if self._signature is not None:
            args = tuple(self._signature) + args[len(self._signature):]
        key = _kind([args, kwargs])
        trace = self._traces.get(key)
        if trace is None:
            name = getattr(self._python, '__name__', 'function')
            trace = self._traces[key] = ConcreteFunction(self._python, name, args, kwargs)
        return trace

    def get_concrete_function(self, *args: Any, **kwargs: Any) -> ConcreteFunction:
        """Returns the trace for such arguments, tensors or specs."""
        if self._signature is not None and not args and not kwargs:
            return self._trace_for(self._signature, {})
        return self._trace_for(*self._bind(args, kwargs))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if _run_eagerly or not scopes.executing_eagerly():
            return self._python(*args, **kwargs)
        args, kwargs = self._bind(args, kwargs)
        trace = self._trace_for(args, kwargs)
        return trace._call([convert.convert_to_tensor(leaf) for leaf in _flatten([args, kwargs])
                            if _is_tensor(leaf)])


class _Captured:
    """How a default shows in a signature."""

    def __repr__(self) -> str:
        return '<captured_default_value>'


def function(func: Optional[Callable[..., Any]] = None, input_signature: Any = None,
             autograph: bool = True, jit_compile: Optional[bool] = None, **options: Any) -> Any:
    """Makes a Function of |func|, or a decorator that does."""
    def decorate(python: Callable[..., Any]) -> Function:
        return Function(python, input_signature)
    return decorate if func is None else decorate(func)


def capture(tensor: Any, name: Optional[str] = None) -> Any:
    """Returns what stands for an eager tensor in the graph that is being built."""
    graph = scopes.get_default_graph()
    if not isinstance(graph, FuncGraph):
        raise RuntimeError(f'{name or "tensor"}: Attempting to capture an EagerTensor without '
                           'building a function.')
    return graph.capture(tensor, name)
