"""_settings - What the command line asks for over the settings of a program.

`berth run` leaves its flags in the environment; they are put over the ConfigProto of
every session and of the eager runtime.
"""

from __future__ import annotations

import os

LOG = 'BERTH_LOG_PLACEMENT'
SOFT = 'BERTH_SOFT_PLACEMENT'
LIMIT = 'BERTH_GPU_MEMORY_LIMIT_MB'


def apply(config: bytes) -> bytes:
    """Returns |config|, a serialised ConfigProto, with what was asked for put over it."""
    if not any(os.environ.get(name) for name in (LOG, SOFT, LIMIT)):
        return config
    from berth import protos

    message = protos.ConfigProto.FromString(config)
    if os.environ.get(LOG):
        message.log_device_placement = True
    if os.environ.get(SOFT):
        message.allow_soft_placement = True
    if os.environ.get(LIMIT):
        _limit_memory(message.gpu_options, float(os.environ[LIMIT]))
    return message.SerializeToString()


def _limit_memory(options: object, megabytes: float) -> None:
    """Gives each visible card one logical GPU of that size, unless the program has its own."""
    from berth import _core

    devices = options.experimental.virtual_devices  # type: ignore[attr-defined]
    if any(device.memory_limit_mb for device in devices):
        return
    visible = options.visible_device_list  # type: ignore[attr-defined]
    del devices[:]
    for _ in range(len(visible.split(',')) if visible else len(_core.cards())):
        devices.add().memory_limit_mb.append(megabytes)
