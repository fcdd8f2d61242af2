"""deprecation - tensorflow.python.util.deprecation: marking what will go, and being told or not."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Iterator
from typing import Any, Callable, Optional

from berth.base import logging

_PRINT_DEPRECATION_WARNINGS = True  # Programs set it.


def deprecated(date: Optional[str], instructions: str, warn_once: bool = True) -> Callable[[Any], Any]:
    """Makes a decorator: the function says, when it is called, that it will go."""
    def decorator(function: Any) -> Any:
        @functools.wraps(function)
        def wrapped(*args: Any, **kwargs: Any) -> Any:
            _tell(function, date, instructions, warn_once)
            return function(*args, **kwargs)

        return wrapped

    return decorator


def deprecated_args(date: Optional[str], instructions: str, *deprecated_arg_names_or_tuples: Any,
                    **kwargs: Any) -> Callable[[Any], Any]:
    """Makes a decorator: the function says so when one of the arguments is given by name."""
    names = [name if isinstance(name, str) else name[0] for name in deprecated_arg_names_or_tuples]
    warn_once = kwargs.get('warn_once', True)

    def decorator(function: Any) -> Any:
        @functools.wraps(function)
        def wrapped(*values: Any, **keywords: Any) -> Any:
            if any(name in keywords for name in names):
                _tell(function, date, instructions, warn_once)
            return function(*values, **keywords)

        return wrapped

    return decorator


def deprecated_endpoints(*args: str) -> Callable[[Any], Any]:
    """Makes a decorator that leaves the function as it is: names are not made public here."""
    return lambda function: function


def deprecated_alias(deprecated_name: str, name: str, func_or_class: Any, warn_once: bool = True) -> Any:
    """Returns |func_or_class| under its old name."""
    return deprecated(None, f'Please use {name} instead.\n', warn_once)(func_or_class)


@contextlib.contextmanager
def silence() -> Iterator[None]:
    """Keeps warnings back in the block."""
    global _PRINT_DEPRECATION_WARNINGS
    before, _PRINT_DEPRECATION_WARNINGS = _PRINT_DEPRECATION_WARNINGS, False
    try:
        yield
    finally:
        _PRINT_DEPRECATION_WARNINGS = before


def _tell(function: Any, date: Optional[str], instructions: str, once: bool) -> None:
    if not once:
        logging.forget_deprecated(function.__qualname__)
    when = f'after {date}' if date is not None else 'in a future version'
    logging.deprecated(function.__qualname__, function.__module__, instructions, 3, when)
