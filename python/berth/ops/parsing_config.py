"""parsing_config.py - What is read of records: kinds of features, and what parsing ops are told of them."""

from __future__ import annotations

import collections
import re
from typing import Any

from berth.base import naming
from berth.framework import convert, dtypes
from berth.framework.tensor_shape import as_shape
from berth.ops import array_ops

VarLenFeature = collections.namedtuple('VarLenFeature', ['dtype'])
FixedLenFeature = collections.namedtuple('FixedLenFeature', ['shape', 'dtype', 'default_value'], defaults=[None])
FixedLenSequenceFeature = collections.namedtuple(
    'FixedLenSequenceFeature', ['shape', 'dtype', 'allow_missing', 'default_value'], defaults=[False, None])
SparseFeature = collections.namedtuple(
    'SparseFeature', ['index_key', 'value_key', 'dtype', 'size', 'already_sorted'], defaults=[False])
for _kind, _text in ((VarLenFeature, 'A feature of any number of values: a sparse tensor.'),
                     (FixedLenFeature, 'A feature of a shape that is known.'),
                     (FixedLenSequenceFeature, 'A feature of rows whose shape is known, in any number.'),
                     (SparseFeature, 'A sparse tensor whose places and values are features of their own.')):
    naming.public('ops.parsing_config')(_kind).__doc__ = _text


def _partition(name: str, field: str) -> Any:
    """Makes a way to divide the values of a ragged feature."""
    kind: Any = collections.namedtuple(name, [field])
    kind.__doc__ = f'Divides values by the {field} that says {name}.'
    return kind


@naming.public('ops.parsing_config')
class RaggedFeature(collections.namedtuple(
        'RaggedFeature', ['dtype', 'value_key', 'partitions', 'row_splits_dtype', 'validate'])):
    """A feature of any number of values, divided by others: a ragged tensor."""

    RowSplits = _partition('RowSplits', 'key')
    RowLengths = _partition('RowLengths', 'key')
    RowStarts = _partition('RowStarts', 'key')
    RowLimits = _partition('RowLimits', 'key')
    ValueRowIds = _partition('ValueRowIds', 'key')
    UniformRowLength = _partition('UniformRowLength', 'length')

    def __new__(cls, dtype: Any, value_key: Any = None, partitions: Any = (), row_splits_dtype: Any = dtypes.int32,
                validate: bool = False) -> RaggedFeature:
        """Makes the description of one."""
        if value_key is not None and not isinstance(value_key, str):
            raise ValueError(f'Argument `value_key` must be a string; got {value_key}')
        if value_key is not None and not value_key:
            raise ValueError('Argument `value_key` must not be empty')
        dtype, row_splits_dtype = dtypes.as_dtype(dtype), dtypes.as_dtype(row_splits_dtype)
        if dtype not in (dtypes.int64, dtypes.float32, dtypes.string):
            raise ValueError(f'Argument `dtype` must be int64, float32, or bytes; got {dtype!r}')
        if row_splits_dtype not in (dtypes.int32, dtypes.int64):
            raise ValueError(f'Argument `row_splits_dtype` must be int32 or int64; got{row_splits_dtype!r}')
        if not isinstance(partitions, (list, tuple)):
            raise TypeError(f'Argument `partitions` must be a list or tuple. Receivedpartitions={partitions} of type '
                            f'{type(partitions).__name__}.')
        kinds = (cls.RowSplits, cls.RowLengths, cls.RowStarts, cls.RowLimits, cls.ValueRowIds, cls.UniformRowLength)
        for partition in partitions:
            if not isinstance(partition, kinds):
                raise TypeError(f'Argument `partitions` cannot be cast to any of the partition types in {kinds}; got: '
                                f'{partition!r} with type {type(partition)}')
        if not isinstance(validate, bool):
            raise TypeError(f'Argument `validate` must be a bool; got {validate!r}')
        return super().__new__(cls, dtype, value_key, tuple(partitions), row_splits_dtype, validate)


