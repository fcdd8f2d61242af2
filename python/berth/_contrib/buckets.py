"""buckets.py - tf.contrib.training.bucket: batches of examples that are alike, each kind in a queue of its own."""

from __future__ import annotations

from typing import Any

import numpy as np

from berth.framework import convert, dtypes, errors, nest, scopes
from berth.framework.tensor_shape import TensorShape
from berth.modules import queue_runner
from berth.ops import data_flow_ops, flow_ops, math_ops, order_ops, reduce_ops


def _each(given: Any, count: int, name: str) -> list[Any]:
    """Returns a value for each bucket."""
    values = list(given) if isinstance(given, (list, tuple)) else [given] * count
    if len(values) != count:
        raise ValueError(f'If {name} is a list it must have one element per bucket')
    return values


def bucket(tensors: Any, which_bucket: Any, batch_size: Any, num_buckets: int, num_threads: int = 1, capacity: int = 32,
           bucket_capacities: Any = None, shapes: Any = None, dynamic_pad: bool = False,
           allow_smaller_final_batch: bool = False, keep_input: Any = True, shared_name: Any = None,
           name: Any = None) -> tuple[Any, Any]:
    """Returns the number of a bucket, and a batch of examples that belong into it."""
    sizes = _each(batch_size, num_buckets, 'batch_size')
    capacities = _each(capacity if bucket_capacities is None else bucket_capacities, num_buckets, 'bucket_capacities')
    listed = _listed(tensors)
    kind = data_flow_ops.PaddingFIFOQueue if dynamic_pad else data_flow_ops.FIFOQueue
    with scopes.name_scope(name, 'bucket', listed):
        listed = [convert.convert_to_tensor(each) for each in listed]
        types = [each.dtype.base_dtype for each in listed]
        inner = [TensorShape(shape) for shape in (shapes or [each.shape for each in listed])]
        which = convert.convert_to_tensor(which_bucket, dtype=dtypes.int32)
        queues = [kind(capacity=most, dtypes=types, shapes=inner, shared_name=shared_name and f'{shared_name}_{i}',
                       name=f'bucket_queue_{i}') for i, most in enumerate(capacities)]
        known = sizes[0] if len(set(map(str, sizes))) == 1 and not allow_smaller_final_batch else None
        top = data_flow_ops.PaddingFIFOQueue(
            capacity=capacity, dtypes=[dtypes.int32, *types], name='top_queue', shared_name=shared_name,
            shapes=[TensorShape([]), *[TensorShape([known if isinstance(known, int) else None]).concatenate(shape)
                                       for shape in inner]])

        def into(i: int) -> Any:
            return flow_ops.cond(math_ops.equal(which, i), lambda: order_ops.group(queues[i].enqueue(listed)),
                                 order_ops.no_op)

        def fill() -> Any:
            return order_ops.group(*[into(i) for i in range(num_buckets)], name='group_enqueue')

        put = fill() if keep_input is True else flow_ops.cond(
            convert.convert_to_tensor(keep_input, dtype=dtypes.bool), fill, order_ops.no_op)
        ends = (errors.OutOfRangeError, errors.CancelledError)
        queue_runner.add_queue_runner(queue_runner.QueueRunner(
            queues[0], [put] * num_threads, order_ops.group(*[queue.close() for queue in queues]),
            order_ops.group(*[queue.close(cancel_pending_enqueues=True) for queue in queues]),
            queue_closed_exception_types=ends))
        up = [top.enqueue([convert.constant(i), *_listed(
            (queue.dequeue_up_to if allow_smaller_final_batch else queue.dequeue_many)(size, name=f'read_bucket_{i}'))],
            name=f'enqueue_from_bucket_{i}') for i, (queue, size) in enumerate(zip(queues, sizes))]
        queue_runner.add_queue_runner(queue_runner.QueueRunner(
            top, up, top.close(), top.close(cancel_pending_enqueues=True), queue_closed_exception_types=ends))
        number, *found = top.dequeue(name='dequeue_top')
        return number, _in_form(tensors, found)


def _listed(tensors: Any) -> list[Any]:
    """Returns tensors in a row, those of a dictionary by their keys."""
    if isinstance(tensors, dict):
        return [tensors[key] for key in sorted(tensors, key=str)]
    return list(tensors) if isinstance(tensors, (list, tuple)) else [tensors]


def _in_form(tensors: Any, found: list[Any]) -> Any:
    """Puts a row of tensors in the form of others."""
    return dict(zip(sorted(tensors, key=str), found)) if isinstance(tensors, dict) else found


def bucket_by_sequence_length(input_length: Any, tensors: Any, batch_size: Any, bucket_boundaries: list[int],
                              num_threads: int = 1, capacity: int = 32, bucket_capacities: Any = None,
                              shapes: Any = None, dynamic_pad: bool = False, allow_smaller_final_batch: bool = False,
                              keep_input: Any = True, shared_name: Any = None, name: Any = None) -> tuple[Any, Any]:
    """Returns the lengths of sequences that are about as long as each other, and a batch of them."""
    if not isinstance(bucket_boundaries, (list, tuple)):
        raise TypeError(f'bucket_boundaries must be a list or tuple, but received: {bucket_boundaries}')
    if not bucket_boundaries:
        raise ValueError('bucket_boundaries must not be empty')
    for low, high in zip(bucket_boundaries, bucket_boundaries[1:]):
        if not isinstance(low, int) or not isinstance(high, int):
            raise TypeError(f'bucket boundaries must be integers, but saw: {low} and {high}')
        if low >= high:
            raise ValueError('Buckets must contain sequential increasing lengths, but saw: %d before %d' % (low, high))
    with scopes.name_scope(name, 'bucket_by_sequence_length', [input_length, *nest.flatten(tensors)]):
        length = convert.convert_to_tensor(input_length, dtype=dtypes.int32)
        limits = np.array(bucket_boundaries, np.int32)
        which = reduce_ops.reduce_sum(math_ops.cast(math_ops.less_equal(limits, length), dtypes.int32))
        _, found = bucket([length, *_listed(tensors)], which, batch_size, len(bucket_boundaries) + 1, num_threads, capacity,
                          bucket_capacities, None if shapes is None else [[], *shapes], dynamic_pad,
                          allow_smaller_final_batch, keep_input, shared_name)
        return found[0], _in_form(tensors, found[1:])
