"""age - Whether a program was written for TensorFlow before 1.0: it uses a name that no TF1 has, or arguments.

Only such programs get the names and the arguments of that time (`api_v0`); nothing changes for others.
The source of the program, and of the modules beside it that it imports, is looked through and never run.
"""

from __future__ import annotations

import os

from berth._start import source
from berth._start.api_v0 import AXIS_FIRST, BY_PLACES, SIGNS

TYPE_CHECKING = False  # The module typing would take half the time of importing this.
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, Optional

_MOST_FILES = 200
_TRAINING = frozenset(('minimize', 'compute_gradients', 'apply_gradients'))


def sign(path: str, text: Optional[str] = None) -> str:
    """Returns the first name of that time that a program uses, and where; '' when there is none."""
    folders = [os.path.dirname(os.path.abspath(path)), os.getcwd()]
    waiting, seen = [(path, text)], {path}
    while waiting and len(seen) < _MOST_FILES:
        file, given = waiting.pop(0)
        tree, mentions = source._tree(file, given)
        if tree is None:
            continue
        nodes = list(_walk(tree))
        found = _sign_in(nodes) if mentions else None
        if found is not None:
            return f'tf.{found[0]} in {os.path.basename(file)}, line {found[1]}'
        for beside in _beside(nodes, folders):
            if beside not in seen:
                seen.add(beside)
                waiting.append((beside, None))
    return ''


def _walk(tree: Any) -> Iterator[Any]:
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        waiting.extend(source._children(node))


def _sign_in(nodes: list[Any]) -> Optional[tuple[str, int]]:
    """Returns the first sign among |nodes| of a file, and its line."""
    names = {alias.asname or 'tensorflow' for node in nodes if source._kind(node) == 'Import'
             for alias in node.names if alias.name == 'tensorflow'}
    if any(_asks(node, names) for node in nodes):
        return None
    found = [(node.lineno, path) for node in nodes if source._kind(node) == 'Attribute'
             for path in [_path(node, names)] if path in SIGNS]
    trains = any(getattr(node, 'attr', '') in _TRAINING for node in nodes)
    later = {id(inner) for node in nodes if source._kind(node) == 'Lambda' for inner in _walk(node)}
    found += [(node.lineno, _path(node.func, names) + form) for node in nodes if id(node) not in later
              for form in [_old_form(node, names, trains)] if form]
    return (min(found)[1], min(found)[0]) if found else None


def _old_form(node: Any, names: set[str], trains: bool) -> str:
    """Returns what is old about the arguments of a call, '' where nothing is.

    A number stands where later there are tensors, as in tf.concat(0, [a, b]) and tf.split(1, 4, x); or logits
    and labels have no names, in a program that learns from them.
    """
    if source._kind(node) != 'Call' or len(node.args) < 2 or source._kind(node.args[1]) == 'Starred':
        return ''
    path, first = _path(node.func, names), node.args[0]
    if trains and path in BY_PLACES and source._kind(first) != 'Starred':
        return '(logits, labels)'
    first = first.operand if source._kind(first) == 'UnaryOp' else first
    is_number = source._kind(first) == 'Constant' and type(first.value) is int
    return '(axis, …)' if is_number and path in AXIS_FIRST else ''


def _asks(node: Any, names: set[str]) -> bool:
    """True where a program asks what TensorFlow has: it was written for more than one."""
    return (source._kind(node) == 'Call' and getattr(node.func, 'id', '') in ('getattr', 'hasattr') and bool(node.args)
            and getattr(node.args[0], 'id', None) in names)


def _path(node: Any, names: set[str]) -> str:
    """Returns 'nn.rnn' for tf.nn.rnn; '' for what is not TensorFlow's."""
    parts: list[str] = []
    while source._kind(node) == 'Attribute':
        parts.append(node.attr)
        node = node.value
    return '.'.join(reversed(parts)) if getattr(node, 'id', None) in names else ''


def _beside(nodes: list[Any], folders: list[str]) -> Iterator[str]:
    """Gives the files of modules beside the program that a file imports."""
    for node in nodes:
        if source._kind(node) == 'Import':
            wanted = [alias.name for alias in node.names]
        elif source._kind(node) == 'ImportFrom':
            wanted = [node.module or ''] + [f'{node.module or ""}.{alias.name}'.lstrip('.') for alias in node.names]
        else:
            continue
        for module in wanted:
            for folder in folders:
                file = source.local_file(folder, module) if module else None
                if file is not None:
                    yield file
