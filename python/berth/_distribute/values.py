"""values - What is one thing per replica: putting it together and taking it apart."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from berth.base import naming
from berth.framework import nest
from berth.framework.composite import Composite
from berth.variables.replicas import container_of


@naming.public('distribute.distribute_lib')
class DistributedValues:
    """A value for each replica."""

    def __init__(self, values: Sequence[Any]) -> None:
        self._values = tuple(values)

    @property
    def values(self) -> tuple[Any, ...]:
        """One for each replica, in their order."""
        return self._values

    def __repr__(self) -> str:
        lines = ',\n'.join(f'  {i}: {value!r}' for i, value in enumerate(self._values))
        return f'{type(self).__name__}:{{\n{lines}\n}}'

    __str__ = __repr__


class _Tensors(DistributedValues, Composite):
    """Tensors, one for each replica: what functions take and return."""

    def _parts(self) -> list[Any]:
        return list(self._values)

    def _with_parts(self, parts: list[Any]) -> Any:
        return type(self)(parts)


@naming.public('distribute.values')
class PerReplica(_Tensors):
    """A value for each replica; they may differ."""


@naming.public('distribute.values')
class Mirrored(_Tensors):
    """A value for each replica; they are the same."""


def select(structure: Any, replica: int) -> Any:
    """Returns |structure| as replica number |replica| has it."""
    if isinstance(structure, DistributedValues):
        return structure.values[replica]
    if nest.is_nested(structure):
        return _mapped(lambda part: select(part, replica), [structure])
    return structure


def regroup(parts: Sequence[Any], wrap: type = PerReplica) -> Any:
    """Puts together what each replica has; what is one and the same thing stays so."""
    first = parts[0]
    if all(part is first for part in parts):
        return first
    if _is_row(first) or isinstance(first, Mapping):
        return _mapped(lambda *items: regroup(items, wrap), parts)
    whole = container_of(first)
    if whole is not None and all(container_of(part) is whole for part in parts):
        return whole
    return wrap(parts)


def _is_row(value: Any) -> bool:
    return isinstance(value, (list, tuple))


def _mapped(function: Callable[..., Any], structures: Sequence[Any]) -> Any:
    """Applies |function| to the parts of one level of alike structures."""
    first = structures[0]
    if isinstance(first, Mapping):
        made = {key: function(*(each[key] for each in structures)) for key in first}
        return made if type(first) is dict else type(first)(made)  # type: ignore[call-arg]
    made_row = [function(*items) for items in zip(*structures)]
    if hasattr(first, '_fields'):
        return type(first)(*made_row)
    return tuple(made_row) if isinstance(first, tuple) else made_row


def flat_parts(value: Any, count: int) -> tuple[Any, ...]:
    """Returns |value| for each of |count| replicas."""
    return value.values if isinstance(value, DistributedValues) else (value,) * count
