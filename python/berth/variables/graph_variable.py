"""graph_variable - tf.Variable, and its two kinds in graphs: by reference, or through a handle.

`Variable(...)` makes one with a handle, `VariableV1(...)` one of the two, by |use_resource|; where
ops run at once, and in functions, both make one of `eager/variable.py`. The nodes, their names and their order are
TensorFlow's: initial value, variable, assignment, read. What all kinds have is in `members`,
get_variable in `scope`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from berth import _mode
from berth.base import execution, naming
from berth.framework import convert, dtypes, gen, scopes
from berth.framework.collections import GraphKeys
from berth.framework.node import Native, Tensor
from berth.framework.tensor_shape import TensorShape
from berth.ops import array_ops, operators, state_ops
from berth.variables import creators, guard, replicas
from berth.variables.members import BaseResourceVariable, VariableMembers
from berth.framework.trackable import Trackable

# The parameters of tf.Variable in TF2 and in TF1, in their order.
_PARAMETERS_V2 = ('initial_value', 'trainable', 'validate_shape', 'caching_device', 'name', 'variable_def', 'dtype',
                  'import_scope', 'constraint', 'synchronization', 'aggregation', 'shape')
_PARAMETERS_V1 = ('initial_value', 'trainable', 'collections', 'validate_shape', 'caching_device', 'name',
                  'variable_def', 'dtype', 'expected_shape', 'import_scope', 'constraint', 'use_resource',
                  'synchronization', 'aggregation', 'shape')


def enable_resource_variables() -> None:
    """Makes variables with a handle the default."""
    _mode.choose(_mode.VARIABLES, True)


def disable_resource_variables() -> None:
    """Makes variables by reference the default."""
    _mode.choose(_mode.VARIABLES, False)


def resource_variables_enabled() -> bool:
    """True when variables have a handle unless told otherwise."""
    return _mode.is_v2(_mode.VARIABLES)


class _Chooser(type):
    """Makes calls of Variable and VariableV1 give a variable of the kind that is due."""

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        if cls is not Variable and cls is not VariableV1:
            return super().__call__(*args, **kwargs)
        parameters = _PARAMETERS_V2 if cls is Variable else _PARAMETERS_V1
        if len(args) > len(parameters):
            raise TypeError(f'tf.Variable takes at most {len(parameters)} arguments, not {len(args)}')
        kwargs.update(zip(parameters[1:], args[1:]))
        if creators.stack.items:
            given = {**dict.fromkeys(parameters), 'validate_shape': True, **dict(zip(parameters, args)), **kwargs}
            return creators.make(lambda **changed: cls._made(
                (), {key: value for key, value in changed.items() if value is not None}), given)
        return cls._made(args[:1], kwargs)

    def _made(cls, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Makes a variable of the kind that is due here."""
        use_resource = kwargs.pop('use_resource', None)
        if scopes.executing_eagerly() or scopes.get_default_graph().building_function:
            return execution.make_variable(*args, **kwargs)
        return _kind(cls, use_resource)(*args, **kwargs)


def _kind(cls: Any, use_resource: bool | None) -> Any:
    """Returns the kind of a variable of a graph: tf.Variable of TF2 always has a handle."""
    if cls is VariableV1 and use_resource is None:
        from berth.variables import scope

        use_resource = scope.get_variable_scope().use_resource
        if use_resource is None:
            use_resource = resource_variables_enabled()
    return ResourceVariable if cls is Variable or use_resource else RefVariable


