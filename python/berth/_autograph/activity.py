"""activity - Which names a statement, or a block of them, reads and writes.

A name is a text: `x`, or a path such as `self.x`, `d['a']` or `l[i]`, whose parts are names and constants.
"""

from __future__ import annotations

import ast
from typing import Any, Iterable, Optional


class Paths:
    """The paths that were met: the plain names that each stands on, and its tree."""

    def __init__(self) -> None:
        self.found: dict[str, tuple[frozenset[str], ast.expr]] = {}

    def of(self, node: ast.expr) -> Optional[str]:
        """Returns the name or path that |node| is, or None."""
        if isinstance(node, ast.Name):
            return node.id
        if isinstance(node, ast.Attribute):
            return self._note(node, node.value, '.' + node.attr, frozenset())
        if isinstance(node, ast.Subscript):
            return self._subscript(node)
        return None

    def _subscript(self, node: ast.Subscript) -> Optional[str]:
        key: Any = node.slice
        if isinstance(key, ast.Constant) and key.value is not Ellipsis:
            return self._note(node, node.value, f'[{key.value!r}]' if isinstance(key.value, str) else f'[{key.value}]',
                              frozenset())
        inner = self.of(key)
        return None if inner is None else self._note(node, node.value, f'[{inner}]', self.stands_on(inner))

    def _note(self, node: ast.expr, owner: ast.expr, end: str, more: frozenset[str]) -> Optional[str]:
        base = self.of(owner)
        if base is None:
            return None
        name = base + end
        if name not in self.found:
            self.found[name] = self.stands_on(base) | more, node
        return name

    def stands_on(self, name: str) -> frozenset[str]:
        """Returns the plain names without which |name| means nothing."""
        known = self.found.get(name)
        return frozenset((name,)) if known is None else known[0]

    def is_path(self, name: str) -> bool:
        """True for what is more than a plain name."""
        return name in self.found


class Names:
    """What some code does to names."""

    __slots__ = ('bound', 'deleted', 'globals', 'nonlocals', 'reads', 'writes')

    def __init__(self) -> None:
        self.reads: set[str] = set()
        self.writes: set[str] = set()
        self.bound: set[str] = set()  # Written, deleted, imported, defined, a parameter.
        self.deleted: set[str] = set()
        self.globals: set[str] = set()
        self.nonlocals: set[str] = set()

    def add(self, other: 'Names', hidden: Iterable[str] = ()) -> None:
        """Takes what |other| does, but for |hidden| names."""
        self.reads |= other.reads.difference(hidden)
        self.writes |= other.writes.difference(hidden)
        self.bound |= other.bound.difference(hidden)
        self.deleted |= other.deleted
        self.globals |= other.globals
        self.nonlocals |= other.nonlocals

    def referenced(self) -> set[str]:
        """Returns all names that are met."""
        return self.reads | self.bound


_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


