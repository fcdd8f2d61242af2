"""arguments - Arguments by their names, and words for those that do not fit."""

from __future__ import annotations

import functools
import inspect
import types
from typing import Any

from berth import _core as core

_made: dict[Any, Any] = {}


def public(function: Any, origin: Any) -> Any:
    """Returns what programs call for |function|: the same, with words for arguments that do not fit.

    |origin| is what makes it again: a function, and its arguments.
    """
    if isinstance(function, types.FunctionType):
        if function not in _made:
            made: Any = functools.update_wrapper(core.Public(function), function)
            made.refuse, made.origin = functools.partial(_refuse, function), origin
            _made[function] = made
        return _made[function]
    if isinstance(function, (core.Quick, core.Maker)):
        function.refuse = functools.partial(_refuse, function)  # type: ignore[union-attr]
    return function


def _refuse(function: Any, *values: Any, **keywords: Any) -> None:
    """Raises a TypeError in TensorFlow's words; returns where a function takes any number of arguments."""
    parameters = inspect.signature(function).parameters.values()
    if any(p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD, p.KEYWORD_ONLY) for p in parameters):
        return
    required = [p.name for p in parameters if p.default is p.empty]
    bind_first([p.name for p in parameters], required, values, keywords)


def bind_first(names: list[str], required: list[str], values: tuple[Any, ...],
               keywords: dict[str, Any]) -> dict[str, Any]:
    """Returns the arguments of a call by their names; TypeError in TensorFlow's words for what does not fit."""
    if len(values) > len(names):
        raise TypeError(f'Too many arguments were given. Expected {len(names)} but got {len(values)}.')
    bound = dict(zip(names, values))
    for key, value in keywords.items():
        if key not in names:
            raise TypeError(f'Got an unexpected keyword argument {key!r}')
        if key in bound:
            raise TypeError(f'Got multiple values for argument {key!r}')
        bound[key] = value
    if any(name not in bound for name in required):
        raise TypeError('Missing required positional argument')
    return bound


def bind(function: str, names: list[str], required: list[str], values: tuple[Any, ...],
         keywords: dict[str, Any]) -> dict[str, Any]:
    """Returns the arguments of a call by their names; TypeError in Python's words for what does not fit."""
    bound = dict(zip(names, values))
    for key, value in keywords.items():
        if key not in names:
            raise TypeError(f'{function}() got an unexpected keyword argument {key!r}')
        if key in bound:
            raise TypeError(f'{function}() got multiple values for argument {key!r}')
        bound[key] = value
    if len(values) > len(names):
        takes = f'from {len(required)} to {len(names)}' if len(required) < len(names) else str(len(names))
        raise TypeError(f'{function}() takes {takes} positional argument{"s" if len(names) > 1 else ""} but '
                        f'{len(values)} {"were" if len(values) > 1 else "was"} given')
    missing = [name for name in required if name not in bound]
    if missing:
        raise TypeError(f'{function}() missing {len(missing)} required positional argument'
                        f'{"s" if len(missing) > 1 else ""}: {_listed(missing)}')
    return bound


def _listed(names: list[str]) -> str:
    """Returns names as Python lists them in errors."""
    quoted = [repr(name) for name in names]
    if len(quoted) < 3:
        return ' and '.join(quoted)
    return ', '.join(quoted[:-1]) + ', and ' + quoted[-1]
