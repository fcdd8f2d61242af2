"""user_code - Errors of functions in TensorFlow's words: while tracing, and while running."""

from __future__ import annotations

import ast
import linecache
import re
import traceback
from typing import Any

from berth.framework import errors
from berth.framework.node import OperatorNotAllowedInGraphError, is_library_file

_NODE = re.compile(r'\{\{node ([^{}]+?)\}\}')
# Classes that are made anew with the longer text: their constructors take nothing but one.
_PLAIN = (AssertionError, AttributeError, NameError, NotImplementedError, RuntimeError,
          StopIteration, TypeError, UnboundLocalError, ValueError)
_NO_AUTOGRAPH = (
    ' (Berth does not rewrite Python control flow on tensors yet, with or without '
    'autograph=True: use tf.where, or decide in Python outside of the function.)')


class _MultilineKeyError(KeyError):
    """A KeyError that shows its text as it is."""

    def __str__(self) -> str:
        return str(self.args[0])


_MultilineKeyError.__name__ = _MultilineKeyError.__qualname__ = 'KeyError'


def of_trace(error: BaseException) -> BaseException:
    """Returns |error|, raised while Python was traced, as AutoGraph shows it."""
    if isinstance(error, OperatorNotAllowedInGraphError):
        return type(error)(str(error) + _NO_AUTOGRAPH)
    kind = type(error)
    if hasattr(error, '_berth_in_user_code') or not (
            kind in _PLAIN or kind is KeyError or kind.__init__ is Exception.__init__):
        return error
    frames = [frame for frame in traceback.extract_tb(error.__traceback__)
              if not is_library_file(frame.filename)]
    shown = [_shown(frame) for frame in frames]
    if not frames or not all(shown):
        return error  # What has no source AutoGraph leaves as it is, and its errors too.
    made: Any = (_MultilineKeyError if kind is KeyError else kind)(_text(error, shown))
    made._berth_in_user_code = True
    return made


def _shown(frame: traceback.FrameSummary) -> str:
    """Returns two lines about a call, '' when there is no source."""
    name, code = frame.name, linecache.getline(frame.filename, frame.lineno or 0).strip()
    if name == '<lambda>':
        name, code = 'None', _lambda_at(frame.filename, frame.lineno or 0)
    place = f'    File "{frame.filename}", line {frame.lineno}, in {name}  *'
    return f'{place}\n        {code}' if code else ''


def _lambda_at(filename: str, line: int) -> str:
    """Returns the source of the only lambda of a line, '' when there is not just one."""
    source = ''.join(linecache.getlines(filename))
    found = [node for node in ast.walk(ast.parse(source))
             if isinstance(node, ast.Lambda) and node.lineno == line]
    return ast.get_source_segment(source, found[0]) or '' if len(found) == 1 else ''


def _text(error: BaseException, shown: list[str]) -> str:
    last = traceback.format_exception_only(type(error), error)
    lines = ['    ' + line for line in ''.join(last).rstrip('\n').split('\n')]
    return '\n'.join(['in user code:', '', *shown, '', *lines]) + '\n'


def of_run(error: Any, function: str, sources: dict[str, Any]) -> Any:
    """Returns |error|, of a run of |function|, with the lines that made the node that failed."""
    if isinstance(error, errors.ResourceExhaustedError) and _NODE.search(error.message):
        error = errors.with_hint(error, '\n')
    message, blocks = error.message, ''
    if '<' in function and _NODE.search(message):  # A lambda: TensorFlow does not look further.
        sources, message = {}, f'{{{{function_node {function}}}}} {message}'
    for tag in _NODE.finditer(error.message):
        op = sources.get(tag.group(1))
        if op is not None:
            blocks += _block(op)
            message = message.replace(tag.group(0), '{{node %s}}' % op.name)
    if blocks:
        message = 'Graph execution error:\n\n' + blocks + message
    made = type(error)(None, None, f'{message} [Op:{function}]')
    made.__context__ = error
    return made


def _block(op: Any) -> str:
    """Says where a node was made."""
    lines = [f'Detected at node {op.name} defined at (most recent call last):\n']
    lines += [f'  File "{file}", line {line}, in {name}\n\n' for file, line, name in op.frames(True)]
    return ''.join(lines)
