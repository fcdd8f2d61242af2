"""data_flow_ops.py - Queues, in order and shuffled, and what all of them can do."""

from __future__ import annotations

import itertools
from typing import Any

from berth.base import naming
from berth.framework import convert, dtypes, gen, scopes
from berth.framework.tensor_shape import TensorShape


@naming.public('ops.data_flow_ops')
class QueueBase:
    """A queue of tensors, or of lists of them, that operations fill and empty."""

    def __init__(self, dtypes: list[Any], shapes: list[Any] | None, names: list[str] | None,
                 queue_ref: Any) -> None:
        if shapes is not None and len(shapes) != len(dtypes):
            raise ValueError('Queue shapes must have the same length as dtypes, received '
                             f'len(shapes)={len(shapes)}, len(dtypes)={len(dtypes)}')
        self._dtypes = dtypes
        self._shapes = [TensorShape(None)] * len(dtypes) if shapes is None else [TensorShape(s) for s in shapes]
        self._names = names
        self._queue_ref = queue_ref
        self._name = 'Empty' if scopes.executing_eagerly() else queue_ref.op.name.split('/')[-1]

    @staticmethod
    def from_list(index: Any, queues: Any) -> Any:
        """Returns the queue of a number, which must be known."""
        if not queues or not isinstance(queues, list) or not all(isinstance(q, QueueBase) for q in queues):
            raise TypeError('A list of queues expected')
        kinds, names = queues[0].dtypes, queues[0].names
        if not all(queue.dtypes == kinds for queue in queues[1:]):
            raise TypeError('Queues do not have matching component dtypes.')
        if not all(queue.names == names for queue in queues[1:]):
            raise TypeError('Queues do not have matching component names.')
        known = convert.constant_value(index) if convert.is_tensor(index) else index
        if known is None:
            raise NotImplementedError('tf.QueueBase.from_list: Berth does not choose a queue by a tensor that is known '
                                      'only in a run; choose it in Python')
        return queues[int(known)]

    @property
    def queue_ref(self) -> Any:
        """The tensor that stands for the queue."""
        return self._queue_ref

    @property
    def name(self) -> str:
        """The name of the queue's node."""
        return self._name if scopes.executing_eagerly() else self._queue_ref.op.name

    @property
    def dtypes(self) -> list[Any]:
        """The types of an element's tensors."""
        return self._dtypes

    @property
    def shapes(self) -> list[TensorShape]:
        """The shapes of an element's tensors."""
        return self._shapes

    @property
    def names(self) -> list[str] | None:
        """The names of an element's tensors, if it is a dictionary."""
        return self._names

    def _components(self, values: Any) -> list[Any]:
        """Converts an element to tensors, in the order of the queue's types."""
        if isinstance(values, dict):
            if not self._names:
                raise ValueError('Queue must have names to enqueue a dictionary')
            if sorted(self._names) != sorted(values):
                raise ValueError(f'Keys in dictionary to enqueue do not match names of Queue.  Dictionary: '
                                 f'{sorted(values)},Queue: {sorted(self._names)}')
            values = [values[name] for name in self._names]
        elif self._names:
            raise ValueError('You must enqueue a dictionary in a Queue with names')
        elif not isinstance(values, (list, tuple)):
            values = [values]
        return [convert.convert_to_tensor(value, dtype=kind, name=f'component_{index}')
                for index, (value, kind) in enumerate(zip(values, self._dtypes))]

    def _result(self, tensors: Any) -> Any:
        if self._names:
            return dict(zip(self._names, tensors))
        return tensors[0] if len(tensors) == 1 else tensors

    def enqueue(self, vals: Any, name: str | None = None) -> Any:
        """Adds one element."""
        with scopes.name_scope(name, f'{self._name}_enqueue', self._in_graph(vals)) as scope:
            values = self._components(vals)
            for value, shape in zip(values, self._shapes):
                value.shape.assert_is_compatible_with(shape)
            return gen.apply('QueueEnqueueV2', scope, {'handle': self._queue_ref, 'components': values})

    def enqueue_many(self, vals: Any, name: str | None = None) -> Any:
        """Adds the slices of a batch as elements."""
        with scopes.name_scope(name, f'{self._name}_EnqueueMany', self._in_graph(vals)) as scope:
            values = self._components(vals)
            self._check_batch(values)
            return gen.apply('QueueEnqueueManyV2', scope, {'handle': self._queue_ref, 'components': values})

    def _check_batch(self, values: list[Any]) -> None:
        """Raises ValueError unless |values| have one size, and slices of the queue's shapes."""
        size = TensorShape(None)
        for value, shape in zip(values, self._shapes):
            size = size.merge_with(value.shape.with_rank_at_least(1)[:1])
            value.shape[1:].assert_is_compatible_with(shape)

    def _in_graph(self, values: Any) -> list[Any]:
        items = values.values() if isinstance(values, dict) else values
        return list(items) if isinstance(items, (list, tuple)) else []

    def dequeue(self, name: str | None = None) -> Any:
        """Takes one element; waits while there is none."""
        tensors = gen.apply('QueueDequeueV2', name or f'{self._name}_Dequeue', {'handle': self._queue_ref},
                            {'component_types': self._dtypes})
        for tensor, shape in zip(tensors, self._shapes):
            tensor.set_shape(shape)
        return self._result(tensors)

    def dequeue_many(self, n: Any, name: str | None = None) -> Any:
        """Takes a batch of elements; waits until there are that many."""
        tensors = gen.apply('QueueDequeueManyV2', name or f'{self._name}_DequeueMany',
                            {'handle': self._queue_ref, 'n': n}, {'component_types': self._dtypes})
        if scopes.executing_eagerly():
            return self._result(tensors)
        size = convert.constant_value(tensors[0].op.inputs[1])
        return self._batch(tensors, None if size is None else int(size))

    def dequeue_up_to(self, n: Any, name: str | None = None) -> Any:
        """Takes a batch of elements; a smaller one when the queue is closed."""
        tensors = gen.apply('QueueDequeueUpToV2', name or f'{self._name}_DequeueUpTo',
                            {'handle': self._queue_ref, 'n': n}, {'component_types': self._dtypes})
        return self._batch(tensors, None)

    def _batch(self, tensors: Any, size: int | None) -> Any:
        for tensor, shape in zip(tensors, self._shapes):
            if shape.rank is not None:
                tensor.set_shape([size] + shape.as_list())
        return self._result(tensors)

    def close(self, cancel_pending_enqueues: bool = False, name: str | None = None) -> Any:
        """Refuses further elements."""
        return gen.apply('QueueCloseV2', name or f'{self._name}_Close', {'handle': self._queue_ref},
                         {'cancel_pending_enqueues': cancel_pending_enqueues})

    def is_closed(self, name: str | None = None) -> Any:
        """Tells whether it is closed."""
        return gen.apply('QueueIsClosedV2', name or f'{self._name}_Is_Closed', {'handle': self._queue_ref})

    def size(self, name: str | None = None) -> Any:
        """Tells how many elements it has."""
        return gen.apply('QueueSizeV2', name or f'{self._name}_Size', {'handle': self._queue_ref})


