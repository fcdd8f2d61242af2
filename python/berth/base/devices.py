"""devices - Physical and logical devices, and what tf.config has settled about them.

A physical device is the CPU or a card; a logical device is what ops run on. Settings
can change until the runtime is initialised, which creates the logical devices; and, where the
program wants that (`live`), afterwards.
"""

from __future__ import annotations

import collections
import os
from _thread import RLock  # As threading has it; that module takes longer to load than this one.

from berth.base import naming, wishes

TYPE_CHECKING = False  # The module typing takes longer than listing the devices.
if TYPE_CHECKING:
    from typing import Any, Iterable, Optional

PhysicalDevice = collections.namedtuple('PhysicalDevice', ['name', 'device_type'])
LogicalDevice = collections.namedtuple('LogicalDevice', ['name', 'device_type'])
for _class in (PhysicalDevice, LogicalDevice):
    naming.public('eager.context')(_class)
# ConfigProto(allow_soft_placement=True), so that programs without settings of their own
# never load protobuf.
_SOFT_ONLY = b'8\x01'


@naming.public('eager.context')
class LogicalDeviceConfiguration(collections.namedtuple(
        'LogicalDeviceConfiguration',
        ['memory_limit', 'experimental_priority', 'experimental_device_ordinal'],
        defaults=(None, None, None))):
    """What a logical device is to be: its memory in megabytes, and its rank among others."""


