"""experimental - tf.data.experimental: transformations as functions for Dataset.apply."""

from __future__ import annotations

from typing import Any

from berth import _mode
from berth._data import choosing, making, optional
from berth._data.dataset import DatasetV1, DatasetV2
from berth.framework import convert, dtypes, scopes

AUTOTUNE = -1
INFINITE_CARDINALITY = -1
UNKNOWN_CARDINALITY = -2
SHARD_HINT = -1
Optional = optional.Optional
get_next_as_optional = optional.get_next_as_optional


def _source() -> Any:
    return DatasetV1 if _mode.is_v1() else DatasetV2


def Counter(start: Any = 0, step: Any = 1, dtype: Any = dtypes.int64) -> Any:  # noqa: N802
    """Makes a dataset that counts for ever."""
    with scopes.name_scope('counter'):
        start = convert.convert_to_tensor(start, dtype=dtype, name='start')
        step = convert.convert_to_tensor(step, dtype=dtype, name='step')
        return _source().from_tensors(0).repeat(None).scan(start, lambda state, _: (state + step, state))


def RandomDataset(seed: Any = None, name: Any = None) -> Any:  # noqa: N802
    """Makes a dataset of random numbers."""
    return _source().random(seed=seed)


def cardinality(dataset: Any) -> Any:
    """Returns how many elements there are."""
    return dataset.cardinality()


def assert_cardinality(expected_cardinality: Any) -> Any:
    """Says how many elements there are, and fails where that is not so."""
    def apply(dataset: Any) -> Any:
        number = convert.convert_to_tensor(expected_cardinality, dtype=dtypes.int64, name='expected_cardinality')
        return making.unary('AssertCardinalityDataset', '_AssertCardinalityDataset', dataset, {'cardinality': number})

    return apply


def shuffle_and_repeat(buffer_size: Any, count: Any = None, seed: Any = None) -> Any:
    """Takes the elements in a random order, again and again."""
    def apply(dataset: Any) -> Any:
        size = making.number(buffer_size, 'buffer_size')
        times = convert.constant(-1, dtypes.int64, name='count') if count is None else making.number(count, 'count')
        first, second = making.seeds(seed)
        return making.unary('ShuffleAndRepeatDataset', '_ShuffleAndRepeatDataset', dataset, {
            'buffer_size': size, 'seed': first, 'seed2': second, 'count': times})

    return apply


def map_and_batch(map_func: Any, batch_size: Any, num_parallel_batches: Any = None, drop_remainder: bool = False,
                  num_parallel_calls: Any = None) -> Any:
    """Calls a function for each element and joins what it gives."""
    if num_parallel_batches is not None and num_parallel_calls is not None:
        raise ValueError('`map_and_batch` allows only one of `num_parallel_batches` and `num_parallel_calls` to be set, but '
                         f'`num_parallel_batches` was set to {num_parallel_batches} and `num_parallel_calls` as set to '
                         f'{num_parallel_calls}.')
    calls = num_parallel_calls if num_parallel_calls is not None else AUTOTUNE
    return lambda dataset: dataset.map(map_func, num_parallel_calls=calls).batch(batch_size, drop_remainder)


def map_and_batch_with_legacy_function(map_func: Any, batch_size: Any, num_parallel_batches: Any = None,
                                       drop_remainder: bool = False, num_parallel_calls: Any = None) -> Any:
    """Calls a function for each element and joins what it gives."""
    return map_and_batch(map_func, batch_size, num_parallel_batches, drop_remainder, num_parallel_calls)


def parallel_interleave(map_func: Any, cycle_length: Any, block_length: Any = 1, sloppy: bool = False,
                        buffer_output_elements: Any = None, prefetch_input_elements: Any = None) -> Any:
    """Goes through several of the datasets that a function makes of elements by turns."""
    return lambda dataset: dataset.interleave(map_func, cycle_length, block_length, num_parallel_calls=cycle_length,
                                              deterministic=not sloppy)


