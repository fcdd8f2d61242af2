"""parsing_ragged.py - Ragged features: values that other features divide into rows."""

from __future__ import annotations

from typing import Any

from berth.framework import scopes
from berth.ops import array_ops, check_ops, math_ops, reduce_ops
from berth.ops.parsing_config import RaggedFeature
from berth.ops.ragged_tensor import RaggedTensor


def divide(key: str, feature: Any, found: dict[str, Any]) -> Any:
    """Returns the values of a feature, divided by its partitions, of one record or of many."""
    values = found[feature.value_key or key]
    if not isinstance(values, RaggedTensor):
        for part in reversed(feature.partitions):
            values = _divide_one(values, part, found, feature)
        return values
    outer = values.row_splits if values.ragged_rank > 1 else None
    values = values if outer is None else values.values
    for part in reversed(feature.partitions):
        values = _divide_many(key, values, part, found, feature.validate, outer)
    return values if outer is None else RaggedTensor.from_row_splits(values, outer, validate=feature.validate)


def _uniform(values: Any, length: int) -> Any:
    """Returns rows of one length."""
    if isinstance(values, RaggedTensor):
        raise NotImplementedError('tf.io.RaggedFeature: Berth has UniformRowLength for the innermost partition only')
    return array_ops.reshape(values, array_ops.concat([[-1, length], array_ops.shape(values)[1:]], axis=0))


def _divide_one(values: Any, part: Any, found: dict[str, Any], feature: Any) -> Any:
    """Divides the values of one record."""
    if isinstance(part, RaggedFeature.UniformRowLength):
        return _uniform(values, part.length)
    divided = math_ops.cast(found[part.key], feature.row_splits_dtype)
    return _MAKERS[type(part).__name__](values, divided, validate=feature.validate)


_MAKERS = {'RowSplits': RaggedTensor.from_row_splits, 'RowLengths': RaggedTensor.from_row_lengths,
           'RowStarts': RaggedTensor.from_row_starts, 'RowLimits': RaggedTensor.from_row_limits,
           'ValueRowIds': RaggedTensor.from_value_rowids}


def _divide_many(key: str, values: Any, part: Any, found: dict[str, Any], validate: bool, outer: Any) -> Any:
    """Divides the values of a batch; what divides them counts anew in every record."""
    if isinstance(part, RaggedFeature.UniformRowLength):
        return RaggedTensor.from_row_splits(_uniform(values.values, part.length), values.row_splits // part.length,
                                            validate=validate)
    divided = found[part.key]
    if divided.values.dtype != values.row_splits.dtype:
        divided = math_ops.cast(divided, values.row_splits.dtype)
    checks = []
    if outer is not None:
        if validate:
            checks.append(check_ops.assert_equal(
                outer, divided.row_splits, message=f'Feature {key}: values and partitions are not aligned'))
        divided = divided.values
    with scopes.control_dependencies(checks):
        return _divide_rows(values, part, divided, validate)


def _divide_rows(values: Any, part: Any, divided: Any, validate: bool) -> Any:
    kind = type(part).__name__
    if kind == 'RowLengths':
        return divided.with_values(RaggedTensor.from_row_lengths(values.values, divided.values, validate=validate))
    if kind == 'ValueRowIds':
        return _divide_by_ids(values, divided, validate)
    if kind == 'RowSplits':
        divided = divided[:, 1:]
    places = divided.values + array_ops.repeat(values.row_starts(), divided.row_lengths())
    make = RaggedTensor.from_row_starts if kind == 'RowStarts' else RaggedTensor.from_row_limits
    return divided.with_values(make(values.values, places, validate=validate))


def _divide_by_ids(values: Any, ids: Any, validate: bool) -> Any:
    """Divides by the row of each value; ids rise within a record, so that its last one tells how many rows it has."""
    limits = ids.row_splits[1:]
    padded = array_ops.concat([array_ops.zeros([1], ids.dtype) - 1, ids.values], axis=0)
    last = array_ops.gather(padded, limits)
    rows = array_ops.where(ids.row_lengths() > 0, last + 1, array_ops.zeros_like(last))
    shifted = ids.values + array_ops.repeat(math_ops.cumsum(rows, exclusive=True), ids.row_lengths())
    inner = RaggedTensor.from_value_rowids(values.values, shifted, nrows=reduce_ops.reduce_sum(rows),
                                           validate=validate)
    return RaggedTensor.from_row_lengths(inner, rows, validate=validate)
