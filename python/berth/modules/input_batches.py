"""input_batches - tf.train.batch and shuffle_batch: queues that gather values to batches."""

from __future__ import annotations

from typing import Any

from berth.framework import convert, scopes
from berth.modules import queue_runner
from berth.ops import data_flow_ops

_EAGER = ('Input pipelines based on Queues are not supported when eager execution is enabled. Please use tf.data to '
          'ingest data into your model instead.')


def _as_list(tensors: Any) -> list[Any]:
    """Returns the tensors of one example, those of a dictionary in the order of its keys."""
    values = [tensors[key] for key in sorted(tensors, key=str)] if isinstance(tensors, dict) else tensors
    made = [convert.convert_to_tensor(value) for value in values]
    if not made:
        raise ValueError('Expected at least one tensor in batch().')
    return made


def _in_form(tensors: Any, found: Any) -> Any:
    """Puts what a queue gave in the form of the example."""
    values = list(found) if isinstance(found, (list, tuple)) else [found]
    if isinstance(tensors, dict):
        return dict(zip(sorted(tensors, key=str), values))
    return values[0] if len(values) == 1 else values


def _shapes(tensors: list[Any], shapes: Any, enqueue_many: bool) -> Any:
    """Returns the shapes of one element."""
    if shapes is not None:
        return shapes
    for tensor in tensors:
        if tensor.shape.ndims is None:
            raise ValueError(f"Cannot infer Tensor's rank: {tensor}")
    found = [tensor.shape for tensor in tensors]
    return [(shape.with_rank_at_least(1)[1:] if enqueue_many else shape).as_list() for shape in found]


def _gather(queue: Any, tensors: list[Any], num_threads: int, enqueue_many: bool, count: Any, is_smaller_fine: bool,
            name: str) -> Any:
    """Fills |queue| in threads and returns what takes a batch out."""
    enqueue = queue.enqueue_many if enqueue_many else queue.enqueue
    queue_runner.add_queue_runner(queue_runner.QueueRunner(queue, [enqueue(tensors)] * num_threads))
    return (queue.dequeue_up_to if is_smaller_fine else queue.dequeue_many)(count, name=name)


def batch(tensors: Any, batch_size: Any, num_threads: int = 1, capacity: int = 32, enqueue_many: bool = False,
          shapes: Any = None, dynamic_pad: bool = False, allow_smaller_final_batch: bool = False,
          shared_name: str | None = None, name: str | None = None) -> Any:
    """Returns |batch_size| examples at a time, in order; Berth writes no summary of the queue."""
    if scopes.executing_eagerly():
        raise ValueError(_EAGER)
    if dynamic_pad:
        raise NotImplementedError('tf.train.batch: Berth has no queue that pads; give the tensors their shapes')
    with scopes.name_scope(name, 'batch', list(tensors.values() if isinstance(tensors, dict) else tensors)) as scope:
        listed = _as_list(tensors)
        queue = data_flow_ops.FIFOQueue(capacity, [t.dtype for t in listed], _shapes(listed, shapes, enqueue_many),
                                        shared_name=shared_name)
        return _in_form(tensors, _gather(queue, listed, num_threads, enqueue_many, batch_size,
                                         allow_smaller_final_batch, scope))


def shuffle_batch(tensors: Any, batch_size: Any, capacity: int, min_after_dequeue: int, num_threads: int = 1,
                  seed: int | None = None, enqueue_many: bool = False, shapes: Any = None,
                  allow_smaller_final_batch: bool = False, shared_name: str | None = None,
                  name: str | None = None) -> Any:
    """Returns |batch_size| examples at a time, in a random order; Berth writes no summary of the queue."""
    if scopes.executing_eagerly():
        raise ValueError(_EAGER)
    values = list(tensors.values() if isinstance(tensors, dict) else tensors)
    with scopes.name_scope(name, 'shuffle_batch', values) as scope:
        if capacity <= min_after_dequeue:
            raise ValueError(f'capacity {capacity} must be bigger than min_after_dequeue {min_after_dequeue}.')
        listed = _as_list(tensors)
        queue = data_flow_ops.RandomShuffleQueue(
            capacity, min_after_dequeue, [t.dtype for t in listed], _shapes(listed, shapes, enqueue_many), seed=seed,
            shared_name=shared_name)
        return _in_form(tensors, _gather(queue, listed, num_threads, enqueue_many, batch_size,
                                         allow_smaller_final_batch, scope))