class Settings:
    """The settings of tf.config, and the devices they lead to. Thread-safe."""

    def __init__(self) -> None:
        self._lock = RLock()  # Guards all of this.
        self._physical: Optional[list[PhysicalDevice]] = None
        self._visible: list[PhysicalDevice] = []
        self._growth: dict[PhysicalDevice, Optional[bool]] = {}
        self._virtual: dict[PhysicalDevice, list[LogicalDeviceConfiguration]] = {}
        self._handle: Any = None
        self._names: list[str] = []
        self.live = False  # Settings may change while the runtime is open.
        self.soft: Optional[bool] = None
        self.log = False
        self.is_logging_now = False  # What the runtime was opened with.
        self.threads: dict[str, Any] = {'Intra': 0, 'Inter': 0}
        self.imported: Any = None  # A ConfigProto given to enable_eager_execution().
        self.keepers: list[Any] = []  # Called to drop what is kept on devices for the next time.
        self.epoch = object()  # Another one when what decides how functions run has changed.

    # ---- Physical devices ----

    def physical(self) -> list[PhysicalDevice]:
        """Returns the CPU and the cards, asked for once."""
        with self._lock:
            if self._physical is None:
                from berth import _core

                self._physical = [PhysicalDevice('/physical_device:CPU:0', 'CPU')]
                self._physical += [PhysicalDevice(f'/physical_device:GPU:{i}', 'GPU')
                                   for i in range(len(_core.cards()))]
                self._visible = list(self._physical)
                self._growth = {d: None for d in self._physical if d.device_type == 'GPU'}
                self._take_imported()
            return list(self._physical)

    def _take_imported(self) -> None:
        """Applies the ConfigProto that enable_eager_execution() was given."""
        if self.imported is None:
            return
        options = self.imported.gpu_options
        cards = [d for d in self._visible if d.device_type == 'GPU']
        if options.visible_device_list and cards:
            self._visible = self._visible[:1] + [
                cards[_card_index(text, len(cards))]
                for text in options.visible_device_list.split(',')]
        if options.allow_growth:
            self._growth = {card: True for card in cards}
        count = self.imported.device_count.get('CPU', 1)
        if count > 1:
            self._virtual[self._visible[0]] = [LogicalDeviceConfiguration()] * count

    def _check(self, device: Any) -> None:
        if device not in self.physical():
            raise ValueError(f'Unrecognized device: {device!r}')

    def visible(self, device_type: Optional[str] = None) -> list[PhysicalDevice]:
        """Returns the physical devices in use."""
        self.physical()
        return [d for d in self._visible if device_type is None or d.device_type == device_type]

    def set_visible(self, devices: Any, device_type: Optional[str]) -> None:
        """Chooses the physical devices to use, of one type or of all."""
        if not isinstance(devices, (list, tuple)) or isinstance(devices, (PhysicalDevice, LogicalDevice)):
            devices = [devices]
        for device in devices:
            self._check(device)
            if device_type is not None and device.device_type != device_type:
                raise ValueError(f'Unrecognized device: {device!r}')
        self.physical()
        wanted = list(devices)
        if device_type is not None:
            wanted += [d for d in self._visible if d.device_type != device_type]
        if wanted == self._visible:
            return
        if self._is_live_now():
            self._change(visible=wanted)
            return
        self._check_open('Visible')
        self._visible = wanted

    def growth(self, device: Any) -> Optional[bool]:
        """Returns what was set, None when nothing was; KeyError for a CPU."""
        self._check(device)
        return self._growth[device]

    def set_growth(self, device: Any, enable: bool) -> None:
        """Lets the memory of |device| grow, or not."""
        self._check(device)
        if device in self._virtual and not self._is_live():
            raise ValueError(
                'Cannot set memory growth on device when virtual devices configured')
        if device.device_type != 'GPU':
            raise ValueError('Cannot set memory growth on non-GPU and non-Pluggable devices')
        if self._growth.get(device) == enable:
            return
        if not self._is_live_now():
            self._check_open('Physical')
        self._growth[device] = enable
        self._apply_growth([device])

    def virtual(self, device: Any) -> Optional[list[LogicalDeviceConfiguration]]:
        """Returns the logical devices that |device| is split into, or None."""
        self._check(device)
        return self._virtual.get(device)

    def set_virtual(self, device: Any, wanted: Any) -> None:
        """Splits |device| into logical ones."""
        self._check(device)
        _check_virtual(device.device_type, wanted)
        if self._virtual.get(device) == wanted:
            return
        if self._is_live_now():
            self._change(virtual={**self._virtual, device: list(wanted)})
            return
        self._check_open('Virtual')
        self._virtual[device] = wanted

    # ---- Changes while running ----

    def _is_live(self) -> bool:
        """True when settings may change at any time."""
        return self.live or os.environ.get('BERTH_LIVE_CONFIG', '') not in ('', '0')

    def _is_live_now(self) -> bool:
        """True when the runtime is open, and its settings may change all the same."""
        return self._handle is not None and self._is_live()

    def _gpus_on(self, device: Any) -> list[str]:
        """Returns the logical GPUs on a card."""
        from berth import _core

        card = int(device.name.rpartition(':')[2])
        return [one['name'] for one in _core.devices()
                if one['type'] == 'GPU' and _core.device_card(one['name']) == card]

    def _apply_growth(self, devices: list[PhysicalDevice]) -> None:
        """Lets the GPUs that there are on |devices| grow as was said of each; nothing before the start."""
        if self._handle is None:
            return
        from berth import _core

        for device in devices:
            if self._growth.get(device) is not None:
                for name in self._gpus_on(device):
                    _core.set_memory_growth(name, self._growth[device])

    def give_up(self) -> None:
        """Drops what is kept on devices for the next time, and what only a circle of objects holds."""
        import gc

        from berth import _core

        _core.forget_constants()
        for keeper in list(self.keepers):
            keeper()
        gc.collect()

    def _change(self, visible: Optional[list] = None, virtual: Optional[dict] = None) -> None:
        """Gives the runtime other devices; when that fails nothing has changed."""
        with self._lock:
            self.give_up()
            before = self._visible, self._virtual
            self._visible = self._visible if visible is None else visible
            self._virtual = self._virtual if virtual is None else virtual
            try:
                self._handle.configure(with_wishes(self.config_bytes()))
            except BaseException:
                self._visible, self._virtual = before
                raise
            finally:
                self._names = self._handle.devices
                self.epoch = object()
            self._apply_growth(self._visible)

    def _check_open(self, kind: str) -> None:
        if self._handle is not None:
            raise RuntimeError(f'{kind} devices cannot be modified after being initialized')

    def set_threads(self, kind: str, count: Any) -> None:
        """Sets how many threads work inside ("Intra") or between ("Inter") ops."""
        if self.threads[kind] == count:
            return
        if self._handle is not None:
            raise RuntimeError(f'{kind} op parallelism cannot be modified after initialization.')
        self.threads[kind] = count

    # ---- The configuration of the runtime ----

    def is_soft(self) -> bool:
        """True when ops may run elsewhere than asked."""
        if self.soft is not None:
            return self.soft
        from berth.base import execution

        return execution.is_eager()

    def config_bytes(self) -> bytes:
        """Returns all settings as a serialised ConfigProto."""
        if self._is_plain():
            return _SOFT_ONLY if self.is_soft() else b''
        self.physical()
        from berth.base import protos

        config = protos.ConfigProto()
        if self.imported is not None:
            config.ParseFromString(self.imported.SerializeToString())
        config.allow_soft_placement = self.is_soft()
        config.log_device_placement = config.log_device_placement or self.log
        config.intra_op_parallelism_threads = self.threads['Intra']
        config.inter_op_parallelism_threads = self.threads['Inter']
        for kind in ('CPU', 'GPU'):
            config.device_count[kind] = sum(
                len(self._virtual.get(d) or (None,)) for d in self._visible
                if d.device_type == kind)
        self._fill_gpu_options(config.gpu_options)
        return config.SerializeToString()

    def _is_plain(self) -> bool:
        """True when nothing but soft placement is set."""
        return (self.imported is None and not self.log and not any(self.threads.values())
                and not self._virtual and self._visible == (self._physical or [])
                and not any(g is not None for g in self._growth.values()))

    def _fill_gpu_options(self, options: Any) -> None:
        """Writes visible cards, in the order of the machine, with growth or limits."""
        cards = [d for d in self.physical() if d.device_type == 'GPU']
        used = [(i, d) for i, d in enumerate(cards) if d in self._visible]
        if not used:
            return
        options.visible_device_list = ','.join(str(i) for i, _ in used)
        if self._virtual:
            for _, card in used:
                _fill_virtual(options.experimental.virtual_devices.add(),
                              self._virtual.get(card) or [])
            return
        growths = {self._growth.get(card) for _, card in used}
        if len(growths) > 1 and self._is_live():
            options.allow_growth = True  # Nothing is held yet; each card gets its own in a moment.
            return
        if len(growths) > 1:
            raise ValueError('Memory growth cannot differ between GPU devices')
        options.allow_growth = bool(growths.pop())

    # ---- The runtime ----

    @property
    def is_initialized(self) -> bool:
        """True once there are logical devices."""
        return self._handle is not None

    def handle(self) -> Any:
        """Returns the runtime, initialising it if need be."""
        if self._handle is None:
            with self._lock:
                if self._handle is None:
                    self._handle = self._open()
                    if self._is_live():
                        self._apply_growth(self._visible)
        return self._handle

    def _open(self) -> Any:
        from berth import _core
        from berth.base import execution, lines

        lines.begin()
        handle = _core.Context(with_wishes(self.config_bytes()), execution.tensor_class)
        self._names = handle.devices
        self.is_logging_now = self.is_logging()
        if not self.is_logging_now:  # Constants are logged, too, which the short way does not do.
            _core.set_quick_context(handle)
        return handle

    def names(self) -> list[str]:
        """Returns the full names of the logical devices."""
        self.handle()
        return self._names

    def is_logging(self) -> bool:
        """True when a runtime that is opened now logs placements."""
        return self.log or bool(self.imported and self.imported.log_device_placement) or bool(
            os.environ.get('BERTH_LOG_PLACEMENT'))

    def has_gpu(self) -> bool:
        """True when the runtime has a GPU."""
        return any('/device:GPU:' in name for name in self.names())

    def logical(self, device_type: Optional[str] = None) -> list[LogicalDevice]:
        """Returns the logical devices; initialises the runtime."""
        found = []
        for name in self.names():
            kind = name.rsplit(':', 2)[1]
            if device_type is None or kind == device_type:
                found.append(LogicalDevice('/device:' + name.rpartition('/device:')[2], kind))
        return found

    def set_soft(self, enabled: Any) -> None:
        """Lets ops run elsewhere than asked, or not; works at any time."""
        if self._handle is not None:
            if not isinstance(enabled, bool) and enabled is not None:
                raise TypeError(
                    'TFE_ContextSetSoftDevicePlacement(): incompatible function arguments. '
                    'The following argument types are supported:\n    1. (arg0: object, arg1: '
                    f'bool) -> None\n\nInvoked with: <capsule object NULL at '
                    f'{id(self._handle):#x}>, {enabled!r}')
            self.soft = enabled
            self.epoch = object()
            self._handle.set_soft_placement(self.is_soft())
        self.soft = enabled


