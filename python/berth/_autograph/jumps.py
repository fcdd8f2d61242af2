"""jumps - break, continue and return as flags: after this a block runs from its first statement to its last.

A loop keeps what its `break` adds to the condition in `extra_test`, where it is a `for`.
"""

from __future__ import annotations

import ast
from typing import Any, Optional

from berth._autograph import trees
from berth._autograph.activity import Activity
from berth._autograph.naming import Namer

_LOOPS = (ast.While, ast.For)
_REPLACED = (ast.Call, ast.BoolOp, ast.Compare, ast.IfExp, ast.Lambda)
_TRIES = (ast.Try, *([ast.TryStar] if hasattr(ast, 'TryStar') else []))


def _blocks(node: Any) -> list[tuple[Any, str]]:
    """Returns the blocks of a statement that is no loop and no definition, as (owner, field)."""
    if isinstance(node, ast.If):
        return [(node, 'body'), (node, 'orelse')]
    if isinstance(node, (ast.With, ast.AsyncWith)):
        return [(node, 'body')]
    if isinstance(node, _TRIES):
        return [(node, 'body'), (node, 'orelse'), (node, 'finalbody'), *((handler, 'body') for handler in node.handlers)]
    if type(node).__name__ == 'Match':
        return [(case, 'body') for case in node.cases]
    return []


class _Guarded:
    """A block on its way, of which a part may be put behind a guard."""

    def __init__(self) -> None:
        self.whole: list[ast.stmt] = []
        self.open = self.whole  # Where the next statement goes.


# ---- break ----


class Breaks:
    """break becomes a flag and continue."""

    def __init__(self, namer: Namer, activity: Activity) -> None:
        self._namer, self._activity = namer, activity
        self._flags: list[list[Any]] = []  # Of the loops around: name, and whether it is used.

    def block(self, statements: list[ast.stmt]) -> list[ast.stmt]:
        """Returns a block without break."""
        return [made for statement in statements for made in self._statement(statement)]

    def _statement(self, node: Any) -> list[ast.stmt]:
        if isinstance(node, ast.Break):
            self._flags[-1][1] = True
            made = [trees.assign(self._flags[-1][0], trees.constant(True)), ast.Continue()]
            return trees.at(node.lineno, made)
        if isinstance(node, _LOOPS):
            return self._loop(node)
        if isinstance(node, ast.FunctionDef):
            outer, self._flags = self._flags, []
            node.body = self.block(node.body)
            self._flags = outer
        for owner, field in _blocks(node):
            setattr(owner, field, self.block(getattr(owner, field)))
        return [node]

    def _loop(self, node: Any) -> list[ast.stmt]:
        flag = self._namer.new('break_', self._activity.block(node.body).referenced())
        self._flags.append([flag, False])
        node.body = self.block(node.body)
        if not self._flags.pop()[1]:
            return [node]
        if isinstance(node, ast.While):
            node.test = ast.BoolOp(ast.And(), [trees.negate(trees.name(flag)), node.test])
        else:
            node.extra_test = trees.negate(trees.name(flag))
            # The flag is read in every turn.
            node.body = trees.at(node.lineno, [ast.Expr(trees.row([trees.name(flag)]))]) + node.body
        return [*trees.at(node.lineno, [trees.assign(flag, trees.constant(False))]), node]


# ---- continue ----


class Continues:
    """continue becomes a flag, and what follows it waits behind a guard."""

    def __init__(self, namer: Namer, activity: Activity) -> None:
        self._namer, self._activity = namer, activity
        self._loops: list[list[Any]] = []  # Name of the flag, and whether it is used.
        self._states: list[list[bool]] = []  # Of the blocks around: is a loop's, guard now, guard next.

    def block(self, statements: list[ast.stmt], is_loop: bool = False) -> list[ast.stmt]:
        """Returns a block without continue."""
        made = _Guarded()
        self._states.append([is_loop, False, False])
        for statement in statements:
            new = self._statement(statement)
            state = self._states[-1]
            if not self._loops or not self._loops[-1][1]:
                made.open.append(new)
                continue
            guard, state[1], state[2] = state[1], state[2], False
            if guard:
                inner: list[ast.stmt] = [new]
                made.open += trees.at(getattr(new, 'lineno', None), [
                    ast.If(trees.negate(trees.name(self._loops[-1][0])), inner, [])])
                made.open = inner
            else:
                made.open.append(new)
        self._states.pop()
        return made.whole

    def _statement(self, node: Any) -> Any:
        if isinstance(node, ast.Continue):
            self._loops[-1][1] = True
            for state in reversed(self._states):
                state[2] = True
                if state[0]:
                    break
            return trees.at(node.lineno, [trees.assign(self._loops[-1][0], trees.constant(True))])[0]
        if isinstance(node, _LOOPS):
            return self._loop(node)
        if isinstance(node, ast.FunctionDef):
            outer, self._loops, states, self._states = self._loops, [], self._states, []
            node.body = self.block(node.body)
            self._loops, self._states = outer, states
        for owner, field in _blocks(node):
            setattr(owner, field, self.block(getattr(owner, field)))
        return node

    def _loop(self, node: Any) -> Any:
        flag = self._namer.new('continue_', self._activity.block(node.body).referenced())
        self._loops.append([flag, False])
        node.body = self.block(node.body, True)
        if self._loops.pop()[1]:
            node.body = trees.at(node.lineno, [trees.assign(flag, trees.constant(False))]) + node.body
        return node