def ignore_errors(log_warning: bool = False) -> Any:
    """Leaves out elements that fail."""
    return lambda dataset: dataset.ignore_errors(log_warning)


def unbatch() -> Any:
    """Takes elements apart."""
    return lambda dataset: dataset.unbatch()


def unique() -> Any:
    """Leaves out elements that were there before."""
    return lambda dataset: dataset.unique()


def enumerate_dataset(start: Any = 0) -> Any:
    """Puts a number in front of each element."""
    return lambda dataset: dataset.enumerate(start)


def scan(initial_state: Any, scan_func: Any) -> Any:
    """Calls a function with a state and each element."""
    return lambda dataset: dataset.scan(initial_state, scan_func)


def take_while(predicate: Any) -> Any:
    """Goes on as long as a function says True."""
    return lambda dataset: dataset.take_while(predicate)


class Reducer:
    """What makes one element of many: a state of a key, a state of that and an element, a result of the last one."""

    def __init__(self, init_func: Any, reduce_func: Any, finalize_func: Any) -> None:
        self._init_func, self._reduce_func, self._finalize_func = init_func, reduce_func, finalize_func

    init_func = property(lambda self: self._init_func, doc='The state of a key.')
    reduce_func = property(lambda self: self._reduce_func, doc='The state after an element.')
    finalize_func = property(lambda self: self._finalize_func, doc='The result of a state.')


def group_by_reducer(key_func: Any, reducer: Reducer) -> Any:
    """Makes one element of all that have the same key, in the order of keys."""
    def group(key: Any, window: Any) -> Any:
        state = window.reduce(reducer.init_func(key), reducer.reduce_func)
        return _source().from_tensors(reducer.finalize_func(*state) if isinstance(state, tuple)
                                      else reducer.finalize_func(state))

    # No window is ever full: all groups come at the end, and then by their keys.
    return lambda dataset: dataset.group_by_window(key_func, group, dtypes.int64.max)


def group_by_window(key_func: Any, reduce_func: Any, window_size: Any = None, window_size_func: Any = None) -> Any:
    """Gathers elements of one key, and makes datasets of them."""
    return lambda dataset: dataset.group_by_window(key_func, reduce_func, window_size, window_size_func)


def bucket_by_sequence_length(element_length_func: Any, bucket_boundaries: Any, bucket_batch_sizes: Any,
                              padded_shapes: Any = None, padding_values: Any = None, pad_to_bucket_boundary: bool = False,
                              no_padding: bool = False, drop_remainder: bool = False) -> Any:
    """Joins elements of about one length."""
    return lambda dataset: dataset.bucket_by_sequence_length(
        element_length_func, bucket_boundaries, bucket_batch_sizes, padded_shapes, padding_values, pad_to_bucket_boundary,
        no_padding, drop_remainder)


def rejection_resample(class_func: Any, target_dist: Any, initial_dist: Any = None, seed: Any = None) -> Any:
    """Leaves elements out so that classes are as frequent as they should be."""
    return lambda dataset: dataset.rejection_resample(class_func, target_dist, initial_dist, seed)


def prefetch_to_device(device: Any, buffer_size: Any = None) -> Any:
    """Brings elements to a device ahead of their use; the last transformation of a dataset."""
    from berth._data import on_device

    return lambda dataset: on_device.to_device(dataset, device, 1 if buffer_size in (None, AUTOTUNE) else int(buffer_size))


def copy_to_device(target_device: Any, source_device: Any = '/cpu:0') -> Any:
    """Brings elements to a device as they are asked for."""
    from berth._data import on_device

    return lambda dataset: on_device.to_device(dataset, target_device, 0)


def sample_from_datasets(datasets: Any, weights: Any = None, seed: Any = None, stop_on_empty_dataset: bool = False) -> Any:
    """Makes a dataset that draws from others."""
    return choosing.sample_from_datasets(datasets, weights, seed, stop_on_empty_dataset)


