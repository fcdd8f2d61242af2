"""variables - A variable with a copy on each device: the same everywhere, or put together when it is read."""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from typing import Any, Optional

from berth._distribute import reduction, values
from berth.base import naming
from berth.framework import nest, scopes
from berth.framework.collections import GraphKeys
from berth.ops import math_ops, order_ops
from berth.variables.graph_variable import Variable
from berth.variables.replicas import VariableAggregation, VariableSynchronization, here

_NONE = VariableAggregation.NONE
_FIRST = VariableAggregation.ONLY_FIRST_REPLICA


class DistributedVariable(values.DistributedValues, Variable):
    """A variable of several copies, each on a device of its own."""

    def __init__(self, strategy: Any, copies: Sequence[Any], aggregation: Any) -> None:  # pylint: disable=super-init-not-called
        values.DistributedValues.__init__(self, copies)
        self._distribute_strategy = strategy
        self._aggregation = aggregation
        for copy in copies:
            copy._distributed_container = weakref.ref(self)

    # ---- Which copy ----

    @property
    def _primary(self) -> Any:
        return self._values[0]

    def _copy_here(self) -> Any:
        """Returns the copy that is changed or whose replica is at work, the first one elsewhere."""
        if here.updating is not None:
            return self._values[here.updating]
        return self._values[here.replica.number if here.replica is not None else 0]

    def _is_in_replica(self) -> bool:
        return here.replica is not None and here.strategy is self._distribute_strategy

    _in_graph_mode = property(lambda self: self._primary._in_graph_mode)
    _unique_id = property(lambda self: self._primary._unique_id)

    # ---- What it is ----

    name = property(lambda self: self._primary.name, doc='The name of the first copy.')
    dtype = property(lambda self: self._primary.dtype, doc='The type of the value.')
    shape = property(lambda self: self._primary.shape, doc='The shape of the value.')
    trainable = property(lambda self: self._primary.trainable, doc='True when optimisers change it.')
    constraint = property(lambda self: self._primary.constraint, doc='A function for values after an update.')
    graph = property(lambda self: self._primary.graph, doc='The graph it is in.')
    initial_value = property(lambda self: self._copy_here().initial_value, doc='The tensor it starts with.')
    device = property(lambda self: self._copy_here().device, doc='Where the copy is.')
    op = property(lambda self: self._copy_here().op, doc='The node of the copy.')
    handle = property(lambda self: self._copy_here().handle, doc='What stands for the copy.')
    _handle = handle
    _is_resource = True
    distribute_strategy = property(lambda self: self._distribute_strategy, doc='What keeps the copies.')

    @property
    def initializer(self) -> Any:
        """What gives all copies their first values, in a graph."""
        ops = [copy.initializer for copy in self._values if copy.initializer is not None]
        return order_ops.group(*ops) if ops else None

    def is_initialized(self, name: Optional[str] = None) -> Any:
        """Tells whether all copies have values."""
        found = self._values[0].is_initialized()
        for copy in self._values[1:]:
            found = math_ops.logical_and(found, copy.is_initialized())
        return found

    # ---- Reading ----

    def value(self) -> Any:
        """Returns the value as a tensor."""
        return self._copy_here().value()

    def read_value(self) -> Any:
        """Returns the value as a tensor of its own."""
        return self._copy_here().read_value()

    def numpy(self) -> Any:
        """Returns the value in an array."""
        if not scopes.executing_eagerly():
            raise NotImplementedError('numpy() is only available when eager execution is enabled.')
        return self.value().numpy()

    def eval(self, session: Any = None) -> Any:
        """Returns the value in a session."""
        return self._copy_here().eval(session)

    def _dense_var_to_tensor(self, dtype: Any, name: Any, as_ref: bool) -> Any:
        return self.value()

    def _as_graph_element(self) -> Any:
        return self._copy_here()._as_graph_element()

    def to_proto(self, export_scope: Optional[str] = None) -> Any:
        """Returns a message that names the nodes of the first copy."""
        return self._primary.to_proto(export_scope)

    # ---- Changing ----

    def assign(self, value: Any, use_locking: Any = None, name: Optional[str] = None, read_value: bool = True) -> Any:
        """Sets the value."""
        return self._change('assign', value, use_locking, name, read_value)

    def assign_add(self, delta: Any, use_locking: Any = None, name: Optional[str] = None, read_value: bool = True) -> Any:
        """Adds to the value."""
        return self._change('assign_add', delta, use_locking, name, read_value)

    def assign_sub(self, delta: Any, use_locking: Any = None, name: Optional[str] = None, read_value: bool = True) -> Any:
        """Subtracts from the value."""
        return self._change('assign_sub', delta, use_locking, name, read_value)

    def _change(self, how: str, value: Any, use_locking: Any, name: Any, read_value: bool) -> Any:
        raise NotImplementedError

    def _scatter(self, kind: str, indices: Any, updates: Any, name: Optional[str], use_locking: bool) -> Any:
        if self._is_in_replica():
            raise NotImplementedError(f'Berth changes parts of a {type(self).__name__} outside of replicas only')
        return self._on_all(lambda copy: copy._scatter(kind, indices, updates, name, use_locking))

    def _on_all(self, change: Any) -> Any:
        """Applies |change| to every copy, where it is."""
        made = []
        for copy in self._values:
            with scopes.device(copy.device or None):
                made.append(change(copy))
        if scopes.executing_eagerly():
            return self
        return values.regroup(made, values.Mirrored)

    def _set_all(self, how: str, value: Any, read_value: bool) -> Any:
        parts = values.flat_parts(value, len(self._values))
        changed = iter(parts)
        return self._on_all(lambda copy: getattr(copy, how)(next(changed), read_value=read_value))

    def __repr__(self) -> str:
        return values.DistributedValues.__repr__(self)

    __hash__ = Variable.__hash__
    __eq__ = Variable.__eq__


