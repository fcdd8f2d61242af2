"""column - What every feature column is, and the builder that makes tensors of columns, each once."""

from __future__ import annotations

import collections
import collections.abc
from typing import Any

from berth.base import logging
from berth.framework import dtypes, nest, scopes
from berth.ops import array_ops, check_ops, flow_ops, math_ops, sparse_ops
from berth.ops.sparse_tensor import SparseTensor, convert_to_tensor_or_sparse_tensor

IdWeightPair = collections.namedtuple('IdWeightPair', ('id_tensor', 'weight_tensor'))


class FeatureColumn:
    """A feature, or something made of features; columns that say the same are equal."""

    name: str
    parse_example_spec: dict[str, Any]

    def __lt__(self, other: Any) -> bool:
        return str(self) < str(other)

    def __gt__(self, other: Any) -> bool:
        return str(self) > str(other)

    @property
    def _scope_name(self) -> str:
        """The variable scope of what belongs to the column."""
        return self.name

    @property
    def _parse_example_spec(self) -> dict[str, Any]:
        return self.parse_example_spec

    def transform(self, builder: 'Builder') -> Any:
        """Returns what the column makes of its features."""
        raise NotImplementedError


class DenseColumn(FeatureColumn):
    """A column that is a dense tensor."""

    variable_shape: Any

    @property
    def _variable_shape(self) -> Any:
        return self.variable_shape

    def dense(self, builder: 'Builder', collections_: Any, trainable: bool) -> Any:
        """Returns the tensor."""
        del collections_, trainable
        return builder.get(self)


class CategoricalColumn(FeatureColumn):
    """A column that is numbers of categories, a sparse tensor."""

    num_buckets: Any

    @property
    def _num_buckets(self) -> Any:
        return self.num_buckets

    def ids(self, builder: 'Builder') -> IdWeightPair:
        """Returns the numbers, and weights where there are some."""
        return IdWeightPair(builder.get(self), None)


class Builder:
    """Makes tensors of features and columns, and keeps them."""

    def __init__(self, features: Any) -> None:
        self._features = dict(features)
        self._made: dict[Any, Any] = {}

    def get(self, key: Any) -> Any:
        """Returns the tensor of a feature, by its name, or of a column."""
        if key not in self._made:
            self._made[key] = self._make(key)
        return self._made[key]

    def _make(self, key: Any) -> Any:
        if key in self._features:
            return _with_two_dims(key, convert_to_tensor_or_sparse_tensor(self._features[key]))
        if isinstance(key, str):
            raise ValueError(f'Feature {key} is not in features dictionary.')
        if not isinstance(key, FeatureColumn):
            raise TypeError(f'"key" must be either a "str" or "_FeatureColumn". Provided: {key}')
        logging.debug('Transforming feature_column %s.', key)
        made = key.transform(self)
        if made is None:
            raise ValueError(f'Column {key.name} is not supported.')
        return made


def _with_two_dims(key: Any, tensor: Any) -> Any:
    """Returns a feature with a dimension beside that of examples."""
    def widened() -> Any:
        if isinstance(tensor, SparseTensor):
            return sparse_ops.reshape(tensor, [array_ops.shape(tensor)[0], 1])
        return array_ops.expand_dims(tensor, -1)

    message = f'Feature (key: {key}) cannot have rank 0. Given: {tensor}'
    rank = tensor.get_shape().ndims
    if rank == 0:
        raise ValueError(message)
    if rank is not None:
        return widened() if rank == 1 else tensor
    with scopes.control_dependencies([check_ops.assert_positive(array_ops.rank(tensor), message=message)]):
        return flow_ops.cond(math_ops.equal(1, array_ops.rank(tensor)), widened, lambda: tensor)


