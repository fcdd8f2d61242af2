"""device_lib - The devices of this process, as DeviceAttributes messages."""

from __future__ import annotations

from typing import Any


def list_local_devices(session_config: Any = None) -> list[Any]:
    """Returns a message about each device."""
    from berth import _core
    from berth.base import devices, protos

    config = devices.with_wishes(b'' if session_config is None else session_config.SerializeToString())
    if config or session_config is not None:
        _core.configure(config)
    return [_attributes(protos, device) for device in _core.devices()]


def _attributes(protos: Any, device: Any) -> Any:
    """Fills the message about one device."""
    message = protos.DeviceAttributes(
        name='/device:' + device['name'].rpartition('/device:')[2],
        device_type=device['type'], memory_limit=device['memory_limit'],
        incarnation=device['incarnation'], physical_device_desc=device['description'],
        xla_global_id=-1)
    message.locality.SetInParent()
    if device['type'] == 'GPU':
        message.locality.bus_id = 1
        message.locality.links.SetInParent()
    return message


def describe(name: str) -> tuple[str, str, int, int]:
    """Returns name, type, memory limit and incarnation of a session's device."""
    from berth import _core

    for device in _core.devices():
        if device['name'] == name:
            return name, device['type'], device['memory_limit'], device['incarnation']
    raise ValueError(f'No matching devices found for \'{name}\'')
