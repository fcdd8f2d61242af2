"""device_scope.py - What one device scope asks for, and how scopes merge."""

from __future__ import annotations

from typing import Any

from berth.framework.device_spec import DeviceSpecV2


def as_text(value: Any) -> str:
    """Returns text or bytes as text."""
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, str):
        return value
    raise TypeError(f'Expected binary or unicode string, got {value!r}')


def device_text(device: Any) -> str:
    """Returns a device as text, whatever kind of object names it."""
    return as_text(device.to_string() if hasattr(device, 'to_string') else device)


class DeviceScope:
    """One device scope: a name to merge, a function to ask, or nothing at all."""

    __slots__ = ('_merged', 'function', 'hides', 'is_empty', 'spec')

    def __init__(self, device: Any) -> None:
        self.function = device if callable(device) else None
        self.hides = device is None
        self.spec: DeviceSpecV2 | None = None
        self._merged: dict = {}
        if not self.hides and self.function is None:
            hash(device)  # What cannot be a key is no device either, in the words for that.
            self.spec = DeviceSpecV2.from_string(device.to_string() if hasattr(device, 'to_string') else device)
        self.is_empty = self.spec is not None and not self.spec.to_string()

    def apply(self, op: Any) -> str:
        """Returns the device of |op|: what it has wins over the scope's name."""
        if self.function is not None:
            return device_text(self.function(op))
        merged = self._merged.get(op._device)
        if merged is None:
            assert self.spec is not None
            merged = self.spec.make_merged_spec(DeviceSpecV2.from_string(op._device)).to_string()
            self._merged[op._device] = merged
        return merged
