"""memory_plan.py - Plans of what runs of a session take of memory."""

from __future__ import annotations

import sys
from typing import Any, Optional

from berth.client.fetches import FetchPlan
from berth.framework import errors, node_lines
from berth.framework.memory_plan import MemoryPlan


def _dims(shape: Any) -> tuple[int, ...]:
    """Returns a shape as dimensions, -1 where one is None."""
    if hasattr(shape, 'as_list'):
        shape = shape.as_list()
    if isinstance(shape, int):
        shape = (shape,)
    return tuple(-1 if d is None else int(d) for d in shape)


def _feeds(session: Any, feed_shapes: Any) -> list[tuple[Any, tuple[int, ...]]]:
    """Returns what is fed, with its shape."""
    shapes = feed_shapes or {}
    return [(session.graph.as_graph_element(key, allow_operation=False), _dims(shape))
            for key, shape in shapes.items()]


def _lines(graph: Any) -> dict[str, str]:
    """Returns the line of the user's script that has made each node of |graph|."""
    return {op.name: node_lines.of_op(op) for op in graph.get_operations()}


def make(session: Any, fetches: Any, feed_shapes: Any, batch: Optional[int]) -> MemoryPlan:
    """Plans a run of |session|."""
    plan = FetchPlan(session.graph, fetches)
    feeds = _feeds(session, feed_shapes)
    fed = {id(key) for key, _ in feeds}
    outs = tuple(t for t in plan.tensors if id(t) not in fed)
    targets = tuple(op.node for op in plan.targets)

    def batches(limit: int, device: Optional[str]) -> Optional[int]:
        found = session._session.plan_batch(outs, targets, feeds, device, limit)
        return None if found > sys.maxsize // 2 else found

    try:
        text = session._session.plan_memory(outs, targets, feeds, batch or 0)
    except errors.OpError as error:
        raise session._failed(error)
    is_open = any(-1 in shape for _, shape in feeds)
    return MemoryPlan(text, _lines(session.graph), batches if is_open else None)
