"""directives - Calls that say something about the loop they are in, and do nothing."""

from __future__ import annotations

import ast
import inspect
import types
from typing import Any, Callable, Optional

from berth.base import naming

UNSPECIFIED = object()


@naming.public('autograph.lang.directives')
def set_loop_options(parallel_iterations: Any = UNSPECIFIED, swap_memory: Any = UNSPECIFIED,
                     maximum_iterations: Any = UNSPECIFIED, shape_invariants: Any = UNSPECIFIED) -> None:
    """Tells the loop around it what tf.while_loop is to be told, where it becomes one."""


@naming.public('autograph.lang.directives')
def set_element_type(entity: Any, dtype: Any, shape: Any = UNSPECIFIED) -> None:
    """Tells of a list which type and shape its elements have."""


def take(node: Any, find: Callable[[str], Any]) -> None:
    """Takes directives out of the body of a function; loops keep theirs as |loop_options|."""
    _take_from(node, 'body', None, find)


def _take_from(owner: Any, field: str, loop: Any, find: Callable[[str], Any]) -> None:
    kept: list[Any] = []
    for statement in getattr(owner, field):
        directive = _directive(statement, find)
        if directive is None:
            kept.append(statement)
            if loop is not None and isinstance(statement, (ast.Assign, ast.AugAssign, ast.Expr)):
                loop.statements_seen = getattr(loop, 'statements_seen', 0) + 1
            _take_inside(statement, loop, find)
        elif directive is set_loop_options:
            _note_options(statement.value, loop)
    setattr(owner, field, kept or ([ast.Pass()] if field == 'body' else []))


def _take_inside(statement: Any, loop: Any, find: Callable[[str], Any]) -> None:
    if isinstance(statement, (ast.AsyncFunctionDef, ast.ClassDef)):
        return
    around = statement if isinstance(statement, (ast.For, ast.While)) else loop
    for field in ('body', 'orelse', 'finalbody'):
        if isinstance(getattr(statement, field, None), list):
            _take_from(statement, field, around, find)
    for part in (*getattr(statement, 'handlers', ()), *getattr(statement, 'cases', ())):
        _take_from(part, 'body', around, find)


def _directive(statement: Any, find: Callable[[str], Any]) -> Optional[Any]:
    """Returns the directive that a statement is a call of, or None."""
    if not (isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call)):
        return None
    value = _static(statement.value.func, find)
    return value if value is set_loop_options or value is set_element_type else None


def _static(node: Any, find: Callable[[str], Any]) -> Any:
    """Returns what a name, or an attribute of modules, is."""
    if isinstance(node, ast.Name):
        return find(node.id)
    if isinstance(node, ast.Attribute):
        owner = _static(node.value, find)
        if isinstance(owner, types.ModuleType):
            return getattr(owner, node.attr, None)
    return None


def _note_options(call: ast.Call, loop: Any) -> None:
    if loop is None:
        raise ValueError('"set_loop_options" must be used inside a statement')
    if getattr(loop, 'statements_seen', 0):
        raise ValueError('"set_loop_options" must be the first statement in the loop block')
    named = {keyword.arg: keyword.value for keyword in call.keywords}
    bound = inspect.signature(set_loop_options).bind(*call.args, **named)  # type: ignore[arg-type]
    loop.loop_options = dict(bound.arguments)
