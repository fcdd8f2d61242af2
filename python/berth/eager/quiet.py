"""quiet - Calls that the program did not make and that the log says nothing about."""

from __future__ import annotations

import functools
from typing import Any

from berth import _core as core
from berth.eager.devices import settings
from berth.framework import dtypes, errors


def _call(op: str, inputs: list[Any], attrs: dict[str, Any]) -> list[Any]:
    """Calls the runtime without a word in the log."""
    runtime = settings.handle()
    try:
        runtime.set_log_placement(False)
        return runtime.call(op, None, inputs, attrs)
    finally:
        runtime.set_log_placement(settings.is_logging_now)


@functools.lru_cache(maxsize=None)
def variable_device(dtype: dtypes.DType) -> str:
    """Returns where variables of a type are when no scope says so."""
    graph = core.Graph()
    node = graph.op('VarHandleOp', 'v', [], {
        'dtype': core.DType(dtype.number), 'shape': core.Shape(None)})
    runtime = settings.handle()
    try:
        runtime.set_log_placement(False)
        return str(runtime.session(graph).placement(node)[0])
    finally:
        runtime.set_log_placement(settings.is_logging_now)


def as_floats(tensor: Any) -> Any:
    """Returns the values of a tensor as an array of float32, for types that numpy does not have."""
    return _call('Cast', [tensor], {'DstT': core.DType(dtypes.float32.number)})[0].numpy()


def destroy(handle: Any) -> None:
    """Lets go of the variable that |handle| stands for, without a word in the log."""
    try:
        _call('DestroyResourceOp', [handle], {'ignore_lookup_error': True})
    except errors.OpError:
        pass  # The runtime has let go of it already.
