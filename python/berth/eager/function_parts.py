"""function_parts - Traced functions as those of a graph, each with the functions that it calls."""

from __future__ import annotations

from typing import Any

from berth.eager import lower
from berth.eager.func_graph import FuncGraph


class _Body(lower.Lowered):
    """The graph of a function."""

    def _add_results(self, graph: FuncGraph) -> None:
        """Results are named by the function."""


def keep(graph: Any, function: Any) -> None:
    """Keeps |function| as long as |graph|, which calls it."""
    if not hasattr(graph, 'data_functions'):
        graph.data_functions = []
    graph.data_functions.append(function)


def parts_of(name: str, graph: FuncGraph) -> list[Any]:
    """Returns a function, called |name|, and before it those that it calls, to be added to a graph."""
    body = _Body(graph, [''] * len(graph.inputs))
    nested = [part for function in getattr(graph, 'data_functions', ()) for part in function.parts]
    return [*nested, (name, body)]


def add_parts(graph: Any, parts: list[Any]) -> None:
    """Adds functions to |graph|, each once."""
    known = set(graph.functions)
    for name, body in parts:
        if name not in known:
            known.add(name)
            names = [f'output_{i}' for i in range(len(body.results))]
            graph.add_function(name, body.core, body.feeds, body.results, names)
