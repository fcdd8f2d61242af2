"""in_place - A function that is called while a session's graph is built: what it does is made right there.

TensorFlow makes a node that calls the function. All that acts in it runs whenever one of its results is asked for, so
results wait for that here: for ops that act, and for what joins the branches and loops in which some do.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any, Callable, Optional

from berth.eager import structure
from berth.eager.func_graph import acts
from berth.framework import scopes
from berth.framework.node import Operation
from berth.ops import array_ops


class Body:
    """What a function makes in |graph|."""

    def __init__(self, graph: Any) -> None:
        self.graph = graph
        self.flow = graph._scopes.flow  # The branch or loop in which it is called.
        self.acts = acts
        self._joins: set[Operation] = set()
        graph._adopt()
        self._first = len(graph._ops)

    def note_join(self, op: Operation, contexts: list[Any]) -> None:
        """Notes that |op| runs after everything that acts in |contexts|, branches or a loop of the function."""
        outer = contexts[0].outer
        if outer is self.flow:
            self._joins.add(op)
        else:
            outer.acting.append(op)

    def acting(self) -> list[Operation]:
        """Returns what has to run."""
        self.graph._adopt()
        return [op for op in self.graph._ops[self._first:] if op in self._joins or (
            acts(op.type) and getattr(op, '_flow', None) is self.flow)]

    @contextlib.contextmanager
    def entered(self) -> Iterator[None]:
        """What is made inside belongs to the function, and to one around it as well."""
        there = self.graph._scopes
        outer: Optional[Body] = there.body
        there.body = self
        try:
            yield
        finally:
            there.body = outer
        if outer is None:
            return
        if outer.flow is self.flow:
            outer._joins |= self._joins
        else:
            self.flow.acting.extend(self.acting())


def call(function: Callable[[], Any]) -> Any:
    """Returns what |function| gives, which makes it in the graph of a session."""
    graph: Any = scopes.get_default_graph()
    body = Body(graph)
    with body.entered():
        result = function()
    acting = body.acting()
    if not acting:
        return result
    with graph.control_dependencies(acting):
        return structure.pack(result, iter([
            None if leaf is None else array_ops.identity(leaf) for leaf in structure.flatten(result)]))
