"""failures.py - Errors of runs in TensorFlow's words, with the lines that made the nodes."""

from __future__ import annotations

import itertools
import re
from typing import Any

# Compiled when something fails, not whenever a session is made.
_NODE_TAG = r'\{\{(?:colocation_)?node ([^{}]+?)\}\}'
# How the errors of the classic style begin; they are shown as they were then.
_CLASSIC = "Cannot assign a device to node '"
# How errors of placement begin.
_OF_PLACEMENT = ('Cannot assign a device', 'Cannot colocate nodes')
_LAST_NODE = r'\[\[(Node: )?(\{\{node )?([^\} ]*)(\}\})?\s*=?'

# Of a recursion, as many calls as tracebacks of Python show.
_SHOWN_ALIKE = 3


def _block(op: Any) -> str:
    """Says where a node was made."""
    lines = [f"Detected at node '{op.name}' defined at (most recent call last):"]
    for frame, alike in itertools.groupby(op.frames(True)):
        count = len(list(alike))
        lines += ['    File "{}", line {}, in {}'.format(*frame)] * min(count, _SHOWN_ALIKE)
        if count > _SHOWN_ALIKE:
            more = count - _SHOWN_ALIKE
            lines.append(f"    [Previous line repeated {more} more time{'s' if more > 1 else ''}]")
    return '\n'.join(lines) + f"\nNode: '{op.name}'\n"


# Ops whose inputs TensorFlow's optimizer puts in the order of their names, and from how many nodes on it looks at
# a graph.
_SORTED = frozenset(('Add', 'AddV2', 'BitwiseAnd', 'BitwiseOr', 'BitwiseXor', 'Equal', 'LogicalAnd', 'LogicalOr',
                     'Mul', 'NotEqual', 'SquaredDifference'))
_OPTIMIZED_FROM = 4
_SHAPES = r'^Incompatible shapes: (\[[\d,]*\]) vs\. (\[[\d,]*\])'


def _in_order(op: Any, message: str) -> str:
    """Returns what |op| says of its two shapes as it does when its inputs are sorted."""
    if op is None or op.type not in _SORTED or op.graph.version < _OPTIMIZED_FROM:
        return message
    first, second = (t.op.name if t.value_index == 0 else t.name for t in op.inputs)
    return re.sub(_SHAPES, r'Incompatible shapes: \2 vs. \1', message) if second < first else message


def describe(graph: Any, message: str) -> tuple[Any, str]:
    """Returns the operation that failed, if known, and the long text."""
    if message.startswith(_CLASSIC):
        return None, 'Invalid argument: ' + message
    blocks: list[str] = []
    for tag in re.finditer(_NODE_TAG, message):
        op = graph._by_name.get(tag.group(1))
        if op is not None:
            blocks.append(_block(op))
    found = re.search(_LAST_NODE, message)
    failed = graph._by_name.get(found.group(3)) if found else None
    return failed, 'Graph execution error:\n\n' + ''.join(blocks) + _in_order(failed, message)


def _status(error: Any) -> str:
    """Returns an error as logs show it: the name of its code, and its text."""
    name = type(error).__name__.replace('Error', '')
    return re.sub(r'(?<!^)(?=[A-Z])', '_', name).upper() + ': ' + error.message


def log_not_created(error: Any) -> None:
    """Logs that a session could not be made, as TensorFlow does."""
    from berth.base import logging

    logging.runtime_line('E', 'session.cc', 95, 'Failed to create session: ' + _status(error))
    logging.runtime_line('E', 'c_api.cc', 2243, _status(error))


def _log_aborted(error: Any) -> None:
    """Logs that a node failed; errors of placement come before anything runs, and are not logged."""
    if '[[{{node ' in error.message and not error.message.startswith(_OF_PLACEMENT):
        from berth.base import logging

        logging.runtime_line('W', 'local_rendezvous.cc', 412,
                             'Local rendezvous is aborting with status: ' + _status(error))


def better(graph: Any, error: Any) -> Any:
    """Returns |error| with what the graph knows about it."""
    _log_aborted(error)
    try:
        raise error  # So that it shows where it comes from, as raised by Python.
    except type(error):
        pass
    op, text = describe(graph, error.message)
    found = type(error)(op.node_def if op is not None else None, op, text)
    found.__context__ = error
    return found


def out_of_memory(graph: Any, error: Any) -> Any:
    """Returns |error| with what a GPU's memory looks like, if it is about one."""
    from berth.framework import node_lines, oom

    def line_of(name: str) -> str:
        return node_lines.of_op(graph._by_name.get(name))

    made = oom.explained(error, error.op.name if error.op is not None else '', line_of)
    if made is not error:
        made.__cause__, made.__context__ = error.__cause__, error.__context__
        made.__suppress_context__ = error.__suppress_context__
        made = made.with_traceback(error.__traceback__)
    return made
