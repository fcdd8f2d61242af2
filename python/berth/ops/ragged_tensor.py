"""ragged_tensor.py - RaggedTensor: rows of different lengths, one after the other, and where they begin.

    values      [3, 1, 4, 1, 5, 9, 2]
    row_splits  [0, 4, 4, 6, 7]            [[3, 1, 4, 1], [], [5, 9], [2]]

Values may be ragged themselves. Ops on elements work on the innermost values; what else there is
for ragged tensors is in `ragged_ops`.
"""

from __future__ import annotations

from typing import Any, Iterator

import numpy as np

from berth.framework import convert, dtypes, errors, scopes
from berth.framework.composite import Composite
from berth.framework.tensor_shape import TensorShape
from berth.ops import array_ops, math_ops, reduce_ops

_INDEX = (dtypes.int32, dtypes.int64)


def is_ragged(value: Any) -> bool:
    """True for a RaggedTensor."""
    return isinstance(value, RaggedTensor)


def to_tensor_or_ragged(value: Any, dtype: Any = None, name: str | None = None) -> Any:
    """Returns ragged tensors as they are, and anything else as a tensor."""
    return value if is_ragged(value) else convert.convert_to_tensor(value, dtype, name=name)


def _count_below(limits: Any, values: Any) -> Any:
    """Returns how many of |values| are below each of |limits|."""
    if scopes.executing_eagerly():
        found = np.searchsorted(np.asarray(values), np.asarray(limits), side='left')
        return convert.constant(found.astype(limits.dtype.as_numpy_dtype))
    below = math_ops.less(array_ops.expand_dims(values, 0), array_ops.expand_dims(limits, 1))
    return reduce_ops.reduce_sum(math_ops.cast(below, limits.dtype), axis=1)


def _running(lengths: Any) -> Any:
    """Returns 0 and the running sums of |lengths|."""
    if scopes.executing_eagerly():
        sums = np.concatenate([[0], np.cumsum(np.asarray(lengths))])
        return convert.constant(sums.astype(lengths.dtype.as_numpy_dtype))
    return array_ops.concat([[math_ops.cast(0, lengths.dtype)], math_ops.cumsum(lengths)], 0)


def _splits_type(value: Any) -> Any:
    """Returns a partition as a tensor of a type that partitions have."""
    value = convert.convert_to_tensor(value, dtype_hint=dtypes.int64)
    return value if value.dtype in _INDEX else math_ops.cast(value, dtypes.int64)


