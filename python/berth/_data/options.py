"""options - tf.data.Options: how a dataset is to be gone through.

Berth obeys what changes results or threads; what is about TensorFlow's rewriting of datasets is kept
and does nothing, since there is nothing to rewrite.
"""

from __future__ import annotations

import enum
from typing import Any

from berth._data import wire
from berth.base import naming


class _Group:
    """Named settings, None until they are set."""

    _names: tuple[str, ...] = ()
    _groups: dict[str, type] = {}

    def __init__(self) -> None:
        for name in self._names:
            object.__setattr__(self, name, None)
        for name, kind in self._groups.items():
            object.__setattr__(self, name, kind())

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in self._names and name not in self._groups:
            raise AttributeError(f'Cannot set the property {name} on {type(self).__name__}.')
        object.__setattr__(self, name, value)

    def __eq__(self, other: Any) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return all(getattr(self, n) == getattr(other, n) for n in (*self._names, *self._groups))

    def __ne__(self, other: Any) -> bool:
        return not self == other

    __hash__ = None  # type: ignore[assignment]

    def merge(self, other: Any) -> Any:
        """Returns these settings with those of |other|, which count more."""
        made = type(self)()
        for name in self._names:
            value = getattr(other, name)
            object.__setattr__(made, name, getattr(self, name) if value is None else value)
        for name in self._groups:
            object.__setattr__(made, name, getattr(self, name).merge(getattr(other, name)))
        return made


@naming.public('data.ops.options')
class AutotuneAlgorithm(enum.Enum):
    """How TensorFlow chooses numbers of threads."""

    DEFAULT, HILL_CLIMB, GRADIENT_DESCENT, MAX_PARALLELISM, STAGE_BASED = range(5)


@naming.public('data.ops.options')
class AutoShardPolicy(enum.IntEnum):
    """How TensorFlow splits datasets between workers."""

    OFF, AUTO, FILE, DATA, HINT = -1, 0, 1, 2, 3


@naming.public('data.ops.options')
class ExternalStatePolicy(enum.Enum):
    """What is said of datasets that depend on something outside."""

    WARN, IGNORE, FAIL = 0, 1, 2


@naming.public('data.ops.options')
class AutotuneOptions(_Group):
    """How numbers of threads are chosen."""

    _names = ('enabled', 'cpu_budget', 'ram_budget', 'autotune_algorithm', 'initial_parallelism')


@naming.public('data.ops.options')
class DistributeOptions(_Group):
    """How a dataset is split between workers."""

    _names = ('auto_shard_policy', 'num_devices')


@naming.public('data.ops.options')
class OptimizationOptions(_Group):
    """How TensorFlow rewrites a dataset."""

    _names = ('apply_default_optimizations', 'filter_fusion', 'filter_parallelization', 'inject_prefetch',
              'map_and_batch_fusion', 'map_and_filter_fusion', 'map_fusion', 'map_parallelization', 'noop_elimination',
              'parallel_batch', 'seq_interleave_prefetch', 'shuffle_and_repeat_fusion')


@naming.public('data.ops.options')
class ThreadingOptions(_Group):
    """How many threads there are."""

    _names = ('max_intra_op_parallelism', 'private_threadpool_size')


@naming.public('data.ops.options')
class ServiceOptions(_Group):
    """How workers of a service are chosen."""

    _names = ('pinned',)


@naming.public('data.ops.options')
class Options(_Group):
    """How a dataset is to be gone through."""

    _names = ('dataset_name', 'deterministic', 'experimental_deterministic', 'experimental_external_state_policy',
              'experimental_slack', 'experimental_symbolic_checkpoint', 'experimental_threading', 'experimental_warm_start',
              'external_state_policy', 'framework_type')
    _groups = {'autotune': AutotuneOptions, 'experimental_distribute': DistributeOptions,
               'experimental_optimization': OptimizationOptions, 'threading': ThreadingOptions,
               'experimental_service': ServiceOptions}

    def serialized(self) -> bytes:
        """Returns TensorFlow's message of these options, of what Berth obeys."""
        order = b'' if self.deterministic is None else b'\x08\x01' if self.deterministic else b'\x08\x00'
        threads = self.threading.private_threadpool_size
        inner = b'' if threads is None else b'\x10' + wire.varint(threads)
        return order + b'\x12\x00\x1a\x00\x2a' + wire.varint(len(inner)) + inner + b'\x3a\x00\x62\x00'
