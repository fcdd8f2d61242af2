"""variable - tf.Variable where ops run at once, and in functions.

Those of graphs, and the class that both extend, are in `variables/graph_variable.py`.
"""

from __future__ import annotations

import itertools
import weakref
from typing import Any, Optional

from berth import _core as core
from berth.base import execution, naming
from berth.eager import context
from berth.eager.tensor import text_of
from berth.framework import convert, dtypes, gen, scopes
from berth.framework.node import Tensor
from berth.framework.tensor_shape import TensorShape
from berth.variables import replicas
from berth.variables.graph_variable import Variable
from berth.variables.members import BaseResourceVariable

_GRAPHS_ONLY = 'This operation is not supported when eager execution is enabled.'
# The name of variables that only their handles know: their values go with the last of them.
_ANONYMOUS = 'cd2c89b7-88b7-44c8-ad83-06c2a9158347'
_numbers = itertools.count()  # What tells variables of one name apart.


@naming.public('ops.resource_variable_ops')
class EagerVariable(BaseResourceVariable, Variable):
    """A variable of the runtime, read and changed at once."""

    _in_graph_mode = False

    def __init__(self, initial_value: Any = None, trainable: Optional[bool] = None,
                 validate_shape: bool = True, name: Optional[str] = None, dtype: Any = None,
                 shape: Any = None, constraint: Any = None, synchronization: Any = None, aggregation: Any = None,
                 **others: Any) -> None:
        self._synchronization, self._aggregation = replicas.checked(synchronization, aggregation, name)
        value = _initial(initial_value, dtype)
        with scopes.name_scope(name, 'Variable') as scope:
            self._name = scope[:-1]
        self._unique_id = f'{self._name}_{next(_numbers)}'
        self._dtype = value.dtype
        self._shape = value.shape if shape is None else TensorShape(shape)
        if not self._shape.is_compatible_with(value.shape):
            raise ValueError(f"In this `tf.Variable` creation, the initial value's shape ({value.shape}) is not "
                             f'compatible with the explicitly supplied `shape` argument ({shape}).')
        self._trainable = trainable is None or trainable
        self._constraint = constraint
        self._handle = gen.apply('VarHandleOp', self._name + '/', {}, {
            'dtype': self._dtype, 'shape': self._shape, 'shared_name': _ANONYMOUS, 'container': ''})
        if len(context.settings.names()) > 1:
            # The handle is in the host's memory; what it stands for need not be.
            self._handle._device = context.settings.handle().handle_device(self._handle)
        self._update('AssignVariableOp', value, None, False)

    def __deepcopy__(self, memo: Any) -> 'EagerVariable':
        return EagerVariable(self.read_value(), self._trainable, name=self._name, dtype=self._dtype, shape=self._shape,
                             constraint=self._constraint)

    def __reduce__(self) -> Any:
        return _again, (self.numpy(), self._trainable, self._name, self._dtype.name)

    def __copy__(self) -> 'EagerVariable':
        twin = object.__new__(type(self))  # Another name for the same variable.
        twin.__dict__.update(self.__dict__)
        return twin

    # ---- What it is ----

    @property
    def name(self) -> str:
        """Its name with the number of an output, as tensors of graphs have."""
        return self._name + ':0'

    @property
    def dtype(self) -> dtypes.DType:
        """The type of the value."""
        return self._dtype

    @property
    def shape(self) -> TensorShape:
        """The shape of the value."""
        return self._shape

    @property
    def device(self) -> str:
        """The full name of the device it is on."""
        return self._handle.device

    # ---- Reading ----

    def value(self) -> Any:
        """Returns the value as a tensor."""
        if execution.tapes:
            execution.note_variable(self)
        read = gen.apply('ReadVariableOp', None, {'resource': self._handle}, {'dtype': self._dtype})
        if not isinstance(read, core.Tensor):
            self._note_use()
            read.set_shape(self._shape)
        return read

    _noted_read = value

    def _note_use(self) -> None:
        """Tells the function that is being traced that it uses the variable."""
        scopes.get_default_graph().watch(self)

    def numpy(self) -> Any:
        """Returns the value in an array of the caller's own, or a scalar."""
        if not scopes.executing_eagerly():
            raise NotImplementedError(
                'numpy() is only available when eager execution is enabled.')
        return self.value().numpy()

    def _dense_var_to_tensor(self, dtype: Any, name: Any, as_ref: bool) -> Any:
        self._check_type(dtype)
        return self.value()

    def _as_graph_element(self) -> None:
        """Returns None: it is in no graph."""

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        import numpy

        return numpy.asarray(self.numpy(), dtype=dtype)

    def __int__(self) -> int:
        return int(self.value())

    def __float__(self) -> float:
        return float(self.value())

    def __bool__(self) -> bool:
        return bool(self.value())

    # ---- What only graphs have ----

    @property
    def op(self) -> Any:
        """Raises: there is no operation."""
        raise AttributeError('Tensor.op is undefined when eager execution is enabled.')

    @property
    def graph(self) -> Any:
        """Raises: it is in no graph."""
        raise AttributeError('Tensor.graph is undefined when eager execution is enabled.')

    @property
    def initial_value(self) -> Any:
        """Raises: the first value is not kept."""
        raise RuntimeError('This property is not supported when eager execution is enabled.')

    @property
    def initializer(self) -> None:
        """None: it has a value from the start."""

    @property
    def create(self) -> Any:
        """Raises: there is no operation that makes it."""
        raise RuntimeError(_GRAPHS_ONLY)

    def initialized_value(self) -> Any:
        """Raises: it is never without a value."""
        raise NotImplementedError

    def eval(self, session: Any = None) -> Any:
        """Raises: there is no session."""
        raise RuntimeError(_GRAPHS_ONLY)

    def to_proto(self, export_scope: Optional[str] = None) -> Any:
        """Raises: it is in no graph."""
        raise RuntimeError(_GRAPHS_ONLY)

    def load(self, value: Any, session: Any = None) -> None:
        """Sets the value."""
        self.assign(value)

    def set_shape(self, shape: Any) -> None:
        """Adds what the caller knows of the shape."""
        self._shape = self._shape.merge_with(shape)

    # ---- Changing ----

    def _update(self, op: str, value: Any, name: Any, read_value: bool) -> Any:
        tensor = convert.convert_to_tensor(value, dtype=self._dtype)
        is_same = isinstance(tensor, core.Tensor) and tensor._dims == self._shape._sizes
        if op == 'AssignVariableOp' and not is_same and not self._shape.is_compatible_with(tensor.shape):
            raise ValueError(f"Cannot assign value to variable ' {self.name}': Shape mismatch."
                             f'The variable shape {self._shape}, and the assigned value shape '
                             f'{tensor.shape} are incompatible.')
        made = gen.apply(op, name, {'resource': self._handle, 'value': tensor})
        if made is not None:
            self._note_use()
        return _updated(self, made) if read_value else None

    def _after(self, done: Any) -> Any:
        """Returns the variable as it is once |done| has run."""
        if done is not None:
            self._note_use()
        return _updated(self, done)

    # ---- Comparing and printing ----

    def __eq__(self, other: object) -> Any:
        return self.value() == other

    def __ne__(self, other: object) -> Any:
        return self.value() != other

    def __hash__(self) -> int:
        raise TypeError('Variable is unhashable. Instead, use variable.ref() as the key. '
                        f'(Variable: {self!r})')

    def __repr__(self) -> str:
        text = self._shown()
        return f"<tf.Variable '{self._shown_name()}' shape={self._shape} dtype={self._dtype.name}, numpy={text}>"

    def _shown_name(self) -> str:
        return self.name

    def _shown(self) -> str:
        """Returns the value as numpy shows it."""
        if not scopes.executing_eagerly():
            return '<unknown>'
        return text_of(self.read_value(), repr)


