"""parsing_ops.py - Records of training data, read into tensors."""

from __future__ import annotations

from typing import Any

from berth.framework import convert, dtypes, gen, scopes
from berth.ops import array_ops, flow_ops, math_ops, order_ops, parsing_ragged, sparse_merge
from berth.ops.parsing_config import (
    FixedLenFeature,
    FixedLenSequenceFeature,
    RaggedFeature,
    SparseFeature,
    VarLenFeature,
    Wanted,
)
from berth.ops.ragged_tensor import RaggedTensor
from berth.ops.sparse_tensor import SparseTensor

_ALL = (VarLenFeature, SparseFeature, FixedLenFeature, FixedLenSequenceFeature, RaggedFeature)


def _with_rows(features: Any) -> dict[str, Any]:
    """Returns features with the number of rows of sequences left open."""
    found = dict(features)
    for key, feature in features.items():
        if isinstance(feature, FixedLenSequenceFeature):
            if not feature.allow_missing:
                raise ValueError('Unsupported: FixedLenSequenceFeature requires allow_missing to be True.')
            found[key] = feature._replace(shape=[None, *feature.shape])
    return found


def parse_example(serialized: Any, features: Any, example_names: Any = None, name: str | None = None) -> Any:
    """Reads features of records."""
    if not features:
        raise ValueError('Argument `features` cannot be None or falsy. Got %s' % features)
    features = _with_rows(features)
    return _compose(features, _parse(serialized, Wanted(features, _ALL), example_names, name))


def _parse(serialized: Any, wanted: Wanted, names: Any, name: Any) -> dict[str, Any]:
    """Makes the op, and tensors of what it gives."""
    with scopes.name_scope(name, 'ParseExample', [serialized, names]):
        serialized = convert.convert_to_tensor(serialized, dtype=dtypes.string, name='serialized')
        _check_rank(serialized, bool(wanted.ragged))
        parsed = gen.apply('ParseExampleV2', name, {
            'serialized': serialized, 'names': [] if names is None else names,
            'sparse_keys': list(wanted.sparse), 'dense_keys': list(wanted.dense),
            'ragged_keys': list(wanted.ragged), 'dense_defaults': wanted.defaults()}, {
                'num_sparse': len(wanted.sparse), 'sparse_types': list(wanted.sparse.values()),
                'ragged_value_types': [value for value, _ in wanted.ragged.values()],
                'ragged_split_types': [split for _, split in wanted.ragged.values()],
                'dense_shapes': [shape for shape, _, _ in wanted.dense.values()]})
        return _tensors(wanted, (parsed.sparse_indices, parsed.sparse_values, parsed.sparse_shapes),
                        parsed.dense_values, _ragged(serialized, parsed.ragged_values, parsed.ragged_row_splits))


def _check_rank(serialized: Any, has_ragged: bool) -> None:
    if has_ragged and serialized.shape.ndims is None:
        raise ValueError('serialized must have statically-known rank to parse ragged features.')


def _ragged(serialized: Any, values: Any, splits: Any, inner: Any = None) -> list[Any]:
    """Returns ragged tensors, or of a single record their values."""
    if inner is not None:
        values = [RaggedTensor.from_row_splits(*pair, validate=False) for pair in zip(values, inner)]
    if serialized.shape.ndims == 0:
        return list(values)
    return [RaggedTensor.from_row_splits(*pair, validate=False) for pair in zip(values, splits)]


def _tensors(wanted: Wanted, sparse: Any, dense: Any, ragged: Any) -> dict[str, Any]:
    """Returns tensors by key."""
    found = [SparseTensor(*parts) for parts in zip(*sparse)] + list(dense) + list(ragged)
    return dict(zip([*wanted.sparse, *wanted.dense, *wanted.ragged], found))


def _compose(features: Any, found: dict[str, Any]) -> dict[str, Any]:
    """Puts tensors together that are made of several features, and drops what they were made of."""
    made = {}
    for key in sorted(features):
        feature = features[key]
        if isinstance(feature, SparseFeature):
            keys = feature.index_key
            places = found[keys] if isinstance(keys, str) else [found[index_key] for index_key in keys]
            made[key] = sparse_merge.sparse_merge(places, found[feature.value_key], vocab_size=feature.size,
                                                already_sorted=feature.already_sorted)
        elif isinstance(feature, RaggedFeature):
            made[key] = parsing_ragged.divide(key, feature, found)
    found = {**found, **made}
    return {key: value for key, value in found.items() if key in features}


def _scalar(serialized: Any) -> Any:
    """Returns |serialized|, which is one record, or fails when it is run and is not."""
    serialized = convert.convert_to_tensor(serialized, dtype=dtypes.string, name='serialized')
    if serialized.shape.rank is None:
        check = flow_ops.Assert(math_ops.equal(array_ops.rank(serialized), 0), ['Input serialized must be a scalar'],
                                name='SerializedIsScalar')
        serialized = order_ops.with_dependencies([check], serialized, name='serializedDependencies')
        serialized.set_shape([])
    elif serialized.shape.rank != 0:
        raise ValueError('Input serialized must be a scalar')
    return serialized


def parse_single_example(serialized: Any, features: Any, example_names: Any = None, name: str | None = None) -> Any:
    """Reads features of one record."""
    if features is None:
        raise ValueError('Invalid argument: features cannot be None.')
    if not features:
        raise ValueError('Invalid argument: features cannot be empty.')
    with scopes.name_scope(name, 'ParseSingleExample', [serialized, example_names]):
        return parse_example(_scalar(serialized), features, example_names, name)


