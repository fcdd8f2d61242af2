"""weak_method - Methods that tf.function decorates, bound to objects that they do not keep alive."""

from __future__ import annotations

import functools
import inspect
import weakref
from typing import Any


class WeakMethod:
    """A method that does not keep its object alive."""

    def __init__(self, python: Any, instance: Any) -> None:
        self.function = python
        self.instance = weakref.ref(instance)
        functools.update_wrapper(self, python.__get__(instance, type(instance)))
        del self.__dict__['__wrapped__']  # It would keep the object.
        self.__signature__ = inspect.signature(python.__get__(instance, type(instance)))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.function(self.instance(), *args, **kwargs)


def function_of(python: Any) -> Any:
    """Returns the function as its program has it."""
    return python.function if isinstance(python, WeakMethod) else python
