"""python_util - Small things of tensorflow.python.util that code written for TensorFlow imports."""

from __future__ import annotations

import contextlib
import functools
import inspect
from collections.abc import Iterator, MutableMapping, MutableSet
from typing import Any

contextmanager = contextlib.contextmanager


class tf_export:
    """Decorates what TensorFlow would make public; leaves it as it is."""

    def __init__(self, *args: str, **kwargs: Any) -> None:
        self._names = args

    def __call__(self, func: Any) -> Any:
        """Returns |func|."""
        return func

    def export_constant(self, module_name: str, name: str) -> None:
        """Does what it can for a constant: nothing."""


keras_export = estimator_export = tf_export


def make_decorator(target: Any, decorator_func: Any, decorator_name: Any = None, decorator_doc: str = '',
                   decorator_argspec: Any = None) -> Any:
    """Makes |decorator_func| look like the function that it stands for."""
    return functools.wraps(target)(decorator_func)


def unwrap(maybe_tf_decorator: Any) -> tuple[list[Any], Any]:
    """Returns the decorators around a function, outer ones first, and the function."""
    decorators = []
    while hasattr(maybe_tf_decorator, '__wrapped__'):
        decorators.append(maybe_tf_decorator)
        maybe_tf_decorator = maybe_tf_decorator.__wrapped__
    return decorators, inspect.unwrap(maybe_tf_decorator)


class ObjectIdentityDictionary(MutableMapping[Any, Any]):
    """A dict whose keys are the same only if they are one object."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._items: dict[int, tuple[Any, Any]] = {}
        self.update(*args, **kwargs)

    def __getitem__(self, key: Any) -> Any:
        try:
            return self._items[id(key)][1]
        except KeyError:
            raise KeyError(key) from None

    def __setitem__(self, key: Any, value: Any) -> None:
        self._items[id(key)] = key, value

    def __delitem__(self, key: Any) -> None:
        del self._items[id(key)]

    def __iter__(self) -> Iterator[Any]:
        return (key for key, _ in self._items.values())

    def __len__(self) -> int:
        return len(self._items)


class ObjectIdentitySet(MutableSet[Any]):
    """A set whose members are the same only if they are one object."""

    def __init__(self, *args: Any) -> None:
        self._items: dict[int, Any] = {id(item): item for item in (args[0] if args else ())}

    def __contains__(self, item: object) -> bool:
        return id(item) in self._items

    def __iter__(self) -> Iterator[Any]:
        return iter(self._items.values())

    def __len__(self) -> int:
        return len(self._items)

    def add(self, value: Any) -> None:
        """Adds an object."""
        self._items[id(value)] = value

    def discard(self, value: Any) -> None:
        """Takes an object out, if it is there."""
        self._items.pop(id(value), None)