def _card_index(text: str, count: int) -> int:
    """Reads a number of a visible_device_list."""
    index = int(text)
    if not 0 <= index < count:
        raise ValueError(f'Invalid visible device index: {index}')
    return index


def _check_virtual(device_type: str, wanted: Iterable[Any]) -> None:
    """Raises ValueError for logical devices that |device_type| cannot have."""
    wanted = list(wanted)
    if device_type not in ('CPU', 'GPU'):
        raise ValueError(f'Virtual devices are not supported for {device_type}')
    if device_type == 'CPU':
        for one in wanted:
            _check_virtual_cpu(one)
        return
    for one in wanted:
        if one.memory_limit is None:
            raise ValueError('Setting memory limit is required for GPU virtual devices')
    for field, word in (('experimental_priority', 'priority'),
                        ('experimental_device_ordinal', 'device_ordinals')):
        missing = [getattr(one, field) is None for one in wanted]
        if any(missing) and not all(missing):
            raise ValueError(f'{word} must be specified for all virtual devices')


def _check_virtual_cpu(one: Any) -> None:
    if one.memory_limit is not None:
        raise ValueError('Setting memory limit on CPU virtual devices is currently not supported')
    for field in ('experimental_priority', 'experimental_device_ordinal'):
        if getattr(one, field) is not None:
            raise ValueError(
                f'Setting {field} on CPU virtual  devices is currently not supported')


