"""categorical - Columns of categories: by number, by vocabulary, by hash, weighted, crossed."""

from __future__ import annotations

import collections
from typing import Any

from berth._features.column import (CategoricalColumn, FeatureColumn, IdWeightPair, check_key, check_string_or_int,
                                    to_sparse)
from berth.base import logging
from berth.framework import dtypes, gen, scopes
from berth.ops import array_ops, lookup_index, math_ops, parsing_config, string_ops
from berth.ops.sparse_tensor import SparseTensor, convert_to_tensor_or_sparse_tensor


class _Named(CategoricalColumn):
    """A column of one feature."""

    key: str
    dtype: Any

    @property
    def name(self) -> str:  # type: ignore[override]
        """The name of the feature."""
        return self.key

    @property
    def parse_example_spec(self) -> dict[str, Any]:  # type: ignore[override]
        """How the feature is read from an Example."""
        return {self.key: parsing_config.VarLenFeature(self.dtype)}

    def transform(self, builder: Any) -> Any:
        """Returns the categories of a feature, or of its values where it is dense."""
        return self._of(to_sparse(builder.get(self.key)))

    def _of(self, tensor: Any) -> Any:
        raise NotImplementedError

    def _check_tensor(self, tensor: Any, text: str) -> None:
        if self.dtype.is_integer != tensor.dtype.is_integer:
            raise ValueError(f'Column dtype and SparseTensors dtype must be compatible. key: {self.key}, column dtype: '
                             f'{self.dtype}, tensor dtype: {tensor.dtype}')
        check_string_or_int(tensor.dtype, text)


class HashedCategoricalColumn(_Named, collections.namedtuple('HashedCategoricalColumn', (
        'key', 'hash_bucket_size', 'dtype'))):
    """Categories by the hash of texts or numbers."""

    @property
    def num_buckets(self) -> int:  # type: ignore[override]
        """How many categories there are."""
        return self.hash_bucket_size

    def _of(self, tensor: Any) -> Any:
        if not isinstance(tensor, SparseTensor):
            raise ValueError('SparseColumn input must be a SparseTensor.')
        check_string_or_int(tensor.dtype, f'column_name: {self.key} input_tensor')
        if self.dtype.is_integer != tensor.dtype.is_integer:
            raise ValueError(f'Column dtype and SparseTensors dtype must be compatible. key: {self.key}, column dtype: '
                             f'{self.dtype}, tensor dtype: {tensor.dtype}')
        texts = tensor.values if self.dtype == dtypes.string else string_ops.as_string(tensor.values)
        found = gen.apply('StringToHashBucketFast', 'lookup', {'input': texts}, {'num_buckets': self.hash_bucket_size})
        return SparseTensor(tensor.indices, found, tensor.dense_shape)


class _Vocabulary(_Named):
    """Categories by what a table has."""

    def _table(self, dtype: Any, name: str) -> Any:
        raise NotImplementedError

    def _of(self, tensor: Any) -> Any:
        self._check_tensor(tensor, f'column_name: {self.key} input_tensor')
        dtype = self.dtype
        if tensor.dtype.is_integer:
            dtype = dtypes.int64
            tensor = math_ops.cast(tensor, dtypes.int64)
        with scopes.init_scope():
            table = self._table(dtype, f'{self.key}_lookup')
        return table.lookup(tensor)


class VocabularyFileCategoricalColumn(_Vocabulary, collections.namedtuple('VocabularyFileCategoricalColumn', (
        'key', 'vocabulary_file', 'vocabulary_size', 'num_oov_buckets', 'dtype', 'default_value', 'file_format'))):
    """Categories by the lines of a file."""

    @property
    def num_buckets(self) -> int:  # type: ignore[override]
        """How many categories there are."""
        return self.vocabulary_size + self.num_oov_buckets

    def _table(self, dtype: Any, name: str) -> Any:
        return lookup_index.index_table_from_file(self.vocabulary_file, self.num_oov_buckets, self.vocabulary_size,
                                                  self.default_value, key_dtype=dtype, name=name)


