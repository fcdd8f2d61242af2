"""arguments.py - arg_scope: defaults for the arguments of functions, for as long as a block lasts."""

from __future__ import annotations

import contextlib
import functools
import inspect
from typing import Any, Callable, Iterator

_stack: list[dict[Any, dict[str, Any]]] = [{}]
_known: dict[Any, frozenset[str]] = {}  # What may have defaults: the names of their arguments.


def _key(function: Any) -> Any:
    return getattr(function, '_key_op', str(function))


def current_arg_scope() -> dict[Any, dict[str, Any]]:
    """Returns the defaults in force."""
    return _stack[-1]


@contextlib.contextmanager
def arg_scope(list_ops_or_scope: Any, **kwargs: Any) -> Iterator[dict[Any, dict[str, Any]]]:
    """Gives functions defaults, or brings those of another block back."""
    if isinstance(list_ops_or_scope, dict):
        if kwargs:
            raise ValueError('When attempting to re-use a scope by suppling a dictionary, kwargs must be empty.')
        scope = dict(list_ops_or_scope)
    else:
        scope = _extended(list_ops_or_scope, kwargs)
    _stack.append(scope)
    try:
        yield scope
    finally:
        _stack.pop()


def _extended(functions: Any, defaults: dict[str, Any]) -> dict[Any, dict[str, Any]]:
    """Returns the defaults in force with others added."""
    if not isinstance(functions, (list, tuple)):
        raise TypeError('list_ops_or_scope must either be a list/tuple or reused scope (i.e. dict)')
    scope = {key: dict(values) for key, values in current_arg_scope().items()}
    for function in functions:
        if not has_arg_scope(function):
            raise ValueError(f'{function} is not decorated with @add_arg_scope', (function.__module__,
                                                                                 function.__name__))
        scope.setdefault(_key(function), {}).update(defaults)
    return scope


def add_arg_scope(func: Callable[..., Any]) -> Callable[..., Any]:
    """Lets arg_scope give defaults to |func|."""
    @functools.wraps(func)
    def with_defaults(*args: Any, **kwargs: Any) -> Any:
        defaults = current_arg_scope().get(_key(with_defaults))
        return func(*args, **({**defaults, **kwargs} if defaults else kwargs))

    with_defaults._key_op = f'{func.__module__}.{func.__qualname__}', id(func)  # type: ignore[attr-defined]
    names = [p.name for p in inspect.signature(func).parameters.values() if p.default is not p.empty]
    _known[with_defaults._key_op] = frozenset(names)  # type: ignore[attr-defined]
    return with_defaults


def has_arg_scope(func: Any) -> bool:
    """Tells whether arg_scope can give defaults to |func|."""
    return _key(func) in _known


def arg_scoped_arguments(func: Any) -> frozenset[str]:
    """Returns the arguments of |func| that may have defaults."""
    return _known[_key(func)]
