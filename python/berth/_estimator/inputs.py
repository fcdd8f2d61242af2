"""inputs - tf.estimator.inputs: functions that give batches of arrays and tables in memory."""

from __future__ import annotations

import threading
from typing import Any, Callable

from berth.framework import dtypes, errors, scopes
from berth.modules import queue_runner
from berth.ops import array_ops, data_flow_ops, math_ops

_TARGET = '__target_key__'  # The column of labels, when it has no name.


def numpy_input_fn(x: Any, y: Any = None, batch_size: int = 128, num_epochs: Any = 1, shuffle: Any = None,
                   queue_capacity: int = 1000, num_threads: int = 1) -> Callable[[], Any]:
    """Returns a function that gives batches of arrays."""
    _check_shuffle(shuffle)

    def input_fn() -> Any:
        columns = _columns(x)
        labels = {} if y is None else _columns(y) if isinstance(y, dict) else {_TARGET: y}
        if any(key in columns for key in labels):
            raise ValueError(f'{len(set(labels) & set(columns))} duplicate keys are found in both x and y: '
                             f'{sorted(set(labels) & set(columns))}')
        _check_lengths({**columns, **labels})
        batch = _batches({**columns, **labels}, batch_size, num_epochs, shuffle, queue_capacity, num_threads)
        features = {key: batch[key] for key in columns} if isinstance(x, dict) else batch[next(iter(columns))]
        if y is None:
            return features
        return features, {key: batch[key] for key in labels} if isinstance(y, dict) else batch[_TARGET]

    return input_fn


def pandas_input_fn(x: Any, y: Any = None, batch_size: int = 128, num_epochs: Any = 1, shuffle: Any = None,
                    queue_capacity: int = 1000, num_threads: int = 1,
                    target_column: str = 'target') -> Callable[[], Any]:
    """Returns a function that gives batches of a table of pandas."""
    _check_shuffle(shuffle)
    if target_column in x:
        raise ValueError(f'Cannot use name {target_column} for target column: DataFrame already has a column with that '
                         'name.')
    labels = {}
    if y is not None:
        if not (x.index == y.index).all():
            raise ValueError(f'Index for x and y are mismatched.\nIndex for x: {x.index}\nIndex for y: {y.index}\n')
        labels = {key: y[key] for key in y.columns} if hasattr(y, 'columns') else {target_column: y}

    def input_fn() -> Any:
        columns = {key: x[key].values for key in x.columns}
        wanted = {key: values.values for key, values in labels.items()}
        batch = _batches({**columns, **wanted}, batch_size, num_epochs, shuffle, queue_capacity, num_threads)
        features = {key: batch[key] for key in columns}
        if y is None:
            return features
        return features, {key: batch[key] for key in wanted} if hasattr(y, 'columns') else batch[target_column]

    return input_fn


def _check_shuffle(shuffle: Any) -> None:
    if not isinstance(shuffle, bool):
        raise ValueError('shuffle must be provided and explicitly set as boolean (it is recommended to set it as True '
                         f'for training); got {shuffle}')


def _columns(x: Any) -> dict[str, Any]:
    """Returns arrays by name, in the order of names."""
    import numpy

    if isinstance(x, numpy.ndarray):
        return {'__direct_np_input__': x}
    if not isinstance(x, dict):
        raise TypeError(f'x must be a dict or array; got {type(x).__name__}')
    if not x:
        raise ValueError('x cannot be an empty dict')
    return {key: x[key] for key in sorted(x)}


def _check_lengths(columns: dict[str, Any]) -> None:
    if len({len(column) for column in columns.values()}) != 1:
        shapes = ', '.join(f'{key}: {column.shape}' for key, column in columns.items())
        raise ValueError('Length of tensors in x and y is mismatched. All elements in x and y must have the same '
                         f'length.\nShapes in x and y: {shapes}')


def _batches(columns: dict[str, Any], size: int, epochs: Any, shuffle: bool, capacity: int,
             threads: int) -> dict[str, Any]:
    """Returns tensors of the next rows, which threads put into a queue."""
    import numpy

    arrays = {key: numpy.asarray(column) for key, column in columns.items()}
    with scopes.name_scope('enqueue_input'):
        kinds = [dtypes.as_dtype(dtypes.string if a.dtype.kind in 'OSU' else a.dtype) for a in arrays.values()]
        shapes = [a.shape[1:] for a in arrays.values()]
        least = max(capacity // 4, 1)
        queue = (data_flow_ops.RandomShuffleQueue(capacity, least, kinds, shapes) if shuffle
                 else data_flow_ops.FIFOQueue(capacity, kinds, shapes))
        places = [array_ops.placeholder(kind, [None, *shape]) for kind, shape in zip(kinds, shapes)]
        enqueue = queue.enqueue_many(places)
        rows = _Rows(list(arrays.values()), size, epochs, shuffle)
        queue_runner.add_queue_runner(_FeedingRunner(queue, [enqueue] * threads, places, rows))
        math_ops.cast(queue.size(), dtypes.float32)
    batch = queue.dequeue_many(size) if epochs is None else queue.dequeue_up_to(size)
    batch = batch if isinstance(batch, (list, tuple)) else [batch]
    return dict(zip(arrays, batch))


class _Rows:
    """Gives rows of arrays in turn, to several threads."""

    def __init__(self, arrays: list[Any], size: int, epochs: Any, shuffle: bool) -> None:
        self._arrays, self._size = arrays, size
        self._count = len(arrays[0])
        self._left = None if epochs is None else self._count * epochs
        self._at = 0
        if shuffle and self._count:
            import random

            self._at = random.randrange(self._count)
        self._lock = threading.Lock()  # Guards where it is.

    def next(self) -> Any:
        """Returns the next rows; None when there are no more."""
        import numpy

        with self._lock:
            size = self._size if self._left is None else min(self._size, self._left)
            if size == 0 or self._count == 0:
                return None
            places = numpy.arange(self._at, self._at + size) % self._count
            self._at = (self._at + size) % self._count
            self._left = None if self._left is None else self._left - size
        return [array[places] for array in self._arrays]


class _FeedingRunner(queue_runner.QueueRunner):
    """Fills a queue with rows that each run is fed."""

    def __init__(self, queue: Any, enqueue_ops: list[Any], places: list[Any], rows: _Rows) -> None:
        super().__init__(queue, enqueue_ops)
        self._places, self._rows = places, rows

    def _enqueuer(self, sess: Any, enqueue_op: Any) -> Callable[[], Any]:
        """Returns a function that puts the next rows into the queue."""
        def run() -> None:
            rows = self._rows.next()
            if rows is None:
                raise errors.OutOfRangeError(None, None, 'All epochs are over.')
            sess.run(enqueue_op, feed_dict=dict(zip(self._places, rows)))
        return run
