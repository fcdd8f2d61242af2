"""wishes - What the command line asks for over the settings of a program.

`berth run` leaves its flags in the environment; they are put over the ConfigProto of
every session and of the eager runtime.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False  # The module typing would take half the time of starting.
if TYPE_CHECKING:
    from typing import Any

LOG = 'BERTH_LOG_PLACEMENT'
SOFT = 'BERTH_SOFT_PLACEMENT'
LIMIT = 'BERTH_GPU_MEMORY_LIMIT_MB'
FRACTION = 'BERTH_GPU_MEMORY_FRACTION'
COUNT = 'BERTH_DEVICE_COUNT'
THREADS = 'BERTH_THREADS'


def apply(config: bytes) -> bytes:
    """Returns |config|, a serialised ConfigProto, with what was asked for put over it."""
    wishes = {name: os.environ[name] for name in (LOG, SOFT, LIMIT, FRACTION, COUNT, THREADS)
              if os.environ.get(name)}
    if not wishes:
        return config
    from berth.base import protos

    message = protos.ConfigProto.FromString(config)
    for name, value in wishes.items():
        _obey(message, name, value)
    return message.SerializeToString()


def _obey(message: Any, name: str, value: str) -> None:
    """Puts one wish over |message|."""
    if name == LOG:
        message.log_device_placement = True
    elif name == SOFT:
        message.allow_soft_placement = True
    elif name == LIMIT:
        _limit_memory(message.gpu_options, float(value))
    elif name == FRACTION:
        message.gpu_options.per_process_gpu_memory_fraction = float(value)
    elif name == THREADS:
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
