"""signature.py - The same function under other parameters: other order, other names."""

from __future__ import annotations

import inspect
from typing import Any, Callable

from berth import _core as core
from berth.framework import arguments, gen


def reordered(function: Callable[..., Any], parameters: str, needs: str = '', **renamed: str) -> Callable[..., Any]:
    """Returns |function| with |parameters|, in that order; |renamed| says which are called otherwise inside.

    Those of |needs| must be given, though |function| can do without.

    A parameter |layout|, which says how to spread a tensor over several
    machines, may only be None.
    """
    names = parameters.split()
    known = inspect.signature(function).parameters
    required = names[:1] + [n for n in names[1:] if renamed.get(n, n) in known and
                            known[renamed.get(n, n)].default is inspect.Parameter.empty or n in needs.split()]

    def refuse(*values: Any, **keywords: Any) -> Any:
        arguments.bind_first(names, required, values, keywords)
        raise NotImplementedError(f'{function.__name__}: Berth does not have layouts.')

    targets = tuple(None if n == 'layout' else renamed.get(n, n) for n in names)
    adapter: Any = core.Renamed(function, refuse, tuple(names), targets, sum(1 << names.index(n) for n in required))
    adapter.__name__ = adapter.__qualname__ = function.__name__
    adapter.__doc__ = function.__doc__
    adapter.__module__ = function.__module__
    adapter.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [inspect.Parameter(n, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=_default(function, renamed.get(n, n)))
         for n in names], __validate_parameters__=False)
    return gen.renamed_quick(function, adapter, {name: renamed.get(name, name) for name in names})


def _default(function: Callable[..., Any], name: str) -> Any:
    """Returns the default that |function| has for a parameter; None where it does not know it."""
    found = inspect.signature(function).parameters.get(name)
    return None if found is None else found.default
