"""log - What conversions tell: warnings, and more where a program asks for it."""

from __future__ import annotations

import os
import sys
from typing import Any, Optional

from berth.base import logging


class _Settings:
    """What a program asked for."""

    level: Optional[int] = None
    echoes = hasattr(sys, 'ps1') or hasattr(sys, 'ps2')


def set_verbosity(level: int, alsologtostdout: bool = False) -> None:
    """Sets how much is told, and whether it goes to standard output as well."""
    _Settings.level, _Settings.echoes = level, alsologtostdout


def _has(level: int) -> bool:
    if _Settings.level is not None:
        return _Settings.level >= level
    text = os.environ.get('AUTOGRAPH_VERBOSITY', '0')
    return int(text) >= level if text.isdecimal() else False


def error(level: int, text: str, *args: Any) -> None:
    """Tells of a conversion that failed."""
    if _has(level):
        logging.error(text, *args)
        if _Settings.echoes:
            print('ERROR: ' + text % args)


def warning(text: str, *args: Any) -> None:
    """Warns."""
    logging.warning(text, *args)
    if _Settings.echoes:
        print('WARNING: ' + text % args, flush=True)
