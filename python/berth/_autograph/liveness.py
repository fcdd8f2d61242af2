"""liveness - What is defined before a statement, and what is read after it.

Runs on blocks without jumps (`jumps.py`), so that a walk over the tree is a walk over the paths that a
program can take. Statements of control flow get what was found: `live_in`, `live_out`, `defined_in`.
"""

from __future__ import annotations

import ast
from typing import Any, Optional

from berth._autograph.activity import Activity, parameters

Live = frozenset
_NONE: frozenset[str] = frozenset()
_TRIES = (ast.Try, *([ast.TryStar] if hasattr(ast, 'TryStar') else []))


class Liveness:
    """The analysis of one function; functions in it get their own."""

    def __init__(self, activity: Activity) -> None:
        self._activity = activity
        self._caught: frozenset[str] = _NONE  # What handlers around read.
        self._reaching: frozenset[int] = _NONE  # Definitions of functions that were passed.
        self._definitions: dict[int, Any] = {}

    def function(self, node: Any) -> None:
        """Analyses a function and those in it."""
        self._forward(node.body, frozenset(parameters(node.args)))
        self._backward(node.body, _NONE)

    # ---- Forwards: what is defined ----

    def _forward(self, statements: list[Any], defined: Optional[frozenset[str]]) -> Optional[frozenset[str]]:
        """Returns what may be defined after a block; None when nothing gets there."""
        for node in statements:
            if defined is None:
                defined = _NONE  # Never reached.
            node.reaching = self._reaching
            defined = self._forward_one(node, defined)
        return defined

    def _forward_one(self, node: Any, defined: frozenset[str]) -> Optional[frozenset[str]]:
        node.defined_in = defined
        if isinstance(node, ast.If):
            return _either(self._forward(node.body, defined), self._forward(node.orelse, defined))
        if isinstance(node, (ast.While, ast.For)):
            return self._forward_loop(node, defined)
        if isinstance(node, (ast.With, ast.AsyncWith)):
            return self._forward(node.body, defined | self._activity.own(node).bound)
        if isinstance(node, _TRIES):
            return self._forward_try(node, defined)
        if type(node).__name__ == 'Match':
            return self._forward_match(node, defined)
        if isinstance(node, ast.FunctionDef):
            Liveness(self._activity).function(node)
            self._definitions[id(node)] = node
            self._reaching = self._reaching | {id(node)}
        if isinstance(node, ast.Raise):
            return None
        names = self._activity.own(node)
        return (defined - names.deleted) | names.writes

    def _forward_loop(self, node: Any, defined: frozenset[str]) -> frozenset[str]:
        inside = defined | self._activity.block(node.body).bound
        if isinstance(node, ast.For):
            inside = inside | self._activity.of(node.target).bound
        before = self._reaching
        self._forward(node.body, inside)
        if self._reaching is not before:
            self._forward(node.body, inside)  # Functions defined in one turn are there in the next.
            node.reaching = self._reaching
        return inside

    def _forward_try(self, node: Any, defined: frozenset[str]) -> Optional[frozenset[str]]:
        if getattr(node, 'is_return', False):
            return self._forward(node.body, defined)
        after = self._forward(node.body, defined)
        ends = [self._forward(node.orelse, after)] if after is not None else []
        inside = defined | self._activity.block(node.body).bound
        ends += [self._forward(handler.body, inside | ({handler.name} if handler.name else _NONE))
                 for handler in node.handlers]
        end: Optional[frozenset[str]] = None
        for other in ends:
            end = _either(end, other)
        if node.finalbody:
            last = self._forward(node.finalbody, inside if end is None else end)
            return None if end is None else last
        return end

    def _forward_match(self, node: Any, defined: frozenset[str]) -> Optional[frozenset[str]]:
        inside = defined | self._activity.own(node).writes
        end: Optional[frozenset[str]] = inside
        for case in node.cases:
            end = _either(end, self._forward(case.body, inside))
        return end

    # ---- Backwards: what is read ----

    def _closures(self, node: Any) -> frozenset[str]:
        """Returns what functions read that were defined before |node|: they may be called."""
        found = _NONE
        for number in node.reaching:
            found = found | self._activity.free(self._definitions[number])
        return found

    def _backward(self, statements: list[Any], out: frozenset[str]) -> frozenset[str]:
        """Returns what is live before a block."""
        for node in reversed(statements):
            out = out | self._caught
            before = self._backward_one(node, out)
            if node.reaching:
                before = before | self._closures(node)
            if isinstance(node, (ast.If, ast.While, ast.For)):
                node.live_in = before
            out = before
        return out

    def _backward_one(self, node: Any, out: frozenset[str]) -> frozenset[str]:
        if isinstance(node, ast.If):
            node.live_out = out
            return self._before(self._activity.of(node.test), self._backward(node.body, out) | self._backward(node.orelse, out))
        if isinstance(node, (ast.While, ast.For)):
            node.live_out = out
            return self._backward_loop(node, out)
        if isinstance(node, (ast.With, ast.AsyncWith)):
            return self._before(self._activity.own(node), self._backward(node.body, out))
        if isinstance(node, _TRIES):
            return self._backward_try(node, out)
        if type(node).__name__ == 'Match':
            live = out
            for case in node.cases:
                live = live | self._backward(case.body, out) | self._activity.of(case.guard).reads
            return self._before(self._activity.own(node), live)
        if isinstance(node, ast.Raise):
            return self._before(self._activity.own(node), self._caught)
        return self._before(self._activity.own(node), out)

    @staticmethod
    def _before(names: Any, out: frozenset[str]) -> frozenset[str]:
        return names.reads | (out - names.writes - names.deleted)

    def _backward_loop(self, node: Any, out: frozenset[str]) -> frozenset[str]:
        head = self._activity.own(node)
        live = self._before(head, out)
        while True:
            again = self._before(head, out | self._backward(node.body, live))
            if again == live:
                return live
            live = again

    def _backward_try(self, node: Any, out: frozenset[str]) -> frozenset[str]:
        if getattr(node, 'is_return', False):
            return self._backward(node.body, out)
        last = self._backward(node.finalbody, out)
        handled = _NONE
        for handler in node.handlers:
            handled = handled | (self._backward(handler.body, last) - {handler.name}) | self._activity.of(handler.type).reads
        before, self._caught = self._caught, self._caught | handled
        live = self._backward(node.body, self._backward(node.orelse, last))
        self._caught = before
        return live


def _either(one: Optional[frozenset[str]], other: Optional[frozenset[str]]) -> Optional[frozenset[str]]:
    if one is None or other is None:
        return other if one is None else one
    return one | other
