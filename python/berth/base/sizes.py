"""sizes.py - Sizes of memory as people write them."""

from __future__ import annotations

from typing import Union

Size = Union[int, str]

_UNITS = {'': 1, 'B': 1, 'K': 2**10, 'M': 2**20, 'G': 2**30, 'T': 2**40,
          'KI': 2**10, 'MI': 2**20, 'GI': 2**30, 'TI': 2**40,
          'KIB': 2**10, 'MIB': 2**20, 'GIB': 2**30, 'TIB': 2**40,
          'KB': 10**3, 'MB': 10**6, 'GB': 10**9, 'TB': 10**12}


def parse(size: Size, whole: int = 0) -> int:
    """Returns bytes: of a number, of a text such as '4GiB' or '512 MB', or of '50%' of |whole|."""
    if not isinstance(size, str):
        return int(size)
    text = size.strip()
    digits = len(text) - len(text.lstrip('0123456789.'))
    unit = text[digits:].strip().upper()
    try:
        number = float(text[:digits])
    except ValueError:
        number = -1.0
    if number >= 0 and unit in _UNITS:
        return int(number * _UNITS[unit])
    if number >= 0 and unit == '%' and whole:
        return int(number * whole / 100)
    raise ValueError(f"{size!r} is no size; write it as 4GiB, 512MiB or {'50%' if whole else '1000000'}.")


def text(size: int) -> str:
    """Returns |size| bytes as '1.5 GiB'."""
    for unit, bytes_of in (('TiB', 2**40), ('GiB', 2**30), ('MiB', 2**20), ('KiB', 2**10)):
        if abs(size) >= bytes_of:
            return f'{size / bytes_of:.1f} {unit}'
    return f'{size} B'
