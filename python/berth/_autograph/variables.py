"""variables - Names that have no value yet, as converted code holds them."""

from __future__ import annotations

from typing import Any, Callable

from berth.base import naming


@naming.public('autograph.operators.variables')
class Undefined:
    """Stands for a name that nothing was assigned to."""

    __slots__ = ('symbol_name',)

    def __init__(self, symbol_name: str) -> None:
        self.symbol_name = symbol_name

    def read(self) -> None:
        """Raises, as reading such a name does."""
        raise UnboundLocalError(f"'{self.symbol_name}' is used before assignment")

    def __repr__(self) -> str:
        return self.symbol_name

    def __getattribute__(self, name: str) -> Any:
        try:
            return object.__getattribute__(self, name)
        except AttributeError:
            return self

    def __getitem__(self, unused: Any) -> Any:
        return self


@naming.public('autograph.operators.variables')
class UndefinedReturnValue:
    """Stands for what a function returns that has not returned yet."""


def ld(value: Any) -> Any:
    """Reads a name that may have no value."""
    if type(value) is Undefined:
        value.read()
    return value


def ldu(load: Callable[[], Any], name: str) -> Any:
    """Reads a path; Undefined where it leads nowhere."""
    try:
        return load()
    except (KeyError, AttributeError, NameError):
        return Undefined(name)


def is_missing(value: Any) -> bool:
    """True for None and for what has no value."""
    return value is None or isinstance(value, (Undefined, UndefinedReturnValue))
