"""ragged_shapes.py - Other shapes of ragged tensors: dimensions that are added, joined and taken away."""

from __future__ import annotations

from typing import Any

from berth.framework import convert, dtypes, errors, gen, scopes
from berth.framework.composite import not_dense
from berth.ops import array_ops, math_ops
from berth.ops.ragged_tensor import RaggedTensor, is_ragged, to_tensor_or_ragged


def axis_of(axis: Any, rank: int, name: str = 'axis') -> int:
    """Returns an axis counted from the front; ValueError for one that there is not."""
    axis = int(axis)
    found = axis + rank if axis < 0 else axis
    if not 0 <= found < rank:
        raise ValueError(f'{name}={axis} out of bounds: expected {-rank}<={name}<{rank}')
    return found


def of_uniform_length(values: Any, length: Any, rows: Any = None) -> RaggedTensor:
    """Makes rows of one length; |rows| says how many, where the length may be 0."""
    values = to_tensor_or_ragged(values)
    kind = values.row_splits.dtype if is_ragged(values) else dtypes.int64
    known = convert.constant_value(convert.convert_to_tensor(length))
    size = math_ops.cast(length, kind)
    count = values.nrows() if is_ragged(values) else array_ops.shape(values, out_type=kind)[0]
    if rows is None:
        rows = 0 if known is not None and int(known) == 0 else math_ops.floordiv(count, size)
    made = RaggedTensor._made(values, math_ops.range(math_ops.cast(rows, kind) + 1) * size)
    made._length = None if known is None else int(known)
    return made


def _count(values: Any) -> Any:
    return values.nrows() if is_ragged(values) else array_ops.shape(values, out_type=dtypes.int64)[0]


def from_uniform_row_length(values: Any, uniform_row_length: Any, nrows: Any, validate: bool, name: Any) -> RaggedTensor:
    """The same, looked at."""
    with scopes.name_scope(name, 'RaggedFromUniformRowLength', [values, uniform_row_length, nrows]):
        made = of_uniform_length(values, uniform_row_length, nrows)
        if validate and scopes.executing_eagerly():
            count, rows, length = (int(v) for v in (_count(made.values), made.nrows(), uniform_row_length))
            if rows * length != count:
                raise ValueError(f'uniform_row_length={length} times nrows={rows} must equal nvals={count}')
        return made


def expanded(ragged: RaggedTensor, axis: Any) -> RaggedTensor:
    """Adds a dimension of size 1."""
    axis = axis_of(axis, ragged.shape.rank + 1)
    if axis > 1:
        return ragged.with_values(array_ops.expand_dims(ragged.values, axis - 1))
    if axis == 1:
        return of_uniform_length(ragged, 1, ragged.nrows())
    known = ragged.shape.as_list()[0]
    return of_uniform_length(ragged, ragged.nrows() if known is None else known, 1)


def squeezed(ragged: Any, axes: list[int]) -> Any:
    """Takes dimensions of size 1 away."""
    if not axes:
        raise ValueError('Ragged.squeeze must have an axis argument.')
    rank = ragged.shape.rank
    for axis in sorted((axis_of(axis, rank) for axis in axes), reverse=True):
        ragged = _without(ragged, axis)
    return ragged


def _without(ragged: Any, axis: int) -> Any:
    if not is_ragged(ragged):
        return array_ops.squeeze(ragged, [axis])
    if axis > 1:
        return ragged.with_values(_without(ragged.values, axis - 1))
    size = ragged.shape.as_list()[axis]
    if size is not None and size != 1:
        raise ValueError(f"Can not squeeze dim[{axis}], expected a dimension of 1, got {size}.")
    return ragged[0] if axis == 0 else ragged.values


