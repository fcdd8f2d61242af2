"""composite.py - Values made of other tensors: sparse and ragged ones, optionals, iterators."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from berth.base import execution


class NotDense(Exception):
    """A value of several tensors was given where one tensor is needed.

    Most of these are caught, and what they say of a large value takes long to write: it is written when it is read.
    """

    def __init__(self, value: Any, say: Callable[[Any], str]) -> None:
        super().__init__()
        self.value = value
        self._say = say

    def __str__(self) -> str:
        return self._say(self.value)

    def __repr__(self) -> str:
        return f'{type(self).__name__}({str(self)!r})'

    @property
    def args(self) -> tuple[Any, ...]:  # type: ignore[override]
        return (str(self),)


class _InGraph(NotDense, TypeError):
    """The same, as graphs say it."""


class _AtOnce(NotDense, ValueError):
    """The same, as calls that run at once say it."""


# Programs see the classes that TensorFlow raises.
for _own, _shown in ((_InGraph, TypeError), (_AtOnce, ValueError)):
    _own.__name__ = _own.__qualname__ = _shown.__name__
    _own.__module__ = 'builtins'


def not_dense(value: Any) -> NotDense:
    """Returns the error for a value of several tensors that is none."""
    if execution.executing_eagerly():
        return _AtOnce(value, lambda it: it._no_tensor_text())
    return _InGraph(value, lambda it: f'Failed to convert elements of {it!s} to Tensor. Consider casting elements to a '
                    'supported type. See https://www.tensorflow.org/api_docs/python/tf/dtypes for supported TF dtypes.')


class Composite:
    """What sparse and ragged tensors share: they are made of tensors, and are none."""

    _is_passed_on = False  # Functions of tensors take it as it is: ops of elements work on it.

    def _parts(self) -> list[Any]:
        """Returns the tensors that it is made of."""
        raise NotImplementedError

    @property
    def _elements(self) -> Any:
        """The one of its parts that holds the elements."""
        raise NotImplementedError

    def _with_parts(self, parts: list[Any]) -> Any:
        """Returns one of the same kind, made of other tensors."""
        raise NotImplementedError

    def _open_parts(self) -> tuple[int, ...]:
        """Returns which of its parts have a first axis whose size says nothing of its kind: how much is in it."""
        return (0,)

    def _kind_note(self) -> Any:
        """Returns what, besides types and shapes of its parts, tells it from others of its class; hashable."""
        return None

    def _fetched(self, arrays: list[Any]) -> Any:
        """Returns what a session gives for it."""
        raise NotImplementedError

    def _fed(self, value: Any) -> list[Any]:
        """Returns the arrays to feed its parts with, for |value|."""
        raise NotImplementedError

    def _no_tensor_text(self) -> str:
        """Returns what calls that run at once say where one tensor is needed."""
        return f'Attempt to convert a value ({self!r}) with an unsupported type ({type(self)!r}) to a Tensor.'

    def _dense_var_to_tensor(self, dtype: Any, name: Any, as_ref: bool) -> Any:
        raise not_dense(self)

    def _apply_op(self, op_type: str, name: Any, args: dict[str, Any], attrs: Any) -> Any:
        """Does what an op does with parts of it; NotDense for ops that are not for it."""
        raise not_dense(self)