@naming.public('ops.variables')
class Variable(VariableMembers, Native, Trackable, metaclass=_Chooser):
    """A tensor that keeps its value between runs."""

    __array_priority__ = 100
    _is_resource = False
    _in_graph_mode = True
    _NO_VALUE = 'initial_value must be specified.'
    dtype: Any = property(lambda self: self._as_graph_element().dtype, doc='The type of the value.')

    def __init__(self, initial_value: Any = None, trainable: bool | None = None, collections: Any = None,
                 validate_shape: bool = True, caching_device: Any = None, name: str | None = None,
                 variable_def: Any = None, dtype: Any = None, expected_shape: Any = None, import_scope: Any = None,
                 constraint: Any = None, synchronization: Any = None, aggregation: Any = None,
                 shape: Any = None) -> None:
        if initial_value is None:
            raise ValueError(self._NO_VALUE)
        self._synchronization, self._aggregation = replicas.checked(synchronization, aggregation, name)
        is_read = self._synchronization == replicas.VariableSynchronization.ON_READ
        self._trainable = not is_read if trainable is None else trainable
        self._constraint = constraint
        self._initial_value: Any = None
        self._initializer_op: Any = None
        self._snapshot: Any = None
        self._asked_shape = None if shape is None else TensorShape(shape)
        self._caching_device = caching_device
        collections = self._collections(collections)
        if constraint is not None and not callable(constraint):
            raise ValueError('The `constraint` argument must be a callable.')
        with scopes.init_scope():
            self._make(initial_value, None if dtype is None else dtypes.as_dtype(dtype), name, validate_shape)
        scopes.add_to_collections(collections, self)

    def _collections(self, collections: Any) -> list[str]:
        if collections is None:
            collections = [GraphKeys.GLOBAL_VARIABLES]
        if not isinstance(collections, (list, tuple, set)):
            raise ValueError('collections argument to Variable constructor must be a list, tuple, or set. Got '
                             f'{collections} of type {type(collections)}')
        if self._trainable and GraphKeys.TRAINABLE_VARIABLES not in collections:
            collections = list(collections) + [GraphKeys.TRAINABLE_VARIABLES]
        return list(collections)

    def _make(self, initial_value: Any, dtype: Any, name: str | None, validate_shape: bool) -> None:
        raise NotImplementedError

    @property
    def name(self) -> str:
        """The name of the variable's node, with ':0'."""
        return self._node().name + ':0'

    @property
    def _shared_name(self) -> str:
        return self.name.partition(':')[0]

    def _node(self) -> Any:
        raise NotImplementedError

    @property
    def op(self) -> Any:
        """The variable's node."""
        return self._node()

    @property
    def graph(self) -> Any:
        """The graph it is in."""
        return self._node().graph

    @property
    def device(self) -> str:
        """The device asked for."""
        return self._node().device

    @property
    def trainable(self) -> bool:
        """True when optimisers change it."""
        return self._trainable

    @property
    def constraint(self) -> Any:
        """A function that values go through after an update."""
        return self._constraint

    @property
    def initial_value(self) -> Any:
        """The tensor it starts with."""
        return self._initial_value

    @property
    def initializer(self) -> Any:
        """The operation that gives it the initial value."""
        return self._initializer_op

    @property
    def shape(self) -> TensorShape:
        """The shape of the value."""
        raise NotImplementedError

    def get_shape(self) -> TensorShape:
        """The shape of the value."""
        return self.shape

    def set_shape(self, shape: Any) -> None:
        """Adds what the caller knows of the shape."""
        raise NotImplementedError

    def eval(self, session: Any = None) -> Any:
        """Returns the value in a session."""
        return self._as_graph_element().eval(session=session)

    def load(self, value: Any, session: Any = None) -> None:
        """Sets the value in a session."""
        target = session or scopes.get_default_session()
        if target is None:
            raise ValueError('Either session argument should be provided or default session should be established')
        target.run(self.initializer, {self.initializer.inputs[1]: value})

    def initialized_value(self) -> Any:
        """Returns the value, or the initial one as long as there is none."""
        from berth.ops import flow_ops

        with scopes.init_scope():
            return flow_ops.cond(state_ops.is_variable_initialized(self), self.read_value,
                                 lambda: self.initial_value)

    def value(self) -> Any:
        """Returns the value as a tensor."""
        raise NotImplementedError

    def read_value(self) -> Any:
        """Returns the value as a tensor that is read when it runs."""
        return array_ops.identity(self._as_graph_element(), name='read')

    def _as_graph_element(self) -> Any:
        raise NotImplementedError

    def _dense_var_to_tensor(self, dtype: Any, name: Any, as_ref: bool) -> Any:
        raise NotImplementedError

    def assign(self, value: Any, use_locking: bool = False, name: str | None = None,
               read_value: bool = True) -> Any:
        """Sets the value."""
        raise NotImplementedError

    def assign_add(self, delta: Any, use_locking: bool = False, name: str | None = None,
                   read_value: bool = True) -> Any:
        """Adds to the value."""
        raise NotImplementedError

    def assign_sub(self, delta: Any, use_locking: bool = False, name: str | None = None,
                   read_value: bool = True) -> Any:
        """Subtracts from the value."""
        raise NotImplementedError

    def __iter__(self) -> Iterator[Any]:
        return iter(self.read_value())

    def __hash__(self) -> int:
        return id(self)

    def __eq__(self, other: object) -> bool:
        return self is other

    def __repr__(self) -> str:
        return f'<tf.Variable {self.name!r} shape={self.shape} dtype={self.dtype.name}>'


operators.install_on_variable(Variable)


@naming.public('ops.variable_v1')
class VariableV1(Variable):
    """tf.Variable of TF1: one of the two kinds, as the program has chosen."""


