"""device_spec - tf.DeviceSpec: a device name, maybe partial, in its parts."""

from __future__ import annotations

from typing import Any, Callable, Optional

from berth.base import naming

_Parts = tuple  # job, replica, task, device_type, device_index
_BARE_TYPES = ('CPU', 'GPU', 'TPU')


def _as_int(value: Any) -> Optional[int]:
    return None if value is None else int(value)


def _as_text(value: Any) -> Optional[str]:
    return None if value is None else str(value)


def _as_type(value: Any) -> Optional[str]:
    return None if value is None else _upper_known(str(value))


def _upper_known(device_type: Any) -> Any:
    """Writes cpu and gpu as runtimes do; other types stay as they are."""
    return device_type.upper() if device_type in ('cpu', 'gpu') else device_type


def parse(spec: Optional[str]) -> _Parts:
    """Splits |spec| into its five parts; ValueError for one that is malformed."""
    parts: dict[str, Any] = dict.fromkeys(('job', 'replica', 'task', 'type', 'index'))
    for word in [] if not spec else [w.split(':') for w in spec.split('/')]:
        _parse_word(word, spec, parts)
    return tuple(parts.values())


def _parse_word(word: list, spec: Any, parts: dict[str, Any]) -> None:
    """Reads one word between slashes into |parts|."""
    if len(word) == 2 and word[0] == 'job':
        parts['job'] = word[1]
    elif len(word) == 2 and word[0] in ('replica', 'task'):
        parts[word[0]] = int(word[1])
    elif len(word) <= 2 and word[0].upper() in _BARE_TYPES:
        _set_type(word[0].upper(), word[1] if len(word) == 2 else '*', spec, parts)
    elif len(word) == 3 and word[0] == 'device':
        _set_type(_upper_known(word[1]), word[2], spec, parts)
    elif word[0] != '':
        raise ValueError(f"Unknown attribute '{word[0]}' is encountered "
                         f"while parsing the device spec: '{spec}'.")


def _set_type(device_type: str, index: str, spec: Any, parts: dict[str, Any]) -> None:
    if parts['type'] is not None:
        raise ValueError('Multiple device types are not allowed '
                         f'while parsing the device spec: {spec}.')
    parts['type'] = device_type
    parts['index'] = None if index == '*' else int(index)


@naming.public('framework.device_spec')
class DeviceSpecV2:
    """A device name in its parts, each of which may be missing; never changes."""

    __slots__ = ('_job', '_replica', '_task', '_device_type', '_device_index')

    def __init__(self, job: Any = None, replica: Any = None, task: Any = None,
                 device_type: Any = None, device_index: Any = None) -> None:
        self._take(job, replica, task, device_type, device_index)

    def _take(self, job: Any, replica: Any, task: Any, device_type: Any, device_index: Any) -> None:
        self._job = _as_text(job)
        self._replica = _as_int(replica)
        self._task = _as_int(task)
        self._device_type = _as_type(device_type)
        self._device_index = _as_int(device_index)

    @classmethod
    def from_string(cls, spec: Optional[str]) -> Any:
        """Reads a name; the slash in front may be missing."""
        return cls(*parse(spec))

    def parse_from_string(self, spec: Optional[str]) -> Any:
        """Returns what |spec| says."""
        return self.from_string(spec)

    def make_merged_spec(self, dev: 'DeviceSpecV2') -> Any:
        """Returns this with the parts that |dev| has put over it."""
        return type(self)(*_merged(self, dev))

    def replace(self, **kwargs: Any) -> Any:
        """Returns this with some parts changed."""
        old = {'job': self.job, 'replica': self.replica, 'task': self.task,
               'device_type': self.device_type, 'device_index': self.device_index}
        return type(self)(**{**old, **kwargs})

    @property
    def job(self) -> Optional[str]:
        """"worker" of "/job:worker"."""
        return self._job

    @property
    def replica(self) -> Optional[int]:
        """0 of "/replica:0"."""
        return self._replica

    @property
    def task(self) -> Optional[int]:
        """0 of "/task:0"."""
        return self._task

    @property
    def device_type(self) -> Optional[str]:
        """"GPU" of "/device:GPU:0"."""
        return self._device_type

    @property
    def device_index(self) -> Optional[int]:
        """0 of "/device:GPU:0"."""
        return self._device_index

    def to_string(self) -> str:
        """Returns the canonical name."""
        text = ''.join(f'/{key}:{value}' for key, value in (
            ('job', self.job), ('replica', self.replica), ('task', self.task))
            if value is not None)
        if self.device_type is not None:
            index = '*' if self.device_index is None else self.device_index
            text += f'/device:{self.device_type}:{index}'
        return text

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DeviceSpecV2) and _parts(self) == _parts(other)

    def __hash__(self) -> int:
        return hash(self.to_string())

    def __repr__(self) -> str:
        return (f'<DeviceSpec(job={self.job}, replica={self.replica}, task={self.task}, '
                f'device_type={self.device_type}, device_index={self.device_index})>')


def _parts(spec: DeviceSpecV2) -> _Parts:
    return spec.job, spec.replica, spec.task, spec.device_type, spec.device_index


def _merged(under: DeviceSpecV2, over: DeviceSpecV2) -> _Parts:
    return tuple(low if high is None else high
                 for low, high in zip(_parts(under), _parts(over)))


def _part(slot: str, read: Callable[[Any], Any]) -> Any:
    """Makes a part that can be set."""
    def getter(self: DeviceSpecV2) -> Any:
        return getattr(self, slot)

    def setter(self: DeviceSpecV2, value: Any) -> None:
        setattr(self, slot, read(value))

    return property(getter, setter)


@naming.public('framework.device_spec')
class DeviceSpecV1(DeviceSpecV2):
    """The DeviceSpec of TF1, whose parts can be set."""

    __slots__ = ()
    __hash__ = DeviceSpecV2.__hash__

    job = _part('_job', _as_text)
    replica = _part('_replica', _as_int)
    task = _part('_task', _as_int)
    device_type = _part('_device_type', _as_type)
    device_index = _part('_device_index', _as_int)

    def parse_from_string(self, spec: Optional[str]) -> 'DeviceSpecV1':
        """Takes the parts of |spec| and returns this."""
        self._take(*parse(spec))
        return self

    def merge_from(self, dev: DeviceSpecV2) -> None:
        """Puts the parts that |dev| has over this."""
        self._take(*_merged(self, dev))
