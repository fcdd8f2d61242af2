"""source - The syntax tree of a function, with the lines that it has in its file."""

from __future__ import annotations

import __future__

import ast
import inspect
import linecache
from typing import Any, Union

from berth.base import naming

Definition = Union[ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda]

_FUTURE = 0
for _name in __future__.all_feature_names:
    _FUTURE |= getattr(__future__, _name).compiler_flag


class InaccessibleSource(ValueError):
    """Raised for a function whose source is not at hand."""


@naming.public('autograph.pyct.errors', 'UnsupportedLanguageElementError')
class Unsupported(NotImplementedError):
    """Raised for Python that is not converted."""


def flags_of(code: Any) -> int:
    """Returns what of __future__ was in force where |code| was compiled."""
    return code.co_flags & _FUTURE


def find(function: Any) -> Definition:
    """Returns the tree of |function|; its lines are those of the file."""
    code = function.__code__
    lines = linecache.getlines(code.co_filename, function.__globals__)
    if code.co_name == '<lambda>':
        return _find_lambda(function, lines)
    if not lines:
        raise InaccessibleSource(
            f'Unable to locate the source code of {function}. Note that functions defined in certain environments, like '
            'the interactive Python shell, do not expose their source code. If that is the case, you should define '
            'them in a .py source file. If you are certain the code is graph-compatible, wrap the call using '
            '@tf.autograph.experimental.do_not_convert. Original error: could not get source code')
    return _find_definition(code, lines)


def _find_definition(code: Any, lines: list[str]) -> Any:
    """Parses the lines of one function only."""
    first = code.co_firstlineno
    block = inspect.getblock(lines[first - 1:])
    text = ''.join(block)
    if text[:1].isspace():
        node = ast.parse('if 1:\n' + text).body[0].body[0]  # type: ignore[attr-defined]
        ast.increment_lineno(node, first - 2)
    else:
        node = ast.parse(text).body[0]
        ast.increment_lineno(node, first - 1)
    if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        raise ValueError(f'expected exactly one node, got {node}')
    return node


# ---- Lambdas ----

_files: dict[str, tuple[list[str], list[ast.Lambda]]] = {}  # By the names of files.
_MOST_FILES = 64


def _lambdas_of(name: str, lines: list[str]) -> list[ast.Lambda]:
    """Returns every lambda of a file, outer ones first."""
    known = _files.get(name)
    if known is not None and known[0] is lines:
        return known[1]
    found = [node for node in ast.walk(ast.parse(''.join(lines))) if isinstance(node, ast.Lambda)]
    if len(_files) >= _MOST_FILES:
        _files.clear()
    _files[name] = lines, found
    return found


def _find_lambda(function: Any, lines: list[str]) -> ast.Lambda:
    code = function.__code__
    line = code.co_firstlineno
    every = _lambdas_of(code.co_filename, lines)
    found = [node for node in every if node.lineno <= line <= (node.end_lineno or node.lineno)]
    if len(found) > 1:
        found = [node for node in found if _parameters(node) == _code_parameters(code)]
    elif not found:
        texts = '\n'.join(ast.unparse(node) for node in every)
        raise Unsupported(f'could not parse the source code of {function}: no matching AST found among candidates:\n'
                          f'{"# coding=utf-8" if texts else ""}\n{texts}' if texts else
                          f'could not parse the source code of {function}: no matching AST found among candidates:\n')
    if len(found) != 1:
        texts = '\n'.join(f'Match {i}:\n{ast.unparse(node)}\n' for i, node in enumerate(found))
        raise Unsupported(
            f'could not parse the source code of {function}: found multiple definitions with identical signatures at the '
            'location. This error may be avoided by defining each lambda on a single line and with unique argument '
            f'names. The matching definitions were:\n{texts}')
    # The tree is kept for the next one of the file, and rewriting changes trees.
    text = 'f = ' + ast.unparse(found[0])
    copy: Any = ast.parse(text).body[0].value  # type: ignore[attr-defined]
    for node in ast.walk(copy):
        if hasattr(node, 'lineno'):
            node.lineno = node.end_lineno = found[0].lineno  # type: ignore[attr-defined]
    copy.text = (ast.get_source_segment(''.join(lines), found[0]) or '').split('\n')[0].strip()
    return copy


def _parameters(node: ast.Lambda) -> tuple[Any, ...]:
    args = node.args
    return ([arg.arg for arg in args.posonlyargs + args.args], [arg.arg for arg in args.kwonlyargs],
            args.vararg.arg if args.vararg else None, args.kwarg.arg if args.kwarg else None)


def _code_parameters(code: Any) -> tuple[Any, ...]:
    names = list(code.co_varnames)
    plain, named = names[:code.co_argcount], names[code.co_argcount:code.co_argcount + code.co_kwonlyargcount]
    rest = names[code.co_argcount + code.co_kwonlyargcount:]
    star = rest.pop(0) if code.co_flags & inspect.CO_VARARGS else None
    return plain, named, star, rest.pop(0) if code.co_flags & inspect.CO_VARKEYWORDS else None


# ---- What is not converted ----


def check(node: ast.AST) -> None:
    """Raises Unsupported for Python that AutoGraph leaves alone."""
    for part in ast.walk(node):
        if isinstance(part, ast.Attribute):
            if part.attr.startswith('__') and not part.attr.endswith('__'):
                raise Unsupported('mangled names are not yet supported')
        elif isinstance(part, (ast.For, ast.While)) and part.orelse:
            kind = 'for' if isinstance(part, ast.For) else 'while'
            raise Unsupported(f'{kind}/else statement not yet supported')
        elif isinstance(part, (ast.Yield, ast.YieldFrom)):
            raise Unsupported('generators are not supported')
        elif isinstance(part, ast.NamedExpr):
            raise ValueError(f'(<gast.gast.NamedExpr object at 0x{id(part):x}>, {ast.unparse(part)})')
        elif type(part).__name__ == 'Match':
            names = [name.id for name in ast.walk(part.subject) if isinstance(name, ast.Name)]
            raise ValueError(f'name node, {names[0] if names else ""}, outside of any statement?')
