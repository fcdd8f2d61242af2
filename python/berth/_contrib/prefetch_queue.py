"""prefetch_queue - tf.contrib.slim.prefetch_queue: a queue that is kept full of whole batches."""

from __future__ import annotations

from typing import Any, Optional

from berth.framework import convert, scopes
from berth.modules import queue_runner, queue_summary
from berth.ops import data_flow_ops


def prefetch_queue(tensors: Any, capacity: int = 8, num_threads: int = 1, dynamic_pad: bool = False,
                   shared_name: Optional[str] = None, name: Optional[str] = None) -> Any:
    """Returns a queue into which threads bring |tensors|, a list or a dict of them."""
    names = list(tensors) if isinstance(tensors, dict) else None
    items = [convert.convert_to_tensor(item) for item in (tensors.values() if names is not None else tensors)]
    with scopes.name_scope(name, 'prefetch_queue', items):
        make = data_flow_ops.PaddingFIFOQueue if dynamic_pad else data_flow_ops.FIFOQueue
        queue = make(capacity=capacity, dtypes=[item.dtype for item in items], shapes=[item.shape for item in items],
                     names=names, shared_name=shared_name)
        step = queue.enqueue(dict(zip(names, items)) if names is not None else items)
        queue_runner.add_queue_runner(queue_runner.QueueRunner(queue, [step] * num_threads))
        queue_summary.fraction_full(queue, capacity)
    return queue