class RaggedTensor(Composite):
    """Rows of different lengths. Made by the functions whose names begin with `from_`."""

    __array_priority__ = 100
    _is_passed_on = True

    _values: Any
    _splits: Any
    _rowids: Any
    _length: Any = None  # Of all rows, where that is known.

    def __init__(self, values: Any, row_partition: Any, internal: bool = False) -> None:
        raise ValueError('RaggedTensor constructor is private; please use one of the factory methods instead (e.g., '
                         'RaggedTensor.from_row_lengths())')

    @classmethod
    def _made(cls, values: Any, row_splits: Any, value_rowids: Any = None) -> 'RaggedTensor':
        """Makes one of its parts, without looking at them."""
        made = cls.__new__(cls)
        made._values, made._splits, made._rowids = values, row_splits, value_rowids
        return made

    # ---- Making ----

    @classmethod
    def from_row_splits(cls, values: Any, row_splits: Any, name: str | None = None,
                        validate: bool = True) -> 'RaggedTensor':
        """Makes one of where rows begin, and where the last ends."""
        with scopes.name_scope(name, 'RaggedFromRowSplits', [values, row_splits]):
            values, splits = to_tensor_or_ragged(values, name='values'), _splits_type(row_splits)
            splits.shape.assert_has_rank(1)
            if validate and scopes.executing_eagerly():
                _check_splits(values, splits)
            return cls._made(values, splits)

    @classmethod
    def from_row_lengths(cls, values: Any, row_lengths: Any, name: str | None = None,
                         validate: bool = True) -> 'RaggedTensor':
        """Makes one of the lengths of rows."""
        with scopes.name_scope(name, 'RaggedFromRowLengths', [values, row_lengths]):
            values = to_tensor_or_ragged(values, name='values')
            splits = _running(_splits_type(row_lengths))
            if validate and scopes.executing_eagerly():
                _check_splits(values, splits)
            return cls._made(values, splits)

    @classmethod
    def from_value_rowids(cls, values: Any, value_rowids: Any, nrows: Any = None, name: str | None = None,
                          validate: bool = True) -> 'RaggedTensor':
        """Makes one of the number of the row that each value belongs to."""
        with scopes.name_scope(name, 'RaggedFromValueRowIds', [values, value_rowids, nrows]):
            values, rowids = to_tensor_or_ragged(values, name='values'), _splits_type(value_rowids)
            if nrows is None:
                size = array_ops.size(rowids, out_type=rowids.dtype)
                last = array_ops.concat([math_ops.cast([-1], rowids.dtype), rowids], 0)[-1]
                nrows = array_ops.where_v2(size > 0, last + 1, math_ops.cast(0, rowids.dtype))
            nrows = math_ops.cast(nrows, rowids.dtype)
            limits = math_ops.range(nrows + 1)
            return cls._made(values, _count_below(limits, rowids), rowids)

    @classmethod
    def from_row_starts(cls, values: Any, row_starts: Any, name: str | None = None,
                        validate: bool = True) -> 'RaggedTensor':
        """Makes one of where rows begin."""
        values, starts = to_tensor_or_ragged(values), _splits_type(row_starts)
        count = math_ops.cast(_length(values), starts.dtype)
        return cls.from_row_splits(values, array_ops.concat([starts, [count]], 0), name, validate)

    @classmethod
    def from_row_limits(cls, values: Any, row_limits: Any, name: str | None = None,
                        validate: bool = True) -> 'RaggedTensor':
        """Makes one of where rows end."""
        limits = _splits_type(row_limits)
        return cls.from_row_splits(values, array_ops.concat([[math_ops.cast(0, limits.dtype)], limits], 0),
                                   name, validate)

    @classmethod
    def from_nested_row_splits(cls, flat_values: Any, nested_row_splits: Any, name: str | None = None,
                               validate: bool = True) -> Any:
        """Makes one whose values are ragged, outermost splits first."""
        result = flat_values
        for splits in reversed(list(nested_row_splits)):
            result = cls.from_row_splits(result, splits, name, validate)
        return result

    @classmethod
    def from_nested_row_lengths(cls, flat_values: Any, nested_row_lengths: Any, name: str | None = None,
                                validate: bool = True) -> Any:
        """Makes one whose values are ragged, outermost lengths first."""
        result = flat_values
        for lengths in reversed(list(nested_row_lengths)):
            result = cls.from_row_lengths(result, lengths, name, validate)
        return result

    @classmethod
    def from_nested_value_rowids(cls, flat_values: Any, nested_value_rowids: Any, nested_nrows: Any = None,
                                 name: str | None = None, validate: bool = True) -> Any:
        """Makes one whose values are ragged, of the rows that values belong to, outermost first."""
        result, rowids = flat_values, list(nested_value_rowids)
        for ids, count in zip(reversed(rowids), reversed(list(nested_nrows or [None] * len(rowids)))):
            result = cls.from_value_rowids(result, ids, count, name, validate)
        return result

    @classmethod
    def from_uniform_row_length(cls, values: Any, uniform_row_length: Any, nrows: Any = None, validate: bool = True,
                                name: str | None = None) -> 'RaggedTensor':
        """Makes one of rows of one length."""
        from berth.ops import ragged_shapes

        return ragged_shapes.from_uniform_row_length(values, uniform_row_length, nrows, validate, name)

    @classmethod
    def from_tensor(cls, tensor: Any, lengths: Any = None, padding: Any = None, ragged_rank: int = 1,
                    name: str | None = None, row_splits_dtype: Any = dtypes.int64) -> 'RaggedTensor':
        """Makes one of a tensor, without what is behind |lengths| of rows, or without |padding| at their ends."""
        from berth.ops import ragged_ops

        with scopes.name_scope(name, 'RaggedFromTensor', [tensor, lengths, padding]):
            return ragged_ops.from_tensor(tensor, lengths, padding, ragged_rank, dtypes.as_dtype(row_splits_dtype))

    @classmethod
    def from_sparse(cls, st_input: Any, name: str | None = None, row_splits_dtype: Any = dtypes.int64) -> 'RaggedTensor':
        """Makes one of a sparse matrix whose rows have no gaps."""
        with scopes.name_scope(name, 'RaggedFromSparse', [st_input]):
            return cls.from_value_rowids(st_input.values, math_ops.cast(st_input.indices[:, 0], row_splits_dtype),
                                         math_ops.cast(st_input.dense_shape[0], row_splits_dtype))

    # ---- What it is ----

    @property
    def values(self) -> Any:
        """All rows, one after the other."""
        return self._values

    @property
    def row_splits(self) -> Any:
        """Where rows begin, and where the last ends."""
        return self._splits

    @property
    def flat_values(self) -> Any:
        """The innermost values."""
        return self._values.flat_values if is_ragged(self._values) else self._values

    @property
    def nested_row_splits(self) -> tuple[Any, ...]:
        """The splits of all ragged dimensions, outermost first."""
        inner = self._values.nested_row_splits if is_ragged(self._values) else ()
        return (self._splits, *inner)

    @property
    def dtype(self) -> dtypes.DType:
        """The type of the elements."""
        return self._values.dtype

    @property
    def ragged_rank(self) -> int:
        """How many dimensions may be ragged."""
        return 1 + (self._values.ragged_rank if is_ragged(self._values) else 0)

    @property
    def uniform_row_length(self) -> Any:
        """The length of all rows, or None where they are not known to be of one."""
        return None if self._length is None else convert.constant(self._length, self._splits.dtype)

    @property
    def shape(self) -> TensorShape:
        """Its shape, None where it is ragged."""
        count = self._splits.shape.as_list()[0] if self._splits.shape.rank is not None else None
        inner = self._values.shape
        if inner.rank is None:
            return TensorShape(None)
        return TensorShape([None if count is None else count - 1, self._length, *inner.as_list()[1:]])

    def get_shape(self) -> TensorShape:
        """Returns its shape, None where it is ragged."""
        return self.shape

    @property
    def ndim(self) -> Any:
        """How many dimensions it has."""
        return self.shape.rank

    @property
    def _type_spec(self) -> Any:
        from berth.ops import ragged_ops

        return ragged_ops.RaggedTensorSpec(self.shape, self.dtype, self.ragged_rank, self._splits.dtype)

    def nrows(self, out_type: Any = None, name: str | None = None) -> Any:
        """Returns the number of rows."""
        with scopes.name_scope(name, 'RaggedNRows', [self]):
            kind = self._splits.dtype if out_type is None else out_type
            return array_ops.shape(self._splits, out_type=kind)[0] - 1

    def row_starts(self, name: str | None = None) -> Any:
        """Returns where rows begin."""
        return self._splits[:-1]

    def row_limits(self, name: str | None = None) -> Any:
        """Returns where rows end."""
        return self._splits[1:]

    def row_lengths(self, axis: int = 1, name: str | None = None) -> Any:
        """Returns the lengths of rows."""
        if axis == 0:
            return self.nrows()
        if axis > 1:
            inner = self._values.row_lengths(axis - 1) if is_ragged(self._values) else _uniform(self._values, axis)
            return self.with_values(inner)
        return self._splits[1:] - self._splits[:-1]

    def nested_row_lengths(self, name: str | None = None) -> tuple[Any, ...]:
        """Returns the lengths of the rows of all ragged dimensions, outermost first."""
        inner = self._values.nested_row_lengths(name) if is_ragged(self._values) else ()
        return (self.row_lengths(), *inner)

    def nested_value_rowids(self, name: str | None = None) -> tuple[Any, ...]:
        """Returns the rows that values belong to, of all ragged dimensions, outermost first."""
        inner = self._values.nested_value_rowids(name) if is_ragged(self._values) else ()
        return (self.value_rowids(), *inner)

    def value_rowids(self, name: str | None = None) -> Any:
        """Returns the number of the row that each value belongs to."""
        if self._rowids is None:
            count = math_ops.cast(_length(self._values), self._splits.dtype)
            self._rowids = _count_below(math_ops.range(count) + 1, self._splits[1:])
        return self._rowids

    def bounding_shape(self, axis: Any = None, name: str | None = None, out_type: Any = None) -> Any:
        """Returns the least shape that holds all rows."""
        with scopes.name_scope(name, 'RaggedBoundingBox', [self]):
            longest = reduce_ops.reduce_max(array_ops.concat([self.row_lengths(), [self._splits[0]]], 0))
            if is_ragged(self._values):
                inner = self._values.bounding_shape()[1:]
            else:
                inner = array_ops.shape(self._values, out_type=self._splits.dtype)[1:]
            sizes = array_ops.concat([[self.nrows()], [longest], inner], 0)
            sizes = sizes if out_type is None else math_ops.cast(sizes, out_type)
            return sizes if axis is None else array_ops.gather(sizes, axis)

    # ---- Others like it ----

    def with_values(self, new_values: Any) -> 'RaggedTensor':
        """Returns the same rows of other values."""
        made = RaggedTensor._made(to_tensor_or_ragged(new_values), self._splits, self._rowids)
        made._length = self._length
        return made

    def with_flat_values(self, new_values: Any) -> 'RaggedTensor':
        """Returns the same rows of other innermost values."""
        inner = self._values.with_flat_values(new_values) if is_ragged(self._values) else new_values
        return self.with_values(inner)

    def with_row_splits_dtype(self, dtype: Any) -> 'RaggedTensor':
        """Returns the same with splits of another type."""
        dtype = dtypes.as_dtype(dtype)
        inner = self._values.with_row_splits_dtype(dtype) if is_ragged(self._values) else self._values
        made = RaggedTensor._made(inner, math_ops.cast(self._splits, dtype))
        made._length = self._length
        return made

    def merge_dims(self, outer_axis: Any, inner_axis: Any) -> Any:
        """Returns the same with one dimension in place of those from |outer_axis| to |inner_axis|."""
        from berth.ops import ragged_shapes

        return ragged_shapes.merged(self, outer_axis, inner_axis)

    def consumers(self) -> list[Any]:
        """Returns the operations that take one of its parts."""
        return [] if scopes.executing_eagerly() else list({c: None for part in self._parts() for c in part.consumers()})

    def to_tensor(self, default_value: Any = None, name: str | None = None, shape: Any = None) -> Any:
        """Returns a tensor with |default_value| behind the ends of rows."""
        from berth.ops import ragged_ops

        with scopes.name_scope(name, 'RaggedToTensor', [self, default_value]):
            return ragged_ops.to_tensor(self, default_value, shape)

    def to_sparse(self, name: str | None = None) -> Any:
        """Returns a SparseTensor of all values."""
        from berth.ops import ragged_ops

        with scopes.name_scope(name, 'RaggedToSparse', [self]):
            return ragged_ops.to_sparse(self)

    def to_list(self) -> list[Any]:
        """Returns nested lists."""
        return [row.to_list() if is_ragged(row) else row.numpy().tolist() for row in self]

    def numpy(self) -> Any:
        """Returns an array; of rows, where their lengths differ."""
        values, splits = self._values.numpy(), np.asarray(self._splits)
        rows = np.split(values, splits[1:-1]) if len(splits) > 1 else []
        if not rows:
            return np.array([], dtype=values.dtype)
        if all(len(row) == len(rows[0]) for row in rows):
            return np.array(rows)
        found = np.empty(len(rows), dtype=object)
        for i, row in enumerate(rows):
            found[i] = row
        return found

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return np.asarray(self.numpy(), dtype=dtype)

    def __iter__(self) -> Iterator[Any]:
        return (self[i] for i in range(int(self.nrows())))

    def __getitem__(self, key: Any) -> Any:
        from berth.ops import ragged_ops

        return ragged_ops.getitem(self, key)

    def __bool__(self) -> bool:
        raise TypeError('RaggedTensor may not be used as a boolean.')

    def __repr__(self) -> str:
        if not hasattr(self._splits, 'numpy'):
            return f'tf.RaggedTensor(values={self._values!s}, row_splits={self._splits!s})'
        with np.printoptions(formatter={'all': _shown}):
            return f'<tf.RaggedTensor {_shown(self.numpy())}>'

    # ---- A value of several tensors ----

    def _parts(self) -> list[Any]:
        return [self.flat_values, *self.nested_row_splits]

    @property
    def _elements(self) -> Any:
        return self.flat_values

    def _with_parts(self, parts: list[Any]) -> Any:
        # Parts may be what stands for tensors, too: nothing is asked of them.
        return self._of_parts(parts, self._row_lengths_known())

    @classmethod
    def _of_parts(cls, parts: list[Any], lengths: list[Any]) -> Any:
        """Makes one of innermost values and splits; |lengths| of rows are None where they may differ."""
        made = parts[0]
        for splits, length in zip(reversed(parts[1:]), reversed(lengths)):
            made = cls._made(made, splits)
            made._length = length
        return made

    def _row_lengths_known(self) -> list[Any]:
        """Returns the length of all rows of each ragged dimension, None where they may differ."""
        return [self._length, *(self._values._row_lengths_known() if is_ragged(self._values) else ())]

    def _kind_note(self) -> Any:
        lengths = self._row_lengths_known()
        return tuple(lengths) if any(length is not None for length in lengths) else None

    def _fetched(self, arrays: list[Any]) -> Any:
        from berth.ops import ragged_ops

        return ragged_ops.RaggedTensorValue.of(arrays[0], arrays[1:])

    def _fed(self, value: Any) -> list[Any]:
        return [value.flat_values, *value.nested_row_splits]

    def _no_tensor_text(self) -> str:
        return "TypeError: object of type 'RaggedTensor' has no len()\n"

    def _apply_op(self, op_type: str, name: Any, args: dict[str, Any], attrs: Any) -> Any:
        from berth.ops import ragged_ops

        return ragged_ops.apply_op(self, op_type, name, args, attrs)