def to_sparse(tensor: Any, ignored: Any = None) -> Any:
    """Returns a dense tensor as a sparse one without what stands for nothing: '', -1, or zero."""
    tensor = convert_to_tensor_or_sparse_tensor(tensor)
    if isinstance(tensor, SparseTensor):
        return tensor
    with scopes.name_scope(None, 'to_sparse_input', (tensor, ignored)):
        if ignored is None:
            is_text = tensor.dtype == dtypes.string
            ignored = '' if is_text else -1 if tensor.dtype.is_integer else tensor.dtype.as_numpy_dtype()
        ignored = math_ops.cast(ignored, tensor.dtype, name='ignore_value')
        indices = array_ops.where_v2(math_ops.not_equal(tensor, ignored), name='indices')
        return SparseTensor(indices=indices, values=array_ops.gather_nd(tensor, indices, name='values'),
                            dense_shape=array_ops.shape(tensor, out_type=dtypes.int64, name='dense_shape'))


def normalized(columns: Any) -> list[Any]:
    """Returns columns by name; raises for what are none, or are not different."""
    if isinstance(columns, FeatureColumn):
        columns = [columns]
    if isinstance(columns, collections.abc.Iterator):
        columns = list(columns)
    if isinstance(columns, dict):
        raise ValueError('Expected feature_columns to be iterable, found dict.')
    for column in columns:
        if not isinstance(column, FeatureColumn):
            raise ValueError(f'Items of feature_columns must be a _FeatureColumn. Given (type {type(column)}): {column}.')
    if not columns:
        raise ValueError('feature_columns must not be empty.')
    known: dict[str, Any] = {}
    for column in columns:
        if column.name in known:
            raise ValueError(f'Duplicate feature column name found for columns: {column} and {known[column.name]}. This '
                             'usually means that these columns refer to same base feature. Either one must be discarded or '
                             'a duplicated but renamed item must be inserted in features dict.')
        known[column.name] = column
    return sorted(columns, key=lambda column: column.name)


# ---- What is given ----


def check_key(key: Any) -> None:
    """Raises ValueError for a name that is no text."""
    if not isinstance(key, str):
        raise ValueError(f'key must be a string. Got: type {type(key)}. Given key: {key}.')


def check_string_or_int(dtype: Any, prefix: str) -> None:
    """Raises ValueError for a type that categories do not have."""
    if dtype != dtypes.string and not dtype.is_integer:
        raise ValueError(f'{prefix} dtype must be string or integer. dtype: {dtype}.')


def checked_shape(shape: Any, key: str) -> tuple[int, ...]:
    """Returns the shape of a feature."""
    shape = tuple(shape) if nest.is_nested(shape) else (shape,)
    for size in shape:
        if not isinstance(size, int):
            raise TypeError(f'shape dimensions must be integer. shape: {shape}, key: {key}')
        if size < 1:
            raise ValueError(f'shape dimensions must be greater than 0. shape: {shape}, key: {key}')
    return shape


def checked_default(shape: tuple[int, ...], value: Any, dtype: Any, key: str) -> Any:
    """Returns what stands for a feature that is not there, a value for each place of |shape|."""
    if value is None:
        return None
    if isinstance(value, int) or (isinstance(value, float) and dtype.is_floating):
        return _filled(shape, value)
    value = value.tolist() if callable(getattr(value, 'tolist', None)) else value
    if nest.is_nested(value):
        if not _has_shape(value, shape):
            raise ValueError('The shape of default_value must be equal to given shape. default_value: '
                             f'{value}, shape: {shape}, key: {key}')
        leaves = nest.flatten(value)
        if all(isinstance(leaf, int) for leaf in leaves) or (
                dtype.is_floating and any(isinstance(leaf, float) for leaf in leaves)):
            return _as_tuples(value)
    raise TypeError(f'default_value must be compatible with dtype. default_value: {value}, dtype: {dtype}, key: {key}')


def _filled(shape: tuple[int, ...], value: Any) -> Any:
    return tuple(_filled(shape[1:], value) for _ in range(shape[0])) if shape else value


def _as_tuples(value: Any) -> Any:
    return tuple(_as_tuples(item) for item in value) if nest.is_nested(value) else value


def _has_shape(value: Any, shape: tuple[int, ...]) -> bool:
    if not nest.is_nested(value) or not shape:
        return not nest.is_nested(value) and not shape
    return len(value) == shape[0] and all(_has_shape(item, shape[1:]) for item in value)
