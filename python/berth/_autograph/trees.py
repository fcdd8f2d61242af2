"""trees - Small pieces of syntax trees."""

from __future__ import annotations

import ast
from typing import Any, Iterable, Optional

_LOAD, _STORE = ast.Load(), ast.Store()


def name(text: str) -> ast.Name:
    """Reads a name."""
    return ast.Name(text, _LOAD)


def target(text: str) -> ast.Name:
    """Names what is assigned to."""
    return ast.Name(text, _STORE)


def constant(value: Any) -> ast.Constant:
    """Writes a value down."""
    return ast.Constant(value)


def assign(text: str, value: ast.expr) -> ast.Assign:
    """Assigns to a name."""
    return ast.Assign([target(text)], value)


def row(items: Iterable[ast.expr]) -> ast.Tuple:
    """Makes a tuple."""
    return ast.Tuple(list(items), _LOAD)


def attribute(owner: str, text: str) -> ast.Attribute:
    """Reads an attribute of a name."""
    return ast.Attribute(name(owner), text, _LOAD)


def call(function: ast.expr, *args: ast.expr) -> ast.Call:
    """Calls a function."""
    return ast.Call(function, list(args), [])


def operator(text: str, *args: ast.expr) -> ast.Call:
    """Calls one of the operators of converted code."""
    return ast.Call(attribute('ag__', text), list(args), [])


def later(expression: ast.expr) -> ast.Lambda:
    """Puts an expression off."""
    return ast.Lambda(arguments(()), expression)


def negate(expression: ast.expr) -> ast.UnaryOp:
    """Says not."""
    return ast.UnaryOp(ast.Not(), expression)


def arguments(names: Iterable[str]) -> ast.arguments:
    """Declares parameters."""
    return ast.arguments(posonlyargs=[], args=[ast.arg(text, None) for text in names], vararg=None, kwonlyargs=[],
                         kw_defaults=[], kwarg=None, defaults=[])


def define(text: str, parameters: Iterable[str], body: list[ast.stmt]) -> ast.FunctionDef:
    """Defines a function."""
    made = ast.FunctionDef(name=text, args=arguments(parameters), body=body or [ast.Pass()], decorator_list=[],
                           returns=None, type_comment=None)
    made.type_params = []  # type: ignore[attr-defined]  # Of Python 3.12 on.
    return made


def at(line: Optional[int], nodes: list[Any]) -> list[Any]:
    """Returns statements that belong to a line of the source."""
    if line is not None:
        for node in nodes:
            node.lineno = line
    return nodes


def place(node: Any, line: int) -> None:
    """Gives everything in |node| the line of the statement that it is in."""
    if isinstance(node, (ast.stmt, ast.excepthandler)):
        line = getattr(node, 'lineno', line)
    if 'lineno' in node._attributes:
        node.lineno = node.end_lineno = line
        node.col_offset = node.end_col_offset = 0
    for child in ast.iter_child_nodes(node):
        place(child, line)