class VocabularyListCategoricalColumn(_Vocabulary, collections.namedtuple('VocabularyListCategoricalColumn', (
        'key', 'vocabulary_list', 'dtype', 'default_value', 'num_oov_buckets'))):
    """Categories by a list."""

    @property
    def num_buckets(self) -> int:  # type: ignore[override]
        """How many categories there are."""
        return len(self.vocabulary_list) + self.num_oov_buckets

    def _table(self, dtype: Any, name: str) -> Any:
        return lookup_index.index_table_from_tensor(tuple(self.vocabulary_list), self.num_oov_buckets, self.default_value,
                                                    dtype=dtype, name=name)


class IdentityCategoricalColumn(_Named, collections.namedtuple('IdentityCategoricalColumn', (
        'key', 'number_buckets', 'default_value'))):
    """Categories by their numbers."""

    dtype = dtypes.int64

    @property
    def num_buckets(self) -> int:  # type: ignore[override]
        """How many categories there are."""
        return self.number_buckets

    def _of(self, tensor: Any) -> Any:
        if not tensor.dtype.is_integer:
            raise ValueError(f'Invalid input, not integer. key: {self.key} dtype: {tensor.dtype}')
        values = tensor.values
        if values.dtype != dtypes.int64:
            values = math_ops.cast(values, dtypes.int64, name='values')
        if self.default_value is not None:
            values = self._with_default(math_ops.cast(tensor.values, dtypes.int64, name='values'))
        return SparseTensor(tensor.indices, values, tensor.dense_shape)

    def _with_default(self, values: Any) -> Any:
        """Puts the default where a number is none of a category."""
        count = math_ops.cast(self.number_buckets, dtypes.int64, name='num_buckets')
        zero = math_ops.cast(0, dtypes.int64, name='zero')
        is_out = math_ops.logical_or(values < zero, values >= count, name='out_of_range')
        default = array_ops.fill(array_ops.shape(values), math_ops.cast(self.default_value, dtypes.int64),
                                 name='default_values')
        return array_ops.where_v2(is_out, default, values)


class WeightedCategoricalColumn(CategoricalColumn, collections.namedtuple('WeightedCategoricalColumn', (
        'categorical_column', 'weight_feature_key', 'dtype'))):
    """Categories with the weights that another feature has."""

    @property
    def name(self) -> str:  # type: ignore[override]
        """The names of both."""
        return f'{self.categorical_column.name}_weighted_by_{self.weight_feature_key}'

    @property
    def parse_example_spec(self) -> dict[str, Any]:  # type: ignore[override]
        """How both are read from an Example."""
        found = self.categorical_column.parse_example_spec
        if self.weight_feature_key in found:
            raise ValueError(f'Parse config {found[self.weight_feature_key]} already exists for {self.weight_feature_key}.')
        found[self.weight_feature_key] = parsing_config.VarLenFeature(self.dtype)
        return found

    @property
    def num_buckets(self) -> int:  # type: ignore[override]
        """How many categories there are."""
        return self.categorical_column.num_buckets

    def transform(self, builder: Any) -> Any:
        """Returns categories and weights."""
        weights = self._weights(builder.get(self.weight_feature_key))
        return builder.get(self.categorical_column), weights

    def _weights(self, weights: Any) -> Any:
        if weights is None:
            raise ValueError(f'Missing weights {self.weight_feature_key}.')
        weights = convert_to_tensor_or_sparse_tensor(weights)
        if self.dtype != weights.dtype.base_dtype:
            raise ValueError(f'Bad dtype, expected {self.dtype}, but got {weights.dtype}.')
        if not isinstance(weights, SparseTensor):
            weights = to_sparse(weights, ignored=0.0)
        return weights if weights.dtype.is_floating else math_ops.cast(weights, dtypes.float32)

    def ids(self, builder: Any) -> IdWeightPair:
        """Returns the numbers and the weights."""
        return IdWeightPair(*builder.get(self))


