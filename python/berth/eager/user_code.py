"""user_code - Errors of runs of functions, with the lines that made the node that failed."""

from __future__ import annotations

import re
from typing import Any

from berth.framework import errors

_NODE = re.compile(r'\{\{node ([^{}]+?)\}\}')


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
    if isinstance(error, errors.ResourceExhaustedError):
        from berth.framework import node_lines, oom

        tag = _NODE.search(error.message)
        made = oom.explained(made, tag.group(1) if tag else '', lambda name: node_lines.of_op(sources.get(name)))
    made.__context__ = error
    return made


def _block(op: Any) -> str:
    """Says where a node was made."""
    lines = [f'Detected at node {op.name} defined at (most recent call last):\n']
    lines += [f'  File "{file}", line {line}, in {name}\n\n' for file, line, name in op.frames(True)]
    return ''.join(lines)
