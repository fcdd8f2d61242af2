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
    inner = getattr(error, '_berth_in_user_code', None)  # Of a function that this one calls: its calls, its text.
    if inner is None and not (kind in _PLAIN or kind is KeyError or kind.__init__ is Exception.__init__):
        return error
    frames = [pair for pair in traceback.walk_tb(error.__traceback__)
              if not is_library_file(pair[0].f_code.co_filename)]
    shown = [_shown(frame.f_code, line) for frame, line in frames]
    if not frames or not all(shown):
        return error  # What has no source AutoGraph leaves as it is, and its errors too.
    text = _last_lines(error)
    if inner is not None:
        shown, text = shown + inner[0], inner[1]
    made: Any = (_MultilineKeyError if kind is KeyError else kind)(
        '\n'.join(['in user code:', '', *shown, '', *text]) + '\n')
    made._berth_in_user_code = shown, text
    return made


def _shown(code: Any, line: int) -> str:
    """Returns two lines about a call, '' when there is no source."""
    name, text = code.co_name, linecache.getline(code.co_filename, line).strip()
    if name == '<lambda>':
        name, text = 'None', _lambda_at(code, line)
    place = f'    File "{code.co_filename}", line {line}, in {name}  *'
    return f'{place}\n        {text}' if text else ''


def _lambda_at(code: Any, line: int) -> str:
    """Returns the source of the lambda of a line that has the parameters of |code|; '' when there is not just one."""
    source = ''.join(linecache.getlines(code.co_filename))
    parameters = list(code.co_varnames[:code.co_argcount])
    found = [node for node in ast.walk(ast.parse(source))
             if isinstance(node, ast.Lambda) and node.lineno == line
             and [arg.arg for arg in node.args.posonlyargs + node.args.args] == parameters]
    return ast.get_source_segment(source, found[0]) or '' if len(found) == 1 else ''


def _last_lines(error: BaseException) -> list[str]:
    """Returns the lines that a traceback ends with."""
    last = traceback.format_exception_only(type(error), error)
    return ['    ' + line for line in ''.join(last).rstrip('\n').split('\n')]


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
