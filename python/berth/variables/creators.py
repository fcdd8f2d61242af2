"""creators - Functions of a program that make variables in place of the library.

`variable_creator_scope(f)` has every variable of its block made by `f(next_creator, **kwargs)`; the
innermost function is asked first, and what it hands on reaches the next one.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from typing import Any, Callable


class _Stack(threading.local):
    """The functions of this thread, innermost last."""

    def __init__(self) -> None:
        self.items: tuple[Callable[..., Any], ...] = ()


stack = _Stack()


@contextlib.contextmanager
def variable_creator_scope(variable_creator: Callable[..., Any]) -> Iterator[None]:
    """Has variables of a with block made by |variable_creator|."""
    before = stack.items
    stack.items = before + (variable_creator,)
    try:
        yield
    finally:
        stack.items = before


def make(last: Callable[..., Any], kwargs: dict[str, Any]) -> Any:
    """Makes a variable by the functions of this thread; |last| is the library's."""
    creator = last
    for function in stack.items:
        creator = _bound(function, creator)
    return creator(**kwargs)


def _bound(function: Callable[..., Any], after: Callable[..., Any]) -> Callable[..., Any]:
    def creator(**kwargs: Any) -> Any:
        return function(after, **kwargs)
    return creator