class Activity:
    """Tells what code does to names, and remembers it for each node."""

    def __init__(self) -> None:
        self.paths = Paths()
        self._known: dict[int, tuple[Any, Names]] = {}  # By the identities of nodes, which it keeps.
        self._free: dict[int, frozenset[str]] = {}
        self._hidden: list[set[str]] = []  # Targets of the comprehensions around.
        self._in_update = False

    # ---- Expressions ----

    def of(self, *nodes: Any) -> Names:
        """Returns what expressions do."""
        names = Names()
        for node in nodes:
            if node is not None:
                self._visit(node, names)
        return names

    def _visit(self, node: Any, names: Names) -> None:
        kind = type(node)
        if kind is ast.Name:
            self._track(node.id, node.ctx, names)
        elif kind is ast.Constant:
            pass
        elif kind is ast.Attribute or kind is ast.Subscript:
            for child in ast.iter_child_nodes(node):
                self._visit(child, names)
            path = self.paths.of(node)
            if path is not None:
                self._track(path, node.ctx, names)
        elif kind is ast.Lambda:
            self._visit_lambda(node, names)
        elif kind in _COMPREHENSIONS:
            self._visit_comprehension(node, names)
        else:
            for child in ast.iter_child_nodes(node):
                self._visit(child, names)

    def _track(self, name: str, context: Any, names: Names) -> None:
        if self._hidden and any(base in hidden for hidden in self._hidden for base in (name, *self.paths.stands_on(name))):
            return
        if isinstance(context, ast.Store):
            if self._hidden:
                self._hidden[-1].add(name)
                return
            names.writes.add(name)
            names.bound.add(name)
            if self._in_update:
                names.reads.add(name)
        elif isinstance(context, ast.Del):
            names.reads.add(name)
            names.bound.add(name)
            names.deleted.add(name)
        else:
            names.reads.add(name)

    def _visit_lambda(self, node: ast.Lambda, names: Names) -> None:
        for default in [*node.args.defaults, *node.args.kw_defaults]:
            if default is not None:
                self._visit(default, names)
        inner = Names()
        inner.bound |= parameters(node.args)
        self._visit(node.body, inner)
        names.reads |= {name for name in inner.reads - inner.bound
                        if not self.paths.stands_on(name) & inner.bound}

    def _visit_comprehension(self, node: Any, names: Names) -> None:
        self._hidden.append(set())
        for generator in node.generators:
            self._visit(generator.iter, names)
            self._visit(generator.target, names)
            for test in generator.ifs:
                self._visit(test, names)
        for part in ([node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]):
            self._visit(part, names)
        self._hidden.pop()

    # ---- Statements ----

    def block(self, statements: Iterable[ast.stmt]) -> Names:
        """Returns what a block does, with the blocks inside of it."""
        names = Names()
        for statement in statements:
            names.add(self.statement(statement))
        return names

    def statement(self, node: ast.stmt) -> Names:
        """Returns what one statement does, with the blocks inside of it."""
        known = self._known.get(id(node))
        if known is None:
            known = self._known[id(node)] = node, self._statement(node)
        return known[1]

    def forget(self, node: ast.stmt) -> None:
        """Forgets a statement that is changed."""
        self._known.pop(id(node), None)

    def _statement(self, node: Any) -> Names:
        names = self.own(node)
        if isinstance(node, _FUNCTIONS):
            names.reads |= self.free(node)
        elif isinstance(node, ast.ClassDef):
            inner = self.block(node.body)
            names.reads |= inner.reads - inner.bound
        elif isinstance(node, ast.Try) or type(node).__name__ == 'TryStar':
            for block in (node.body, node.orelse, node.finalbody):
                names.add(self.block(block))
            for handler in node.handlers:
                names.add(self.of(handler.type))
                names.add(self.block(handler.body), {handler.name} if handler.name else ())
        elif type(node).__name__ == 'Match':
            for case in node.cases:
                names.add(self.of(case.guard))
                names.add(self.block(case.body))
        else:
            for block in (getattr(node, 'body', ()), getattr(node, 'orelse', ())):
                names.add(self.block(block))
        return names

    def own(self, node: Any) -> Names:
        """Returns what a statement does itself, without the blocks in it."""
        if isinstance(node, ast.AugAssign):
            self._in_update = True
            names = self.of(node.target)
            self._in_update = False
            names.add(self.of(node.value))
            return names
        if isinstance(node, (ast.If, ast.While)):
            return self.of(node.test)
        if isinstance(node, (ast.For, ast.AsyncFor)):
            return self.of(node.target, node.iter)
        if isinstance(node, (ast.With, ast.AsyncWith)):
            return self.of(*node.items)
        if isinstance(node, _FUNCTIONS):
            return self._definition(node)
        if isinstance(node, ast.ClassDef):
            return self._class(node)
        return self._simple(node)

    def _simple(self, node: Any) -> Names:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            names = Names()
            names.writes |= {alias.asname or alias.name.split('.')[0] for alias in node.names}
            names.bound |= names.writes
            return names
        if isinstance(node, (ast.Global, ast.Nonlocal)):
            names = Names()
            names.reads |= set(node.names)
            if isinstance(node, ast.Global):
                names.globals |= set(node.names)
            else:
                names.nonlocals |= set(node.names)
                names.bound |= set(node.names)
            return names
        if isinstance(node, ast.Try) or type(node).__name__ in ('TryStar', 'Match'):
            return self._match(node) if hasattr(node, 'subject') else Names()
        return self.of(node)

    def _match(self, node: Any) -> Names:
        """Returns what the heads of a match do: patterns bind names."""
        names = self.of(node.subject)
        for case in node.cases:
            for part in ast.walk(case.pattern):
                for name in (getattr(part, 'name', None), getattr(part, 'rest', None)):
                    if isinstance(name, str):
                        names.writes.add(name)
                        names.bound.add(name)
        return names

    def _definition(self, node: Any) -> Names:
        names = self.of(*node.decorator_list, *node.args.defaults, *[d for d in node.args.kw_defaults if d is not None])
        names.writes.add(node.name)
        names.bound.add(node.name)
        return names

    def _class(self, node: ast.ClassDef) -> Names:
        names = self.of(*node.decorator_list, *node.bases, *[k.value for k in node.keywords])
        names.writes.add(node.name)
        names.bound.add(node.name)
        return names

    def free(self, node: Any) -> frozenset[str]:
        """Returns the names of outside that a function reads."""
        known = self._free.get(id(node))
        if known is None:
            inner = self.block(node.body)
            local = (inner.bound - inner.nonlocals) | parameters(node.args)
            known = self._free[id(node)] = frozenset(
                name for name in inner.reads | inner.nonlocals if not self.paths.stands_on(name) & local)
        return known


def parameters(args: ast.arguments) -> set[str]:
    """Returns the names of parameters."""
    every = [*args.posonlyargs, *args.args, *args.kwonlyargs]
    return {arg.arg for arg in [*every, *(a for a in (args.vararg, args.kwarg) if a is not None)]}