def merged(ragged: RaggedTensor, outer: Any, inner: Any) -> Any:
    """Makes one dimension of those from |outer| to |inner|."""
    rank = ragged.shape.rank
    outer, inner = axis_of(outer, rank, 'outer_axis'), axis_of(inner, rank, 'inner_axis')
    if outer > inner:
        raise ValueError(f'Expected outer_axis ({outer}) to be less than or equal to inner_axis ({inner}).')
    return ragged if outer == inner else _merged(ragged, outer, inner)


def _merged(ragged: Any, outer: int, inner: int) -> Any:
    if not is_ragged(ragged):
        sizes = array_ops.shape(ragged)
        return array_ops.reshape(ragged, array_ops.concat([sizes[:outer], [-1], sizes[inner + 1:]], 0))
    if outer > 1:
        return ragged.with_values(_merged(ragged.values, outer - 1, inner - 1))
    if outer == 0:
        return ragged.values if inner == 1 else _merged(ragged.values, 0, inner - 1)
    # Rows of rows become one row: it ends where the last of them does.
    values, splits = ragged.values, ragged.row_splits
    for _ in range(inner - 1):
        if is_ragged(values):
            values, splits = values.values, array_ops.gather(values.row_splits, splits)
        else:
            sizes = array_ops.shape(values)
            splits = splits * math_ops.cast(sizes[1], splits.dtype)
            values = array_ops.reshape(values, array_ops.concat([[-1], sizes[2:]], 0))
    return RaggedTensor._made(values, splits)


def concat(values: Any, axis: Any) -> Any:
    """Joins ragged tensors, or some of them and tensors, along an axis."""
    ranks = [v.shape.rank for v in values if is_ragged(v)]
    return _concat([_as_ragged(v) for v in values], axis_of(axis, ranks[0]))


def _as_ragged(value: Any) -> Any:
    if is_ragged(value):
        return value
    from berth.ops import ragged_ops

    return ragged_ops.constant(value) if isinstance(value, (list, tuple)) else RaggedTensor.from_tensor(value)


def _concat(parts: list[Any], axis: int) -> Any:
    if not any(map(is_ragged, parts)):
        return array_ops.concat(parts, axis)
    parts = [_as_ragged(part) for part in parts]
    if axis == 0:
        return RaggedTensor.from_row_lengths(
            _concat([p.values for p in parts], 0), array_ops.concat([p.row_lengths() for p in parts], 0), validate=False)
    _check_rows(parts)
    if axis > 1:
        return parts[0].with_values(_concat([p.values for p in parts], axis - 1))
    return _rows_joined(parts)


def _check_rows(parts: list[Any]) -> None:
    """Raises, where that is known, for tensors that have not the same number of rows."""
    if not scopes.executing_eagerly():
        return
    first = int(parts[0].nrows())
    for i, part in enumerate(parts):
        if int(part.nrows()) != first:
            raise errors.InvalidArgumentError(
                None, None, f'Input tensors at index 0 (=x) and {i} (=y) have incompatible shapes.\nCondition x == y did '
                f'not hold.\nFirst 1 elements of x:\n[{first}]\nFirst 1 elements of y:\n[{int(part.nrows())}]')


def _rows_joined(parts: list[Any]) -> RaggedTensor:
    """Puts the rows of each tensor behind those of the one before."""
    from berth.ops import ragged_calls, ragged_ops

    kind = parts[0].row_splits.dtype
    splits, offset = [], math_ops.cast(0, kind)
    for part in parts:
        own = math_ops.cast(part.row_splits, kind)
        splits.append(own + offset)
        offset = offset + own[-1]
    starts = array_ops.reshape(array_ops.stack([s[:-1] for s in splits], axis=1), [-1])
    limits = array_ops.reshape(array_ops.stack([s[1:] for s in splits], axis=1), [-1])
    places = ragged_ops.ranges(starts, limits, row_splits_dtype=kind).values
    joined = ragged_calls.picked(_concat([p.values for p in parts], 0), places)
    return RaggedTensor._made(joined, math_ops.add_n([math_ops.cast(p.row_splits, kind) for p in parts]))


