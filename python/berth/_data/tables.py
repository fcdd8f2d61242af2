"""tables - Lookup tables of what datasets give."""

from __future__ import annotations

from typing import Any

from berth._data import experimental
from berth.eager.spec import TensorSpec
from berth.framework import dtypes, gen, scopes
from berth.ops import lookup_index, lookup_ops, math_ops

_WANTED = 'Datasets used to initialize lookup tables must produce elements in the form (key, value), where the keys and ' \
    'values are scalar tensors. However, the given dataset produces '


def _check_pairs(spec: Any) -> None:
    """Refuses elements that are no pairs of scalars."""
    if len(spec) != 2:
        raise ValueError(f'{_WANTED}{len(spec)} components instead of two (key, value) components. Full dataset element '
                         f'spec: {spec}.')
    for what, part in zip(('key', 'value'), spec):
        if not isinstance(part, TensorSpec):
            raise ValueError(f'{_WANTED}non-Tensor {what}s of type {type(part)}.')
    for what, part in zip(('key', 'value'), spec):
        if part.shape.rank not in (None, 0):
            raise ValueError(f'{_WANTED}non-scalar {what} Tensors of rank {part.shape.rank}.')


class DatasetInitializer:
    """The keys and values of a table, as a dataset gives them."""

    _shared_name = ''

    def __init__(self, dataset: Any) -> None:
        self.dataset = dataset
        _check_pairs(dataset.element_spec)
        self.key_dtype, self.value_dtype = (part.dtype for part in dataset.element_spec)

    def initialize(self, table: Any) -> Any:
        """Returns what fills |table|."""
        lookup_ops._check_types(table, self.key_dtype, self.value_dtype)
        return lookup_ops._noted(gen.apply('InitializeTableFromDataset', None, {
            'table_handle': table.resource_handle, 'dataset': self.dataset._variant_tensor}))


def table_from_dataset(dataset: Any = None, num_oov_buckets: int = 0, vocab_size: Any = None, default_value: Any = None,
                       hasher_spec: Any = lookup_index.FastHashSpec, key_dtype: Any = dtypes.string,
                       name: str | None = None) -> Any:
    """Returns a table of the pairs of a dataset."""
    _check_pairs(dataset.element_spec)
    value_dtype = dataset.element_spec[1].dtype
    if default_value is None:
        default_value = -1
        if not (value_dtype.is_integer or value_dtype.is_floating):
            raise ValueError('`default_value` must be specified when creating a table from a dataset that produces '
                             f'values of type {value_dtype}.')
    if num_oov_buckets < 0:
        raise ValueError(f'`num_oov_buckets` must be greater than or equal to 0, got {num_oov_buckets}.')
    is_tensor = hasattr(vocab_size, 'dtype')
    if vocab_size is not None and not is_tensor and vocab_size < 1:
        raise ValueError(f'`vocab_size` must be greater than 0, got {vocab_size}.')
    if not key_dtype.is_integer and key_dtype.base_dtype != dtypes.string:
        raise TypeError(f'`key_dtype` must be either an integer or string type, but got {key_dtype}')
    if vocab_size is not None:
        count = math_ops.cast(vocab_size, dtypes.int64) if is_tensor else vocab_size
        dataset = dataset.take(count).apply(experimental.assert_cardinality(count))
    with scopes.name_scope(name, 'string_to_index'):
        filling = DatasetInitializer(dataset)
        with scopes.name_scope(None, 'hash_table'):
            table = lookup_ops.StaticHashTable(filling, default_value)
            return lookup_index._with_buckets(table, num_oov_buckets, hasher_spec, key_dtype)


def index_table_from_dataset(dataset: Any = None, num_oov_buckets: int = 0, vocab_size: Any = None,
                             default_value: Any = -1, hasher_spec: Any = lookup_index.FastHashSpec,
                             key_dtype: Any = dtypes.string, name: str | None = None) -> Any:
    """Returns a table of the numbers of the elements of a dataset."""
    pairs = dataset.enumerate().map(lambda number, key: (key, number))
    return table_from_dataset(pairs, num_oov_buckets, vocab_size, default_value, hasher_spec, key_dtype, name)
