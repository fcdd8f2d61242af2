"""wishes - What options and variables of the environment may say, and what is said of the rest.

`berth run` checks its options and the environment before the program runs; where a program
imports the package by itself, a variable is checked when it is obeyed. Each function returns what
the value should be, or "" when it is right.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False  # The module typing would take longer than all of this.
if TYPE_CHECKING:
    from typing import Callable, Optional

_LATEST = {0: (5, 12), 1: (0, 15), 2: (0, 21)}  # The versions of TensorFlow there are.


def any_text(value: str) -> str:
    """Anything will do."""
    return ''


def number(value: str) -> str:
    """A size."""
    try:
        return '' if 0 < float(value) < float('inf') else 'a number above 0'
    except ValueError:
        return 'a number above 0'


def fraction(value: str) -> str:
    """A part of a card."""
    return '' if not number(value) and float(value) <= 1 else 'a number above 0 and up to 1'


def count(value: str) -> str:
    """How many there are of something."""
    return '' if _is_whole(value) and int(value) > 0 else 'a whole number above 0'


def _is_whole(value: str) -> bool:
    return value.isascii() and value.isdecimal() and len(value) < 10


def level(value: str) -> str:
    """What is dropped from the log."""
    return '' if value in ('0', '1', '2', '3') else '0, 1, 2 or 3'


def mode(value: str) -> str:
    """TF1 or TF2."""
    return '' if value in ('1', '2') else '1 or 2'


def version(value: str) -> str:
    """A version of TensorFlow, by its first two numbers; more are taken, too."""
    numbers = value.split('.')
    if len(numbers) < 2 or not all(_is_whole(part) for part in numbers[:2]):
        return 'a version such as 1.4'
    first, last = _LATEST.get(int(numbers[0]), (1, 0))
    return '' if first <= int(numbers[1]) <= last else 'a version of TensorFlow, 0.5 to 2.21'


def device_count(value: str) -> str:
    """How many devices of a type there are."""
    kind, _, number_of = value.partition('=')
    return '' if kind in ('CPU', 'GPU') and _is_whole(number_of) else 'CPU=N or GPU=N'


def device_counts(value: str) -> str:
    """Several of these, with commas between them."""
    return next((text for text in map(device_count, value.split(',')) if text), '')


def style(value: str) -> str:
    """How placements are logged."""
    return '' if value in ('default', 'tf2', 'classic') else 'default, tf2 or classic'


def amount(value: str) -> str:
    """An amount of memory of each card, or of some by number."""
    import re

    one = r'(\d+=)?\d+(\.\d*)? ?([KMGT]i?B?|B|%)?'
    return '' if re.fullmatch(f'{one}(,{one})*', value, re.IGNORECASE) else 'an amount such as 4GiB or 0=4GiB,1=2GiB'


def seconds(value: str) -> str:
    """A time."""
    try:
        return '' if 0 <= float(value) < 1e9 else 'a number of seconds'
    except ValueError:
        return 'a number of seconds'


# Variables that are Berth's own; those of TensorFlow and of the driver keep their meaning.
_VARIABLES: dict[str, Callable[[str], str]] = {
    'BERTH_TF': mode,
    'BERTH_PLACEMENT_LOG': style,
    'BERTH_GPU_MEMORY_LIMIT_MB': number,
    'BERTH_GPU_MEMORY_FRACTION': fraction,
    'BERTH_GPU_BUDGET': amount,
    'BERTH_GPU_FLOOR': amount,
    'BERTH_GPU_MARGIN': amount,
    'BERTH_GPU_WAIT': seconds,
    'BERTH_GPU_IDLE': seconds,
    'BERTH_DEVICE_COUNT': device_counts,
    'BERTH_THREADS': count,
    'BERTH_TF_VERSION': version,
}


def problem(variable: str, value: str) -> str:
    """Says what is wrong with a variable; "" when nothing is."""
    wanted = _VARIABLES[variable](value)
    return f"{variable} needs {wanted}, not '{value}'" if wanted else ''


def environment_problem() -> str:
    """Says what is wrong with the first variable that is; empty ones are not set."""
    found = ((name, os.environ.get(name)) for name in _VARIABLES)
    return next((text for text in (problem(name, value) for name, value in found if value) if text), '')


def nearest(word: str, words: list[str]) -> Optional[str]:
    """Returns the word that somebody meant who wrote |word|."""
    import difflib

    return next(iter(difflib.get_close_matches(word, words, 1, 0.7)), None)
