"""input_producers - tf.train: queues that are filled with the rows of a tensor, over and over."""

from __future__ import annotations

from typing import Any

from berth.framework import convert, dtypes, scopes
from berth.framework.collections import GraphKeys
from berth.framework.node import Tensor
from berth.modules import queue_runner, queue_summary
from berth.ops import array_ops, data_flow_ops, flow_ops, io_ops, math_ops, random_ops
from berth.variables.graph_variable import VariableV1

_NOT_NULL = 'string_input_producer requires a non-null input tensor'


def match_filenames_once(pattern: Any, name: str | None = None) -> Any:
    """Returns a variable with the names of files that match, which are looked for when it is initialised."""
    with scopes.name_scope(name, 'matching_filenames', [pattern]) as scope:
        return VariableV1(name=scope, initial_value=io_ops.matching_files(pattern),  # type: ignore[call-arg]
                        trainable=False, validate_shape=False, collections=[GraphKeys.LOCAL_VARIABLES])


def limit_epochs(tensor: Any, num_epochs: Any = None, name: str | None = None) -> Any:
    """Returns |tensor|, which may be read |num_epochs| times before it is out of range."""
    if num_epochs is None:
        return tensor
    if num_epochs <= 0:
        raise ValueError('num_epochs must be > 0 not %d.' % num_epochs)
    with scopes.name_scope(name, 'limit_epochs', [tensor]) as scope:
        zero = convert.convert_to_tensor(0, dtype=dtypes.int64, name='Const')
        epochs = VariableV1(zero, name='epochs', trainable=False,  # type: ignore[call-arg]
                            collections=[GraphKeys.LOCAL_VARIABLES])
        counter = epochs.count_up_to(num_epochs)
        with scopes.control_dependencies([counter]):
            return array_ops.identity(tensor, name=scope)


def input_producer(input_tensor: Any, element_shape: Any = None, num_epochs: Any = None, shuffle: bool = True,
                   seed: Any = None, capacity: int = 32, shared_name: str | None = None,
                   summary_name: str | None = None, name: str | None = None, cancel_op: Any = None) -> Any:
    """Returns a queue of the rows of |input_tensor|, kept full by a queue runner."""
    if scopes.executing_eagerly():
        raise RuntimeError('Input pipelines based on Queues are not supported when eager execution is enabled. Please '
                           'use tf.data to ingest data into your model instead.')
    with scopes.name_scope(name, 'input_producer', [input_tensor]):
        rows = convert.convert_to_tensor(input_tensor, name='input_tensor')
        shape = rows.shape[1:].merge_with(element_shape)
        if not shape.is_fully_defined():
            raise ValueError('Either `input_tensor` must have a fully defined shape or `element_shape` must be '
                             'specified')
        if shuffle:
            rows = random_ops.random_shuffle(rows, seed=seed)
        rows = limit_epochs(rows, num_epochs)
        queue = data_flow_ops.FIFOQueue(capacity=capacity, dtypes=[rows.dtype.base_dtype], shapes=[shape],
                                        shared_name=shared_name, name=name)  # type: ignore[arg-type]
        runner = queue_runner.QueueRunner(queue, [queue.enqueue_many([rows])], cancel_op=cancel_op)
        queue_runner.add_queue_runner(runner)
        if summary_name is not None:
            queue_summary.fraction_full(queue, capacity, summary_name)
        return queue


def string_input_producer(string_tensor: Any, num_epochs: Any = None, shuffle: bool = True, seed: Any = None,
                          capacity: int = 32, shared_name: str | None = None, name: str | None = None,
                          cancel_op: Any = None) -> Any:
    """Returns a queue of texts, such as the names of files."""
    if not isinstance(string_tensor, Tensor) and not string_tensor:
        raise ValueError(_NOT_NULL)
    with scopes.name_scope(name, 'input_producer', [string_tensor]) as scope:
        texts = convert.convert_to_tensor(string_tensor, dtype=dtypes.string)
        check = flow_ops.Assert(math_ops.greater(array_ops.size(texts), 0), [_NOT_NULL])
        with scopes.control_dependencies([check]):
            texts = array_ops.identity(texts)
        return input_producer(texts, [], num_epochs, shuffle, seed, capacity, shared_name,
                              f'fraction_of_{capacity}_full', scope, cancel_op)


def range_input_producer(limit: Any, num_epochs: Any = None, shuffle: bool = True, seed: Any = None,
                         capacity: int = 32, shared_name: str | None = None, name: str | None = None) -> Any:
    """Returns a queue of the numbers from 0 to |limit| - 1."""
    with scopes.name_scope(name, 'input_producer', [limit]) as scope:
        return input_producer(math_ops.range(limit), [], num_epochs, shuffle, seed, capacity, shared_name,
                              f'fraction_of_{capacity}_full', scope)


def slice_input_producer(tensor_list: Any, num_epochs: Any = None, shuffle: bool = True, seed: Any = None,
                         capacity: int = 32, shared_name: str | None = None, name: str | None = None) -> list[Any]:
    """Returns one row of each tensor, another one in every run."""
    with scopes.name_scope(name, 'input_producer', tensor_list):
        tensors = convert_all(tensor_list)
        if not tensors:
            raise ValueError('Expected at least one tensor in slice_input_producer().')
        queue = range_input_producer(array_ops.shape(tensors[0])[0], num_epochs, shuffle, seed, capacity, shared_name)
        index = queue.dequeue()
        return [array_ops.gather(tensor, index) for tensor in tensors]


def convert_all(values: Any) -> list[Any]:
    """Returns a list of tensors."""
    return [convert.convert_to_tensor(value) for value in values]