def _evaluate(initial_value: Any, dtype: Any) -> Any:
    value = initial_value() if callable(initial_value) else initial_value
    if dtype is not None and isinstance(value, Tensor) and not dtypes.as_dtype(dtype).is_compatible_with(value.dtype):
        raise ValueError(f'initial_value: Tensor conversion requested dtype {dtypes.as_dtype(dtype).name} for Tensor '
                         f'with dtype {value.dtype.name}: {value!r}')
    return convert.convert_to_tensor(value, name='initial_value', dtype=dtype)


@naming.public('ops.ref_variable')
class RefVariable(VariableV1):
    """A variable whose node hands out a reference: TensorFlow 1's own kind."""

    def _make(self, initial_value: Any, dtype: Any, name: str | None, validate_shape: bool) -> None:
        values = [] if callable(initial_value) else [initial_value]
        with scopes.name_scope(name, 'Variable', values) as scope:
            if callable(initial_value):
                with scopes.get_default_graph()._attr_scope({'_class': [b'loc:@' + scope[:-1].encode()]}):
                    with scopes.name_scope('Initializer'), scopes.device(None):
                        self._initial_value = _evaluate(initial_value, dtype)
                    self._variable = self._variable_op(scope, validate_shape)
            else:
                self._initial_value = _evaluate(initial_value, dtype)
                if getattr(self._initial_value.op, '_flow', None) is not None:
                    raise ValueError(f'Initializer for variable {scope} is from inside a control-flow construct, such as a '
                                     'loop or conditional. When creating a variable inside a loop or conditional, use a '
                                     'lambda as the initializer.')
                self._variable = self._variable_op(scope, validate_shape)
            self._initializer_op = state_ops.assign(self._variable, guard.guarded(scope, self._initial_value),
                                                    validate_shape=validate_shape).op
            self._make_snapshot()

    def _variable_op(self, scope: str, validate_shape: bool) -> Any:
        initial = self._initial_value
        if validate_shape and not initial.shape.is_fully_defined():
            raise ValueError(f'initial_value must have a shape specified: {initial}')
        shape = initial.shape if validate_shape else TensorShape(None)
        shape = shape if self._asked_shape is None else self._asked_shape
        return state_ops.variable_op_v2(shape, initial.dtype.base_dtype, name=scope)

    def _make_snapshot(self) -> None:
        if self._caching_device is not None:
            with scopes.device(self._caching_device):
                self._snapshot = array_ops.identity(self._variable, name='read')
            return
        with scopes.colocate(self._variable.op):
            self._snapshot = array_ops.identity(self._variable, name='read')

    def _node(self) -> Any:
        return self._variable.op

    @property
    def dtype(self) -> dtypes.DType:
        """The type of the value, as a reference."""
        return self._variable.dtype

    @property
    def shape(self) -> TensorShape:
        """The shape of the value."""
        return self._variable.shape

    def set_shape(self, shape: Any) -> None:
        """Adds what the caller knows of the shape."""
        self._variable.set_shape(shape)
        self._snapshot.set_shape(shape)

    def value(self) -> Any:
        """Returns the value as a tensor."""
        return self._snapshot

    def read_value(self) -> Any:
        """Returns the value as a tensor that is read when it runs."""
        return array_ops.identity(self._variable, name='read')

    def _ref(self) -> Any:
        return self._variable

    def _as_graph_element(self) -> Any:
        return self._variable

    def _dense_var_to_tensor(self, dtype: Any, name: Any, as_ref: bool) -> Any:
        if dtype is not None and not dtype.is_compatible_with(self.dtype):
            raise ValueError(f"Incompatible type conversion requested to type '{dtype.name}' for variable of type "
                             f"'{self.dtype.name}'")
        return self._variable if as_ref else self._snapshot

    def assign(self, value: Any, use_locking: bool = False, name: str | None = None,
               read_value: bool = True) -> Any:
        """Sets the value."""
        result = state_ops.assign(self._variable, value, use_locking=use_locking, name=name)
        return result if read_value else result.op

    def assign_add(self, delta: Any, use_locking: bool = False, name: str | None = None,
                   read_value: bool = True) -> Any:
        """Adds to the value."""
        result = state_ops.assign_add(self._variable, delta, use_locking=use_locking, name=name)
        return result if read_value else result.op

    def assign_sub(self, delta: Any, use_locking: bool = False, name: str | None = None,
                   read_value: bool = True) -> Any:
        """Subtracts from the value."""
        result = state_ops.assign_sub(self._variable, delta, use_locking=use_locking, name=name)
        return result if read_value else result.op


