"""replica - What the function of one replica can ask: who it is, and what all of them do together."""

from __future__ import annotations

from typing import Any, Callable, Optional

from berth._distribute import reduction, turns, values
from berth.base import naming
from berth.framework import convert, nest
from berth.ops import array_ops
from berth.variables.replicas import here


@naming.public('distribute.distribute_lib')
class ReplicaContext:
    """One replica of a strategy."""

    def __init__(self, strategy: Any, replica_id_in_sync_group: int) -> None:
        self._strategy = strategy
        self.number = int(replica_id_in_sync_group)
        self.thread: Any = None  # Where it runs, while others run beside it.
        self._before: list[tuple[Any, Any]] = []

    def __enter__(self) -> 'ReplicaContext':
        self._before.append((here.strategy, here.replica))
        here.strategy, here.replica = self._strategy, self
        return self

    def __exit__(self, *exc: Any) -> None:
        here.strategy, here.replica = self._before.pop()

    @property
    def strategy(self) -> Any:
        """The strategy whose replica it is."""
        return self._strategy

    @property
    def num_replicas_in_sync(self) -> int:
        """How many replicas there are."""
        return self._strategy.num_replicas_in_sync

    @property
    def replica_id_in_sync_group(self) -> int:
        """Its number among the replicas."""
        return self.number

    @property
    def devices(self) -> tuple[str, ...]:
        """The device it runs on."""
        devices = self._strategy.extended.worker_devices
        return (devices[self.number],)

    def merge_call(self, merge_fn: Callable[..., Any], args: Any = (), kwargs: Optional[dict[str, Any]] = None) -> Any:
        """Calls merge_fn(strategy, …) once with what all replicas hand over; each gets its part of the result."""
        if here.replica is not self and (here.strategy is not None or not self._strategy.is_default):
            raise RuntimeError('`merge_call` called while defining a new graph or a tf.function. This can often happen if the '
                               'function `fn` passed to `strategy.run()` contains a nested `@tf.function`, and the nested '
                               '`@tf.function` contains a synchronization point, such as aggregating gradients (e.g, '
                               'optimizer.apply_gradients), or if the function `fn` uses a control flow statement which '
                               'contains a synchronization point in the body.')
        if self.thread is not None:
            return self.thread.meet(merge_fn, args, kwargs or {})
        with turns.together(self._strategy):
            return merge_fn(self._strategy, *args, **(kwargs or {}))

    def all_reduce(self, reduce_op: Any, value: Any, options: Any = None) -> Any:
        """Returns the sum or mean of what all replicas hand over."""
        op = reduction.as_op(reduce_op)

        def merged(strategy: Any, *flat: Any) -> list[Any]:
            devices = strategy.extended.worker_devices
            return strategy.extended._cross_device_ops.batch_reduce(op, [(part, devices) for part in flat])

        flat = nest.flatten(value)
        found = self.merge_call(merged, args=tuple(_tensor(item) for item in flat))
        return nest.pack_sequence_as(value, list(found)) if nest.is_nested(value) else found[0]

    def all_gather(self, value: Any, axis: int, options: Any = None) -> Any:
        """Returns what all replicas hand over, one behind the other."""
        def merged(strategy: Any, *flat: Any) -> list[Any]:
            count = self.num_replicas_in_sync
            return [reduction.spread(array_ops.concat(list(values.flat_parts(part, count)), axis),
                                     strategy.extended.worker_devices) for part in flat]

        flat = nest.flatten(value)
        found = self.merge_call(merged, args=tuple(convert.convert_to_tensor(item) for item in flat))
        return nest.pack_sequence_as(value, list(found)) if nest.is_nested(value) else found[0]


def _tensor(item: Any) -> Any:
    return item if hasattr(item, 'indices') else convert.convert_to_tensor(item)
