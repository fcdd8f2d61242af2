"""dense - Columns that are dense tensors: numbers, buckets, indicators of categories, embeddings."""

from __future__ import annotations

import collections
import math
from typing import Any

from berth._features.categorical import WeightedCategoricalColumn
from berth._features.column import CategoricalColumn, DenseColumn, IdWeightPair, check_key, checked_default, checked_shape
from berth._train import checkpoint
from berth.framework import dtypes, gen, scopes
from berth.framework.collections import GraphKeys
from berth.framework.tensor_shape import TensorShape
from berth.ops import array_ops, embedding_ops, init_ops, math_ops, parsing_config, reduce_ops, sparse_merge, sparse_ops
from berth.ops.sparse_tensor import SparseTensor
from berth.variables import scope as variable_scope


class NumericColumn(DenseColumn, collections.namedtuple('NumericColumn', (
        'key', 'shape', 'default_value', 'dtype', 'normalizer_fn'))):
    """Numbers."""

    @property
    def name(self) -> str:  # type: ignore[override]
        """The name of the feature."""
        return self.key

    @property
    def parse_example_spec(self) -> dict[str, Any]:  # type: ignore[override]
        """How the feature is read from an Example."""
        return {self.key: parsing_config.FixedLenFeature(self.shape, self.dtype, self.default_value)}

    @property
    def variable_shape(self) -> Any:  # type: ignore[override]
        """The shape of an example."""
        return TensorShape(self.shape)

    def transform(self, builder: Any) -> Any:
        """Returns the numbers as floats."""
        tensor = builder.get(self.key)
        if isinstance(tensor, SparseTensor):
            raise ValueError('The corresponding Tensor of numerical column must be a Tensor. SparseTensor is not supported. '
                             f'key: {self.key}')
        if self.normalizer_fn is not None:
            tensor = self.normalizer_fn(tensor)
        return math_ops.cast(tensor, dtypes.float32)


class BucketizedColumn(DenseColumn, CategoricalColumn, collections.namedtuple('BucketizedColumn', (
        'source_column', 'boundaries'))):
    """Numbers by the bucket they fall into: ones and zeros, or categories."""

    @property
    def name(self) -> str:  # type: ignore[override]
        """The name of the column."""
        return f'{self.source_column.name}_bucketized'

    @property
    def parse_example_spec(self) -> dict[str, Any]:  # type: ignore[override]
        """How the feature is read from an Example."""
        return self.source_column.parse_example_spec

    @property
    def variable_shape(self) -> Any:  # type: ignore[override]
        """The shape of an example."""
        return TensorShape(tuple(self.source_column.shape) + (len(self.boundaries) + 1,))

    @property
    def num_buckets(self) -> int:  # type: ignore[override]
        """How many categories there are."""
        return (len(self.boundaries) + 1) * self.source_column.shape[0]

    def transform(self, builder: Any) -> Any:
        """Returns the numbers of buckets."""
        numbers = builder.get(self.source_column)
        return gen.apply('Bucketize', None, {'input': numbers}, {'boundaries': list(self.boundaries)})

    def dense(self, builder: Any, collections_: Any, trainable: bool) -> Any:
        """Returns a one for each number, among zeros."""
        indices = math_ops.cast(builder.get(self), dtypes.int64)
        return array_ops.one_hot(indices, depth=len(self.boundaries) + 1, on_value=1.0, off_value=0.0)

    def ids(self, builder: Any) -> IdWeightPair:
        """Returns the categories: the buckets of each number have some of their own."""
        buckets = builder.get(self)
        batch, width = array_ops.shape(buckets)[0], self.source_column.shape[0]
        rows = array_ops.reshape(
            array_ops.tile(array_ops.expand_dims(math_ops.range(0, batch), 1), [1, width]), (-1,))
        places = array_ops.tile(math_ops.range(0, width), [batch])
        values = array_ops.reshape(buckets, (-1,)) + (len(self.boundaries) + 1) * places
        indices = math_ops.cast(array_ops.transpose(array_ops.stack((rows, places))), dtypes.int64)
        shape = math_ops.cast(array_ops.stack([batch, width]), dtypes.int64)
        return IdWeightPair(SparseTensor(indices, values, shape), None)


class IndicatorColumn(DenseColumn, collections.namedtuple('IndicatorColumn', 'categorical_column')):
    """How often each category is there."""

    @property
    def name(self) -> str:  # type: ignore[override]
        """The name of the column."""
        return f'{self.categorical_column.name}_indicator'

    @property
    def parse_example_spec(self) -> dict[str, Any]:  # type: ignore[override]
        """How the features are read from an Example."""
        return self.categorical_column.parse_example_spec

    @property
    def variable_shape(self) -> Any:  # type: ignore[override]
        """The shape of an example."""
        return TensorShape([1, self.categorical_column.num_buckets])

    def transform(self, builder: Any) -> Any:
        """Returns the numbers of categories, or the sums of their weights."""
        ids, weights = self.categorical_column.ids(builder)
        size = self.variable_shape.as_list()[-1]
        if weights is not None:
            merged = sparse_merge.sparse_merge(ids, weights, int(size))
            merged = sparse_ops.slice(merged, [0, 0], merged.dense_shape)
            return array_ops.scatter_nd(merged.indices, merged.values, merged.dense_shape)
        numbers = sparse_ops.to_dense(ids, default_value=-1)
        ones = array_ops.one_hot(numbers, depth=size, on_value=1.0, off_value=0.0)
        return reduce_ops.reduce_sum(ones, axis=[-2])