class CrossedColumn(CategoricalColumn, collections.namedtuple('CrossedColumn', ('keys', 'hash_bucket_size', 'hash_key'))):
    """Categories by the hash of what several features have together."""

    def _leaves(self) -> list[Any]:
        """Returns the features and columns that are crossed, those of crosses in it, too."""
        return [leaf for key in self.keys for leaf in (key._leaves() if isinstance(key, CrossedColumn) else [key])]

    @property
    def name(self) -> str:  # type: ignore[override]
        """The names of all."""
        return '_X_'.join(sorted(leaf.name if isinstance(leaf, FeatureColumn) else leaf for leaf in self._leaves()))

    @property
    def parse_example_spec(self) -> dict[str, Any]:  # type: ignore[override]
        """How all are read from an Example."""
        found: dict[str, Any] = {}
        for key in self.keys:
            found.update(key.parse_example_spec if isinstance(key, FeatureColumn)
                         else {key: parsing_config.VarLenFeature(dtypes.string)})
        return found

    @property
    def num_buckets(self) -> int:  # type: ignore[override]
        """How many categories there are."""
        return self.hash_bucket_size

    def transform(self, builder: Any) -> Any:
        """Returns the categories of all combinations."""
        tensors = []
        for leaf in self._leaves():
            if isinstance(leaf, str):
                tensors.append(builder.get(leaf))
                continue
            pair = leaf.ids(builder)
            if pair.weight_tensor is not None:
                raise ValueError('crossed_column does not support weight_tensor, but the given column populates '
                                 f'weight_tensor. Given column: {leaf.name}')
            tensors.append(pair.id_tensor)
        return _crossed(tensors, self.hash_bucket_size, self.hash_key)


_HASH_KEY = 0xDECAFCAFFE


def _crossed(tensors: list[Any], count: int, hash_key: Any) -> Any:
    """Returns the hash of each combination of what |tensors| have for an example."""
    def plain(tensor: Any) -> Any:
        return tensor if tensor.dtype == dtypes.string else math_ops.cast(tensor, dtypes.int64)

    sparse = [tensor for tensor in tensors if isinstance(tensor, SparseTensor)]
    dense = [tensor for tensor in tensors if not isinstance(tensor, SparseTensor)]
    values, rest = [plain(tensor.values) for tensor in sparse], [plain(tensor) for tensor in dense]
    is_text = all(tensor.dtype == dtypes.string for tensor in values + rest)
    found = gen.apply('SparseCross', None, {
        'indices': [tensor.indices for tensor in sparse], 'values': values,
        'shapes': [tensor.dense_shape for tensor in sparse], 'dense_inputs': rest}, {
        'hashed_output': True, 'num_buckets': count, 'hash_key': hash_key or _HASH_KEY, 'out_type': dtypes.int64,
        'internal_type': dtypes.string if is_text else dtypes.int64})
    return SparseTensor(*found)


# ---- What programs call ----


def categorical_column_with_hash_bucket(key: str, hash_bucket_size: int, dtype: Any = dtypes.string) -> Any:
    """Makes a column of categories by the hash of texts or numbers."""
    dtype = dtypes.as_dtype(dtype)
    if hash_bucket_size is None:
        raise ValueError(f'hash_bucket_size must be set. key: {key}')
    if hash_bucket_size < 1:
        raise ValueError(f'hash_bucket_size must be at least 1. hash_bucket_size: {hash_bucket_size}, key: {key}')
    check_key(key)
    check_string_or_int(dtype, f'column_name: {key}')
    return HashedCategoricalColumn(key, hash_bucket_size, dtype)


def categorical_column_with_vocabulary_file(key: str, vocabulary_file: str, vocabulary_size: Any = None,
                                            dtype: Any = dtypes.string, default_value: Any = None,
                                            num_oov_buckets: Any = 0, file_format: Any = None) -> Any:
    """Makes a column of categories by the lines of a file."""
    if not vocabulary_file:
        raise ValueError(f'Missing vocabulary_file in {key}.')
    if file_format is None and vocabulary_file.endswith('tfrecord.gz'):
        file_format = 'tfrecord_gzip'
    if file_format is not None:
        raise NotImplementedError('Berth reads vocabularies from files of lines, and not from records yet.')
    if vocabulary_size is None:
        vocabulary_size = _line_count(key, vocabulary_file)
    if vocabulary_size < 1:
        raise ValueError(f'Invalid vocabulary_size in {key}.')
    _check_oov(key, num_oov_buckets, default_value is not None)
    check_string_or_int(dtypes.as_dtype(dtype), f'column_name: {key}')
    check_key(key)
    return VocabularyFileCategoricalColumn(key, vocabulary_file, vocabulary_size, num_oov_buckets or 0,
                                           dtypes.as_dtype(dtype), -1 if default_value is None else default_value, None)


