"""queue_summary - Summaries of how full queues are, which tf.train's input pipelines make."""

from __future__ import annotations

from typing import Any

from berth.framework import dtypes, gen, scopes
from berth.framework.collections import GraphKeys
from berth.ops import math_ops


def _scalar(name: str, value: Any) -> None:
    """Makes the summary of a number, as tf.summary.scalar does."""
    with scopes.name_scope(name, None, [value]) as scope:
        made = gen.apply('ScalarSummary', scope, {'tags': scope.rstrip('/'), 'values': value})
    scopes.add_to_collection(GraphKeys.SUMMARIES, made)


def fraction_full(queue: Any, capacity: int, name: str | None = None) -> None:
    """Tells how full a queue is."""
    value = math_ops.cast(queue.size(), dtypes.float32) * (1. / capacity)
    _scalar('fraction_of_%d_full' % capacity if name is None else name, value)


def fraction_over(queue: Any, spared: int, capacity: int) -> None:
    """Tells how full a queue is above what stays in it."""
    over = math_ops.maximum(0, queue.size() - spared)
    value = math_ops.cast(over, dtypes.float32) * (1. / (capacity - spared))
    _scalar('fraction_over_%d_of_%d_full' % (spared, capacity - spared), value)
