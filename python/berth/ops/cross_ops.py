"""cross_ops.py - Crossed features, every combination of what rows hold, and counts that are sparse."""

from __future__ import annotations

from typing import Any

from berth.framework import convert, dtypes, gen, scopes
from berth.framework.node import Tensor
from berth.ops import array_ops, check_ops, math_ops
from berth.ops.ragged_tensor import RaggedTensor, to_tensor_or_ragged
from berth.ops.sparse_tensor import SparseTensor, SparseTensorValue

_HASH_KEY = 0xDECAFCAFFE


def _columns(inputs: Any, text: str) -> dict[str, Any]:
    """Returns what is crossed as the inputs of an op: texts, and numbers as int64."""
    if not isinstance(inputs, (tuple, list)):
        raise TypeError('Inputs must be a list')
    if not all(isinstance(i, (SparseTensor, Tensor)) for i in inputs):
        raise TypeError(text)
    sparse = [i for i in inputs if isinstance(i, SparseTensor)]
    return {'indices': [i.indices for i in sparse], 'values': [_wide(i.values) for i in sparse],
            'shapes': [i.dense_shape for i in sparse],
            'dense_inputs': [_wide(i) for i in inputs if not isinstance(i, SparseTensor)]}


def _wide(value: Any) -> Any:
    """Returns numbers as int64."""
    return value if value.dtype == dtypes.string else math_ops.cast(value, dtypes.int64)


def sparse_cross(inputs: Any, name: str | None = None, separator: Any = None) -> SparseTensor:
    """Returns the combinations of what the rows of |inputs| hold, as texts."""
    separator = convert.convert_to_tensor('_X_' if separator is None else separator, dtypes.string)
    columns = _columns(inputs, 'All inputs must be Tensor or SparseTensor.')
    return SparseTensor(*gen.apply('SparseCrossV2', name, {**columns, 'sep': separator}))


def sparse_cross_hashed(inputs: Any, num_buckets: int = 0, hash_key: int | None = None,
                        name: str | None = None) -> SparseTensor:
    """Returns hashes of the combinations of what the rows of |inputs| hold."""
    columns = _columns(inputs, 'All inputs must be SparseTensors')
    has_numbers = any(v.dtype == dtypes.int64 for v in (*columns['values'], *columns['dense_inputs']))
    return SparseTensor(*gen.apply('SparseCross', name, columns, {
        'hashed_output': True, 'num_buckets': num_buckets, 'hash_key': hash_key or _HASH_KEY, 'out_type': dtypes.int64,
        'internal_type': dtypes.int64 if has_numbers else dtypes.string}))


# Ragged ones -------------------------------------------------------------------------------------


def _column(value: Any, index: int) -> Any:
    """Returns one of what is crossed: sparse, ragged or a tensor, of texts or int64."""
    if isinstance(value, SparseTensorValue):
        value = SparseTensor.from_value(value)
    elif not isinstance(value, SparseTensor):
        value = to_tensor_or_ragged(value)
    if value.dtype.is_integer:
        value = math_ops.cast(value, dtypes.int64)
    elif value.dtype != dtypes.string:
        raise ValueError(f'Unexpected dtype for inputs[{index}]: {value.dtype}')
    if isinstance(value, RaggedTensor) and value.ragged_rank != 1:
        raise ValueError('tf.ragged.cross only supports inputs with rank=2')
    return value


def _crossed(inputs: Any, hashed: bool, buckets: int, key: int | None, name: str | None) -> RaggedTensor:
    """Makes the op for columns of all kinds."""
    if not isinstance(inputs, (tuple, list)):
        raise TypeError('Inputs must be a list')
    key = _HASH_KEY if key is None else key
    with scopes.name_scope(name, 'RaggedCross', inputs):
        columns = [_column(value, i) for i, value in enumerate(inputs)]
        ragged = [c for c in columns if isinstance(c, RaggedTensor)]
        sparse = [c for c in columns if isinstance(c, SparseTensor)]
        order = ''.join('R' if isinstance(c, RaggedTensor) else 'S' if isinstance(c, SparseTensor) else 'D' for c in columns)
        is_short = bool(ragged) and all(r.row_splits.dtype == dtypes.int32 for r in ragged)
        values, splits = gen.apply('RaggedCross', name, {
            'ragged_values': [r.values for r in ragged], 'ragged_row_splits': [r.row_splits for r in ragged],
            'sparse_indices': [s.indices for s in sparse], 'sparse_values': [s.values for s in sparse],
            'sparse_shape': [s.dense_shape for s in sparse],
            'dense_inputs': [c for c, kind in zip(columns, order) if kind == 'D']}, {
                'input_order': order, 'hashed_output': hashed, 'num_buckets': buckets,
                'hash_key': key - 2 ** 64 if key > 2 ** 63 else key,
                'out_values_type': dtypes.int64 if hashed else dtypes.string,
                'out_row_splits_type': dtypes.int32 if is_short else dtypes.int64})
        return RaggedTensor.from_row_splits(values, splits, validate=False)


