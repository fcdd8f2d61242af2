"""blocks - The variables of each `if` and loop: what goes in and out, and what may not be defined yet.

A statement of control flow gets `block_vars`, the names and paths that it changes and that matter before
or after it, `nouts`, how many of them matter after it, and `undefined`, the names that get a placeholder first.
"""

from __future__ import annotations

import ast
from typing import Any

from berth._autograph.activity import Activity, Names


class Blocks:
    """Finds the variables of all blocks of a function, and of the functions in it."""

    def __init__(self, activity: Activity) -> None:
        self._activity = activity
        self.unset: set[str] = set()  # Names that may hold a placeholder.

    def function(self, node: Any) -> None:
        """Looks at a function."""
        node.names = self._activity.block(node.body)
        for statement in node.body:
            self._statement(statement, node.names)

    def _statement(self, node: Any, scope: Names) -> None:
        if isinstance(node, ast.FunctionDef):
            self.function(node)
            return
        if isinstance(node, (ast.AsyncFunctionDef, ast.ClassDef)):
            return
        if isinstance(node, (ast.If, ast.While, ast.For)):
            self._find(node, scope)
        elif isinstance(node, ast.Delete):
            self.unset |= {target.id for target in node.targets if isinstance(target, ast.Name)}
        for field in ('body', 'orelse', 'finalbody', 'handlers', 'cases'):
            for inner in getattr(node, field, ()):
                self._statement(inner, scope)

    def _find(self, node: Any, scope: Names) -> None:
        changed = set(self._activity.block(node.body).bound)
        if isinstance(node, ast.If):
            changed |= self._activity.block(node.orelse).bound
        elif isinstance(node, ast.For):
            changed |= self._activity.of(node.target, getattr(node, 'extra_test', None)).bound
        paths = self._activity.paths
        plain = {name for name in changed if not paths.is_path(name)}
        basic = {name for name in plain if name in node.live_in or name in node.live_out or name in scope.nonlocals}
        composite = {name for name in changed - plain if paths.stands_on(name) <= node.live_in}
        inputs = {name for name in basic if name in node.live_in and name not in node.live_out}
        node.block_vars = sorted(basic | composite, key=lambda name: (name in inputs, name))
        node.nouts = len(node.block_vars) - len(inputs)
        node.undefined = sorted(plain - node.defined_in - scope.globals - scope.nonlocals)
        self.unset |= set(node.undefined)
