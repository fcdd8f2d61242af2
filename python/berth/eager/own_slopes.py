"""own_slopes - Ops whose gradients a program has registered, called at once while a tape is open."""

from __future__ import annotations

from typing import Any, Callable

from berth import _core as core
from berth.eager.custom_gradient import _flat, _stop_recording
from berth.eager.tape import note_call, slope_of, slope_parts
from berth.framework import dtypes, emission


class EagerOperation:
    """A call of an op, as a function that gives its slopes sees it."""

    def __init__(self, schema: Any, inputs: list[Any], attrs: dict[str, Any], outputs: list[Any]) -> None:
        self.type, self.name = schema.name, ''
        self.inputs, self.outputs = tuple(inputs), list(outputs)
        self._schema, self._attrs = schema, attrs

    def get_attr(self, name: str) -> Any:
        """Returns an attribute."""
        if name in self._attrs:
            return self._attrs[name]
        for arg, value in zip(self._schema.inputs, self.inputs):
            if arg.type_attr == name:
                return value.dtype
        if name not in self._schema.attrs:
            raise ValueError(f"Operation '{self.type}' has no attr named '{name}'.")
        default = self._schema.attrs[name].default
        return dtypes.as_dtype(default) if self._schema.attrs[name].kind == 'type' else default


def call(schema: Any, run: Callable[[], list[Any]], inputs: list[Any], attrs: dict[str, Any]) -> list[Any]:
    """Runs an op, and makes tapes know the slopes that the program's function gives."""
    with _stop_recording():
        outputs = run()
    function = emission.registered(schema.name)
    op = EagerOperation(schema, inputs, attrs, outputs)

    def give(dys: list[Any]) -> list[Any]:
        if function is None:
            return [None] * len(inputs)
        found = _flat(function(op, *[slope_of(dy) for dy in dys]))
        if len(found) != len(inputs):
            raise ValueError(f'Num gradients {len(found)} generated for op {op.type} do not match num inputs '
                             f'{len(inputs)}')
        return [slope_parts(slope) for slope in found]

    return note_call(give, inputs, outputs)


def is_wanted(name: str) -> bool:
    """True when a call of the op |name| is to be noted so, here and now."""
    return name in emission.own_ops and bool(core.tapes())