def _again(value: Any, trainable: bool, name: str, dtype: str) -> EagerVariable:
    """Makes a variable of what was pickled of one."""
    return type.__call__(EagerVariable, value, trainable, name=name, dtype=dtype)


@naming.public('ops.resource_variable_ops', '_UnreadVariable')
class _Updated(EagerVariable):
    """What assign() returns: the variable itself under another name."""

    # The variable, and the operation that changes it, in a graph.
    __slots__ = ('_variable', '_made')

    def _as_graph_element(self) -> Any:
        """Returns what changes it, for those that are to wait for that."""
        return self._made

    def _note_use(self) -> None:
        self._variable._note_use()

    def _shown_name(self) -> str:
        return 'UnreadVariable'


def _updated(variable: EagerVariable, made: Any) -> _Updated:
    """Returns what stands for a variable that was changed."""
    twin = object.__new__(_Updated)
    twin.__dict__ = variable.__dict__  # It is the same variable.
    twin._variable, twin._made = variable, made
    return twin


def _initial(value: Any, dtype: Any) -> Any:
    """Returns the first value as a tensor."""
    if value is None:
        raise ValueError('The `initial_value` arg to `tf.Variable` must be specified except when '
                         'you are not providing a `variable_def`. You provided neither.')
    if callable(value):
        value = value()
    return convert.convert_to_tensor(value, dtype=dtype)


