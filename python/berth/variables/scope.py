"""scope - get_variable, and the scopes that name, share and initialise what it makes.

Scopes of names, devices and control dependencies are in `framework/scopes.py`.
"""

from __future__ import annotations

import copy
import functools
import inspect
from collections.abc import Sequence
from typing import Any

from berth.base import naming
from berth.framework import dtypes, scopes
from berth.framework.collections import GraphKeys
from berth.framework.tensor_shape import TensorShape


class _ReuseMode:
    """What AUTO_REUSE is: share a variable that is there, make one that is not."""

    def __repr__(self) -> str:
        return '<_ReuseMode.AUTO_REUSE: 1>'

    def __str__(self) -> str:
        return '_ReuseMode.AUTO_REUSE'


AUTO_REUSE = _ReuseMode()
_STORE = ('__variable_store',)
_SCOPE = ('__varscope',)
_COUNTS = ('__varscope_counts',)
_PARTITIONED = ('__partitioned_variable_store',)


def _slot(key: Any, make: Any) -> Any:
    """Returns the one object that the default graph keeps under |key|."""
    items = scopes.get_default_graph().get_collection_ref(key)
    if not items:
        items.append(make())
    return items[0]


def _store() -> dict[str, Any]:
    return _slot(_STORE, dict)


def _partitioned() -> dict[str, Any]:
    return _slot(_PARTITIONED, dict)


def _counts() -> dict[str, int]:
    return _slot(_COUNTS, dict)


@naming.public('ops.variable_scope')
class VariableScope:
    """What get_variable goes by: a name, defaults, and whether variables are shared."""

    def __init__(self, reuse: Any, name: str = '', initializer: Any = None, regularizer: Any = None,
                 caching_device: Any = None, partitioner: Any = None, custom_getter: Any = None,
                 name_scope: str = '', dtype: Any = dtypes.float32, use_resource: bool | None = None,
                 constraint: Any = None) -> None:
        self._name = name
        self._reuse = reuse
        self._initializer = initializer
        self._regularizer = regularizer
        self._caching_device = caching_device
        self._partitioner = partitioner
        self._custom_getter = custom_getter
        self._name_scope = name_scope
        self._dtype = dtype
        self._use_resource = use_resource
        self._constraint = constraint

    name = property(lambda self: self._name, doc='The name that variables begin with.')
    original_name_scope = property(lambda self: self._name_scope, doc='The name scope it was opened with.')
    reuse = property(lambda self: self._reuse, doc='Whether variables are shared.')
    initializer = property(lambda self: self._initializer, doc='The default initialiser.')
    regularizer = property(lambda self: self._regularizer, doc='The default regulariser.')
    dtype = property(lambda self: self._dtype, doc='The default type.')
    use_resource = property(lambda self: self._use_resource, doc='Whether variables have a handle.')
    caching_device = property(lambda self: self._caching_device, doc='Where values are cached.')
    constraint = property(lambda self: self._constraint, doc='The default constraint.')
    partitioner = property(lambda self: self._partitioner, doc='The default partitioner.')
    custom_getter = property(lambda self: self._custom_getter, doc='The function that variables come through.')

    def reuse_variables(self) -> None:
        """Shares variables from now on."""
        self._reuse = True

    def set_initializer(self, initializer: Any) -> None:
        """Sets the default initialiser."""
        self._initializer = initializer

    def set_regularizer(self, regularizer: Any) -> None:
        """Sets the default regulariser."""
        self._regularizer = regularizer

    def set_use_resource(self, use_resource: bool) -> None:
        """Says whether variables have a handle."""
        self._use_resource = use_resource

    def set_dtype(self, dtype: Any) -> None:
        """Sets the default type."""
        self._dtype = dtype

    def set_caching_device(self, caching_device: Any) -> None:
        """Sets where values are cached."""
        self._caching_device = caching_device

    def set_partitioner(self, partitioner: Any) -> None:
        """Sets the default partitioner."""
        self._partitioner = partitioner

    def set_custom_getter(self, custom_getter: Any) -> None:
        """Sets the function that variables come through."""
        self._custom_getter = custom_getter

    def local_variables(self) -> list[Any]:
        """Returns the local variables of the scope."""
        return scopes.get_collection(GraphKeys.LOCAL_VARIABLES, self._prefix())

    def global_variables(self) -> list[Any]:
        """Returns the global variables of the scope."""
        return scopes.get_collection(GraphKeys.GLOBAL_VARIABLES, self._prefix())

    def trainable_variables(self) -> list[Any]:
        """Returns the trainable variables of the scope."""
        return scopes.get_collection(GraphKeys.TRAINABLE_VARIABLES, self._prefix())

    def get_collection(self, name: Any) -> list[Any]:
        """Returns what a collection has of the scope."""
        return scopes.get_collection(name, self._prefix())

    def _prefix(self) -> str:
        return self._name + '/' if self._name else self._name

    def get_variable(self, name: str, shape: Any = None, dtype: Any = None, initializer: Any = None,
                     regularizer: Any = None, reuse: Any = None, **rest: Any) -> Any:
        """Returns a variable of the scope: a new one, or one that is shared."""
        full = self._name + '/' + name if self._name else name
        rest.setdefault('use_resource', None)
        if rest['use_resource'] is None:
            rest['use_resource'] = self._use_resource
        if rest.get('caching_device') is None:
            rest['caching_device'] = self._caching_device
        if rest.get('constraint') is None:
            rest['constraint'] = self._constraint
        if rest.get('partitioner') is None:
            rest['partitioner'] = self._partitioner
        arguments = dict(
            shape=shape, dtype=self._dtype if dtype is None else dtype,
            initializer=self._initializer if initializer is None else initializer,
            regularizer=self._regularizer if regularizer is None else regularizer,
            reuse=self._reuse if reuse is None else reuse, **rest)
        with scopes.name_scope(None):
            getter = rest.pop('custom_getter', None) or self._custom_getter
            arguments.pop('custom_getter', None)
            if getter is not None:
                return getter(getter=_get_or_make, name=full, **arguments)
            return _get_or_make(full, **arguments)


