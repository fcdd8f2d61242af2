"""convert - A function made anew from its rewritten source; code is rewritten once and kept.

    function ──> its tree (source.py) ──> jumps as flags ──> names and liveness ──> operators (rewrite.py) ──> code

The new code has the file, the lines and the function names of the old, so that tracebacks need no map.
"""

from __future__ import annotations

import ast
import builtins
import types
from typing import Any, Optional

from berth._autograph import directives, jumps, source, trees
from berth._autograph.activity import Activity
from berth._autograph.blocks import Blocks
from berth._autograph.liveness import Liveness
from berth._autograph.naming import Namer
from berth._autograph.options import ConversionOptions
from berth._autograph.rewrite import Rewriter

_MOST_KEPT = 4096
_kept: dict[Any, tuple[Any, 'Converted']] = {}  # By code and options; the code itself is kept, too.


class Converted:
    """Code that was rewritten."""

    __slots__ = ('code', 'codes', 'text')

    def __init__(self, code: Any, text: str) -> None:
        self.code = code
        self.text = text  # The first line of a lambda; '' for others.
        self.codes = frozenset(id(part) for part in _parts(code))

    def function(self, original: Any, operators: Any) -> Any:
        """Returns |original| with this code: with its globals, its cells and its defaults."""
        cells = dict(zip(original.__code__.co_freevars, original.__closure__ or ()))
        cells['ag__'] = types.CellType(operators)
        made = types.FunctionType(self.code, original.__globals__, original.__name__, original.__defaults__,
                                  tuple(cells[name] for name in self.code.co_freevars))
        made.__kwdefaults__ = original.__kwdefaults__
        made.__qualname__ = f'outer_factory.<locals>.inner_factory.<locals>.tf__{original.__name__}'
        return made


def _parts(code: Any) -> list[Any]:
    found = [code]
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            found += _parts(constant)
    return found


def of(function: Any, options: ConversionOptions) -> Converted:
    """Returns the rewritten code of |function|."""
    key = id(function.__code__), options.key
    known = _kept.get(key)
    if known is None:
        if len(_kept) >= _MOST_KEPT:
            _kept.clear()
        known = _kept[key] = function.__code__, _Conversion(function, options).result()
    return known[1]


def text_of(function: Any, options: ConversionOptions) -> str:
    """Returns the rewritten source of |function|."""
    return _Conversion(function, options, True).text()


class _Namespace:
    """What is visible where a function was defined."""

    def __init__(self, function: Any) -> None:
        self._globals = function.__globals__
        self._cells = dict(zip(function.__code__.co_freevars, function.__closure__ or ()))

    def __contains__(self, name: str) -> bool:
        return name in self._globals or name in self._cells

    def find(self, name: str) -> Any:
        """Returns what |name| is, or None."""
        if name in self._cells:
            try:
                return self._cells[name].cell_contents
            except ValueError:
                return None
        return self._globals.get(name, getattr(builtins, name, None))


class _Original:
    """All names but those that a conversion made up: as a program reads the code, each is looked at."""

    def __init__(self, namer: Namer) -> None:
        self._namer = namer

    def __contains__(self, name: object) -> bool:
        return name not in self._namer.made and name != 'ag__'


