"""_mode - TF1 or TF2: which of the two a program is, and which of its ways it has chosen.

The mode says what the names of the package are: those of TF1 (graphs and sessions) or those
of TF2 (ops that run when they are called). It is settled when the package is imported
(`_start`). What else follows from it a program can choose apart, while it runs: what shapes
give, what kind of variables there are, what == means, what cond and while_loop make; and
whether ops run at once (`base.execution`).
"""

from __future__ import annotations

# Ways in which TF2 differs and which can be chosen one by one.
SHAPES, VARIABLES, EQUALITY, FLOW = 'tensorshape', 'resource_variables', 'tensor_equality', 'control_flow'

_mode = 2
_name = 'berth'  # What the program calls the package.
_reason = 'not settled'
_is_early = False
_is_v2 = {SHAPES: True, VARIABLES: True, EQUALITY: True, FLOW: True}


def mode() -> int:
    """Returns 1 or 2."""
    return _mode


def is_v1() -> bool:
    """True for TF1."""
    return _mode == 1


def has_dimensions() -> bool:
    """True when shapes give Dimensions, as in TF1 unless that is switched off."""
    return not _is_v2['tensorshape']


def is_v2(way: str) -> bool:
    """True when |way| is that of TF2."""
    return _is_v2[way]


def choose(way: str, v2: bool) -> None:
    """Makes |way| that of TF2, or of TF1."""
    _is_v2[way] = v2


def choose_all(v2: bool) -> None:
    """Makes all ways those of TF2, or of TF1; names stay what they are."""
    for way in _is_v2:
        _is_v2[way] = v2


def is_tensorflow() -> bool:
    """True when the program knows the package as `tensorflow`."""
    return _name == 'tensorflow'


def set_name(name: str) -> None:
    """Says what the program calls the package."""
    global _name
    _name = name


def is_early() -> bool:
    """True for a program that was written for TensorFlow before 1.0."""
    return _is_early


def set_early(is_early: bool) -> None:
    """Says whether names are those of TensorFlow before 1.0, besides TF1's."""
    global _is_early
    _is_early = is_early


def reason() -> str:
    """Returns in a few words why the mode is what it is."""
    return _reason


def set_mode(value: int, why: str = 'asked for by the program') -> None:
    """Settles the mode, with all its ways, by order; ValueError for anything but 1 and 2."""
    global _mode, _reason
    if value not in (1, 2):
        raise ValueError(f'The mode is 1 or 2, not {value!r}')
    _mode, _reason = value, why
    choose_all(value == 2)
