"""replica_devices - tf.train.replica_device_setter: variables on some machines, all else on others."""

from __future__ import annotations

import itertools
from typing import Any, Callable, Optional

from berth.base import logging
from berth.framework.device_spec import DeviceSpecV2

# Ops that keep something, and go to the job that keeps it.
_KEEPERS = (
    'Variable', 'VariableV2', 'AutoReloadVariable', 'MutableHashTable', 'MutableHashTableV2',
    'MutableHashTableOfTensors', 'MutableHashTableOfTensorsV2', 'MutableDenseHashTable', 'MutableDenseHashTableV2',
    'VarHandleOp', 'BoostedTreesEnsembleResourceHandleOp', 'BoostedTreesQuantileStreamResourceHandleOp',
    'ResourceConditionalAccumulator', 'DecisionTreeResource')


def replica_device_setter(ps_tasks: int = 0, ps_device: str = '/job:ps', worker_device: str = '/job:worker',
                          merge_devices: bool = True, cluster: Any = None, ps_ops: Any = None,
                          ps_strategy: Any = None) -> Optional[Callable[[Any], str]]:
    """Returns a function for tf.device() that gives variables to the tasks of one job in turn; None without tasks."""
    if cluster is not None:
        jobs = cluster.as_dict() if hasattr(cluster, 'as_dict') else dict(cluster)
        ps_tasks = len(jobs.get(DeviceSpecV2.from_string(ps_device).job) or ())
    if ps_tasks == 0:
        return None
    if not merge_devices:
        logging.warning('DEPRECATION: It is recommended to set merge_devices=true in replica_device_setter')
    if ps_strategy is None:
        turns = itertools.cycle(range(ps_tasks))
        ps_strategy = lambda op: next(turns)  # noqa: E731
    if not callable(ps_strategy):
        raise TypeError('ps_strategy must be callable')
    keepers = _KEEPERS if ps_ops is None else ps_ops

    def device_of(op: Any) -> str:
        if not merge_devices and op.device:
            return str(op.device)
        own = DeviceSpecV2.from_string(op.device or '')
        if not ps_device or op.type not in keepers:
            return DeviceSpecV2.from_string(worker_device or '').make_merged_spec(own).to_string()
        wanted = DeviceSpecV2.from_string(ps_device)
        if wanted.job and own.job in (None, wanted.job):
            wanted = wanted.replace(task=ps_strategy(op))
        return wanted.make_merged_spec(own).to_string()

    return device_of