# ---- return ----


def merge_returns(statements: list[ast.stmt]) -> tuple[list[ast.stmt], bool]:
    """Moves what follows an `if` that returns on one side to the other; returns the block, and whether it returns."""
    whole: list[ast.stmt] = []
    into, returns = whole, False
    for node in statements:
        into.append(node)
        if isinstance(node, ast.Return):
            returns = True
        elif isinstance(node, ast.If):
            node.body, one = merge_returns(node.body)
            node.orelse, other = merge_returns(node.orelse)
            returns = returns or (one and other)
            if one:
                into = node.orelse
            elif other:
                into = node.body
        elif isinstance(node, (ast.With, ast.AsyncWith)):
            node.body, inner = merge_returns(node.body)
            returns = returns or inner
        elif isinstance(node, (*_LOOPS, ast.FunctionDef)):
            node.body = merge_returns(node.body)[0]
        else:
            for owner, field in _blocks(node):
                setattr(owner, field, merge_returns(getattr(owner, field))[0])
    return whole, returns


def _line_of(node: ast.Return) -> int:
    """Returns the line that errors name: that of the leftmost part which conversion leaves as it is."""
    parts: list[Any] = [] if node.value is None else [
        part for part in ast.walk(node.value) if isinstance(part, ast.expr) and not isinstance(part, _REPLACED)]
    return min(parts, key=lambda part: part.col_offset).lineno if parts else node.lineno


class _Block:
    """How far returns have got in a block."""

    def __init__(self) -> None:
        self.is_used = self.guards_now = self.guards_next = False


class Returns:
    """return becomes two variables, whether and what; what follows waits behind a guard."""

    def __init__(self, namer: Namer, activity: Activity) -> None:
        self._namer, self._activity = namer, activity
        self._blocks: list[_Block] = []
        self._flag = self._value = ''

    def function(self, node: Any) -> None:
        """Lowers the body of a function that is in a `with` of its scope, |node.scope_name|."""
        outer = self._flag, self._value, self._blocks
        self._blocks = [_Block()]
        names = self._activity.block(node.body).referenced()
        self._flag, self._value = self._namer.new('do_return', names), self._namer.new('retval_', names)
        body = self._block(node.body)
        if self._blocks[0].is_used:
            begin = [trees.assign(self._flag, trees.constant(False)),
                     trees.assign(self._value, trees.operator('UndefinedReturnValue'))]
            give = trees.call(trees.attribute(node.scope_name, 'ret'), trees.name(self._value), trees.name(self._flag))
            first = 1 if ast.get_docstring(node, False) is not None else 0
            body[first:first] = trees.at(node.lineno, begin)
            body += trees.at(node.lineno, [ast.Return(give)])
        node.body = body
        self._flag, self._value, self._blocks = outer

    def _block(self, statements: list[ast.stmt]) -> list[ast.stmt]:
        made, state = _Guarded(), _Block()
        self._blocks.append(state)
        for statement in statements:
            new = self._statement(statement)
            if not state.is_used:
                made.open.append(new)
                continue
            guard, state.guards_now, state.guards_next = state.guards_now, state.guards_next, False
            if guard:
                inner: list[ast.stmt] = [new]
                made.open += trees.at(getattr(new, 'lineno', None), [
                    ast.If(trees.negate(trees.name(self._flag)), inner, [])])
                made.open = inner
            else:
                made.open.append(new)
        self._blocks.pop()
        return made.whole

    def _statement(self, node: Any) -> Any:
        if isinstance(node, ast.Return):
            return self._return(node)
        if isinstance(node, ast.FunctionDef):
            self.function(node)
        elif isinstance(node, _LOOPS):
            node.body = self._block(node.body)
            if self._blocks[-1].is_used:
                self._stop(node)
        else:
            for owner, field in _blocks(node):
                setattr(owner, field, self._block(getattr(owner, field)))
        return node

    def _return(self, node: ast.Return) -> ast.Try:
        for block in self._blocks:
            block.is_used = block.guards_next = True
        value = trees.constant(None) if node.value is None else node.value
        body = [trees.assign(self._flag, trees.constant(True)), trees.assign(self._value, value)]
        undo = [trees.assign(self._flag, trees.constant(False)), ast.Raise(None, None)]
        made: Any = ast.Try(body=body, handlers=[ast.ExceptHandler(None, None, undo)], orelse=[], finalbody=[])
        made.is_return = True
        return trees.at(_line_of(node), [made])[0]

    def _stop(self, node: Any) -> None:
        """Makes a loop end after a return."""
        stop = trees.negate(trees.name(self._flag))
        if isinstance(node, ast.While):
            node.test = ast.BoolOp(ast.And(), [stop, node.test])
            return
        extra: Optional[ast.expr] = getattr(node, 'extra_test', None)
        node.extra_test = stop if extra is None else ast.BoolOp(ast.And(), [stop, extra])
