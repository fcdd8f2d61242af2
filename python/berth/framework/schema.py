"""schema.py - What each op takes and gives, read once from the extension's table."""

from __future__ import annotations

from typing import Any, NamedTuple

from berth import _core as core
from berth.framework import errors


class Arg(NamedTuple):
    """One input or output argument of an op."""

    name: str
    dtype: int
    type_attr: str
    number_attr: str
    list_attr: str
    is_ref: bool

    @property
    def is_list(self) -> bool:
        """True when it stands for several values."""
        return bool(self.number_attr or self.list_attr)


class Attr(NamedTuple):
    """One attribute of an op."""

    name: str
    kind: str
    default: Any
    has_default: bool
    allowed: list[Any] | None
    minimum: int


class Schema:
    """What an op takes and gives."""

    __slots__ = ('attrs', 'function', 'inferred', 'inputs', 'is_simple', 'name', 'outputs', 'parameters')

    def __init__(self, table: dict[str, Any]) -> None:
        self.name: str = table['name']
        self.inputs = [_arg(a) for a in table['inputs']]
        self.outputs = [_arg(a) for a in table['outputs']]
        self.attrs: dict[str, Attr] = {a['name']: _attr(a) for a in table['attrs']}
        self.inferred = {n for a in self.inputs for n in (a.type_attr, a.number_attr, a.list_attr) if n}
        free = [a for a in self.attrs.values() if a.name not in self.inferred]
        self.parameters = ([a.name for a in self.inputs] + [a.name for a in free if not a.has_default]
                           + [a.name for a in free if a.has_default])
        self.function = snake_case(self.name)
        self.is_simple = len(self.outputs) == 1 and not self.outputs[0].is_list

    @property
    def required(self) -> list[str]:
        """The parameters without a default."""
        return [p for p in self.parameters if p not in self.attrs or not self.attrs[p].has_default]


def _arg(table: dict[str, Any]) -> Arg:
    return Arg(table['name'], table.get('type', 0), table.get('type_attr', ''), table.get('number_attr', ''),
               table.get('type_list_attr', ''), bool(table.get('is_ref', False)))


def _attr(table: dict[str, Any]) -> Attr:
    return Attr(table['name'], table['type'], table.get('default'), 'default' in table, table.get('allowed'),
                table.get('minimum', 0))


def snake_case(name: str) -> str:
    """Returns 'mat_mul' for 'MatMul', as the functions of TensorFlow are called."""
    # A word begins with a capital that stands behind a small letter or before one: 'FFT2D' is
    # 'fft2d', 'L2Loss' is 'l2_loss'.
    parts = []
    for before, letter, after in zip(' ' + name, name, name[1:] + ' '):
        if letter.isupper() and (before.islower() or (before != ' ' and after.islower())):
            parts.append('_')
        parts.append(letter)
    return ''.join(parts).lower()


_schemas: dict[str, Schema] = {}


def find(op_type: str) -> Schema:
    """Returns the schema of |op_type|; KeyError when there is no such op."""
    schema = _schemas.get(op_type)
    if schema is None:
        try:
            table = core.op_schema(op_type)
        except errors.NotFoundError:
            raise KeyError(op_type) from None
        schema = _schemas[op_type] = Schema(table)
    return schema


def names() -> list[str]:
    """Returns the names of all ops."""
    return list(core.ops())