def ragged_cross(inputs: Any, name: str | None = None) -> RaggedTensor:
    """Returns the combinations of what the rows of |inputs| hold, as texts."""
    return _crossed(inputs, False, 0, None, name)


def ragged_cross_hashed(inputs: Any, num_buckets: int = 0, hash_key: int | None = None,
                        name: str | None = None) -> RaggedTensor:
    """Returns hashes of the combinations of what the rows of |inputs| hold."""
    return _crossed(inputs, True, num_buckets, hash_key, name)


# Counts ------------------------------------------------------------------------------------------


def _sparse_weights(values: SparseTensor, weights: Any) -> Any:
    """Returns the weights of the values of a sparse tensor."""
    if weights is None:
        return convert.constant([], dtype=values.values.dtype)
    if not isinstance(weights, SparseTensor):
        raise ValueError('Argument `weights` must be a SparseTensor if `values` is a SparseTensor. '
                         f'Received weights={weights} of type: {type(weights).__name__}')
    checks = []
    for part, text in (('dense_shape', 'dense shape'), ('indices', 'indices')):
        if getattr(weights, part) is not getattr(values, part):
            checks.append(check_ops.assert_equal(getattr(weights, part), getattr(values, part),
                                                 message=f"'weights' and 'values' must have the same {text}."))
    if not checks:
        return weights.values
    with scopes.control_dependencies(checks):
        return array_ops.identity(weights.values)


def sparse_bincount(values: Any, weights: Any = None, axis: Any = 0, minlength: int | None = None,
                    maxlength: int | None = None, binary_output: bool = False, name: str | None = None) -> SparseTensor:
    """Counts how often each number is there, and tells those that are."""
    with scopes.name_scope(name, 'count', [values, weights]):
        if not isinstance(values, SparseTensor):
            values = convert.convert_to_tensor(values, name='values')
        if weights is not None and not isinstance(weights, (SparseTensor, RaggedTensor)):
            weights = convert.convert_to_tensor(weights, name='weights')
        if weights is not None and binary_output:
            raise ValueError('Arguments `binary_output` and `weights` are mutually exclusive. Please specify only one.')
        axis = 0 if axis is None else axis
        if axis not in (0, -1):
            raise ValueError(f'Unsupported value for argument axis={axis}. Only 0 and -1 are currently supported.')
        attrs = {'minlength': -1 if minlength is None else minlength, 'maxlength': -1 if maxlength is None else maxlength,
                 'binary_output': binary_output}
        if axis == 0:
            values, weights = _all_values(values, weights)
        if isinstance(values, SparseTensor):
            return SparseTensor(*gen.apply('SparseCountSparseOutput', None, {
                'indices': values.indices, 'values': values.values, 'dense_shape': values.dense_shape,
                'weights': _sparse_weights(values, weights)}, attrs))
        if weights is None:
            weights = convert.constant([], dtype=values.dtype)
        elif not isinstance(weights, Tensor):
            raise ValueError('Argument `weights` must be a tf.Tensor if `values` is a tf.Tensor. '
                             f'Received weights={weights} of type: {type(weights).__name__}')
        return SparseTensor(*gen.apply('DenseCountSparseOutput', None, {'values': values, 'weights': weights}, attrs))


def _all_values(values: Any, weights: Any) -> tuple[Any, Any]:
    """Returns values of all rows as one row, and their weights."""
    if isinstance(values, SparseTensor):
        return values.values, None if weights is None else _sparse_weights(values, weights)
    return array_ops.reshape(values, [-1]), None if weights is None else array_ops.reshape(weights, [-1])