def stack(values: Any, axis: int = 0, name: str | None = None) -> Any:
    """Joins tensors whose rows may differ along a new dimension."""
    values = [values] if is_ragged(values) else list(values)
    with scopes.name_scope(name, 'RaggedConcat', values):
        parts = [_as_ragged(v) if isinstance(v, (list, tuple)) and v and isinstance(v[0], (list, tuple))
                 else to_tensor_or_ragged(v) for v in values]
        rank = parts[0].shape.rank
        axis = axis_of(axis, rank + 1)
        if axis == 0:
            inner = _concat(parts, 0) if rank else array_ops.stack(parts)
            lengths = [p.nrows() if is_ragged(p) else array_ops.shape(p, out_type=dtypes.int64)[0] for p in parts]
            return RaggedTensor.from_row_lengths(inner, array_ops.stack(lengths), validate=False)
        parts = [_as_ragged(p) for p in parts]
        return _concat([expanded(p, axis) for p in parts], axis)


def parted(ragged: RaggedTensor, sizes: Any, axis: Any, count: int) -> list[Any]:
    """Returns |count| parts of the rows; |sizes| may be None, for parts that are equal."""
    axis = axis_of(axis, ragged.shape.rank)
    if axis or not scopes.executing_eagerly():
        raise NotImplementedError('tf.split: Berth takes the rows of ragged tensors apart where ops run at once.')
    rows = int(ragged.nrows())
    each = [rows // count] * count if sizes is None else [int(size) for size in convert.constant_value(sizes)]
    if sum(each) != rows:
        raise errors.InvalidArgumentError(
            None, None, 'Cannot exactly split the `axis` dimension of `value` with the given `num_or_size_split`.\n'
            f'Condition x == y did not hold.\nFirst 1 elements of x:\n[{rows}]\nFirst 1 elements of y:\n[{sum(each)}]')
    ends = [sum(each[:i]) for i in range(len(each) + 1)]
    return [ragged[begin:end] for begin, end in zip(ends, ends[1:])]


def stack_dynamic_partitions(data: Any, partitions: Any, num_partitions: Any, name: str | None = None) -> RaggedTensor:
    """Makes a row of each partition of |data|."""
    with scopes.name_scope(name, 'SegmentStack', [data, partitions, num_partitions]):
        if is_ragged(partitions) or isinstance(partitions, (list, tuple)) and any(map(is_ragged, partitions)):
            raise not_dense(partitions)
        data, partitions = convert.convert_to_tensor(data), convert.convert_to_tensor(partitions)
        rank = partitions.shape.rank
        if rank is None:
            raise ValueError('partitions must have known rank.')
        if rank > 1:
            data = array_ops.reshape(data, array_ops.concat([[-1], array_ops.shape(data)[rank:]], 0))
            partitions = array_ops.reshape(partitions, [-1])
        count = math_ops.cast(num_partitions, partitions.dtype)
        order = gen.apply('TopKV2', None, {'input': -math_ops.cast(partitions, dtypes.int32),
                                           'k': array_ops.size(partitions)}, {'sorted': True})[1]
        return RaggedTensor.from_value_rowids(array_ops.gather(data, order), array_ops.gather(partitions, order), count)


def placeholder(dtype: Any, ragged_rank: int, value_shape: Any = None, name: str | None = None) -> Any:
    """Makes a ragged tensor that is fed."""
    if ragged_rank == 0:
        return array_ops.placeholder(dtype, value_shape, name)
    with scopes.name_scope(name, 'RaggedPlaceholder', []):
        from berth.framework.tensor_shape import TensorShape

        made = array_ops.placeholder(dtype, TensorShape([None]).concatenate(value_shape), 'flat_values')
        for i in reversed(range(ragged_rank)):
            made = RaggedTensor._made(made, array_ops.placeholder(dtypes.int64, [None], f'row_splits_{i}'))
        return made
