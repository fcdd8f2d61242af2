"""input_batches - tf.train.batch, shuffle_batch and their kin: queues that gather examples to batches."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from berth.framework import convert, dtypes, scopes
from berth.framework.tensor_shape import TensorShape, as_shape
from berth.modules import input_sparse, queue_runner, queue_summary
from berth.ops import array_ops, data_flow_ops, math_ops, order_ops
from berth.ops.sparse_tensor import SparseTensor

_EAGER = ('Input pipelines based on Queues are not supported when eager execution is enabled. Please use tf.data to '
          'ingest data into your model instead.')


# ---- Examples ----


def _as_list(tensors: Any) -> Any:
    """Returns the tensors of one example, those of a dictionary in the order of its keys."""
    return [tensors[key] for key in sorted(tensors, key=str)] if isinstance(tensors, dict) else tensors


def _as_lists(tensors_list: Any) -> list[Any]:
    """Returns the tensors of several examples, which are alike."""
    if not tensors_list:
        raise ValueError('Expected at least one set of tensors')
    if isinstance(tensors_list[0], dict) and any(set(t) != set(tensors_list[0]) for t in tensors_list[1:]):
        raise ValueError('All dictionaries in tensors_list must have the same keys')
    return [_as_list(tensors) for tensors in tensors_list]


def _in_form(tensors: Any, found: Any) -> Any:
    """Puts what a queue gave in the form of an example."""
    if not isinstance(tensors, dict):
        return found
    return dict(zip(sorted(tensors, key=str), [found] if len(tensors) == 1 else found))


def _convert(tensors: Any) -> list[Any]:
    """Returns the tensors of one example."""
    return [value if isinstance(value, SparseTensor) else convert.convert_to_tensor(value) for value in tensors]


def _convert_keep(keep_input: Any, enqueue_many: bool) -> Any:
    """Returns what says which examples are kept: one answer, or one for each of many."""
    keep = convert.convert_to_tensor(keep_input)
    if keep.shape.ndims is None:
        raise ValueError('`keep_input` dimensions must be known at graph construction.')
    if not enqueue_many and keep.shape.ndims == 1:
        raise ValueError('`keep_input` cannot be a vector when `enqueue_many=False`.')
    if keep.shape.ndims > 1:
        raise ValueError('`keep_input` must be 0 or 1 dimensions.')
    return keep


def _types(examples: list[list[Any]]) -> list[Any]:
    """Returns the types that all examples have."""
    kinds = [[tensor.dtype for tensor in example] for example in examples]
    for other in kinds[1:]:
        if other != kinds[0]:
            raise TypeError('Expected types to be consistent: %s vs. %s.' % (
                ', '.join(kind.name for kind in kinds[0]), ', '.join(kind.name for kind in other)))
    return kinds[0]


def _shapes(examples: list[list[Any]], shapes: Any, enqueue_many: bool) -> Any:
    """Returns the shapes of one element."""
    if shapes is not None:
        return shapes
    for example in examples:
        for tensor in example:
            if tensor.shape.ndims is None:
                raise ValueError("Cannot infer Tensor's rank: %s" % tensor)
    return [_element_shape([example[i].shape for example in examples], enqueue_many) for i in range(len(examples[0]))]


def _element_shape(shapes: list[Any], enqueue_many: bool) -> list[Any]:
    """Returns the shape that elements of all |shapes| have: the first, when the others fit it."""
    cut = [as_shape(shape).with_rank_at_least(1)[1:] if enqueue_many else TensorShape(shape) for shape in shapes]
    for other in cut[1:]:
        cut[0].merge_with(other)
    return cut[0].as_list()


# ---- Queues ----


def _enqueue(queue: Any, example: list[Any], enqueue_many: bool, keep: Any) -> Any:
    """Returns the operation that puts an example in, if it is kept."""
    put = queue.enqueue_many if enqueue_many else queue.enqueue
    if keep.shape.ndims == 1:
        chosen = math_ops.cast(keep, dtypes.int32)
        return put([array_ops.dynamic_partition(tensor, chosen, num_partitions=2)[1] for tensor in example])
    return input_sparse.when(keep, lambda: put(example), order_ops.no_op)


def _gather(examples: Any, shape_of_result: Any, make_queue: Callable[..., Any], describe: Callable[[Any], None],
            options: dict[str, Any], scope: str) -> Any:
    """Fills a queue with examples in threads, and returns what takes a batch out."""
    many, threads = options['enqueue_many'], options.get('num_threads')
    listed = [_convert(example) for example in examples]
    if not listed or not listed[0]:
        raise ValueError('Expected at least one tensor in batch().')
    keep = _convert_keep(options['keep_input'], many)
    listed, stored = input_sparse.store(listed, keep, many)
    queue = make_queue(dtypes=_types(listed), shapes=_shapes(listed, options['shapes'], many),
                       shared_name=options['shared_name'])
    puts = [_enqueue(queue, example, many, keep) for example in listed]
    queue_runner.add_queue_runner(queue_runner.QueueRunner(queue, puts * (1 if threads is None else threads)))
    describe(queue)
    take = queue.dequeue_up_to if options['allow_smaller_final_batch'] else queue.dequeue_many
    found = input_sparse.restore(take(options['batch_size'], name=scope), stored)
    return _in_form(shape_of_result, found)


def _check_graph() -> None:
    if scopes.executing_eagerly():
        raise ValueError(_EAGER)


def _in_order(tensors: Any, default_name: str, is_join: bool, options: dict[str, Any]) -> Any:
    """Returns batches in the order in which examples come."""
    _check_graph()
    examples = _as_lists(tensors) if is_join else [_as_list(tensors)]
    kind = data_flow_ops.PaddingFIFOQueue if options['dynamic_pad'] else data_flow_ops.FIFOQueue
    capacity = options['capacity']
    values = [tensor for example in examples for tensor in example] + [options['keep_input']]
    with scopes.name_scope(options['name'], default_name, values) as scope:
        return _gather(examples, tensors[0] if is_join else tensors,
                       lambda **given: kind(capacity=capacity, **given),
                       lambda queue: queue_summary.fraction_full(queue, capacity), options, scope)


def _shuffled(tensors: Any, default_name: str, is_join: bool, options: dict[str, Any]) -> Any:
    """Returns batches of examples in a random order."""
    _check_graph()
    examples = _as_lists(tensors) if is_join else [_as_list(tensors)]
    capacity, spared = options['capacity'], options['min_after_dequeue']
    values = [tensor for example in examples for tensor in example] + [options['keep_input']]
    with scopes.name_scope(options['name'], default_name, values) as scope:
        if not is_join and capacity <= spared:
            raise ValueError('capacity %d must be bigger than min_after_dequeue %d.' % (capacity, spared))
        return _gather(examples, tensors[0] if is_join else tensors,
                       lambda **given: data_flow_ops.RandomShuffleQueue(
                           capacity=capacity, min_after_dequeue=spared, seed=options['seed'], **given),
                       lambda queue: queue_summary.fraction_over(queue, spared, capacity), options, scope)


def batch(tensors: Any, batch_size: Any, num_threads: int = 1, capacity: int = 32, enqueue_many: bool = False,
          shapes: Any = None, dynamic_pad: bool = False, allow_smaller_final_batch: bool = False,
          shared_name: str | None = None, name: str | None = None) -> Any:
    """Returns |batch_size| examples at a time, in order."""
    options = {**locals(), 'keep_input': True}
    return _in_order(options.pop('tensors'), 'batch', False, options)


def maybe_batch(tensors: Any, keep_input: Any, batch_size: Any, num_threads: int = 1, capacity: int = 32,
                enqueue_many: bool = False, shapes: Any = None, dynamic_pad: bool = False,
                allow_smaller_final_batch: bool = False, shared_name: str | None = None,
                name: str | None = None) -> Any:
    """Returns |batch_size| examples at a time, in order, of those that are kept."""
    options = dict(locals())
    return _in_order(options.pop('tensors'), 'batch', False, options)


def batch_join(tensors_list: Any, batch_size: Any, capacity: int = 32, enqueue_many: bool = False,
               shapes: Any = None, dynamic_pad: bool = False, allow_smaller_final_batch: bool = False,
               shared_name: str | None = None, name: str | None = None) -> Any:
    """Returns |batch_size| examples at a time, which several threads bring, each from its own source."""
    options = {**locals(), 'keep_input': True}
    return _in_order(options.pop('tensors_list'), 'batch_join', True, options)


def maybe_batch_join(tensors_list: Any, keep_input: Any, batch_size: Any, capacity: int = 32,
                     enqueue_many: bool = False, shapes: Any = None, dynamic_pad: bool = False,
                     allow_smaller_final_batch: bool = False, shared_name: str | None = None,
                     name: str | None = None) -> Any:
    """Returns |batch_size| examples at a time, of those from several sources that are kept."""
    options = dict(locals())
    return _in_order(options.pop('tensors_list'), 'batch_join', True, options)


def shuffle_batch(tensors: Any, batch_size: Any, capacity: int, min_after_dequeue: int, num_threads: int = 1,
                  seed: int | None = None, enqueue_many: bool = False, shapes: Any = None,
                  allow_smaller_final_batch: bool = False, shared_name: str | None = None,
                  name: str | None = None) -> Any:
    """Returns |batch_size| examples at a time, in a random order."""
    options = {**locals(), 'keep_input': True}
    return _shuffled(options.pop('tensors'), 'shuffle_batch', False, options)


def maybe_shuffle_batch(tensors: Any, batch_size: Any, capacity: int, min_after_dequeue: int, keep_input: Any,
                        num_threads: int = 1, seed: int | None = None, enqueue_many: bool = False, shapes: Any = None,
                        allow_smaller_final_batch: bool = False, shared_name: str | None = None,
                        name: str | None = None) -> Any:
    """Returns |batch_size| examples at a time, in a random order, of those that are kept."""
    options = dict(locals())
    return _shuffled(options.pop('tensors'), 'shuffle_batch', False, options)


def shuffle_batch_join(tensors_list: Any, batch_size: Any, capacity: int, min_after_dequeue: int,
                       seed: int | None = None, enqueue_many: bool = False, shapes: Any = None,
                       allow_smaller_final_batch: bool = False, shared_name: str | None = None,
                       name: str | None = None) -> Any:
    """Returns |batch_size| examples of several sources at a time, in a random order."""
    options = {**locals(), 'keep_input': True}
    return _shuffled(options.pop('tensors_list'), 'shuffle_batch_join', True, options)


def maybe_shuffle_batch_join(tensors_list: Any, batch_size: Any, capacity: int, min_after_dequeue: int,
                             keep_input: Any, seed: int | None = None, enqueue_many: bool = False, shapes: Any = None,
                             allow_smaller_final_batch: bool = False, shared_name: str | None = None,
                             name: str | None = None) -> Any:
    """Returns |batch_size| examples at a time, in a random order, of those from several sources that are kept."""
    options = dict(locals())
    return _shuffled(options.pop('tensors_list'), 'shuffle_batch_join', True, options)