class _Behind(EagerVariable):
    """A variable that a function is given: its handle is an input of the trace."""

    def __init__(self, handle: Any, variable: EagerVariable) -> None:
        self.__dict__.update(variable.__dict__)
        self._handle = handle

    def _note_use(self) -> None:
        """Does nothing: it is an argument."""


def behind(handle: Any, variable: EagerVariable) -> EagerVariable:
    """Returns what stands for |variable| where |handle|, of a graph, does for its handle."""
    return type.__call__(_Behind, handle, variable)


def make(*args: Any, **kwargs: Any) -> EagerVariable:
    """Makes a variable; the arguments are those of tf.Variable."""
    names = ('initial_value', 'trainable', 'validate_shape', 'caching_device', 'name')
    named = {**dict(zip(names, args)), **kwargs}
    if scopes.executing_eagerly():
        return type.__call__(EagerVariable, **named)
    return _make_in_function(named)


def _make_in_function(named: dict[str, Any]) -> EagerVariable:
    """Makes a variable outside of the function that is being traced for the first time."""
    from berth.eager import function

    graph: Any = scopes.get_default_graph()
    if graph.refusal is not None:
        raise ValueError(graph.refusal)
    value = named.get('initial_value')
    if isinstance(value, Tensor) and not isinstance(value, core.Tensor):
        named['initial_value'] = function.evaluate(graph, value)
    with scopes.init_scope():
        made = type.__call__(EagerVariable, **named)
    graph.created.append(weakref.ref(made))
    return made


def _refused(sign: str, advice: str) -> Any:
    """Makes an operator that would change a variable in place, and says what to call instead."""
    def operator(self: Any, other: Any) -> Any:
        raise RuntimeError(f'`{advice}')
    operator.__name__ = sign
    return operator


_NEW = 'if you need to get a new output Tensor.'
for _sign, _text in (
        ('iadd', 'variable += value` with `tf.Variable`s is not supported. Use `variable.assign_add(value)` to modify the '
                 f'variable, or `out = variable + value` {_NEW}'),
        ('isub', 'variable -= value` with `tf.Variable`s is not supported. Use `variable.assign_sub(value)` to modify the '
                 f'variable, or `out = variable * value` {_NEW}'),
        *((_method, f'var {_op}= value` with `tf.Variable`s is not supported. Use `var.assign(var {_op} value)` to modify '
                    f'the variable, or `out = var {_op} value` {_NEW}')
          for _method, _op in (('imul', '*'), ('itruediv', '/'), ('ipow', '**')))):
    setattr(EagerVariable, f'__{_sign}__', _refused(_sign, _text))
# What programs see of the class is what TensorFlow calls it.
EagerVariable.__name__ = EagerVariable.__qualname__ = 'ResourceVariable'
core.set_apply(variable=EagerVariable)
execution.make_variable = make
