"""signature.py - The same function under other parameters: other order, other names."""

from __future__ import annotations

import inspect
from typing import Any, Callable

from berth.framework import gen


def reordered(function: Callable[..., Any], parameters: str, **renamed: str) -> Callable[..., Any]:
    """Returns |function| with |parameters|, in that order; |renamed| says which are called otherwise inside.

    A parameter |layout|, which says how to spread a tensor over several
    machines, may only be None.
    """
    names = parameters.split()

    def adapter(*values: Any, **keywords: Any) -> Any:
        given: dict[str, Any] = gen.bind(adapter.__name__, names, values, keywords)
        if given.pop('layout', None) is not None:
            raise NotImplementedError(f'{adapter.__name__}: Berth does not have layouts.')
        return function(**{renamed.get(k, k): v for k, v in given.items()})

    adapter.__name__ = adapter.__qualname__ = function.__name__
    adapter.__doc__ = function.__doc__
    adapter.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [inspect.Parameter(n, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=_default(function, renamed.get(n, n)))
         for n in names], __validate_parameters__=False)
    return adapter


def _default(function: Callable[..., Any], name: str) -> Any:
    """Returns the default that |function| has for a parameter; None where it does not know it."""
    found = inspect.signature(function).parameters.get(name)
    return None if found is None else found.default