@naming.public('distribute.values')
class MirroredVariable(DistributedVariable):
    """A variable whose copies are always the same."""

    _synchronization = VariableSynchronization.ON_WRITE

    def _change(self, how: str, value: Any, use_locking: Any, name: Any, read_value: bool) -> Any:
        if here.updating is not None:
            return getattr(self._copy_here(), how)(value, read_value=read_value)
        if not self._is_in_replica():
            return self._set_all(how, value, read_value)
        if self._aggregation == _NONE:  # TensorFlow leaves it to the program to keep copies the same.
            return getattr(self._copy_here(), how)(value, read_value=read_value)
        return here.replica.merge_call(lambda strategy, given: self._set_all(
            how, self._together(given), read_value), args=(value,))

    def _together(self, given: Any) -> Any:
        """Returns what replicas hand over as one value, on every device."""
        parts = values.flat_parts(given, len(self._values))
        devices = [copy.device for copy in self._values]
        if self._aggregation == _FIRST:
            return reduction.spread(parts[0], devices)
        op = reduction.ReduceOp.from_variable_aggregation(self._aggregation)
        return reduction.spread(reduction.combine(op, parts, devices[0]), devices)


@naming.public('distribute.values')
class SyncOnReadVariable(DistributedVariable):
    """A variable whose copies differ, and are put together when they are read outside of replicas."""

    _synchronization = VariableSynchronization.ON_READ

    def _change(self, how: str, value: Any, use_locking: Any, name: Any, read_value: bool) -> Any:
        if self._is_in_replica():
            return getattr(self._copy_here(), how)(value, read_value=read_value)
        if how != 'assign' and self._aggregation == VariableAggregation.SUM:
            raise ValueError("SyncOnReadVariable does not support `assign_add` in cross-replica context when aggregation is set "
                             'to `tf.VariableAggregation.SUM`.' if how == 'assign_add' else
                             'SyncOnReadVariable does not support `assign_sub` in cross-replica context when aggregation is '
                             'set to `tf.VariableAggregation.SUM`.')
        if self._aggregation == VariableAggregation.SUM:
            value = values.PerReplica([math_ops.divide(part, len(self._values))
                                       for part in values.flat_parts(value, len(self._values))])
        return self._set_all(how, value, read_value)

    def value(self) -> Any:
        """Returns the copy's value in a replica, that of all of them together elsewhere."""
        return self._copy_here().value() if self._is_in_replica() else self._whole()

    read_value = value  # type: ignore[assignment]

    def _whole(self) -> Any:
        if self._aggregation == _FIRST:
            return self._primary.value()
        if self._aggregation == _NONE:
            raise ValueError('Could not convert from `tf.VariableAggregation` '
                             f'{self._aggregation} to`tf.distribute.ReduceOp` type')
        op = reduction.ReduceOp.from_variable_aggregation(self._aggregation)
        return reduction.combine(op, [copy.value() for copy in self._values], self._primary.device)


def make(strategy: Any, devices: Sequence[str], next_creator: Any, kwargs: dict[str, Any]) -> DistributedVariable:
    """Makes a copy on each of |devices| and puts them together."""
    kind, aggregation = _kind(kwargs)
    copies: list[Any] = []
    for i, device in enumerate(devices):
        with scopes.device(device):
            given = dict(kwargs, synchronization=None, aggregation=None, use_resource=True, collections=[])
            if i > 0:
                given['name'] = f'{copies[0].name.split(":")[0]}/replica_{i}'
                given['initial_value'] = _value_of(copies[0])
            copies.append(next_creator(**given))
    made = type.__call__(kind, strategy, copies, aggregation)
    _note(made, kwargs)
    return made


def _note(made: DistributedVariable, kwargs: dict[str, Any]) -> None:
    """Puts a variable of a graph into the collections it was asked for in, in place of its copies."""
    if scopes.executing_eagerly():
        return
    collections = list(kwargs.get('collections') or [GraphKeys.GLOBAL_VARIABLES])
    if made.trainable:
        collections.append(GraphKeys.TRAINABLE_VARIABLES)
        known = scopes.get_collection_ref(GraphKeys.TRAINABLE_VARIABLES)
        known[:] = [item for item in known if all(item is not copy for copy in made.values)]
    scopes.add_to_collections(collections, made)


def _value_of(first: Any) -> Any:
    """Returns what the other copies start with."""
    def initial() -> Any:
        if scopes.executing_eagerly():
            return first.read_value()
        return first.initial_value
    return initial


def _kind(kwargs: dict[str, Any]) -> tuple[type, Any]:
    synchronization = kwargs.get('synchronization') or VariableSynchronization.AUTO
    aggregation = kwargs.get('aggregation') or _NONE
    if synchronization == VariableSynchronization.NONE:
        raise ValueError('`NONE` variable synchronization mode is not supported with tf.distribute strategy. Please change '
                         f'the `synchronization` for variable: {kwargs.get("name")}')
    if synchronization == VariableSynchronization.ON_READ:
        kwargs['trainable'] = False
        return SyncOnReadVariable, aggregation
    return MirroredVariable, aggregation


def local_parts(structure: Any, count: int) -> tuple[Any, ...]:
    """Returns |structure| as each replica has it."""
    if isinstance(structure, values.DistributedValues):
        return structure.values
    if nest.is_nested(structure):
        return tuple(values.select(structure, i) for i in range(count))
    return (structure,)