class _Embedding(DenseColumn):
    """Rows of a table, by categories."""

    categorical_column: Any
    dimension: int

    @property
    def parse_example_spec(self) -> dict[str, Any]:  # type: ignore[override]
        """How the features are read from an Example."""
        return self.categorical_column.parse_example_spec

    @property
    def variable_shape(self) -> Any:  # type: ignore[override]
        """The shape of an example."""
        return TensorShape([self.dimension])

    def transform(self, builder: Any) -> Any:
        """Returns the categories."""
        return builder.get(self.categorical_column)

    def _made(self: Any, collections_: Any, trainable: bool) -> Any:
        """Makes the table."""
        return variable_scope.get_variable(
            'embedding_weights', shape=(self.categorical_column.num_buckets, self.dimension), dtype=dtypes.float32,
            initializer=self.initializer, trainable=self.trainable and trainable, collections=collections_)

    def _looked_up(self: Any, pair: IdWeightPair, table: Any) -> Any:
        """Returns the row of each example."""
        if self.ckpt_to_load_from is not None:
            checkpoint.init_from_checkpoint(self.ckpt_to_load_from, {self.tensor_name_in_ckpt: table})
        rank = pair.id_tensor.dense_shape.shape.as_list()[0]
        lookup = embedding_ops.safe_embedding_lookup_sparse
        if not self.use_safe_embedding_lookup and rank is not None and rank <= 2:
            lookup = embedding_ops.embedding_lookup_sparse
        return lookup(table, pair.id_tensor, pair.weight_tensor, combiner=self.combiner, name=f'{self.name}_weights',
                      max_norm=self.max_norm)


class EmbeddingColumn(_Embedding, collections.namedtuple('EmbeddingColumn', (
        'categorical_column', 'dimension', 'combiner', 'initializer', 'ckpt_to_load_from', 'tensor_name_in_ckpt',
        'max_norm', 'trainable', 'use_safe_embedding_lookup'))):
    """Rows of a table of its own, by categories."""

    @property
    def name(self) -> str:  # type: ignore[override]
        """The name of the column."""
        return f'{self.categorical_column.name}_embedding'

    def dense(self, builder: Any, collections_: Any, trainable: bool) -> Any:
        """Returns the row of each example."""
        pair = self.categorical_column.ids(builder)
        if collections_ and GraphKeys.GLOBAL_VARIABLES not in collections_:
            collections_.append(GraphKeys.GLOBAL_VARIABLES)
        return self._looked_up(pair, self._made(collections_, trainable))


class SharedEmbeddingColumn(_Embedding, collections.namedtuple('SharedEmbeddingColumn', (
        'categorical_column', 'dimension', 'combiner', 'initializer', 'shared_embedding_collection_name',
        'ckpt_to_load_from', 'tensor_name_in_ckpt', 'max_norm', 'trainable', 'use_safe_embedding_lookup'))):
    """Rows of a table that several columns have together, in a collection of its name."""

    @property
    def name(self) -> str:  # type: ignore[override]
        """The name of the column."""
        return f'{self.categorical_column.name}_shared_embedding'

    @property
    def _scope_name(self) -> str:
        return self.shared_embedding_collection_name

    def dense(self, builder: Any, collections_: Any, trainable: bool) -> Any:
        """Returns the row of each example."""
        with scopes.name_scope(None, self.name):
            pair = self.categorical_column.ids(builder)
            return self._looked_up(pair, self._shared(collections_, trainable))

    def _shared(self, collections_: Any, trainable: bool) -> Any:
        """Returns the table, made by whoever is first."""
        key = self.shared_embedding_collection_name
        graph = scopes.get_default_graph()
        known = graph.get_collection(key)
        fix = ('Suggested fix A: Choose a unique name for this collection. Suggested fix B: Do not add any variables to this '
               'collection. The feature_column library already adds a variable under the hood.')
        if len(known) > 1:
            raise ValueError(f'Collection {known} can only contain one variable. {fix}')
        if not known:
            table = self._made(collections_, trainable)
            graph.add_to_collection(key, table)
            return table
        shape = (self.categorical_column.num_buckets, self.dimension)
        if tuple(known[0].shape.as_list()) != shape:
            raise ValueError(f'Shared embedding collection {key} contains variable {known[0].name} of unexpected shape '
                             f'{known[0].shape}. Expected shape is {shape}. {fix}')
        return known[0]


# ---- What programs call ----


