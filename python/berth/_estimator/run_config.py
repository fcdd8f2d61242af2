"""run_config - tf.estimator.RunConfig: how an estimator trains, saves and reports."""

from __future__ import annotations

import copy
from typing import Any

from berth._train.cluster import ClusterSpec
from berth.base import naming, protos

_DEFAULT: Any = object()  # An argument that was not given.
_BOTH = '`save_checkpoints_steps` and `save_checkpoints_secs` cannot be both set.'
_REPLACEABLE = [
    'model_dir', 'tf_random_seed', 'save_summary_steps', 'save_checkpoints_steps', 'save_checkpoints_secs',
    'session_config', 'keep_checkpoint_max', 'keep_checkpoint_every_n_hours', 'log_step_count_steps',
    'train_distribute', 'device_fn', 'protocol', 'eval_distribute', 'experimental_distribute',
    'experimental_max_worker_delay_secs', 'session_creation_timeout_secs', 'checkpoint_save_graph_def']


class TaskType:
    """What a machine of a cluster does."""

    MASTER = 'master'
    PS = 'ps'
    WORKER = 'worker'
    CHIEF = 'chief'
    EVALUATOR = 'evaluator'


@naming.public('estimator.run_config')
class RunConfig:
    """Settings of an estimator, on this machine alone."""

    def __init__(self, model_dir: str | None = None, tf_random_seed: int | None = None, save_summary_steps: Any = 100,
                 save_checkpoints_steps: Any = _DEFAULT, save_checkpoints_secs: Any = _DEFAULT,
                 session_config: Any = None, keep_checkpoint_max: int = 5, keep_checkpoint_every_n_hours: Any = 10000,
                 log_step_count_steps: Any = 100, train_distribute: Any = None, device_fn: Any = None,
                 protocol: Any = None, eval_distribute: Any = None, experimental_distribute: Any = None,
                 experimental_max_worker_delay_secs: Any = None, session_creation_timeout_secs: float = 7200,
                 checkpoint_save_graph_def: bool = True) -> None:
        if save_checkpoints_steps is _DEFAULT and save_checkpoints_secs is _DEFAULT:
            save_checkpoints_steps, save_checkpoints_secs = None, 600
        save_checkpoints_steps = None if save_checkpoints_steps is _DEFAULT else save_checkpoints_steps
        save_checkpoints_secs = None if save_checkpoints_secs is _DEFAULT else save_checkpoints_secs
        if save_checkpoints_steps is not None and save_checkpoints_secs is not None:
            raise ValueError(_BOTH)
        if eval_distribute is not None or experimental_distribute is not None:
            raise NotImplementedError('tf.estimator.RunConfig: Berth distributes training alone, by train_distribute')
        given = locals()
        for name in _REPLACEABLE:
            setattr(self, '_' + name, given[name])
        if session_config is None:
            self._session_config = protos.ConfigProto(allow_soft_placement=True)
        self._task_type, self._task_id, self._is_chief = TaskType.WORKER, 0, True
        self._cluster_spec = ClusterSpec({})
        self._master = self._evaluation_master = ''
        self._num_ps_replicas, self._num_worker_replicas = 0, 1
        self._service = None
        self._global_id_in_cluster = 0

    def replace(self, **kwargs: Any) -> 'RunConfig':
        """Returns a copy with other settings."""
        new = copy.copy(self)
        for name, value in kwargs.items():
            if name not in _REPLACEABLE:
                raise ValueError(f'Replacing {name} is not supported. Allowed properties are {_REPLACEABLE}.')
            setattr(new, '_' + name, value)
        if 'save_checkpoints_steps' in kwargs and 'save_checkpoints_secs' not in kwargs:
            new._save_checkpoints_secs = None
        if 'save_checkpoints_secs' in kwargs and 'save_checkpoints_steps' not in kwargs:
            new._save_checkpoints_steps = None
        if new.save_checkpoints_steps is not None and new.save_checkpoints_secs is not None:
            raise ValueError(_BOTH)
        return new


def _readers() -> None:
    """Gives the class a property for each setting."""
    for name in _REPLACEABLE + ['task_type', 'task_id', 'is_chief', 'cluster_spec', 'master', 'evaluation_master',
                                'num_ps_replicas', 'num_worker_replicas', 'service', 'global_id_in_cluster']:
        setattr(RunConfig, name, property(lambda self, key='_' + name: getattr(self, key), doc=f'The setting {name}.'))


_readers()