class Wanted:
    """The features that a parsing op is asked for, by kind, each in the order of keys."""

    def __init__(self, features: Any, kinds: tuple[Any, ...]) -> None:
        self.sparse: dict[str, Any] = {}  # Types by key.
        self.dense: dict[str, tuple[Any, Any, Any]] = {}  # Shapes, types and defaults.
        self.ragged: dict[str, tuple[Any, Any]] = {}  # Types of values and of row splits.
        self.may_miss: list[str] = []  # Dense keys that need not be there.
        for key in sorted(features or {}):
            feature = features[key]
            if not isinstance(feature, kinds):
                raise ValueError(f"Unsupported {type(feature).__name__} {feature} for key '{key}'")
            self._add(key, feature)
        self._check()

    count = property(lambda self: len(self.sparse) + len(self.dense) + len(self.ragged), doc='How many there are.')

    def _add(self, key: str, feature: Any) -> None:
        if isinstance(feature, RaggedFeature):
            self._add_ragged(key, feature)
        elif isinstance(feature, SparseFeature):
            self._add_places(key, feature)
        elif not feature.dtype:
            dot = '' if isinstance(feature, VarLenFeature) else '.'
            raise ValueError(f'Missing type for feature {key}. Received feature={feature}{dot}')
        elif isinstance(feature, VarLenFeature):
            self._add_sparse(key, feature.dtype)
        else:
            self._add_dense(key, feature)

    def _add_sparse(self, key: str, dtype: Any) -> None:
        if self.sparse.setdefault(key, dtype) != dtype:
            raise ValueError(f'Conflicting type {self.sparse[key]} vs {dtype} for feature {key}.')

    def _add_places(self, key: str, feature: Any) -> None:
        """Adds the features that a sparse tensor is made of."""
        if not feature.index_key:
            raise ValueError(f'Missing index_key for SparseFeature {feature}.')
        if not feature.value_key:
            raise ValueError(f'Missing value_key for SparseFeature {feature}.')
        if not feature.dtype:
            raise ValueError(f'Missing type for feature {key}. Received feature={feature}.')
        keys = [feature.index_key] if isinstance(feature.index_key, str) else feature.index_key
        for index_key in sorted(keys):
            self._add_sparse(index_key, dtypes.int64)
        self._add_sparse(feature.value_key, feature.dtype)

    def _add_dense(self, key: str, feature: Any) -> None:
        if feature.shape is None:
            raise ValueError(f'Missing shape for feature {key}. Received feature={feature}.')
        shape = as_shape(feature.shape)
        if isinstance(feature, FixedLenFeature):
            if feature.shape and shape.ndims and shape[:1].as_list() == [None]:
                raise ValueError(f'First dimension of shape for feature {key} unknown. Consider using '
                                 f'FixedLenSequenceFeature. Received feature={feature}.')
            if not shape.is_fully_defined():
                raise ValueError(f'All dimensions of shape for feature {key} need to be known but received '
                                 f'{feature.shape!s}.')
        elif feature.allow_missing:
            self.may_miss.append(key)
        self.dense[key] = (shape, dtypes.as_dtype(feature.dtype), feature.default_value)

    def _add_ragged(self, key: str, feature: Any) -> None:
        pairs = [(feature.value_key or key, feature.dtype)]
        pairs += [(part.key, dtypes.int64) for part in feature.partitions
                  if not isinstance(part, RaggedFeature.UniformRowLength)]
        for name, dtype in pairs:
            had, split = self.ragged.setdefault(name, (dtype, feature.row_splits_dtype))
            if had != dtype:
                raise ValueError(f'Conflicting type {had} vs {dtype} for feature {name}.')
            if split != feature.row_splits_dtype:
                raise ValueError(f'Conflicting partition type {split} vs {feature.row_splits_dtype} for feature {name}.')

    def _check(self) -> None:
        """Raises ValueError for a key of two kinds."""
        for first, second in (('dense', 'sparse'), ('dense', 'ragged'), ('ragged', 'sparse')):
            one, two = list(getattr(self, first)), list(getattr(self, second))
            if set(one) & set(two):
                raise ValueError(f'{first.capitalize()} and {second} keys must not intersect; {first}_keys: {one}, '
                                 f'{second}_keys: {two}, intersection: {set(one) & set(two)}')

    def defaults(self) -> list[Any]:
        """Returns what stands for dense features that are missing, or pads them."""
        return [_default(key, *parts) for key, parts in self.dense.items()]


def _default(key: str, shape: Any, dtype: Any, value: Any) -> Any:
    name = re.sub('[^A-Za-z0-9_.\\-/]', '_', key)
    if shape.ndims and shape[:1].as_list() == [None]:
        if value is None:
            return convert.convert_to_tensor('' if dtype == dtypes.string else 0, dtype=dtype)
        return array_ops.reshape(convert.convert_to_tensor(value, dtype=dtype, name=f'padding_{name}'), [])
    if value is None:
        return convert.constant([], dtype=dtype)
    if convert.is_tensor(value):
        return value
    return array_ops.reshape(convert.convert_to_tensor(value, dtype=dtype, name=f'key_{name}'), shape)
