"""cluster - tf.train.ClusterSpec and tf.train.Server: which machines there are; Berth is one of them."""

from __future__ import annotations

import threading
from typing import Any

from berth.base import naming, protos
from berth.framework import compat_text


@naming.public('training.server_lib')
class ClusterSpec:
    """Addresses of tasks, by job and number."""

    def __init__(self, cluster: Any) -> None:
        if isinstance(cluster, dict):
            self._cluster_spec = {job: _tasks(job, tasks) for job, tasks in cluster.items()}
            self._cluster_def = _definition(self._cluster_spec)
            return
        if isinstance(cluster, ClusterSpec):
            cluster = cluster.as_cluster_def()
        if not isinstance(cluster, protos.ClusterDef):
            raise TypeError('`cluster` must be a dictionary mapping one or more job names to lists of network '
                            'addresses, or a `ClusterDef` protocol buffer')
        self._cluster_def = cluster
        self._cluster_spec = {job.name: dict(job.tasks.items()) for job in cluster.job}

    def __bool__(self) -> bool:
        return bool(self._cluster_spec)

    def __eq__(self, other: object) -> bool:
        return self._cluster_spec == other

    def __ne__(self, other: object) -> bool:
        return self._cluster_spec != other

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        jobs = self.as_dict()
        return 'ClusterSpec({' + ', '.join(f'{job!r}: {jobs[job]!r}' for job in sorted(jobs)) + '})'

    def as_dict(self) -> dict[str, Any]:
        """Returns lists of addresses by job; a dictionary where numbers are left out."""
        return {job: self._addresses(job) for job in self.jobs}

    def _addresses(self, job: str) -> Any:
        numbers = self.task_indices(job)
        if numbers and max(numbers) + 1 == len(numbers):
            return self.job_tasks(job)
        return {number: self.task_address(job, number) for number in numbers}

    def as_cluster_def(self) -> Any:
        """Returns the message."""
        return self._cluster_def

    @property
    def jobs(self) -> list[str]:
        """The names of the jobs."""
        return list(self._cluster_spec)

    def _job(self, name: str) -> dict[int, str]:
        if name not in self._cluster_spec:
            raise ValueError(f'No such job in cluster: {name!r}')
        return self._cluster_spec[name]

    def num_tasks(self, job_name: str) -> int:
        """Returns how many tasks a job has."""
        return len(self._job(job_name))

    def task_indices(self, job_name: str) -> list[int]:
        """Returns the numbers of the tasks of a job."""
        return sorted(self._job(job_name))

    def task_address(self, job_name: str, task_index: int) -> str:
        """Returns the address of a task."""
        job = self._job(job_name)
        if task_index not in job:
            raise ValueError(f'No task with index {task_index!r} in job {job_name!r}')
        return job[task_index]

    def job_tasks(self, job_name: str) -> list[Any]:
        """Returns the addresses of a job, None where a number is left out."""
        job = self._job(job_name)
        return [job.get(number) for number in range(max(job) + 1)]


def _tasks(job: Any, tasks: Any) -> dict[int, Any]:
    if isinstance(tasks, (list, tuple)):
        return dict(enumerate(tasks))
    if isinstance(tasks, dict):
        return {int(number): task for number, task in tasks.items()}
    raise TypeError(f'The tasks for job {job!r} must be a list or a dictionary from integers to strings.')


def _definition(jobs: dict[Any, dict[int, Any]]) -> Any:
    made = protos.ClusterDef()
    for name, tasks in sorted(jobs.items()):
        job = made.job.add()
        job.name = _text(name, 'Job name')
        for number, address in sorted(tasks.items()):
            job.tasks[number] = _text(address, 'Task address')
    return made


def _text(value: Any, what: str) -> str:
    try:
        return compat_text.as_bytes(value).decode()
    except TypeError:
        raise TypeError(f'{what} {value!r} must be bytes or unicode') from None


@naming.public('training.server_lib')
class Server:
    """The task of a cluster that this process is, which must be the only one."""

    def __init__(self, server_or_cluster_def: Any, job_name: str | None = None, task_index: int | None = None,
                 protocol: str | None = None, config: Any = None, start: bool = True) -> None:
        self._server_def = _server_def(server_or_cluster_def, job_name, task_index, protocol, config)
        count = sum(len(job.tasks) for job in self._server_def.cluster.job)
        if count != 1:
            raise NotImplementedError(f'tf.train.Server: Berth works in one process and cannot be one of {count} tasks')

    def start(self) -> None:
        """Does nothing: whoever is in this process is served."""

    def join(self) -> None:
        """Waits for ever, as servers do."""
        threading.Event().wait()

    @property
    def server_def(self) -> Any:
        """The message."""
        return self._server_def

    @property
    def target(self) -> str:
        """What a session of this process is made with."""
        return ''

    @staticmethod
    def create_local_server(config: Any = None, start: bool = True) -> 'Server':
        """Makes a server for this process alone."""
        return Server({'localhost': ['localhost:0']}, protocol='grpc', config=config, start=start)


def _server_def(given: Any, job_name: Any, task_index: Any, protocol: Any, config: Any) -> Any:
    """Returns the message of a server."""
    made = protos.ServerDef()
    if isinstance(given, protos.ServerDef):
        made.MergeFrom(given)
        fields = {'job_name': job_name, 'task_index': task_index, 'protocol': protocol}
    else:
        spec = _spec(given)
        made.cluster.MergeFrom(spec.as_cluster_def())
        job_name = _only(spec.jobs, 'job_name') if job_name is None else job_name
        task_index = _only(spec.task_indices(job_name), 'task_index') if task_index is None else task_index
        fields = {'job_name': job_name, 'task_index': task_index, 'protocol': protocol or 'grpc'}
    for field, value in fields.items():
        if value is not None:
            setattr(made, field, value)
    if config is not None:
        made.default_session_config.MergeFrom(config)
    return made


def _spec(given: Any) -> ClusterSpec:
    try:
        return ClusterSpec(given)
    except TypeError:
        raise TypeError('Could not convert `server_or_cluster_def` to a `tf.train.ServerDef` or '
                        '`tf.train.ClusterSpec`.') from None


def _only(items: list[Any], what: str) -> Any:
    if len(items) != 1:
        raise ValueError(f'Must specify an explicit `{what}`.')
    return items[0]