def _get_or_make(name: str, shape: Any = None, dtype: Any = dtypes.float32, initializer: Any = None,
                 regularizer: Any = None, reuse: Any = None, trainable: Any = None, collections: Any = None,
                 caching_device: Any = None, partitioner: Any = None, validate_shape: bool = True,
                 use_resource: Any = None, constraint: Any = None, synchronization: Any = None,
                 aggregation: Any = None, **_: Any) -> Any:
    """Returns the variable called |name|, or makes it; in parts, where there is a partitioner."""
    rest = dict(shape=shape, dtype=dtype, initializer=initializer, regularizer=regularizer, reuse=reuse,
                trainable=trainable, collections=collections, caching_device=caching_device,
                validate_shape=validate_shape, use_resource=use_resource, constraint=constraint,
                synchronization=synchronization, aggregation=aggregation)
    is_scalar = isinstance(shape, Sequence) and not shape
    if partitioner is not None and not is_scalar:
        if not callable(partitioner):
            raise ValueError(f'Partitioner must be callable, but received: {partitioner}')
        return _in_parts(name, partitioner, rest)
    if reuse is True and partitioner is None and name in _partitioned():
        return _in_parts(name, None, rest)
    if f'{name}/part_0' in _store():
        raise ValueError('No partitioner was provided, but a partitioned version of the variable was found: '
                         f'{name}/part_0. Perhaps a variable of the same name was already created with partitioning?')
    return _get_single(name, **rest)


def _in_parts(name: str, partitioner: Any, rest: dict[str, Any]) -> Any:
    from berth.variables import partitioned

    with scopes.name_scope(None):
        return partitioned.get_parts(name, partitioner, **rest)