def parse_example_v1(serialized: Any, features: Any, name: str | None = None, example_names: Any = None) -> Any:
    """Reads features of records."""
    return parse_example(serialized, features, example_names, name)


def parse_single_example_v1(serialized: Any, features: Any, name: str | None = None, example_names: Any = None) -> Any:
    """Reads features of one record."""
    return parse_single_example(serialized, features, example_names, name)


# ---- Sequences ----


def parse_sequence_example(serialized: Any, context_features: Any = None, sequence_features: Any = None,
                           example_names: Any = None, name: str | None = None) -> Any:
    """Reads features of records with a context and lists; and how long the lists are."""
    if not (context_features or sequence_features):
        raise ValueError('Both `context_features` and `sequence_features` argument are None, but at least one should '
                         'have values.')
    context, lists = _sequence_wanted(context_features, sequence_features)
    with scopes.name_scope(name, 'ParseSequenceExample', [serialized, example_names]):
        found, sequences, lengths = _parse_sequence(serialized, example_names, context, lists, name)
        return (*_compose_both(context_features, found, sequence_features, sequences, context, lists), lengths)


def parse_single_sequence_example(serialized: Any, context_features: Any = None, sequence_features: Any = None,
                                  example_name: Any = None, name: str | None = None) -> Any:
    """Reads features of one record with a context and lists."""
    if not (context_features or sequence_features):
        raise ValueError('Both context_features and sequence_features are None, but at least one should have values.')
    context, lists = _sequence_wanted(context_features, sequence_features)
    with scopes.name_scope(name, 'ParseSingleSequenceExample', [serialized, example_name]):
        with scopes.name_scope(name, 'ParseSingleExample', [serialized, example_name]):
            serialized = _scalar(serialized)
        found, sequences, _ = _parse_sequence(serialized, example_name, context, lists, name)
        return _compose_both(context_features, found, sequence_features, sequences, context, lists)


def _sequence_wanted(context_features: Any, sequence_features: Any) -> tuple[Wanted, Wanted]:
    return (Wanted(context_features, (VarLenFeature, FixedLenFeature, RaggedFeature)),
            Wanted(sequence_features, (VarLenFeature, FixedLenSequenceFeature, RaggedFeature)))


def _compose_both(context_features: Any, found: Any, sequence_features: Any, sequences: Any, context: Wanted,
                  lists: Wanted) -> tuple[Any, Any]:
    return (_compose(context_features, found) if context.ragged else found,
            _compose(sequence_features, sequences) if lists.ragged else sequences)


def _parse_sequence(serialized: Any, names: Any, context: Wanted, lists: Wanted, name: Any) -> tuple[Any, Any, Any]:
    """Makes the op, and tensors of what it gives."""
    with scopes.name_scope(name, 'ParseSequenceExample', [serialized]):
        for key, (_, _, value) in lists.dense.items():
            if value is not None:
                raise ValueError('Value feature_list.dense_defaults[%s] must be None' % key)
        serialized = convert.convert_to_tensor(serialized, dtype=dtypes.string, name='serialized')
        _check_rank(serialized, bool(context.ragged or lists.ragged))
        parsed = gen.apply('ParseSequenceExampleV2', name, _sequence_inputs(serialized, names, context, lists), {
            'Ncontext_sparse': len(context.sparse), 'context_sparse_types': list(context.sparse.values()),
            'context_ragged_value_types': [value for value, _ in context.ragged.values()],
            'context_ragged_split_types': [split for _, split in context.ragged.values()],
            'context_dense_shapes': [shape for shape, _, _ in context.dense.values()],
            'Nfeature_list_sparse': len(lists.sparse), 'Nfeature_list_dense': len(lists.dense),
            'feature_list_dense_types': [dtype for _, dtype, _ in lists.dense.values()],
            'feature_list_sparse_types': list(lists.sparse.values()),
            'feature_list_ragged_value_types': [value for value, _ in lists.ragged.values()],
            'feature_list_ragged_split_types': [split for _, split in lists.ragged.values()],
            'feature_list_dense_shapes': [shape for shape, _, _ in lists.dense.values()]})
        found = _tensors(context, (parsed.context_sparse_indices, parsed.context_sparse_values,
                                   parsed.context_sparse_shapes), parsed.context_dense_values,
                         _ragged(serialized, parsed.context_ragged_values, parsed.context_ragged_row_splits))
        sequences = _tensors(lists, (parsed.feature_list_sparse_indices, parsed.feature_list_sparse_values,
                                     parsed.feature_list_sparse_shapes), parsed.feature_list_dense_values,
                             _ragged(serialized, parsed.feature_list_ragged_values,
                                     parsed.feature_list_ragged_outer_splits, parsed.feature_list_ragged_inner_splits))
        return found, sequences, dict(zip(lists.dense, parsed.feature_list_dense_lengths))


def _sequence_inputs(serialized: Any, names: Any, context: Wanted, lists: Wanted) -> dict[str, Any]:
    texts: dict[str, Any] = {'debug_name': [] if names is None else names}
    for prefix, wanted in (('context', context), ('feature_list', lists)):
        for kind in ('sparse', 'dense', 'ragged'):
            texts[f'{prefix}_{kind}_keys'] = list(getattr(wanted, kind))
    return {'serialized': serialized, **texts,
            'feature_list_dense_missing_assumed_empty': [key in lists.may_miss for key in lists.dense],
            'context_dense_defaults': context.defaults()}