def _as_list(value: Any) -> list[Any]:
    return list(value) if isinstance(value, (list, tuple)) else [value]


@naming.public('ops.data_flow_ops')
class FIFOQueue(QueueBase):
    """A queue whose elements come out in the order in which they went in."""

    def __init__(self, capacity: int, dtypes: Any, shapes: Any = None,  # pylint: disable=redefined-outer-name
                 names: Any = None, shared_name: str | None = None, name: str = 'fifo_queue') -> None:
        kinds = [_dtype(kind) for kind in _as_list(dtypes)]
        if shapes is not None:
            shapes = _shape_list(shapes)
        with scopes.device('CPU'):
            ref = gen.apply('FIFOQueueV2', name, {}, {
                'component_types': kinds, 'shapes': shapes or [], 'capacity': capacity,
                'shared_name': shared_name or _own_name()})
        super().__init__(kinds, shapes, None if names is None else _name_list(names, kinds), ref)


@naming.public('ops.data_flow_ops')
class RandomShuffleQueue(QueueBase):
    """A queue whose elements come out in a random order."""

    def __init__(self, capacity: int, min_after_dequeue: int, dtypes: Any,  # pylint: disable=redefined-outer-name
                 shapes: Any = None, names: Any = None, seed: int | None = None, shared_name: str | None = None,
                 name: str = 'random_shuffle_queue') -> None:
        kinds = [_dtype(kind) for kind in _as_list(dtypes)]
        if shapes is not None:
            shapes = _shape_list(shapes)
        first, second = _seeds(seed, shared_name)
        with scopes.device('CPU'):
            ref = gen.apply('RandomShuffleQueueV2', name, {}, {
                'component_types': kinds, 'shapes': shapes or [], 'capacity': capacity,
                'min_after_dequeue': min_after_dequeue, 'seed': first, 'seed2': second,
                'shared_name': shared_name or _own_name()})
        super().__init__(kinds, shapes, None if names is None else _as_list(names), ref)


