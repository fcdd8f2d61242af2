"""compat_text.py - tf.compat: texts, paths and kinds of numbers, in any version of Python."""

from __future__ import annotations

import contextlib
import datetime
import numbers
import os
from collections.abc import Iterator
from typing import Any

bytes_or_text_types = (bytes, str)
# What Berth has, TensorFlow had by this day; programs ask whether to use newer ops.
_KNOWN_UNTIL = datetime.date(2026, 1, 16)
_horizon = _KNOWN_UNTIL


# The kinds of numbers by name: a class of Python's, and names of numpy's.
_KINDS = {'integral_types': (numbers.Integral, 'integer'), 'real_types': (numbers.Real, 'integer', 'floating'),
          'complex_types': (numbers.Complex, 'number')}


def __getattr__(name: str) -> Any:
    """Makes the tuples of kinds of numbers when they are asked for: they need numpy."""
    if name not in _KINDS:
        raise AttributeError(f'module {__name__!r} has no attribute {name!r}')
    import numpy

    kind, *others = _KINDS[name]
    return (kind, *(getattr(numpy, other) for other in others))


def as_bytes(bytes_or_text: Any, encoding: str = 'utf-8') -> bytes:
    """Returns a text as bytes, and bytes as they are."""
    import codecs

    encoding = codecs.lookup(encoding).name
    if isinstance(bytes_or_text, bytearray):
        return bytes(bytes_or_text)
    if isinstance(bytes_or_text, str):
        return bytes_or_text.encode(encoding)
    if isinstance(bytes_or_text, bytes):
        return bytes_or_text
    raise TypeError(f'Expected binary or unicode string, got {bytes_or_text!r}')


def as_text(bytes_or_text: Any, encoding: str = 'utf-8') -> str:
    """Returns bytes as a text, and a text as it is."""
    import codecs

    encoding = codecs.lookup(encoding).name
    if isinstance(bytes_or_text, str):
        return bytes_or_text
    if isinstance(bytes_or_text, bytes):
        return bytes_or_text.decode(encoding)
    raise TypeError(f'Expected binary or unicode string, got {bytes_or_text!r}')


def as_str(bytes_or_text: Any, encoding: str = 'utf-8') -> str:
    """Returns bytes as a text, and a text as it is."""
    return as_text(bytes_or_text, encoding)


def as_str_any(value: Any, encoding: str = 'utf-8') -> str:
    """Returns bytes as a text, and the text of anything else."""
    return as_str(value, encoding) if isinstance(value, bytes) else str(value)


def path_to_str(path: Any) -> Any:
    """Returns a path object as a text, and anything else as it is."""
    return as_str_any(os.fspath(path)) if hasattr(path, '__fspath__') else path


def forward_compatible(year: int, month: int, day: int) -> bool:
    """Returns whether what TensorFlow had on that day may be used."""
    return _horizon > datetime.date(year, month, day)


@contextlib.contextmanager
def forward_compatibility_horizon(year: int, month: int, day: int) -> Iterator[None]:
    """Makes forward_compatible() answer for another day inside a with block."""
    global _horizon
    before, _horizon = _horizon, datetime.date(year, month, day)
    try:
        yield
    finally:
        _horizon = before
