"""parsing_ops.py - Records of training data, read into tensors."""

from __future__ import annotations

import collections
from typing import Any

from berth.base import naming
from berth.framework import convert, dtypes, gen, scopes
from berth.framework.tensor_shape import TensorShape
from berth.ops import array_ops
from berth.ops.sparse_tensor import SparseTensor

VarLenFeature = collections.namedtuple('VarLenFeature', ['dtype'])
FixedLenFeature = collections.namedtuple('FixedLenFeature', ['shape', 'dtype', 'default_value'], defaults=[None])
FixedLenSequenceFeature = collections.namedtuple(
    'FixedLenSequenceFeature', ['shape', 'dtype', 'allow_missing', 'default_value'], defaults=[False, None])
for _kind, _text in ((VarLenFeature, 'A feature of any number of values: a sparse tensor.'),
                     (FixedLenFeature, 'A feature of a shape that is known.'),
                     (FixedLenSequenceFeature, 'A feature of rows whose shape is known, in any number.')):
    naming.public('ops.parsing_config')(_kind).__doc__ = _text


def _default(key: str, feature: Any) -> Any:
    """Returns the values that stand for a feature that is missing: none, where it must not be."""
    shape = TensorShape(feature.shape)
    if not shape.is_fully_defined():
        raise NotImplementedError(f'tf.io.parse_example: Berth needs the whole shape of feature {key!r}.')
    if feature.default_value is None:
        return convert.constant([], dtype=feature.dtype)
    value = convert.convert_to_tensor(feature.default_value, dtype=feature.dtype, name=f'key_{key}')
    return array_ops.reshape(value, shape)


def _sorted_features(features: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """Returns sparse and dense features by key, in order."""
    sparse: dict[str, Any] = {}
    dense: dict[str, Any] = {}
    for key in sorted(features):
        feature = features[key]
        if isinstance(feature, VarLenFeature):
            if not feature.dtype:
                raise ValueError(f'Missing type for feature {key}. Received feature={feature}')
            sparse[key] = feature
        elif isinstance(feature, FixedLenFeature):
            if not feature.dtype:
                raise ValueError(f'Missing type for feature {key}. Received feature={feature}.')
            dense[key] = feature
        elif isinstance(feature, tuple):
            raise NotImplementedError(f'tf.io.parse_example: Berth has FixedLenFeature and VarLenFeature, not '
                                      f'{type(feature).__name__}, which {key!r} is.')
        else:
            raise ValueError(f'Unsupported {type(feature).__name__} {feature} for key {key!r}')
    return sparse, dense


def parse_example(serialized: Any, features: Any, example_names: Any = None, name: str | None = None) -> Any:
    """Reads features of records."""
    if not features:
        raise ValueError("Argument `features` cannot be None or falsy. Got {features}")
    return _parse(serialized, features, example_names, name)


def _parse(serialized: Any, features: Any, example_names: Any, name: Any) -> dict[str, Any]:
    sparse, dense = _sorted_features(features)
    with scopes.name_scope(name, 'ParseExample', [serialized, example_names]):
        serialized = convert.convert_to_tensor(serialized, dtype=dtypes.string, name='serialized')
        names = convert.convert_to_tensor([] if example_names is None else example_names, dtype=dtypes.string,
                                          name='names')
        parsed = gen.apply('ParseExampleV2', None, {
            'serialized': serialized, 'names': names, 'sparse_keys': list(sparse), 'dense_keys': list(dense),
            'ragged_keys': [], 'dense_defaults': [_default(k, f) for k, f in dense.items()]}, {
                'num_sparse': len(sparse), 'sparse_types': [f.dtype for f in sparse.values()],
                'ragged_value_types': [], 'ragged_split_types': [],
                'dense_shapes': [TensorShape(f.shape) for f in dense.values()]})
        found = {key: SparseTensor(*parts) for key, *parts in zip(
            sparse, parsed.sparse_indices, parsed.sparse_values, parsed.sparse_shapes)}
        found.update(zip(dense, parsed.dense_values))
        return {key: found[key] for key in sorted(found)}


def parse_single_example(serialized: Any, features: Any, example_names: Any = None, name: str | None = None) -> Any:
    """Reads features of one record."""
    if not features:
        raise ValueError('Invalid argument: features cannot be empty.')
    with scopes.name_scope(name, 'ParseSingleExample', [serialized, example_names]):
        serialized = convert.convert_to_tensor(serialized, dtype=dtypes.string, name='serialized')
        if serialized.shape.rank not in (0, None):
            raise ValueError('Input serialized must be a scalar')
        return _parse(serialized, features, example_names, None)


def parse_example_v1(serialized: Any, features: Any, name: str | None = None, example_names: Any = None) -> Any:
    """Reads features of records."""
    return parse_example(serialized, features, example_names, name)


def parse_single_example_v1(serialized: Any, features: Any, name: str | None = None, example_names: Any = None) -> Any:
    """Reads features of one record."""
    return parse_single_example(serialized, features, example_names, name)
