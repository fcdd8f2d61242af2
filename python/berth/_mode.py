"""_mode - TF1 or TF2: which of the two a program is.

TF1 means graphs and sessions, TF2 means ops that run when they are called. It is settled
when the package is imported (`_start`), and programs can change it. What follows from it
can be chosen apart: whether ops run at once (`base.execution`), and what shapes give.
"""

from __future__ import annotations

TYPE_CHECKING = False  # The module typing would take half the time of importing this.
if TYPE_CHECKING:
    from typing import Optional

_mode = 2
_reason = 'not settled'
_dimensions: Optional[bool] = None


def mode() -> int:
    """Returns 1 or 2."""
    return _mode


def is_v1() -> bool:
    """True for TF1."""
    return _mode == 1


def has_dimensions() -> bool:
    """True when shapes give Dimensions, as in TF1 unless that is switched off."""
    return is_v1() if _dimensions is None else _dimensions


def set_dimensions(value: bool) -> None:
    """Makes shapes give Dimensions, or numbers, whatever the mode."""
    global _dimensions
    _dimensions = value


def reason() -> str:
    """Returns in a few words why the mode is what it is."""
    return _reason


def set_mode(value: int, why: str = 'asked for by the program') -> None:
    """Settles the mode by order; ValueError for anything but 1 and 2."""
    global _mode, _reason
    if value not in (1, 2):
        raise ValueError(f'The mode is 1 or 2, not {value!r}')
    _mode, _reason = value, why
