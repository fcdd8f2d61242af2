"""places - Where in a program an error came from that was raised while converted code ran.

An error collects the calls of converted code that it passes, innermost first; in the end it becomes one of
the same kind that names them.
"""

from __future__ import annotations

import linecache
import traceback
from typing import Any, Optional

from berth.framework import errors
from berth.framework.node import (
    InaccessibleTensorError, OperatorNotAllowedInGraphError, OutOfScopeError, is_library_file)

# Classes that are made anew with the longer text: their constructors take nothing but one.
_PLAIN = (AssertionError, AttributeError, NameError, NotImplementedError, RuntimeError, StopIteration, TypeError,
          UnboundLocalError, ValueError)


class AutoGraphError(Exception):
    """What is raised by conversions."""


class ConversionError(AutoGraphError):
    """Raised when code cannot be converted."""


class StagingError(AutoGraphError):
    """Raised in the place of an error whose class cannot be given a longer text."""


for _class, _module in ((AutoGraphError, 'api'), (ConversionError, 'api'), (StagingError, 'api')):
    _class.__module__ = f'tensorflow.python.autograph.impl.{_module}'


class _MultilineKeyError(KeyError):
    """A KeyError that shows its text as it is."""

    def __init__(self, text: str, key: Any) -> None:
        super().__init__(key)
        self._text = text

    def __str__(self) -> str:
        return self._text


_MultilineKeyError.__name__ = _MultilineKeyError.__qualname__ = 'KeyError'


class Place:
    """The calls that an error has passed, and what it said."""

    __slots__ = ('calls', 'text')

    def __init__(self, text: str) -> None:
        self.calls: list[str] = []  # Innermost first, two lines each.
        self.text = text


def attach(error: BaseException, converted: Any, caller: str) -> None:
    """Notes the calls between converted code and the error, or the code that called others that were noted.

    |caller| is the file that calls functions that are not converted.
    """
    if hasattr(error, 'ag_pass_through'):
        return
    place: Optional[Place] = getattr(error, 'ag_error_metadata', None)
    calls = _calls(error, converted, caller)
    if place is None:
        place = Place(f'{type(error).__name__}: {error}')
        place.calls = [call for call in calls if call]
    elif calls:
        place.calls = [*place.calls, *calls[-1:]]
    error.ag_error_metadata = place  # type: ignore[attr-defined]


def _calls(error: BaseException, converted: Any, caller: str) -> list[str]:
    """Returns the calls from the error out to the innermost in converted code; '' for those of the library."""
    found: list[str] = []
    frames = list(traceback.walk_tb(error.__traceback__))[1:]
    pending: Optional[tuple[Any, int]] = None  # A call that gets two stars if it was made by |caller|.
    for frame, line in reversed(frames):
        code = frame.f_code
        by_caller = code.co_filename == caller
        if pending is not None:
            found.append(_shown(pending[0], pending[1], '  **' if by_caller else ''))
            pending = None
        if id(code) in converted.codes:
            found.append(_shown(code, line, '  *', converted.text))
            return found
        if not by_caller:
            if is_library_file(code.co_filename):
                found.append('')
            else:
                pending = code, line
    if pending is not None:
        found.append(_shown(pending[0], pending[1], ''))
    return found


def _shown(code: Any, line: int, mark: str, lambda_text: str = '') -> str:
    """Returns two lines about a call."""
    name, text = code.co_name, linecache.getline(code.co_filename, line).strip()
    if lambda_text:
        name, text = 'None', lambda_text
    return f'    File "{code.co_filename}", line {line}, in {name}{mark}\n        {text}'


def explained(error: BaseException) -> BaseException:
    """Returns |error|, or one of its kind that says where in the program it was raised."""
    place: Optional[Place] = getattr(error, 'ag_error_metadata', None)
    if place is None or isinstance(error, OutOfScopeError):
        return error
    lines = ['    ' + line for line in place.text.split('\n')]
    text = '\n'.join(['in user code:', '', *reversed(place.calls), '', *lines, ''])
    made = _made_anew(error, text)
    made.ag_error_metadata = place  # type: ignore[attr-defined]
    made.__suppress_context__ = True
    return made


def _made_anew(error: BaseException, text: str) -> BaseException:
    kind: Any = type(error)
    if isinstance(error, errors.OpError):
        return kind(error.node_def, error.op, text)
    if kind in (AutoGraphError, ConversionError, StagingError, InaccessibleTensorError, OperatorNotAllowedInGraphError):
        return kind(text)
    if kind in _PLAIN or kind.__init__ is Exception.__init__:
        return kind(text)
    if kind is KeyError or kind is _MultilineKeyError:
        return _MultilineKeyError(text, error.args[0] if error.args else '')
    return StagingError(text)