def categorical_column_with_vocabulary_file_v1(key: str, vocabulary_file: str, vocabulary_size: Any = None,
                                               num_oov_buckets: Any = 0, default_value: Any = None,
                                               dtype: Any = dtypes.string) -> Any:
    """The same, with the arguments in TF1's order."""
    return categorical_column_with_vocabulary_file(key, vocabulary_file, vocabulary_size, dtype, default_value,
                                                   num_oov_buckets)


def _line_count(key: str, path: str) -> int:
    """Returns how many lines a file has."""
    import os

    if not os.path.exists(path):
        raise ValueError(f'vocabulary_file in {key} does not exist.')
    with open(path, 'rb') as file:
        count = sum(1 for _ in file)
    logging.info('vocabulary_size = %d in %s is inferred from the number of elements in the vocabulary_file %s.', count,
                 key, path)
    return count


def _check_oov(key: str, count: Any, has_default: bool) -> None:
    if not count:
        return
    if has_default:
        raise ValueError(f"Can't specify both num_oov_buckets and default_value in {key}.")
    if count < 0:
        raise ValueError(f'Invalid num_oov_buckets {count} in {key}.')


def categorical_column_with_vocabulary_list(key: str, vocabulary_list: Any, dtype: Any = None, default_value: Any = -1,
                                            num_oov_buckets: Any = 0) -> Any:
    """Makes a column of categories by a list."""
    import numpy as np

    if vocabulary_list is None or len(vocabulary_list) < 1:
        raise ValueError(f'vocabulary_list {vocabulary_list} must be non-empty, column_name: {key}')
    if len(set(vocabulary_list)) != len(vocabulary_list):
        raise ValueError(f'Duplicate keys in vocabulary_list {vocabulary_list}, column_name: {key}')
    found = dtypes.as_dtype(np.array(vocabulary_list).dtype)
    _check_oov(key, num_oov_buckets, default_value != -1)
    check_string_or_int(found, f'column_name: {key} vocabulary')
    dtype = found if dtype is None else dtypes.as_dtype(dtype)
    if dtype.is_integer != found.is_integer:
        raise ValueError(f'dtype {dtype} and vocabulary dtype {found} do not match, column_name: {key}')
    check_string_or_int(dtype, f'column_name: {key}')
    check_key(key)
    return VocabularyListCategoricalColumn(key, tuple(vocabulary_list), dtype, default_value, num_oov_buckets)


def categorical_column_with_identity(key: str, num_buckets: int, default_value: Any = None) -> Any:
    """Makes a column of categories by their numbers."""
    if num_buckets < 1:
        raise ValueError(f'num_buckets {num_buckets} < 1, column_name {key}')
    if default_value is not None and not 0 <= default_value < num_buckets:
        raise ValueError(f'default_value {default_value} not in range [0, {num_buckets}), column_name {key}')
    check_key(key)
    return IdentityCategoricalColumn(key, num_buckets, default_value)


def weighted_categorical_column(categorical_column: Any, weight_feature_key: str, dtype: Any = dtypes.float32) -> Any:
    """Makes a column of categories with weights."""
    dtype = None if dtype is None else dtypes.as_dtype(dtype)
    if dtype is None or not (dtype.is_integer or dtype.is_floating):
        raise ValueError(f'dtype {dtype} is not convertible to float.')
    return WeightedCategoricalColumn(categorical_column, weight_feature_key, dtype)


def crossed_column(keys: Any, hash_bucket_size: int, hash_key: Any = None) -> Any:
    """Makes a column of what several features have together."""
    if not hash_bucket_size or hash_bucket_size < 1:
        raise ValueError(f'hash_bucket_size must be > 1. hash_bucket_size: {hash_bucket_size}')
    if not keys or len(keys) < 2:
        raise ValueError(f'keys must be a list with length > 1. Given: {keys}')
    for key in keys:
        if not isinstance(key, (str, CategoricalColumn)):
            raise ValueError('Unsupported key type. All keys must be either string, or categorical column except '
                             f'HashedCategoricalColumn. Given: {key}')
        if isinstance(key, HashedCategoricalColumn):
            raise ValueError('categorical_column_with_hash_bucket is not supported for crossing. Hashing before crossing '
                             'will increase probability of collision. Instead, use the feature name as a string. Given: '
                             f'{key}')
    return CrossedColumn(tuple(keys), hash_bucket_size, hash_key)
