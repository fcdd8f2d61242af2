"""quiet - Calls that the program did not make and that the log says nothing about."""

from __future__ import annotations

from typing import Any

from berth import _core as core
from berth.base.devices import settings
from berth.framework import dtypes


def _call(op: str, inputs: list[Any], attrs: dict[str, Any]) -> list[Any]:
    """Calls the runtime without a word in the log."""
    runtime = settings.handle()
    try:
        runtime.set_log_placement(False)
        return runtime.call(op, None, inputs, attrs)
    finally:
        runtime.set_log_placement(settings.is_logging_now)


def as_floats(tensor: Any) -> Any:
    """Returns the values of a tensor as an array of float32, for types that numpy does not have."""
    return _call('Cast', [tensor], {'DstT': core.DType(dtypes.float32.number)})[0].numpy()