RaggedTensor.__module__ = 'tensorflow.python.ops.ragged.ragged_tensor'  # As texts name it.


def _shown(value: Any) -> str:
    """Returns an array as lists are written."""
    if not isinstance(value, np.ndarray):
        return str(value)
    return np.array2string(value, separator=', ') if value.size else repr(value.tolist())


def _length(values: Any) -> Any:
    return values.nrows() if is_ragged(values) else array_ops.shape(values, out_type=dtypes.int64)[0]


def _uniform(values: Any, axis: int) -> Any:
    sizes = array_ops.shape(values, out_type=dtypes.int64)
    return array_ops.fill([sizes[0]], sizes[axis - 1])


def _check_splits(values: Any, splits: Any) -> None:
    """Raises for splits that are not of |values|."""
    found, count = np.asarray(splits), int(_length(values))
    text = 'Arguments to _from_row_partition do not form a valid RaggedTensor'
    if found.size == 0 or found[0] != 0 or (np.diff(found) < 0).any():
        raise errors.InvalidArgumentError(None, None, f'{text}:monotonic\nCondition x <= y did not hold.'
                                          if found.size and found[0] == 0 else f'{text}:zero')
    if found[-1] != count:
        raise errors.InvalidArgumentError(
            None, None, f'{text}\nCondition x == y did not hold.\nFirst 1 elements of x:\n[{found[-1]}]\nFirst 1 '
            f'elements of y:\n[{count}]')


def _operator(name: str) -> Any:
    """Makes an operator of tensors one of ragged ones."""
    def operator(self: RaggedTensor, *others: Any) -> Any:
        from berth.ops import ragged_ops

        return ragged_ops.with_operator(name, self, *others)

    operator.__name__ = name
    return operator


for _name in ('add', 'sub', 'mul', 'truediv', 'floordiv', 'mod', 'pow', 'and', 'or', 'xor'):
    setattr(RaggedTensor, f'__{_name}__', _operator(f'__{_name}__'))
    setattr(RaggedTensor, f'__r{_name}__', _operator(f'__r{_name}__'))
for _name in ('lt', 'le', 'gt', 'ge', 'eq', 'ne', 'neg', 'abs', 'invert'):
    setattr(RaggedTensor, f'__{_name}__', _operator(f'__{_name}__'))
RaggedTensor.__hash__ = object.__hash__  # type: ignore[method-assign]
