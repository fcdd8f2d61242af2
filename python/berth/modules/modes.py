"""modes - Graphs and eager execution for a with block, and other things that programs reach into."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from berth.base import execution
from berth.framework import scopes
from berth.framework.graph import Graph


@contextlib.contextmanager
def graph_mode() -> Iterator[None]:
    """Makes ops build the default graph in the block."""
    graph = scopes.get_default_graph() if scopes.has_default_graph() else Graph()
    with graph.as_default():
        yield


@contextlib.contextmanager
def eager_mode() -> Iterator[None]:
    """Makes ops run at once in the block."""
    was_eager, items = execution.is_eager(), scopes.default_graphs.items
    execution.set_eager(True)
    scopes.default_graphs.replace([])
    try:
        yield
    finally:
        scopes.default_graphs.replace(items)
        execution.set_eager(was_eager)


def is_resource_variable(var: Any) -> bool:
    """True for a variable that is used through a handle."""
    from berth.variables.members import BaseResourceVariable

    return isinstance(var, BaseResourceVariable)