class _Conversion:
    """One function on its way."""

    def __init__(self, function: Any, options: ConversionOptions, is_for_reading: bool = False) -> None:
        self._function, self._options, self._is_for_reading = function, options, is_for_reading
        self._names = _Namespace(function)
        self._namer = Namer(self._names)
        self._node: Any = source.find(function)
        source.check(self._node)
        if isinstance(self._node, ast.Lambda):
            self._rewrite_lambda()
        else:
            self._rewrite_definition()

    def _rewrite_lambda(self) -> None:
        activity = Activity()
        scope = self._namer.new('lscope', activity.of(self._node).referenced())
        Rewriter(self._namer, activity, self._options, ()).outermost_lambda(self._node, scope)
        self._node.args.defaults = [trees.constant(None) for _ in self._node.args.defaults]
        self._node.args.kw_defaults = [d and trees.constant(None) for d in self._node.args.kw_defaults]

    def _rewrite_definition(self) -> None:
        node = self._node
        if isinstance(node, ast.AsyncFunctionDef):
            raise ValueError(f'Unknown node type <gast.gast.AsyncFunctionDef object at 0x{id(node):x}>')
        node.decorator_list, node.returns = [], None
        node.args.defaults = [trees.constant(None) for _ in node.args.defaults]
        node.args.kw_defaults = [d and trees.constant(None) for d in node.args.kw_defaults]
        _drop_annotations(node)
        self._name_scopes(node, Activity())
        directives.take(node, self._names.find)
        self._lower_jumps(node)
        activity = Activity()
        Liveness(activity).function(node)
        blocks = Blocks(activity)
        blocks.function(node)
        # Names that surely have a value are read as they are.
        unset: Any = _Original(self._namer) if self._is_for_reading else blocks.unset
        Rewriter(self._namer, activity, self._options, unset).function(node, True)

    def _name_scopes(self, node: Any, activity: Activity) -> None:
        """Names the scopes of a function and of those in it."""
        node.scope_name = self._namer.new('fscope', activity.block(node.body).referenced())
        for inner in _definitions(node.body):
            self._name_scopes(inner, activity)

    def _lower_jumps(self, node: Any) -> None:
        node.body = jumps.Breaks(self._namer, Activity()).block(node.body)
        node.body = jumps.Continues(self._namer, Activity()).block(node.body)
        node.body = jumps.merge_returns(node.body)[0]
        jumps.Returns(self._namer, Activity()).function(node)

    # ---- Code ----

    def result(self) -> Converted:
        """Returns the code."""
        code = self._function.__code__
        node = self._node
        if isinstance(node, ast.Lambda):
            body: Any = [ast.Return(node)]
        else:  # Inside of it the old name means the function of the program.
            body, node.name = [node], 'tf__' + node.name
        outer = trees.define('factory', ['ag__', *code.co_freevars], body)
        trees.place(outer, node.lineno)
        module = ast.Module([outer], [])
        made = compile(module, code.co_filename, 'exec', source.flags_of(code), True)
        inner = _code_in(_code_in(made))
        return Converted(self._renamed(inner, code.co_name), getattr(node, 'text', ''))

    def _renamed(self, code: Any, name: str) -> Any:
        """Returns |code|, and what is in it, under the name of the function that it was part of."""
        consts = tuple(self._renamed(part, name if part.co_name in self._namer.made or part.co_name[:1] == '<'
                                     else part.co_name) if isinstance(part, types.CodeType) else part
                       for part in code.co_consts)
        return code.replace(co_name=name, co_consts=consts)

    def text(self) -> str:
        """Returns the source."""
        if not isinstance(self._node, ast.Lambda):
            self._node.name = 'tf__' + self._node.name
        else:
            self._node = ast.Assign([trees.target('tf__lam')], self._node, lineno=1)
        trees.place(self._node, 1)
        return ast.unparse(self._node) + '\n'


def _code_in(code: Any) -> Any:
    return next(part for part in code.co_consts if isinstance(part, types.CodeType))


def _drop_annotations(node: Any) -> None:
    args = node.args
    every: list[Optional[ast.arg]] = [*args.posonlyargs, *args.args, *args.kwonlyargs, args.vararg, args.kwarg]
    for arg in every:
        if arg is not None:
            arg.annotation = None


def _definitions(statements: list[Any]) -> list[Any]:
    """Returns the functions that a block defines, without those inside of them."""
    found: list[Any] = []
    for node in statements:
        if isinstance(node, ast.FunctionDef):
            found.append(node)
        elif not isinstance(node, (ast.ClassDef, ast.AsyncFunctionDef)):
            for field in ('body', 'orelse', 'finalbody', 'handlers', 'cases'):
                found += _definitions(getattr(node, field, []) if isinstance(getattr(node, field, None), list) else [])
    return found