def numeric_column(key: str, shape: Any = (1,), default_value: Any = None, dtype: Any = dtypes.float32,
                   normalizer_fn: Any = None) -> Any:
    """Makes a column of numbers."""
    dtype = dtypes.as_dtype(dtype)
    shape = checked_shape(shape, key)
    if not (dtype.is_integer or dtype.is_floating):
        raise ValueError(f'dtype must be convertible to float. dtype: {dtype}, key: {key}')
    default_value = checked_default(shape, default_value, dtype, key)
    if normalizer_fn is not None and not callable(normalizer_fn):
        raise TypeError(f'normalizer_fn must be a callable. Given: {normalizer_fn}')
    check_key(key)
    return NumericColumn(key, shape, default_value, dtype, normalizer_fn)


def bucketized_column(source_column: Any, boundaries: Any) -> Any:
    """Makes a column of the buckets that numbers fall into."""
    if not isinstance(source_column, NumericColumn):
        raise ValueError(f'source_column must be a column generated with numeric_column(). Given: {source_column}')
    if len(source_column.shape) > 1:
        raise ValueError(f'source_column must be one-dimensional column. Given: {source_column}')
    if not boundaries:
        raise ValueError('boundaries must not be empty.')
    if not isinstance(boundaries, (list, tuple)) or any(a >= b for a, b in zip(boundaries, boundaries[1:])):
        raise ValueError('boundaries must be a sorted list.')
    return BucketizedColumn(source_column, tuple(boundaries))


def indicator_column(categorical_column: Any) -> Any:
    """Makes a column of how often each category is there."""
    if not isinstance(categorical_column, CategoricalColumn):
        raise ValueError(f'Unsupported input type. Input must be a CategoricalColumn. Given: {categorical_column}')
    return IndicatorColumn(categorical_column)


def _check_table(dimension: Any, initializer: Any, path: Any, name: Any, whose: str = '') -> Any:
    """Returns the initializer of a table."""
    if dimension is None or dimension < 1:
        raise ValueError(f'Invalid dimension {dimension}.')
    if (path is None) != (name is None):
        raise ValueError('Must specify both `ckpt_to_load_from` and `tensor_name_in_ckpt` or none of them.')
    if initializer is not None and not callable(initializer):
        raise ValueError(f'initializer must be callable if specified.{whose}')
    if initializer is not None:
        return initializer
    return init_ops.truncated_normal_initializer(mean=0.0, stddev=1 / math.sqrt(dimension))


def embedding_column(categorical_column: Any, dimension: int, combiner: str = 'mean', initializer: Any = None,
                     ckpt_to_load_from: Any = None, tensor_name_in_ckpt: Any = None, max_norm: Any = None,
                     trainable: bool = True, use_safe_embedding_lookup: bool = True) -> Any:
    """Makes a column of rows of a table, by categories."""
    whose = f' Embedding of column_name: {getattr(categorical_column, "name", "")}'
    initializer = _check_table(dimension, initializer, ckpt_to_load_from, tensor_name_in_ckpt, whose)
    return EmbeddingColumn(categorical_column, dimension, combiner, initializer, ckpt_to_load_from, tensor_name_in_ckpt,
                           max_norm, trainable, use_safe_embedding_lookup)


def shared_embedding_columns(categorical_columns: Any, dimension: int, combiner: str = 'mean', initializer: Any = None,
                             shared_embedding_collection_name: Any = None, ckpt_to_load_from: Any = None,
                             tensor_name_in_ckpt: Any = None, max_norm: Any = None, trainable: bool = True,
                             use_safe_embedding_lookup: bool = True) -> list[Any]:
    """Makes columns of rows of one table, by the categories of each."""
    if scopes.executing_eagerly():
        raise RuntimeError('shared_embedding_columns are not supported when eager execution is enabled.')
    initializer = _check_table(dimension, initializer, ckpt_to_load_from, tensor_name_in_ckpt)
    ordered = sorted(categorical_columns, key=lambda column: column.name)
    _check_alike(ordered)
    name = shared_embedding_collection_name or '_'.join(column.name for column in ordered) + '_shared_embedding'
    return [SharedEmbeddingColumn(column, dimension, combiner, initializer, name, ckpt_to_load_from, tensor_name_in_ckpt,
                                  max_norm, trainable, use_safe_embedding_lookup) for column in categorical_columns]


def _check_alike(columns: list[Any]) -> None:
    """Raises ValueError for columns that cannot have one table."""
    def bare(column: Any) -> Any:
        return column.categorical_column if isinstance(column, WeightedCategoricalColumn) else column

    first, count = columns[0], columns[0].num_buckets
    if not isinstance(first, CategoricalColumn):
        raise ValueError(f'All categorical_columns must be subclasses of _CategoricalColumn. Given: {first}, of type: '
                         f'{type(first)}')
    first = bare(first)
    for column in map(bare, columns[1:]):
        if not isinstance(column, type(first)):
            raise ValueError('To use shared_embedding_column, all categorical_columns must have the same type, or be '
                             f'weighted_categorical_column or sequence column of the same type. Given column: {first} of '
                             f'type: {type(first)} does not match given column: {column} of type: {type(column)}')
        if column.num_buckets != count:
            raise ValueError('To use shared_embedding_column, all categorical_columns must have the same number of buckets. '
                             f'Given column: {first} with buckets: {count} does  not match column: {column} with buckets: '
                             f'{column.num_buckets}')
