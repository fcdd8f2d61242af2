"""transforms - What is made of datasets: methods of Dataset that give another one."""

from __future__ import annotations

import warnings
from typing import Any, Callable, Optional

from berth import _mode
from berth._data import making, structure
from berth._data.function import StructuredFunction
from berth.eager.spec import TensorSpec
from berth.framework import convert, dtypes, gen, scopes


def _chosen(deterministic: Any) -> str:
    return 'default' if deterministic is None else 'true' if deterministic else 'false'


def _needs_parallel(deterministic: Any, name: str = 'num_parallel_calls') -> None:
    if deterministic is not None:
        warnings.warn(f'The `deterministic` argument has no effect unless the `{name}` argument is specified.',
                      stacklevel=3)


class Transforms:
    """Methods that give another dataset."""

    _variant_tensor: Any
    element_spec: Any

    # ---- Functions ----

    def map(self, map_func: Callable[..., Any], num_parallel_calls: Any = None, deterministic: Any = None,
            synchronous: Any = None, use_unbounded_threadpool: Any = None, name: Optional[str] = None) -> Any:
        """Calls a function for each element."""
        preserves = not making.is_v1(self)
        function = StructuredFunction(map_func, 'Dataset.map()', self.element_spec)
        args: dict[str, Any] = {'other_arguments': function.captured}
        attrs: dict[str, Any] = {'f': function.name, 'use_inter_op_parallelism': True, 'preserve_cardinality': preserves}
        op, kind = 'MapDataset', '_MapDataset'
        if num_parallel_calls is None:
            if preserves:
                _needs_parallel(deterministic)
            attrs['force_synchronous'] = bool(synchronous)
        else:
            if synchronous:
                raise ValueError('`synchronous` is not supported with `num_parallel_calls`, but `num_parallel_calls` was '
                                 'set to ', num_parallel_calls)
            op, kind = 'ParallelMapDatasetV2', '_ParallelMapDataset'
            args['num_parallel_calls'] = making.number(num_parallel_calls, 'num_parallel_calls')
            attrs['deterministic'] = _chosen(deterministic)
        return making.unary(op, kind, self, args, function.output_spec, attrs, (function,))

    def _dataset_function(self, map_func: Any, transformation: str) -> StructuredFunction:
        """Traces a function that gives a dataset."""
        function = StructuredFunction(map_func, transformation, self.element_spec)
        if type(function.output_spec).__name__ != 'DatasetSpec':
            found = type(function.output_spec)
            raise TypeError(f'The `map_func` argument must return a `Dataset` object. Got {_class_text(found)!r}.')
        return function

    def flat_map(self, map_func: Callable[..., Any], name: Optional[str] = None) -> Any:
        """Goes through the datasets that a function makes of elements, one after the other."""
        function = self._dataset_function(map_func, 'Dataset.flat_map()')
        return making.unary('FlatMapDataset', '_FlatMapDataset', self, {'other_arguments': function.captured},
                            function.output_spec.element_spec, {'f': function.name}, (function,))

    def interleave(self, map_func: Callable[..., Any], cycle_length: Any = None, block_length: Any = None,
                   num_parallel_calls: Any = None, deterministic: Any = None, name: Optional[str] = None) -> Any:
        """Goes through several of the datasets that a function makes of elements by turns."""
        function = self._dataset_function(map_func, 'Dataset.interleave()')
        args: dict[str, Any] = {
            'other_arguments': function.captured,
            'cycle_length': making.number(-1 if cycle_length is None else cycle_length, 'cycle_length'),
            'block_length': making.number(1 if block_length is None else block_length, 'block_length')}
        attrs = {'f': function.name}
        op, kind = 'InterleaveDataset', '_InterleaveDataset'
        if num_parallel_calls is None:
            _needs_parallel(deterministic)
        else:
            op, kind = 'ParallelInterleaveDatasetV4', '_ParallelInterleaveDataset'
            args['buffer_output_elements'] = making.number(-1, 'buffer_output_elements')
            args['prefetch_input_elements'] = making.number(-1, 'prefetch_input_elements')
            args['num_parallel_calls'] = making.number(num_parallel_calls, 'num_parallel_calls')
            attrs['deterministic'] = _chosen(deterministic)
        return making.unary(op, kind, self, args, function.output_spec.element_spec, attrs, (function,))

    def filter(self, predicate: Callable[..., Any], name: Optional[str] = None) -> Any:
        """Keeps the elements that a function says True for."""
        function = StructuredFunction(predicate, 'Dataset.filter()', self.element_spec)
        _check_predicate(function)
        return making.unary('FilterDataset', '_FilterDataset', self, {'other_arguments': function.captured}, None,
                            {'predicate': function.name}, (function,))

    def take_while(self, predicate: Callable[..., Any], name: Optional[str] = None) -> Any:
        """Goes on as long as a function says True."""
        function = StructuredFunction(predicate, 'Dataset.take_while()', self.element_spec)
        _check_predicate(function)
        return making.unary('TakeWhileDataset', '_TakeWhileDataset', self, {'other_arguments': function.captured}, None,
                            {'predicate': function.name}, (function,))

    # ---- Some of the elements ----

    def take(self, count: Any, name: Optional[str] = None) -> Any:
        """Takes the first elements."""
        return making.unary('TakeDataset', '_TakeDataset', self, {'count': making.number(count, 'count')})

    def skip(self, count: Any, name: Optional[str] = None) -> Any:
        """Leaves the first elements out."""
        return making.unary('SkipDataset', '_SkipDataset', self, {'count': making.number(count, 'count')})

    def shard(self, num_shards: Any, index: Any, name: Optional[str] = None) -> Any:
        """Takes every |num_shards|-th element."""
        return making.unary('ShardDataset', '_ShardDataset', self, {'num_shards': making.number(num_shards, 'num_shards'),
                                                                    'index': making.number(index, 'index')})

    def repeat(self, count: Any = None, name: Optional[str] = None) -> Any:
        """Goes through all again and again."""
        count = convert.constant(-1, dtypes.int64, name='count') if count is None else making.number(count, 'count')
        return making.unary('RepeatDataset', '_RepeatDataset', self, {'count': count})

    def concatenate(self, dataset: Any, name: Optional[str] = None) -> Any:
        """Goes through another one afterwards."""
        spec = _common_spec(self.element_spec, dataset.element_spec)
        variant = gen.apply('ConcatenateDataset', None, {
            'input_dataset': self._variant_tensor, 'another_dataset': dataset._variant_tensor}, making.element_attrs(spec))
        return making.make('_ConcatenateDataset', variant, spec, (self, dataset))

    def enumerate(self, start: Any = 0, name: Optional[str] = None) -> Any:
        """Puts a number in front of each element."""
        most = dtypes.int64.max
        dataset: Any = type(self)
        return dataset.zip((dataset.range(start, most), self))

    def shuffle(self, buffer_size: Any, seed: Any = None, reshuffle_each_iteration: Any = None,
                name: Optional[str] = None) -> Any:
        """Takes the elements in a random order."""
        size = making.number(buffer_size, 'buffer_size')
        first, second = making.seeds(seed)
        args = {'buffer_size': size, 'seed': first, 'seed2': second}
        op = 'ShuffleDataset'
        if not _mode.is_v1() and (scopes.executing_eagerly() or scopes.get_default_graph().building_function):
            op = 'ShuffleDatasetV3'
            args['seed_generator'] = gen.apply('DummySeedGenerator', None, {})
        return making.unary(op, '_ShuffleDataset', self, args, None, {
            'reshuffle_each_iteration': True if reshuffle_each_iteration is None else bool(reshuffle_each_iteration)})

    # ---- Batches ----

    def batch(self, batch_size: Any, drop_remainder: bool = False, num_parallel_calls: Any = None,
              deterministic: Any = None, name: Optional[str] = None) -> Any:
        """Joins elements."""
        size, drops = making.number(batch_size, 'batch_size'), making.truth(drop_remainder, 'drop_remainder')
        front = _static(size) if _static(drops) else None
        spec = structure.with_front(self.element_spec, front)
        args = {'batch_size': size, 'drop_remainder': drops}
        if num_parallel_calls is None:
            _needs_parallel(deterministic)
            return making.unary('BatchDatasetV2', '_BatchDataset', self, args, spec)
        args['num_parallel_calls'] = making.number(num_parallel_calls, 'num_parallel_calls')
        return making.unary('ParallelBatchDataset', '_ParallelBatchDataset', self, args, spec,
                            {'deterministic': _chosen(deterministic)})

    def padded_batch(self, batch_size: Any, padded_shapes: Any = None, padding_values: Any = None,
                     drop_remainder: bool = False, name: Optional[str] = None) -> Any:
        """Joins elements of different sizes."""
        from berth._data import padding

        return padding.padded_batch(self, batch_size, padded_shapes, padding_values, drop_remainder)

    def unbatch(self, name: Optional[str] = None) -> Any:
        """Takes elements apart."""
        from berth._data import ragged_elements

        spec = structure.without_front(self.element_spec)
        return making.unary('UnbatchDataset', '_UnbatchDataset', ragged_elements.with_rows(self), {}, spec)

    def window(self, size: Any, shift: Any = None, stride: Any = 1, drop_remainder: bool = False,
               name: Optional[str] = None) -> Any:
        """Makes datasets of elements that follow each other."""
        from berth._data.dataset import DatasetSpec

        size = making.number(size, 'size')
        shift = size if shift is None else making.number(shift, 'shift')
        args = {'size': size, 'shift': shift, 'stride': making.number(stride, 'stride'),
                'drop_remainder': making.truth(drop_remainder, 'drop_remainder')}
        spec = structure.each(DatasetSpec, self.element_spec)
        return making.unary('WindowDataset', '_WindowDataset', self, args, spec)

    # ---- When and where ----

    def prefetch(self, buffer_size: Any, name: Optional[str] = None) -> Any:
        """Makes elements ahead of time."""
        with making.colocated(self._variant_tensor):
            size = making.number(buffer_size, 'buffer_size')
            return making.unary('PrefetchDataset', '_PrefetchDataset', self, {'buffer_size': size}, None,
                                {'slack_period': None})

    def cache(self, filename: Any = '', name: Optional[str] = None) -> Any:
        """Keeps the elements, in memory or in a file."""
        filename = convert.convert_to_tensor(filename, dtype=dtypes.string, name='filename')
        if not _mode.is_v1() and (scopes.executing_eagerly() or scopes.get_default_graph().building_function):
            maker = gen.apply('DummyMemoryCache', None, {})
            return making.unary('CacheDatasetV2', 'CacheDataset', self, {'filename': filename, 'cache': maker})
        return making.unary('CacheDataset', 'CacheDataset', self, {'filename': filename})

    def apply(self, transformation_func: Callable[[Any], Any]) -> Any:
        """Returns what a function makes of this dataset."""
        dataset = transformation_func(self)
        if not making.is_dataset(dataset):
            raise TypeError('`transformation_func` must return a `tf.data.Dataset` object. Got '
                            f'{type(dataset)}.')
        return dataset

    def with_options(self, options: Any, name: Optional[str] = None) -> Any:
        """Returns this dataset with other options."""
        made = making.unary('OptionsDataset', '_OptionsDataset', self, {}, None, {'serialized_options': options.serialized()})
        made._options_ = options
        return made

    # ---- All of them ----

    def reduce(self, initial_state: Any, reduce_func: Callable[..., Any], name: Optional[str] = None) -> Any:
        """Returns what a function makes of all elements, one after the other."""
        from berth._data import folding

        return folding.reduce(self, initial_state, reduce_func)

    def scan(self, initial_state: Any, scan_func: Callable[..., Any], name: Optional[str] = None) -> Any:
        """Calls a function with a state and each element."""
        from berth._data import folding

        return folding.scan(self, initial_state, scan_func)

    def group_by_window(self, key_func: Any, reduce_func: Any, window_size: Any = None, window_size_func: Any = None,
                        name: Optional[str] = None) -> Any:
        """Gathers elements of one key, and makes datasets of them."""
        from berth._data import folding

        return folding.group_by_window(self, key_func, reduce_func, window_size, window_size_func)

    def bucket_by_sequence_length(self, element_length_func: Any, bucket_boundaries: Any, bucket_batch_sizes: Any,
                                  padded_shapes: Any = None, padding_values: Any = None, pad_to_bucket_boundary: bool = False,
                                  no_padding: bool = False, drop_remainder: bool = False, name: Optional[str] = None) -> Any:
        """Joins elements of about one length."""
        from berth._data import folding

        return folding.bucket_by_sequence_length(self, element_length_func, bucket_boundaries, bucket_batch_sizes,
                                                 padded_shapes, padding_values, pad_to_bucket_boundary, no_padding,
                                                 drop_remainder)

    def unique(self, name: Optional[str] = None) -> Any:
        """Leaves out elements that were there before."""
        return making.unary('UniqueDataset', '_UniqueDataset', self, {})

    def rejection_resample(self, class_func: Any, target_dist: Any, initial_dist: Any = None, seed: Any = None,
                           name: Optional[str] = None) -> Any:
        """Leaves elements out so that classes are as frequent as they should be."""
        from berth._data import resampling

        return resampling.rejection_resample(self, class_func, target_dist, initial_dist, seed)

    def ignore_errors(self, log_warning: bool = False, name: Optional[str] = None) -> Any:
        """Leaves out elements that fail."""
        return making.unary('IgnoreErrorsDataset', '_IgnoreErrorsDataset', self, {}, None, {'log_warning': log_warning})

    def rebatch(self, batch_size: Any, drop_remainder: bool = False, name: Optional[str] = None) -> Any:
        """Joins the rows of batches to batches of another size."""
        return self.unbatch().batch(batch_size, drop_remainder)

    def ragged_batch(self, batch_size: Any, drop_remainder: bool = False, row_splits_dtype: Any = dtypes.int64,
                     name: Optional[str] = None) -> Any:
        """Joins elements of different lengths to ragged tensors."""
        from berth._data import padding

        return padding.ragged_batch(self, batch_size, drop_remainder, row_splits_dtype)

    def sparse_batch(self, batch_size: Any, row_shape: Any, name: Optional[str] = None) -> Any:
        """Joins elements of different lengths to sparse tensors."""
        from berth._data import padding

        return padding.sparse_batch(self, batch_size, row_shape)

    # ---- Files ----

    def save(self, path: Any, compression: Optional[str] = None, shard_func: Any = None, checkpoint_args: Any = None) -> Any:
        """Writes all elements to files that load() reads, TensorFlow's too."""
        from berth._data import saving

        return saving.save(self, path, compression, shard_func, checkpoint_args)

    def snapshot(self, path: Any, compression: str = 'AUTO', reader_func: Any = None, shard_func: Any = None,
                 name: Optional[str] = None) -> Any:
        """Keeps the elements in a file, from which they come another time."""
        from berth._data import saving

        return saving.snapshot(self, path, compression, reader_func, shard_func)


def _static(tensor: Any) -> Any:
    """Returns the value of a tensor where it is known, else None."""
    from berth.framework import static_value

    value = static_value.get_static_value(tensor)
    return None if value is None else value.item() if hasattr(value, 'item') else value


def _class_text(kind: type) -> Any:
    return kind


def _check_predicate(function: StructuredFunction) -> None:
    spec = function.output_spec
    if not (isinstance(spec, TensorSpec) and spec.dtype == dtypes.bool and spec.shape.is_compatible_with([])):
        raise ValueError(f'Invalid `predicate`. `predicate` must return a `tf.bool` scalar tensor, but its return type is '
                         f'{spec}.')


def _common_spec(own: Any, other: Any) -> Any:
    """Returns the spec of elements of both; TypeError when there is none."""
    try:
        if len(structure.flatten(own)) != len(structure.flatten(other)):
            raise TypeError('other components')
        return structure.common(own, other)
    except (TypeError, ValueError) as error:
        raise TypeError(f'Incompatible dataset elements:\n  {own} vs.   {other}') from error