def _get_single(name: str, shape: Any = None, dtype: Any = dtypes.float32, initializer: Any = None,
                regularizer: Any = None, partition_info: Any = None, reuse: Any = None, trainable: Any = None,
                collections: Any = None, caching_device: Any = None, validate_shape: bool = True,
                use_resource: Any = None, constraint: Any = None, synchronization: Any = None,
                aggregation: Any = None) -> Any:
    """Returns the variable called |name|, or makes it."""
    store = _store()
    if scopes.executing_eagerly():
        store, reuse = {}, False  # Nobody shares it.
    dtype = dtypes.as_dtype(dtype)
    dims = TensorShape(shape)
    from_value = initializer is not None and not callable(initializer)
    if from_value and shape is not None:
        raise ValueError('If initializer is a constant, do not specify shape.')
    if name in store:
        return _shared(store[name], name, dims, dtype, reuse, shape is not None)
    if reuse is True:
        raise ValueError(f'Variable {name} does not exist, or was not created with tf.get_variable(). Did you mean '
                         'to set reuse=tf.AUTO_REUSE in VarScope?')
    if initializer is None:
        initializer, from_value = _default_initializer(name, dtype, dims, shape is None)
    value = initializer if from_value else _initial_function(initializer, dims, dtype, partition_info)
    from berth.variables.graph_variable import VariableV1

    variable = VariableV1(  # type: ignore[call-arg]
        value, name=name, trainable=trainable, collections=collections, caching_device=caching_device,
        validate_shape=validate_shape, use_resource=use_resource, dtype=None if from_value else dtype.base_dtype,
        constraint=constraint, synchronization=synchronization, aggregation=aggregation)
    store[name] = variable
    if regularizer is not None:
        _regularise(variable, name, regularizer)
    return variable


def _shared(found: Any, name: str, dims: TensorShape, dtype: Any, reuse: Any, has_shape: bool) -> Any:
    if not reuse and found._is_resource:
        raise ValueError(f'Variable {name} already exists, disallowed. Did you mean to set reuse=True or '
                         'reuse=tf.AUTO_REUSE in VarScope?')
    if not reuse:
        lines = ''.join(f'  File "{file}", line {line}, in {function}\n'
                        for file, line, function in found.op.frames(True)[::-1][:5])
        raise ValueError(f'Variable {name} already exists, disallowed. Did you mean to set reuse=True or '
                         f'reuse=tf.AUTO_REUSE in VarScope? Originally defined at:\n\n{lines}')
    if has_shape and not dims.is_compatible_with(found.shape):
        raise ValueError(f'Trying to share variable {name}, but specified shape {dims} and found shape '
                         f'{found.shape}.')
    if not dtype.is_compatible_with(found.dtype.base_dtype):
        raise ValueError(f'Trying to share variable {name}, but specified dtype {dtype.name} and found dtype '
                         f'{found.dtype.name}.')
    return found


def _default_initializer(name: str, dtype: Any, dims: TensorShape, is_missing: bool) -> Any:
    from berth.ops import init_ops

    if is_missing:
        raise ValueError(f'Variable {name} did not get an initializer, so its `shape` argument must be specified.')
    if dtype.is_floating:
        return init_ops.glorot_uniform_initializer(), False
    if dtype.is_integer or dtype.is_bool or dtype == dtypes.string or dtype.is_complex:
        return init_ops.zeros_initializer(), False
    raise ValueError(f'An initializer for variable {name} of {dtype.base_dtype} is required')