def choose_from_datasets(datasets: Any, choice_dataset: Any, stop_on_empty_dataset: bool = False) -> Any:
    """Makes a dataset that takes from others what a dataset of numbers says."""
    return choosing.choose_from_datasets(datasets, choice_dataset, stop_on_empty_dataset)


def get_single_element(dataset: Any) -> Any:
    """Returns the one element that there is."""
    return dataset.get_single_element()


def get_structure(dataset_or_iterator: Any) -> Any:
    """Returns what is known of the elements."""
    try:
        return dataset_or_iterator.element_spec
    except AttributeError:
        raise TypeError(f'Invalid `dataset_or_iterator`. `dataset_or_iterator` must be a dataset or tf.data iterator '
                        f'object but got {type(dataset_or_iterator)}.') from None


def to_variant(dataset: Any) -> Any:
    """Returns the tensor that a dataset is."""
    return dataset._variant_tensor


def from_variant(variant: Any, structure: Any) -> Any:  # pylint: disable=redefined-outer-name
    """Returns the dataset of a tensor."""
    return making.make('_VariantDataset', variant, structure)


def parse_example_dataset(features: Any, num_parallel_calls: Any = 1, deterministic: Any = None) -> Any:
    """Reads the features of each batch of messages."""
    from berth.ops import parsing_ops
    from berth.ops.sparse_tensor import SparseTensor

    def apply(dataset: Any) -> Any:
        size = dataset.element_spec.shape.as_list()[0]

        def parsed(texts: Any) -> Any:
            found = parsing_ops.parse_example(texts, features)
            for value in found.values():
                if isinstance(value, SparseTensor):
                    value.set_shape([size, None])
            return found

        return dataset.map(parsed, num_parallel_calls=num_parallel_calls, deterministic=deterministic)

    return apply


def snapshot(path: Any, compression: Any = 'AUTO', reader_func: Any = None, shard_func: Any = None) -> Any:
    """Keeps the elements in a file, from which they come another time."""
    return lambda dataset: dataset.snapshot(path, compression, reader_func, shard_func)


def save(dataset: Any, path: Any, compression: Any = None, shard_func: Any = None, checkpoint_args: Any = None) -> Any:
    """Writes all elements to files that load() reads."""
    return dataset.save(path, compression, shard_func, checkpoint_args)


def load(path: Any, element_spec: Any = None, compression: Any = None, reader_func: Any = None) -> Any:
    """Makes the dataset that save() has written."""
    return _source().load(path, element_spec, compression, reader_func)


def dense_to_sparse_batch(batch_size: Any, row_shape: Any) -> Any:
    """Joins elements of different lengths to sparse tensors."""
    return lambda dataset: dataset.sparse_batch(batch_size, row_shape)


def dense_to_ragged_batch(batch_size: Any, drop_remainder: bool = False, row_splits_dtype: Any = dtypes.int64) -> Any:
    """Joins elements of different lengths to ragged tensors."""
    return lambda dataset: dataset.ragged_batch(batch_size, drop_remainder, row_splits_dtype)


class TFRecordWriter:
    """Writes the texts of a dataset to a file of records."""

    def __init__(self, filename: Any, compression_type: Any = None) -> None:
        self._filename, self._compression = filename, compression_type

    def write(self, dataset: Any) -> None:
        """Writes all elements."""
        from berth.modules import tf_record

        spec = dataset.element_spec
        if getattr(spec, 'dtype', None) != dtypes.string or not spec.shape.is_compatible_with([]):
            raise TypeError('`dataset` must produce scalar `DT_STRING` tensors whereas it produces shape '
                            f'{getattr(spec, "shape", None)} and types {getattr(spec, "dtype", None)}')
        with tf_record.TFRecordWriter(self._filename, self._compression) as writer:
            for batch in dataset.batch(1024).as_numpy_iterator():
                for record in batch.tolist():
                    writer.write(record)
