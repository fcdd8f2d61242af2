"""inputs - Datasets whose batches are divided among replicas."""

from __future__ import annotations

import enum
from typing import Any, Callable

from berth._distribute import values
from berth.base import naming
from berth.framework import nest, scopes
from berth.framework.composite import Composite


@naming.public('distribute.distribute_lib')
class InputReplicationMode(enum.Enum):
    """How many pipelines of input there are."""

    PER_WORKER = 'PER_WORKER'
    PER_REPLICA = 'PER_REPLICA'


@naming.public('distribute.distribute_lib')
class InputContext:
    """What a function that makes datasets is told."""

    def __init__(self, num_input_pipelines: int = 1, input_pipeline_id: int = 0, num_replicas_in_sync: int = 1) -> None:
        self._num_input_pipelines = num_input_pipelines
        self._input_pipeline_id = input_pipeline_id
        self._num_replicas_in_sync = num_replicas_in_sync

    num_input_pipelines = property(lambda self: self._num_input_pipelines, doc='How many pipelines there are.')
    input_pipeline_id = property(lambda self: self._input_pipeline_id, doc='The number of this one.')
    num_replicas_in_sync = property(lambda self: self._num_replicas_in_sync, doc='How many replicas there are.')

    def get_per_replica_batch_size(self, global_batch_size: int) -> int:
        """Returns the part of a batch that a replica gets."""
        if global_batch_size % self._num_replicas_in_sync != 0:
            raise ValueError(f'The `global_batch_size` {global_batch_size!r} is not divisible by `num_replicas_in_sync` '
                             f'{self._num_replicas_in_sync!r} ')
        return global_batch_size // self._num_replicas_in_sync

    def __str__(self) -> str:
        return (f'tf.distribute.InputContext(input pipeline id {self._input_pipeline_id}, total: '
                f'{self._num_input_pipelines})')


@naming.public('distribute.distribute_lib')
class InputOptions:
    """How input is divided and kept ready."""

    def __init__(self, experimental_fetch_to_device: Any = None,
                 experimental_replication_mode: Any = InputReplicationMode.PER_WORKER,
                 experimental_place_dataset_on_device: bool = False,
                 experimental_per_replica_buffer_size: int = 1) -> None:
        self.experimental_fetch_to_device = experimental_fetch_to_device
        self.experimental_replication_mode = experimental_replication_mode
        self.experimental_place_dataset_on_device = experimental_place_dataset_on_device
        self.experimental_per_replica_buffer_size = experimental_per_replica_buffer_size


@naming.public('distribute.distribute_lib')
class ValueContext:
    """What a function that makes a value for a replica is told."""

    def __init__(self, replica_id_in_sync_group: int = 0, num_replicas_in_sync: int = 1) -> None:
        self.replica_id_in_sync_group = replica_id_in_sync_group
        self.num_replicas_in_sync = num_replicas_in_sync


def values_from_function(strategy: Any, value_fn: Callable[..., Any]) -> Any:
    """Returns what |value_fn| gives for each replica, each on its device."""
    count = strategy.num_replicas_in_sync
    made = [value_fn(ValueContext(i, count)) for i in range(count)]
    return values.regroup(made)