def _initial_function(initializer: Any, dims: TensorShape, dtype: Any, partition_info: Any) -> Any:
    """Returns a function without arguments that makes the initial value."""
    if inspect.isclass(initializer):
        initializer = initializer()
    if dims.is_fully_defined():
        extra: dict[str, Any] = {}
        function = initializer if inspect.isfunction(initializer) else getattr(initializer, '__call__', initializer)
        if 'partition_info' in inspect.signature(function).parameters:
            extra['partition_info'] = partition_info
        return functools.partial(initializer, dims.as_list(), dtype=dtype, **extra)
    required = [p for p in inspect.signature(initializer).parameters.values() if p.default is p.empty
                and p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    if not required:
        return initializer
    raise ValueError('The initializer passed is not valid. It should be a callable with no arguments and the shape '
                     'should not be provided or an instance of `tf.keras.initializers.*\' and `shape` should be '
                     'fully defined.')


def _regularise(variable: Any, name: str, regularizer: Any) -> None:
    """Adds the loss of |regularizer|; it is asked first whether it has one."""
    if regularizer(variable) is None:
        return
    with scopes.colocate(variable), scopes.name_scope(name + '/Regularizer/'):
        loss = regularizer(variable)
    scopes.add_to_collection(GraphKeys.REGULARIZATION_LOSSES, loss)


def get_variable_scope() -> VariableScope:
    """Returns the scope in force."""
    return _slot(_SCOPE, lambda: VariableScope(False))


class Surroundings:
    """What get_variable goes by in the default graph, for one of several builders that take turns."""

    def __init__(self, reuse: bool) -> None:
        scope = copy.copy(get_variable_scope())
        if reuse:
            scope._reuse = True
        self._kept = scope, dict(_counts())

    def exchange(self) -> None:
        """Puts what was kept in force, and keeps what was."""
        before = get_variable_scope(), dict(_counts())
        scope, counts = self._kept
        scopes.get_default_graph().get_collection_ref(_SCOPE)[:] = [scope]
        _counts().clear()
        _counts().update(counts)
        self._kept = before


def get_variable(name: str, shape: Any = None, dtype: Any = None, initializer: Any = None, regularizer: Any = None,
                 trainable: Any = None, collections: Any = None, caching_device: Any = None, partitioner: Any = None,
                 validate_shape: bool = True, use_resource: Any = None, custom_getter: Any = None,
                 constraint: Any = None, synchronization: Any = None, aggregation: Any = None) -> Any:
    """Returns a variable: a new one, or one that is shared."""
    return get_variable_scope().get_variable(
        name, shape=shape, dtype=dtype, initializer=initializer, regularizer=regularizer, trainable=trainable,
        collections=collections, caching_device=caching_device, partitioner=partitioner,
        validate_shape=validate_shape, use_resource=use_resource, custom_getter=custom_getter, constraint=constraint,
        synchronization=synchronization, aggregation=aggregation)


def get_local_variable(name: str, shape: Any = None, dtype: Any = None, initializer: Any = None,
                       regularizer: Any = None, trainable: Any = False, collections: Any = None,
                       caching_device: Any = None, partitioner: Any = None, validate_shape: bool = True,
                       use_resource: Any = None, custom_getter: Any = None, constraint: Any = None,
                       synchronization: Any = None, aggregation: Any = None) -> Any:
    """Returns a variable of the local collection that is not trained."""
    collections = list(collections or []) + [GraphKeys.LOCAL_VARIABLES]
    return get_variable(name, shape, dtype, initializer, regularizer, False, collections, caching_device,
                        partitioner, validate_shape, use_resource, custom_getter, constraint, synchronization,
                        aggregation)


def no_regularizer(_: Any) -> None:
    """Regularises nothing."""


def _unique_scope(prefix: str) -> str:
    outer = get_variable_scope().name
    name = outer + '/' + prefix if outer else prefix
    counts = _counts()
    if not counts.get(name):
        return prefix
    number = 1
    while counts.get(f'{name}_{number}'):
        number += 1
    return f'{prefix}_{number}'


def _within(outer: Any, inner: Any) -> Any:
    """Returns a getter that asks |inner|, which asks |outer|."""
    return lambda getter, *values, **options: inner(functools.partial(outer, getter), *values, **options)


@naming.public('ops.variable_scope')
class variable_scope:
    """Opens a scope for get_variable, with a name scope around it."""

    def __init__(self, name_or_scope: Any, default_name: str | None = None, values: Any = None,
                 initializer: Any = None, regularizer: Any = None, caching_device: Any = None,
                 partitioner: Any = None, custom_getter: Any = None, reuse: Any = None, dtype: Any = None,
                 use_resource: Any = None, constraint: Any = None, auxiliary_name_scope: bool = True) -> None:
        if default_name is None and name_or_scope is None:
            raise TypeError('If default_name is None then name_or_scope is required')
        if reuse is False:
            reuse = None
        if reuse not in (None, True, AUTO_REUSE):
            raise ValueError('The reuse parameter must be True or False or None.')
        self._given = name_or_scope
        self._default = default_name
        self._values = values or []
        self._settings = dict(initializer=initializer, regularizer=regularizer, caching_device=caching_device,
                              custom_getter=custom_getter, dtype=dtype, use_resource=use_resource,
                              constraint=constraint, partitioner=partitioner)
        self._reuse = reuse
        self._with_names = auxiliary_name_scope
        self._names: Any = None
        self._slot: Any = None
        self._old: Any = None
        self._old_counts: Any = None

    def __enter__(self) -> VariableScope:
        if isinstance(self._given, VariableScope):
            scope, names = self._reopened()
        else:
            scope, names = self._opened()
        self._names = scopes.name_scope(names, values=self._values or None) if self._with_names else None
        opened = self._names.__enter__() if self._names is not None else ''
        if not isinstance(self._given, VariableScope):
            scope._name_scope = opened if self._with_names else scope._name + '/'
        self._install(scope)
        return scope

    def _install(self, scope: VariableScope) -> None:
        counts = _counts()
        self._old = get_variable_scope()
        self._slot = scopes.get_default_graph().get_collection_ref(_SCOPE)
        self._old_counts = dict(counts)
        counts[scope.name] = counts.get(scope.name, 0) + 1
        self._slot[:] = [scope]

    def _opened(self) -> Any:
        """Returns a scope inside the current one, and its name scope."""
        if self._given is None and self._reuse:
            raise ValueError('reuse=True cannot be used without a name_or_scope')
        name = self._given if self._given is not None else _unique_scope(self._default or '')
        if not isinstance(name, str):
            raise TypeError('VariableScope: name_or_scope must be a string or VariableScope.')
        outer = get_variable_scope()
        scope = copy.copy(outer)
        scope._name = outer.name + '/' + name if outer.name else name
        scope._reuse = self._reuse or outer.reuse
        self._apply(scope)
        return scope, name if self._given is not None else self._default

    def _reopened(self) -> Any:
        """Returns the scope that was given, with what was changed, and its name scope."""
        scope = copy.copy(self._given)
        if self._reuse:
            scope._reuse = self._reuse
        self._apply(scope)
        return scope, self._given.name.split('/')[-1]

    def _apply(self, scope: VariableScope) -> None:
        outer = scope.custom_getter
        for key, value in self._settings.items():
            if value is not None:
                setattr(scope, '_' + key, value)
        if outer is not None and self._settings['custom_getter'] is not None:
            scope.set_custom_getter(_within(outer, self._settings['custom_getter']))

    def __exit__(self, *exc: Any) -> None:
        counts = _counts()
        name = self._slot[0].name
        if isinstance(self._given, VariableScope):
            counts.clear()
            counts.update(self._old_counts)
        else:
            for key in counts:
                if key.startswith(name + '/'):
                    counts[key] = 0
        self._slot[:] = [self._old]
        if self._names is not None:
            self._names.__exit__(*exc)


def variable_op_scope(values: Any, name_or_scope: Any, default_name: Any = None, initializer: Any = None,
                      regularizer: Any = None, caching_device: Any = None, partitioner: Any = None,
                      custom_getter: Any = None, reuse: Any = None, dtype: Any = None, use_resource: Any = None,
                      constraint: Any = None) -> variable_scope:
    """Opens a variable scope; the older order of arguments."""
    return variable_scope(name_or_scope, default_name, values, initializer, regularizer, caching_device, partitioner,
                          custom_getter, reuse, dtype, use_resource, constraint)


