"""sources - Datasets of tensors, of numbers, of what Python generates, of names of files."""

from __future__ import annotations

from typing import Any, Callable, Optional

from berth._data import generator, making, structure
from berth.eager.spec import TensorSpec
from berth.framework import dtypes, gen


class Sources:
    """What datasets are made of; static methods of Dataset."""

    @staticmethod
    def from_tensors(tensors: Any, name: Optional[str] = None) -> Any:
        """Makes a dataset of one element."""
        element = structure.normalize(tensors)
        spec = structure.spec_of(element)
        parts = structure.to_tensors(spec, element)
        variant = gen.apply('TensorDataset', None, {'components': parts}, {'output_shapes': structure.shapes(spec)})
        return making.make('_TensorDataset', variant, spec)

    @staticmethod
    def from_tensor_slices(tensors: Any, name: Optional[str] = None) -> Any:
        """Makes a dataset of the rows of tensors."""
        element = structure.normalize(tensors)
        whole = structure.spec_of(element)
        _check_rows(whole)
        spec = structure.without_front(whole)
        variant = gen.apply('TensorSliceDataset', None, {'components': structure.rows_to_tensors(whole, element)},
                            {'output_shapes': structure.shapes(spec)})
        return making.make('_TensorSliceDataset', variant, spec)

    @staticmethod
    def from_sparse_tensor_slices(sparse_tensor: Any) -> Any:
        """Makes a dataset of the rows of a sparse tensor."""
        return Sources.from_tensor_slices(sparse_tensor).map(lambda row: (row.indices, row.values, row.dense_shape))

    @staticmethod
    def from_generator(generator_: Callable[..., Any] = None, output_types: Any = None,  # type: ignore[assignment]
                       output_shapes: Any = None, args: Any = None, output_signature: Any = None,
                       name: Optional[str] = None, **kwargs: Any) -> Any:
        """Makes a dataset of what a generator of Python's gives."""
        if generator_ is None:
            generator_ = kwargs.pop('generator', None)
        return generator.from_generator(generator_, output_types, output_shapes, args, output_signature)

    @staticmethod
    def range(*args: Any, **kwargs: Any) -> Any:
        """Makes a dataset of numbers, as Python's range has them."""
        kind = dtypes.as_dtype(kwargs.pop('output_type', dtypes.int64))
        kwargs.pop('name', None)
        start, stop, step = _range_bounds(args)
        spec = TensorSpec([], kind)
        given = {'start': making.number(start, 'start'), 'stop': making.number(stop, 'stop'),
                 'step': making.number(step, 'step')}
        return making.make('_RangeDataset', gen.apply('RangeDataset', None, given, making.element_attrs(spec)), spec)

    @staticmethod
    def counter(start: Any = 0, step: Any = 1, dtype: Any = dtypes.int64, name: Optional[str] = None) -> Any:
        """Makes a dataset that counts for ever."""
        from berth._data import experimental

        return experimental.Counter(start, step, dtype)

    @staticmethod
    def random(seed: Any = None, rerandomize_each_iteration: Any = None, name: Optional[str] = None) -> Any:
        """Makes a dataset of random numbers."""
        first, second = making.seeds(seed)
        spec = TensorSpec([], dtypes.int64)
        attrs = making.element_attrs(spec)
        if rerandomize_each_iteration is None:
            variant = gen.apply('RandomDataset', None, {'seed': first, 'seed2': second}, attrs)
        else:
            maker = gen.apply('DummySeedGenerator', None, {})
            variant = gen.apply('RandomDatasetV2', None, {'seed': first, 'seed2': second, 'seed_generator': maker},
                                {'rerandomize_each_iteration': rerandomize_each_iteration, **attrs})
        return making.make('_RandomDataset', variant, spec)

    @staticmethod
    def zip(*args: Any, datasets: Any = None, name: Optional[str] = None) -> Any:
        """Makes a dataset whose elements are made of one of each of others."""
        if not args and datasets is None:
            raise TypeError('Must pass at least one dataset to `zip`.')
        if args and datasets is not None:
            raise TypeError('Both `*args` and `datasets` cannot be set.')
        if len(args) == 1:
            datasets = args[0]
        elif len(args) > 1:
            datasets = args
        flat = structure.flatten(datasets)
        for item in flat:
            if not making.is_dataset(item):
                if isinstance(item, list):
                    raise TypeError('Invalid input to `zip`. Inputs are expected to be (nested) structures of `tf.data.'
                                    'Dataset` objects. Python `list` is not supported and you should use `tuple` instead.')
                raise TypeError('Invalid input to `zip`. Inputs are expected to be (nested) structures of `tf.data.Dataset`'
                                f' objects but encountered object of type {type(item)}.')
        spec = structure.each(lambda item: item.element_spec, datasets)
        variant = gen.apply('ZipDataset', None, {'input_datasets': [item._variant_tensor for item in flat]},
                            making.element_attrs(spec))
        return making.make('_ZipDataset', variant, spec, tuple(flat))

    @staticmethod
    def list_files(file_pattern: Any, shuffle: Any = None, seed: Any = None, name: Optional[str] = None) -> Any:
        """Makes a dataset of the names of the files that fit a pattern."""
        from berth._data import files

        return files.list_files(file_pattern, shuffle, seed)

    @staticmethod
    def sample_from_datasets(datasets: Any, weights: Any = None, seed: Any = None,
                             stop_on_empty_dataset: bool = False, rerandomize_each_iteration: Any = None) -> Any:
        """Makes a dataset that draws from others."""
        from berth._data import choosing

        return choosing.sample_from_datasets(datasets, weights, seed, stop_on_empty_dataset, rerandomize_each_iteration)

    @staticmethod
    def choose_from_datasets(datasets: Any, choice_dataset: Any, stop_on_empty_dataset: bool = True) -> Any:
        """Makes a dataset that takes from others what a dataset of numbers says."""
        from berth._data import choosing

        return choosing.choose_from_datasets(datasets, choice_dataset, stop_on_empty_dataset)

    @staticmethod
    def load(path: Any, element_spec: Any = None, compression: Any = None, reader_func: Any = None,
             wait: bool = False) -> Any:
        """Makes the dataset that save() has written."""
        from berth._data import saving

        return saving.load(path, element_spec, compression, reader_func)


def _check_rows(spec: Any) -> None:
    """Raises ValueError for tensors that have no rows, or not equally many."""
    sizes: list[Any] = []
    for leaf in structure.flatten(spec):
        if isinstance(leaf, structure.NoneTensorSpec):
            continue
        if leaf.shape.rank == 0:
            raise ValueError('Unbatching a tensor is only supported for rank >= 1')
        sizes.append(leaf.shape.as_list()[0] if leaf.shape.rank is not None else None)
    known = [size for size in sizes if size is not None]
    for size in known[1:]:
        if size != known[0]:
            raise ValueError(f'Dimensions {known[0]} and {size} are not compatible')


def _range_bounds(args: tuple[Any, ...]) -> tuple[Any, Any, Any]:
    if len(args) == 1:
        return 0, args[0], 1
    if len(args) == 2:
        return args[0], args[1], 1
    if len(args) == 3:
        return args[0], args[1], args[2]
    raise ValueError(f'Invalid `args`. The length of `args` should be between 1 and 3 but was {len(args)}.')