def _sizes(batch: int, count: int) -> list[int]:
    """Returns how many rows of a batch each replica gets: the first ones get what is left over."""
    return [batch // count + (1 if i < batch % count else 0) for i in range(count)]


def _divided(element: Any, count: int) -> list[Any]:
    """Returns the parts of a batch: each replica gets the rows of its place."""
    leaves = nest.flatten(element)
    if count == 1 or not leaves:
        return [element] * count
    parts, first = [], 0
    for size in _sizes_of(leaves[0], count):
        parts.append(nest.map_structure(lambda leaf, a=first, b=first + size: leaf[a:b], element))
        first += size
    return parts


def _sizes_of(leaf: Any, count: int) -> Any:
    """Returns how many rows of |leaf| each replica gets: tensors, where a function does not know how many there are."""
    rows = leaf.shape.as_list()[0]
    if rows is not None:
        return _sizes(rows, count)
    from berth.ops import array_ops, math_ops

    rows = array_ops.shape(leaf)[0]
    return [math_ops.floordiv(rows + (count - 1 - i), count) for i in range(count)]


@naming.public('distribute.input_lib')
class DistributedDataset:
    """A dataset of global batches, each divided among replicas."""

    def __init__(self, strategy: Any, dataset: Any) -> None:
        self._strategy, self._dataset = strategy, dataset

    @property
    def element_spec(self) -> Any:
        """What elements are, before they are divided."""
        return self._dataset.element_spec

    def __iter__(self) -> 'DistributedIterator':
        return DistributedIterator(self._strategy, iter(self._dataset))

    def reduce(self, initial_state: Any, reduce_func: Callable[..., Any]) -> Any:
        """Returns what |reduce_func| makes of all elements, one after the other."""
        state = initial_state
        for element in self:
            state = reduce_func(state, element)
        return state


@naming.public('distribute.input_lib')
class DistributedIterator(Composite):
    """Goes through a DistributedDataset."""

    def __init__(self, strategy: Any, source: Any) -> None:
        self._strategy, self._source = strategy, source

    # ---- What it is made of ----

    def _parts(self) -> list[Any]:
        return self._source._parts()

    def _with_parts(self, parts: list[Any]) -> 'DistributedIterator':
        return type(self)(self._strategy, self._source._with_parts(parts))

    def _open_parts(self) -> tuple[int, ...]:
        return ()

    def _kind_note(self) -> Any:
        return id(self._strategy), self._source._kind_note()

    # ---- Elements ----

    @property
    def element_spec(self) -> Any:
        """What elements are, before they are divided."""
        return self._source.element_spec

    def get_next_as_optional(self) -> Any:
        """Returns the next element, or nothing at the end."""
        return _DistributedOptional(self._strategy, self._source.get_next_as_optional())

    def __iter__(self) -> 'DistributedIterator':
        return self

    def __next__(self) -> Any:
        return _placed(self._strategy, _divided(next(self._source), self._strategy.num_replicas_in_sync))

    def get_next(self) -> Any:
        """Returns the next element; OutOfRangeError behind the last."""
        element = self._source.get_next()
        return _placed(self._strategy, _divided(element, self._strategy.num_replicas_in_sync))


def _placed(strategy: Any, parts: list[Any]) -> Any:
    """Puts parts on the devices of their replicas, and together."""
    from berth.ops import array_ops

    made = []
    for part, device in zip(parts, strategy.extended.worker_devices):
        with scopes.device(device):
            made.append(nest.map_structure(array_ops.identity, part))
    return values.regroup(made)


class _DistributedOptional(Composite):
    """An element that is divided among replicas, or nothing."""

    def __init__(self, strategy: Any, whole: Any) -> None:
        self._strategy, self._whole = strategy, whole

    def has_value(self, name: Any = None) -> Any:
        """Returns whether there is one."""
        return self._whole.has_value(name)

    def get_value(self, name: Any = None) -> Any:
        """Returns it; InvalidArgumentError when there is none."""
        return _placed(self._strategy, _divided(self._whole.get_value(name), self._strategy.num_replicas_in_sync))

    @property
    def element_spec(self) -> Any:
        """What is known of the element, before it is divided."""
        return self._whole.element_spec

    def _parts(self) -> list[Any]:
        return self._whole._parts()

    def _with_parts(self, parts: list[Any]) -> '_DistributedOptional':
        return _DistributedOptional(self._strategy, self._whole._with_parts(parts))

    def _open_parts(self) -> tuple[int, ...]:
        return ()

    def _kind_note(self) -> Any:
        return id(self._strategy), self._whole._kind_note()


class _OwnBatches(DistributedDataset):
    """A dataset whose elements are one replica's each."""

    def __iter__(self) -> Any:
        return _OwnIterator(self._strategy, iter(self._dataset))


class _OwnIterator(DistributedIterator):
    """Gives each replica the next element."""

    def get_next(self) -> Any:
        """Returns the next elements; OutOfRangeError where there are not enough."""
        return _placed(self._strategy, [self._source.get_next() for _ in range(self._strategy.num_replicas_in_sync)])

    def get_next_as_optional(self) -> Any:
        """Refuses: some replicas may have an element while others have none."""
        raise NotImplementedError('Berth has get_next_as_optional() for datasets of global batches, and not yet for those of '
                                  'distribute_datasets_from_function()')

    def __next__(self) -> Any:
        count = self._strategy.num_replicas_in_sync
        parts = []
        for _ in range(count):
            try:
                parts.append(next(self._source))
            except StopIteration:
                break
        if not parts:
            raise StopIteration
        empty = nest.map_structure(lambda leaf: leaf[:0], parts[-1])
        return _placed(self._strategy, parts + [empty] * (count - len(parts)))


def from_function(strategy: Any, dataset_fn: Callable[..., Any]) -> DistributedDataset:
    """Returns a dataset of which each replica takes elements of its own."""
    return _OwnBatches(strategy, dataset_fn(InputContext(1, 0, strategy.num_replicas_in_sync)))
