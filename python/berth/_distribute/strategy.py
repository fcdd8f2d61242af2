"""strategy - tf.distribute.Strategy and its kinds: which devices work, and what they share."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any, Callable, Optional

from berth._autograph import call as autograph
from berth._distribute import reduction, turns, values, variables
from berth._distribute.reduction import ReduceOp
from berth._distribute.replica import ReplicaContext
from berth.base import logging, naming
from berth.framework import convert, nest, scopes
from berth.framework.device_spec import DeviceSpecV2
from berth.modules import config
from berth.ops import array_ops, math_ops, order_ops
from berth.variables import creators
from berth.variables.replicas import container_of, has_strategy, here  # noqa: F401

_HOST = '/job:localhost/replica:0/task:0/device:CPU:0'


# ---- Which one is in force ----


def get_strategy() -> Any:
    """Returns the strategy whose scope or run this is, or the one that stands for none."""
    return default() if here.strategy is None else here.strategy


def in_cross_replica_context() -> bool:
    """True where all replicas are meant together."""
    return here.strategy is not None and here.replica is None


def get_replica_context() -> Optional[ReplicaContext]:
    """Returns the replica at work; None where all of them are meant."""
    if here.strategy is None:
        return default()._contexts[0]
    return here.replica


def experimental_set_strategy(strategy: Any) -> None:
    """Makes |strategy| the one in force until further notice."""
    here.strategy, here.replica = strategy, None
    kept = [item for item in creators.stack.items if not getattr(item, '_is_of_strategy', False)]
    creators.stack.items = tuple(kept) if strategy is None else (*kept, strategy._creator)


# ---- What strategies share ----


@naming.public('distribute.distribute_lib')
class StrategyExtended:
    """What a strategy offers to libraries: places, variables, reductions."""

    def __init__(self, strategy: Any, devices: Sequence[str], cross_device_ops: Any = None) -> None:
        self._strategy = strategy
        self._devices = tuple(devices)
        self._cross_device_ops = cross_device_ops or reduction.ReductionToOneDevice()

    worker_devices = property(lambda self: self._devices, doc='The devices of the replicas.')
    parameter_devices = property(lambda self: self._devices, doc='The devices of variables.')
    experimental_require_static_shapes = False

    def variable_created_in_scope(self, v: Any) -> bool:
        """True for a variable made under the strategy."""
        return getattr(v, '_distribute_strategy', None) is self._strategy

    def value_container(self, value: Any) -> Any:
        """Returns the variable of which |value| is a copy, or |value|."""
        whole = container_of(value)
        return value if whole is None else whole

    @contextlib.contextmanager
    def colocate_vars_with(self, colocate_with_variable: Any) -> Iterator[None]:
        """Variables made inside are where |colocate_with_variable| is: those of a strategy are everywhere."""
        yield

    def read_var(self, v: Any) -> Any:
        """Returns the value of a variable."""
        return v.value()

    def reduce_to(self, reduce_op: Any, value: Any, destinations: Any, options: Any = None) -> Any:
        """Returns the sum or mean of what replicas have, where |destinations| are."""
        return self._cross_device_ops.reduce(reduction.as_op(reduce_op), value, destinations)

    def batch_reduce_to(self, reduce_op: Any, value_destination_pairs: Any, options: Any = None) -> list[Any]:
        """The same for several values."""
        return self._cross_device_ops.batch_reduce(reduction.as_op(reduce_op), value_destination_pairs)

    def broadcast_to(self, tensor: Any, destinations: Any) -> Any:
        """Returns |tensor| where |destinations| are."""
        return self._cross_device_ops.broadcast(tensor, destinations)

    def update(self, var: Any, fn: Callable[..., Any], args: Any = (), kwargs: Optional[dict[str, Any]] = None,
               group: bool = True) -> Any:
        """Calls |fn| with every copy of |var| and its part of the arguments, where the copy is."""
        copies = var.values if isinstance(var, values.DistributedValues) else (var,)
        made = []
        for i, copy in enumerate(copies):
            with turns.updating(i, copy.device):
                made.append(fn(copy, *values.select(tuple(args), i), **values.select(kwargs or {}, i)))
        return _grouped(made) if group else variables.local_parts(values.regroup(made, values.Mirrored), len(made))

    def update_non_slot(self, colocate_with: Any, fn: Callable[..., Any], args: Any = (),
                        kwargs: Optional[dict[str, Any]] = None, group: bool = True) -> Any:
        """Calls |fn| on each of the devices |colocate_with|, where copies are changed that belong to no other."""
        made = []
        for i, device in enumerate(colocate_with):
            with turns.updating(i, device):
                made.append(fn(*values.select(tuple(args), i), **values.select(kwargs or {}, i)))
        return _grouped(made) if group else variables.local_parts(values.regroup(made, values.Mirrored), len(made))

    def non_slot_devices(self, var_list: Any) -> Any:
        """Returns where variables go that belong to no other."""
        return self._devices

    def call_for_each_replica(self, fn: Callable[..., Any], args: Any = (),
                              kwargs: Optional[dict[str, Any]] = None) -> Any:
        """Calls |fn| for each replica."""
        return self._strategy._call(fn, args, kwargs)


def _grouped(made: list[Any]) -> Any:
    """Returns one operation for those of all copies."""
    return None if scopes.executing_eagerly() else order_ops.group(*[item for item in made if item is not None])


@naming.public('distribute.distribute_lib')
class Strategy:
    """Devices that work on one model together."""

    is_default = False

    def __init__(self, extended: Any) -> None:
        self._extended = extended
        self._contexts = [ReplicaContext(self, i) for i in range(len(extended.worker_devices))]

        def creator(next_creator: Callable[..., Any], **kwargs: Any) -> Any:
            return self._make_variable(next_creator, kwargs)

        creator._is_of_strategy = True  # type: ignore[attr-defined]
        self._creator = creator

    extended = property(lambda self: self._extended, doc='What is for libraries.')
    cluster_resolver = None

    @property
    def num_replicas_in_sync(self) -> int:
        """How many replicas there are."""
        return len(self._contexts)

    def _make_variable(self, next_creator: Callable[..., Any], kwargs: dict[str, Any]) -> Any:
        return variables.make(self, self._extended.parameter_devices, next_creator, kwargs)

    @contextlib.contextmanager
    def scope(self) -> Iterator['Strategy']:
        """Variables made inside have a copy on each device."""
        if here.replica is not None and here.strategy is not None:
            raise RuntimeError('Method requires being in cross-replica context, use get_replica_context().merge_call()')
        if here.strategy not in (None, self):
            raise RuntimeError('Mixing different tf.distribute.Strategy objects: '
                               f'{self} is not {here.strategy}')
        if here.strategy is self:
            yield self
            return
        with turns.together(self), creators.variable_creator_scope(self._creator):
            yield self

    def _check_together(self) -> None:
        if here.replica is not None and here.strategy is self:
            raise RuntimeError('Method requires being in cross-replica context, use get_replica_context().merge_call()')

    # ---- Running ----

    def run(self, fn: Callable[..., Any], args: Any = (), kwargs: Optional[dict[str, Any]] = None,
            options: Any = None) -> Any:
        """Calls |fn| for each replica with its part of the arguments."""
        if not isinstance(args, (list, tuple)):
            raise ValueError(f'positional args must be a list or tuple, got {type(args)}')
        if not scopes.executing_eagerly() and scopes.get_default_graph().building_function:
            fn = autograph.convert_later(fn)
        with self.scope():
            return self._call(fn, args, kwargs)

    experimental_run_v2 = run  # Its first name.

    def _call(self, fn: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        return turns.run(self._contexts, fn, tuple(args), kwargs or {})

    # ---- Values ----

    def reduce(self, reduce_op: Any, value: Any, axis: Any = None) -> Any:
        """Returns the sum or mean of what replicas have, and along |axis| of it."""
        self._check_together()
        op = reduction.as_op(reduce_op)
        parts = [values.flat_parts(item, 1) for item in nest.flatten(value)]
        found = [self._reduced(op, list(part), axis) for part in parts]
        return nest.pack_sequence_as(value, found) if nest.is_nested(value) else found[0]

    def _reduced(self, op: ReduceOp, parts: list[Any], axis: Any) -> Any:
        if len(parts) == 1 and self.num_replicas_in_sync > 1 and op is ReduceOp.SUM and axis is None:
            raise ValueError(f'A non-DistributedValues value {parts[0]} cannot be reduced with the given reduce op {op}.')
        if axis is None:
            return reduction.combine(op, parts, _HOST)
        made = []
        for part, device in zip(parts, self._extended.worker_devices):
            with scopes.device(device):
                made.append(reduction.along(op, part, axis))
        if op is ReduceOp.SUM:
            return reduction.combine(op, made, _HOST)
        total = reduction.combine(ReduceOp.SUM, [item[0] for item in made], _HOST)
        count = reduction.combine(ReduceOp.SUM, [item[1] for item in made], _HOST)
        return math_ops.cast(total, count.dtype) / count

    def gather(self, value: Any, axis: int) -> Any:
        """Returns what replicas have, one behind the other."""
        self._check_together()

        def joined(item: Any) -> Any:
            with scopes.device(_HOST):
                return array_ops.concat([convert.convert_to_tensor(part) for part in values.flat_parts(item, 1)], axis)

        found = [joined(item) for item in nest.flatten(value)]
        return nest.pack_sequence_as(value, found) if nest.is_nested(value) else found[0]

    def experimental_local_results(self, value: Any) -> tuple[Any, ...]:
        """Returns |value| of each replica."""
        return variables.local_parts(value, self.num_replicas_in_sync)

    unwrap = experimental_local_results

    def group(self, value: Any, name: Optional[str] = None) -> Any:
        """Returns one operation for those of all replicas."""
        return order_ops.group(*self.experimental_local_results(value), name=name)

    def experimental_distribute_values_from_function(self, value_fn: Callable[..., Any]) -> Any:
        """Returns what |value_fn| gives for each replica."""
        from berth._distribute import inputs

        return inputs.values_from_function(self, value_fn)

    # ---- Input ----

    def experimental_distribute_dataset(self, dataset: Any, options: Any = None) -> Any:
        """Returns a dataset whose batches are divided among replicas."""
        from berth._distribute import inputs

        return inputs.DistributedDataset(self, dataset)

    def distribute_datasets_from_function(self, dataset_fn: Callable[..., Any], options: Any = None) -> Any:
        """Returns a dataset of which each replica takes batches of its own."""
        from berth._distribute import inputs

        return inputs.from_function(self, dataset_fn)

    experimental_distribute_datasets_from_function = distribute_datasets_from_function

    def update_config_proto(self, config_proto: Any) -> Any:
        """Returns |config_proto| as the strategy wants it."""
        return config_proto

    def configure(self, *args: Any, **kwargs: Any) -> None:
        """Does nothing: devices are chosen when a strategy is made."""


# ---- The kinds ----


class _DefaultStrategy(Strategy):
    """What stands for no strategy: one replica, ordinary variables."""

    is_default = True

    def __init__(self) -> None:
        super().__init__(StrategyExtended(self, ('',)))

    def _make_variable(self, next_creator: Callable[..., Any], kwargs: dict[str, Any]) -> Any:
        return next_creator(**kwargs)

    def _call(self, fn: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        with self._contexts[0]:
            return fn(*args, **(kwargs or {}))

    def experimental_distribute_dataset(self, dataset: Any, options: Any = None) -> Any:
        """Returns |dataset|."""
        return dataset


_default: Optional[_DefaultStrategy] = None


def default() -> _DefaultStrategy:
    """Returns the strategy that stands for none."""
    global _default  # pylint: disable=global-statement
    if _default is None:
        _default = _DefaultStrategy()
    return _default


@naming.public('distribute.one_device_strategy', 'OneDeviceStrategy')
class OneDeviceStrategy(Strategy):
    """One device for variables and steps."""

    def __init__(self, device: str) -> None:
        super().__init__(StrategyExtended(self, (_full_name(device),)))

    def _make_variable(self, next_creator: Callable[..., Any], kwargs: dict[str, Any]) -> Any:
        with scopes.device(self._extended.worker_devices[0]):
            made = next_creator(**kwargs)
        made._distribute_strategy = self
        return made


@naming.public('distribute.mirrored_strategy', 'MirroredStrategy')
class MirroredStrategy(Strategy):
    """A copy of every variable on each device, kept the same."""

    def __init__(self, devices: Any = None, cross_device_ops: Any = None) -> None:
        names = _all_gpus() if devices is None else [_full_name(device) for device in devices]
        if not names:
            raise AssertionError(f'Got an empty `devices` list: {devices}.')
        if len(set(names)) != len(names):
            raise AssertionError(f'Duplicates in `devices` argument: {devices}')
        super().__init__(StrategyExtended(self, names, cross_device_ops or reduction.usual(names)))
        logging.info('Using MirroredStrategy with devices %r', tuple(names))


def _all_gpus() -> list[str]:
    """Returns all GPUs, or the CPU where there are none."""
    gpus = [item.name for item in config.list_logical_devices('GPU')]
    if not gpus:
        logging.warning('There are non-GPU devices in `tf.distribute.Strategy`, not using nccl allreduce.')
    return [_full_name(name) for name in gpus or ['/device:CPU:0']]


def _full_name(device: Any) -> str:
    """Returns the canonical name of |device|."""
    spec = DeviceSpecV2.from_string(str(device))
    whole = DeviceSpecV2(job='localhost', replica=0, task=0, device_type='CPU', device_index=0).make_merged_spec(spec)
    return whole.to_string()


def _unavailable(name: str, needs: str) -> type:
    """Makes a strategy that says what it would need."""
    def init(self: Any, *args: Any, **kwargs: Any) -> None:
        raise NotImplementedError(f'tf.distribute.{name} needs {needs}, which Berth does not have')
    return type(name, (Strategy,), {'__init__': init, '__doc__': f'Refuses: it needs {needs}.'})


MultiWorkerMirroredStrategy = _unavailable('MultiWorkerMirroredStrategy', 'several machines')
ParameterServerStrategy = _unavailable('ParameterServerStrategy', 'several machines')
CentralStorageStrategy = _unavailable('CentralStorageStrategy', 'variables in the host memory of several replicas')
TPUStrategy = _unavailable('TPUStrategy', 'TPUs')