def _fill_virtual(message: Any, wanted: list) -> None:
    """Writes the logical devices of one card."""
    for one in wanted:
        message.memory_limit_mb.append(one.memory_limit)
        if one.experimental_priority is not None:
            message.priority.append(one.experimental_priority)
        if one.experimental_device_ordinal is not None:
            message.device_ordinal.append(one.experimental_device_ordinal)


settings = Settings()


def session_config(config: Any) -> Optional[bytes]:
    """Returns what a session is to be made with: its own ConfigProto, or tf.config's settings."""
    own = settings.config_bytes() if config is None else config.SerializeToString()
    return with_wishes(own) or (None if config is None else b'')


# ---- Wishes of the command line ----

# `berth run` leaves its flags in the environment; they are put over the ConfigProto of every
# session and of the eager runtime.
_LOG = 'BERTH_LOG_PLACEMENT'
_SOFT = 'BERTH_SOFT_PLACEMENT'
_LIMIT = 'BERTH_GPU_MEMORY_LIMIT_MB'
_FRACTION = 'BERTH_GPU_MEMORY_FRACTION'
_COUNT = 'BERTH_DEVICE_COUNT'
_THREADS = 'BERTH_THREADS'


def with_wishes(config: bytes) -> bytes:
    """Returns |config|, a serialised ConfigProto, with what was asked for put over it."""
    wanted = {name: os.environ[name] for name in (_LOG, _SOFT, _LIMIT, _FRACTION, _COUNT, _THREADS)
              if os.environ.get(name)}
    if not wanted:
        return config
    from berth.base import protos

    message = protos.ConfigProto.FromString(config)
    for name, value in wanted.items():
        _obey(message, name, value)
    return message.SerializeToString()


def _obey(message: Any, name: str, value: str) -> None:
    """Puts one wish over |message|; ValueError for what makes no sense."""
    wrong = wishes.problem(name, value) if name not in (_LOG, _SOFT) else ''
    if wrong:
        raise ValueError(wrong)
    if name == _LOG:
        message.log_device_placement = True
    elif name == _SOFT:
        message.allow_soft_placement = True
    elif name == _LIMIT:
        _limit_memory(message.gpu_options, float(value))
    elif name == _FRACTION:
        message.gpu_options.per_process_gpu_memory_fraction = float(value)
    elif name == _THREADS:
        message.intra_op_parallelism_threads = int(value)
    else:
        for kind, _, count in (one.partition('=') for one in value.split(',')):
            message.device_count[kind] = int(count)


def _limit_memory(options: Any, megabytes: float) -> None:
    """Gives each visible card one logical GPU of that size, unless the program has its own."""
    from berth import _core

    devices = options.experimental.virtual_devices
    if any(device.memory_limit_mb for device in devices):
        return
    visible = options.visible_device_list
    del devices[:]
    for _ in range(len(visible.split(',')) if visible else len(_core.cards())):
        devices.add().memory_limit_mb.append(megabytes)
