"""node_lines - The lines of a program that made nodes, found when somebody asks what holds memory."""

from __future__ import annotations

import gc
from typing import Any, Iterable


def of_op(op: Any) -> str:
    """Returns the line that made an operation of a graph; '' when that is not known."""
    frames = op.frames(True) if op is not None else []
    return f'{frames[-1][0]}:{frames[-1][1]}' if frames else ''


def maker_of(op: Any) -> str:
    """Returns the name of the function of the program that made an operation; '' when that is not known."""
    frames = op.frames(True) if op is not None else []
    return frames[-1][2] if frames else ''


def of_nodes(names: Iterable[str]) -> dict[str, str]:
    """Returns the lines that made nodes of these names, by name: those that all graphs agree on."""
    from berth.framework.graph import Graph

    graphs = [one for one in gc.get_objects() if issubclass(type(one), Graph)]
    found = {}
    for name in names:
        lines = {of_op(graph._by_name[name]) for graph in graphs if name in graph._by_name}
        if len(lines) == 1:
            found[name] = lines.pop()
    return {name: line for name, line in found.items() if line}
