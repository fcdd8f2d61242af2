"""replicas - Copies of a variable on several devices: how they are kept together, and who works on them.

What keeps them is `distribute`; what stands here is asked by those below it.
"""

from __future__ import annotations

import enum
import threading
from typing import Any

from berth.base import naming


class _Here(threading.local):
    """Whose work this thread does."""

    def __init__(self) -> None:
        self.strategy: Any = None  # The innermost strategy; None: none was chosen.
        self.replica: Any = None  # Its replica; None under a strategy: all of them together.
        self.updating: Any = None  # The number of the copy that is changed; None: no copy alone.


here = _Here()


def has_strategy() -> bool:
    """True inside a scope or run of a strategy."""
    return here.strategy is not None and not here.strategy.is_default


def container_of(value: Any) -> Any:
    """Returns the variable of which |value| is a copy, or None."""
    container = getattr(value, '_distributed_container', None)  # A weak reference, as programs know it.
    return None if container is None else container()


@naming.public('ops.variables')
class VariableSynchronization(enum.Enum):
    """When the copies of a variable are made the same."""

    AUTO = 0
    NONE = 1
    ON_WRITE = 2
    ON_READ = 3


@naming.public('ops.variables')
class VariableAggregationV2(enum.Enum):
    """What the copies of a variable become together; version 2."""

    NONE = 0
    SUM = 1
    MEAN = 2
    ONLY_FIRST_REPLICA = 3

    def __hash__(self) -> int:
        return hash(self.value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, (VariableAggregation, VariableAggregationV2)) and self.value == other.value


@naming.public('ops.variables')
class VariableAggregation(enum.Enum):
    """What the copies of a variable become together; version 1."""

    NONE = 0
    SUM = 1
    MEAN = 2
    ONLY_FIRST_REPLICA = 3
    ONLY_FIRST_TOWER = 3  # The older name.

    def __hash__(self) -> int:
        return hash(self.value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, (VariableAggregation, VariableAggregationV2)) and self.value == other.value


def checked(synchronization: Any, aggregation: Any, name: Any) -> tuple[Any, Any]:
    """Returns both, with defaults for None; ValueError for what is neither."""
    if aggregation is None:
        aggregation = VariableAggregation.NONE
    if not isinstance(aggregation, (VariableAggregation, VariableAggregationV2)):
        raise ValueError(f'Invalid variable aggregation mode: {aggregation} for variable: {name}')
    if synchronization is None:
        synchronization = VariableSynchronization.AUTO
    if not isinstance(synchronization, VariableSynchronization):
        raise ValueError(f'Invalid variable synchronization mode: {synchronization} for variable: {name}')
    return synchronization, aggregation