@naming.public('ops.resource_variable_ops')
class ResourceVariable(BaseResourceVariable, Variable):
    """A variable that is used through a handle."""

    _NO_VALUE = ('The `initial_value` arg to `tf.Variable` must be specified except when you are not providing a '
                 '`variable_def`. You provided neither.')

    def _make(self, initial_value: Any, dtype: Any, name: str | None, validate_shape: bool) -> None:
        values = [] if callable(initial_value) else [initial_value]
        with scopes.name_scope(name, 'Variable', values) as scope:
            self._handle_name = scope[:-1]
            group = {'_class': [b'loc:@' + self._handle_name.encode()]}
            with scopes.get_default_graph()._attr_scope(group):
                with scopes.name_scope('Initializer'), scopes.device(None):
                    self._initial_value = _evaluate(initial_value, dtype)
                if not self._initial_value.shape.is_compatible_with(self.shape):
                    raise ValueError("In this `tf.Variable` creation, the initial value's shape "
                                     f'({self._initial_value.shape}) is not compatible with the explicitly supplied '
                                     f'`shape` argument ({self._asked_shape and self._asked_shape.as_list()}).')
                self._handle = self._handle_op(scope)
            with scopes.name_scope('IsInitialized'):
                self._is_initialized = gen.apply('VarIsInitializedOp', None, {'resource': self._handle})
            self._make_assignment()
            with scopes.name_scope('Read'), scopes.device(self._handle.op.device):
                self._graph_element = self._read()

    def _handle_op(self, scope: str) -> Any:
        initial = self._initial_value
        return gen.apply('VarHandleOp', scope, {}, {
            'dtype': initial.dtype.base_dtype, 'shape': self.shape, 'shared_name': self._handle_name,
            'container': '', 'debug_name': scope})

    def _make_assignment(self) -> None:
        with scopes.name_scope('Assign') as scope, scopes.colocate(None, ignore_existing=True), \
                scopes.device(self._handle.op.device):
            self._initializer_op = gen.apply('AssignVariableOp', scope, {
                'resource': self._handle, 'value': self._initial_value})

    def _read(self) -> Any:
        return gen.apply('ReadVariableOp', None, {'resource': self._handle},
                         {'dtype': self._initial_value.dtype.base_dtype})

    def _node(self) -> Any:
        return self._handle.op

    @property
    def dtype(self) -> dtypes.DType:
        """The type of the value."""
        return self._initial_value.dtype.base_dtype

    @property
    def shape(self) -> TensorShape:
        """The shape of the value."""
        return self._initial_value.shape if self._asked_shape is None else self._asked_shape

    def value(self) -> Any:
        """Returns the value as a tensor, which is read where the variable is."""
        with scopes.colocate(None, ignore_existing=True):
            return self._noted_read()

    def _noted_read(self) -> Any:
        if execution.tapes:
            execution.note_variable(self)
        return self._read()

    @property
    def create(self) -> Any:
        """The operation that gives it the initial value."""
        return self._initializer_op

    def numpy(self) -> Any:
        """Raises: there is a value in a session only."""
        raise NotImplementedError('numpy() is only available when eager execution is enabled.')

    def _as_graph_element(self) -> Any:
        return self._graph_element

    def _dense_var_to_tensor(self, dtype: Any, name: Any, as_ref: bool) -> Any:
        self._check_type(dtype)
        return self.read_value().op.inputs[0] if as_ref else self.value()

    def _update(self, op: str, value: Any, name: Any, read_value: bool) -> Any:
        value = convert.convert_to_tensor(value, dtype=self.dtype)
        is_assign = op == 'AssignVariableOp'
        if is_assign and not self.shape.is_compatible_with(value.shape):
            raise ValueError(f"Cannot assign value to variable ' {self.name}': Shape mismatch.The variable shape "
                             f'{self.shape}, and the assigned value shape {value.shape} are incompatible.')
        attrs = {'validate_shape': self.shape.is_fully_defined()} if is_assign else {}
        done = gen.apply(op, name, {'resource': self._handle, 'value': value}, attrs)
        return _UnreadVariable(self, done) if read_value else done

    def _after(self, done: Any) -> Any:
        """Returns the variable as it is once |done| has run."""
        return _UnreadVariable(self, done)


@naming.public('ops.resource_variable_ops')
class _UnreadVariable(ResourceVariable):
    """A variable after an update: reading it waits for that update."""

    def __init__(self, variable: ResourceVariable, done: Any) -> None:  # pylint: disable=super-init-not-called
        self.__dict__.update(variable.__dict__)
        self._done = self._update_op = done
        self._graph_element = self._read()

    @property
    def op(self) -> Any:
        """The update."""
        return self._done

    @property
    def name(self) -> str:
        """The name of the update."""
        return self._done.name

    def value(self) -> Any:
        """Returns the value as a tensor."""
        return self._noted_read()

    def _read(self) -> Any:
        with scopes.control_dependencies([self._done]):
            return super()._read()