@naming.public('ops.data_flow_ops')
class PaddingFIFOQueue(QueueBase):
    """A queue in order whose elements differ in size; batches have zeros where an element ends."""

    def __init__(self, capacity: int, dtypes: Any, shapes: Any,  # pylint: disable=redefined-outer-name
                 names: Any = None, shared_name: str | None = None, name: str = 'padding_fifo_queue') -> None:
        kinds = [_dtype(kind) for kind in _as_list(dtypes)]
        shapes = _shape_list(shapes, True)
        if len(kinds) != len(shapes):
            raise ValueError(f'Shapes must be provided for all components, but received {len(kinds)} dtypes and '
                             f'{len(shapes)} shapes.')
        with scopes.device('CPU'):
            ref = gen.apply('PaddingFIFOQueueV2', name, {}, {
                'component_types': kinds, 'shapes': shapes, 'capacity': capacity,
                'shared_name': shared_name or _own_name()})
        super().__init__(kinds, shapes, None if names is None else _name_list(names, kinds), ref)


@naming.public('ops.data_flow_ops')
class PriorityQueue(QueueBase):
    """A queue whose elements come out by their first component, the smallest number first."""

    def __init__(self, capacity: int, types: Any, shapes: Any = None, names: Any = None,
                 shared_name: str | None = None, name: str = 'priority_queue') -> None:
        kinds = [_dtype(kind) for kind in _as_list(types)]
        shapes = _shape_list(shapes) if shapes is not None else []
        with scopes.device('CPU'):
            ref = gen.apply('PriorityQueueV2', name, {}, {
                'component_types': kinds, 'shapes': shapes, 'capacity': capacity,
                'shared_name': shared_name or _own_name()})
        whole = [dtypes.int64, *kinds]
        super().__init__(whole, [TensorShape([]), *shapes], None if names is None else _name_list(names, whole), ref)


def _seeds(seed: int | None, shared_name: str | None) -> tuple[int, int]:
    """Returns the seeds of a queue: one that is shared has the same ones in every graph."""
    from berth.ops import random_ops

    first, second = random_ops.get_seed(seed)
    if first is None or second is None:
        return 0, 0
    if seed is None and shared_name is not None:
        import hashlib

        digest = hashlib.md5((str(first) + shared_name).encode('utf-8')).hexdigest()
        second = int(digest[:8], 16) & 0x7FFFFFFF
    return first, second


_numbers = itertools.count()


def _own_name() -> str:
    """Returns a name that no other queue has where ops run at once; in graphs it is the node's."""
    return str(next(_numbers)) if scopes.executing_eagerly() else ''


def _shape_list(shapes: Any, may_vary: bool = False) -> list[TensorShape]:
    """Reads one shape, or a list of them; all are known, unless their sizes |may_vary|."""
    if isinstance(shapes, TensorShape):
        shapes = [shapes]
    if may_vary and not isinstance(shapes, (tuple, list)):
        raise ValueError('When providing partial shapes, a list of shapes must be provided.')
    if not isinstance(shapes, (tuple, list)):
        raise TypeError('Shapes must be a TensorShape or a list or tuple of TensorShapes, got '
                        f'{type(shapes)} instead.')
    if all(shape is None or isinstance(shape, int) for shape in shapes):
        shapes = [shapes]
    found = [TensorShape(shape) for shape in shapes]
    if not may_vary and not all(shape.is_fully_defined() for shape in found):
        raise ValueError(f'All shapes must be fully defined: {found}')
    return found


def _name_list(names: Any, kinds: list[Any]) -> list[str]:
    """Reads the names of an element's tensors, one for each type."""
    found = _as_list(names)
    if len(found) != len(kinds):
        raise ValueError('List of names must have the same length as the list of dtypes, received '
                         f'len(names)={len(found)},len(dtypes)={len(kinds)}')
    return found


def _dtype(kind: Any) -> dtypes.DType:
    return dtypes.as_dtype(kind)
