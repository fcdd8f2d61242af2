"""ragged_ops.py - What can be done with ragged tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from berth import _core as core
from berth.base import naming
from berth.framework import convert, dtypes, errors, gen, scopes
from berth.framework.composite import not_dense
from berth.framework.tensor_shape import TensorShape
from berth.framework.trace_type import TypeSpec
from berth.ops import array_ops, math_ops, ragged_shapes, reduce_ops
from berth.ops.ragged_tensor import RaggedTensor, is_ragged, to_tensor_or_ragged

# Ops that do the same with every element.
_ELEMENTWISE = frozenset('''
    Abs Add AddV2 Acos Acosh Asin Asinh Atan Atan2 Atanh BitwiseAnd BitwiseOr BitwiseXor Cast Ceil Cos Cosh
    DecodeBase64 Digamma Div DivNoNan Elu EncodeBase64 Equal Erf Erfc Exp Expm1 Floor FloorDiv FloorMod Greater
    GreaterEqual Identity Invert IsFinite IsInf IsNan LeakyRelu LeftShift Less LessEqual Lgamma Log Log1p
    LogicalAnd LogicalNot LogicalOr Maximum Minimum Mod Mul MulNoNan Neg NotEqual OnesLike Pow RealDiv Reciprocal
    RegexFullMatch RegexReplace Relu Relu6 RightShift Rint Round Rsqrt Selu Sigmoid Sign Sin Sinh Softplus Softsign
    Sqrt Square SquaredDifference StaticRegexFullMatch StaticRegexReplace StringJoin StringLength StringLower
    StringStrip StringToHashBucket StringToHashBucketFast StringToHashBucketStrong StringToNumber StringUpper Sub
    Substr Tan Tanh TruncateDiv TruncateMod UnicodeTranscode Xdivy Xlogy ZerosLike AsString SelectV2
    Angle CheckNumerics ComplexAbs Conj Erfinv Imag Ndtri NextAfter PopulationCount PreventGradient Real StopGradient
    UnicodeScript Xlog1py ClipByValue
'''.split())
_REDUCTIONS = {'Sum': 0, 'Mean': 0, 'Prod': 1, 'Max': None, 'Min': None, 'All': True, 'Any': False}


def apply_op(ragged: RaggedTensor, op_type: str, name: Any, args: dict[str, Any], attrs: Any) -> Any:
    """Does what an op does; an error for ops that are not for ragged tensors."""
    if op_type in _ELEMENTWISE:
        return _elementwise(op_type, name, args, attrs)
    if op_type in _REDUCTIONS:
        return reduced(op_type, args['input'], args['reduction_indices'], bool((attrs or {}).get('keep_dims')))
    if op_type == 'ConcatV2':
        return ragged_shapes.concat(args['values'], args['axis'])
    if op_type == 'Tile':
        multiples = convert.constant_value(convert.convert_to_tensor(args['multiples']))
        if multiples is not None and len(multiples) == ragged.shape.rank:
            return _tiled(ragged, [int(count) for count in multiples])
    if op_type == 'Size' and not is_ragged(args['input'].values):
        return gen.apply(op_type, name, {'input': args['input'].values}, attrs)
    from berth.ops import ragged_calls

    done = ragged_calls.call(op_type, name, args, attrs)
    if done is None:
        raise not_dense(ragged)
    return done


def _tiled(ragged: Any, multiples: list[int]) -> Any:
    """Repeats rows, and what is in each."""
    if not is_ragged(ragged):
        return array_ops.tile(ragged, multiples)
    if any(count != 1 for count in multiples[2:]):
        ragged = ragged.with_values(_tiled(ragged.values, [1, *multiples[2:]]))
    for axis in (1, 0):
        if multiples[axis] > 1:
            ragged = ragged_shapes.concat([ragged] * multiples[axis], axis)
        elif multiples[axis] < 1:
            ragged = ragged[:0] if axis == 0 else ragged[:, :0]
    return ragged


def _same_rows(values: list[RaggedTensor]) -> None:
    """Raises for tensors whose rows have different lengths, where that is known, or splits of different types."""
    if len({value.row_splits.dtype for value in values}) > 1:
        raise ValueError('Input RaggedTensors have mismatched row_splits dtypes; use RaggedTensor.with_row_splits_dtype() '
                         'to convert them to compatible dtypes.')
    if not scopes.executing_eagerly():
        return
    first = [np.asarray(splits) for splits in values[0].nested_row_splits]
    for other in values[1:]:
        for own, splits in zip(first, other.nested_row_splits):
            _check_same(own, np.asarray(splits))
        if len(first) != other.ragged_rank:
            raise errors.InvalidArgumentError(None, None, _ROWS_DIFFER)


# What TensorFlow says of tensors that have not the same number of rows.
_ROWS_DIFFER = 'Condition x == y did not hold.\nFirst 1 elements of x:\n[False]\nFirst 1 elements of y:\n[ True]'


def _check_same(x: Any, y: Any) -> None:
    """Raises for row splits that are not the same."""
    if len(x) != len(y):
        raise errors.InvalidArgumentError(None, None, _ROWS_DIFFER)
    places = np.flatnonzero(x != y)[:3]
    if places.size:
        raise errors.InvalidArgumentError(
            None, None, f'Condition x == y did not hold.\nIndices of first {len(places)} different values:\n'
            f'{places[:, None]}\nCorresponding x values:\n{x[places]}\nCorresponding y values:\n{y[places]}\n'
            f'First {len(x[:3])} elements of x:\n{x[:3]}\nFirst {len(y[:3])} elements of y:\n{y[:3]}')


def _flat(value: Any, ragged: RaggedTensor) -> Any:
    """Returns what stands for |value| beside the innermost values of |ragged|."""
    if is_ragged(value):
        return value.flat_values
    if isinstance(value, (list, tuple)) and any(map(is_ragged, value)):
        return [_flat(item, ragged) for item in value]
    if isinstance(value, (list, tuple, np.ndarray)):
        value = convert.convert_to_tensor(value, dtype_hint=ragged.dtype)
    rank = getattr(getattr(value, 'shape', None), 'rank', None)
    if not rank or rank < ragged.flat_values.shape.rank:
        return value
    return _repeated(value, ragged)


def _repeated(value: Any, ragged: RaggedTensor) -> Any:
    """Returns a dense |value| repeated along the ragged dimensions, where it has one element."""
    sizes = [1] * (ragged.shape.rank - value.shape.rank) + value.shape.as_list()
    ones = sizes[1:ragged.ragged_rank + 1]
    if len(sizes) > ragged.shape.rank or any(size != 1 for size in ones):
        return _beside_uniform(value, sizes, ragged)
    inner = [-1 if size is None else size for size in sizes[ragged.ragged_rank + 1:]]
    value = array_ops.reshape(value, [1 if sizes[0] == 1 else -1, *inner])
    if sizes[0] == 1:
        return value
    if scopes.executing_eagerly() and int(ragged.nrows()) != int(array_ops.shape(value)[0]):
        raise errors.InvalidArgumentError(None, None, _ROWS_DIFFER)
    for rowids in ragged.nested_value_rowids():
        value = array_ops.gather(value, rowids)
    return value


def _beside_uniform(value: Any, sizes: list[Any], ragged: RaggedTensor) -> Any:
    """Returns the elements of a dense |value| as they lie beside rows that are of its length."""
    is_known = scopes.executing_eagerly() and ragged.ragged_rank == 1 and len(sizes) == 2
    if is_known and sizes[1] != 1:
        splits = np.asarray(ragged.row_splits)
        _check_same(np.arange(len(splits), dtype=splits.dtype) * sizes[1], splits)
    if not is_known or sizes[0] != len(splits) - 1:
        raise NotImplementedError('Berth repeats tensors along ragged dimensions where they have one element: not of '
                                  f'the shape {value.shape} beside {ragged.shape}.')
    return array_ops.reshape(value, [-1])


def _elementwise(op_type: str, name: Any, args: dict[str, Any], attrs: Any) -> Any:
    found = [v for value in args.values() for v in (value if isinstance(value, (list, tuple)) else [value])
             if is_ragged(v)]
    _same_rows(found)
    inner = {key: _flat(value, found[0]) for key, value in args.items()}
    return found[0].with_flat_values(gen.apply(op_type, name, inner, attrs))


def with_operator(name: str, ragged: RaggedTensor, *others: Any) -> Any:
    """Calls an operator of tensors with innermost values."""
    tensors = [ragged] + [o for o in others if is_ragged(o)]
    _same_rows(tensors)
    inner = [_flat(o, ragged) for o in others]
    return ragged.with_flat_values(getattr(ragged.flat_values, name)(*inner))


def map_flat_values(op: Any, *args: Any, **kwargs: Any) -> Any:
    """Calls |op| with the innermost values of ragged arguments."""
    found = [a for a in (*args, *kwargs.values()) if is_ragged(a)]
    if not found:
        return op(*args, **kwargs)
    _same_rows(found)
    inner = [a.flat_values if is_ragged(a) else a for a in args]
    named = {k: a.flat_values if is_ragged(a) else a for k, a in kwargs.items()}
    return found[0].with_flat_values(op(*inner, **named))


# ---- Reductions ----

def _empty(op: str, dtype: Any) -> Any:
    """Returns what does not change a reduction."""
    neutral = _REDUCTIONS[op]
    if neutral is None:
        neutral = dtype.min if op == 'Max' else dtype.max
    return convert.constant(neutral, dtype)


# Reductions of which there are segments, too.
_SEGMENTS = ('Max', 'Min', 'Prod', 'Sum')


def reduced(op: str, ragged: RaggedTensor, axis: Any, keepdims: bool) -> Any:
    """Reduces over an axis; None is all of them."""
    if axis is None:
        return gen.apply(op, None, {'input': ragged.flat_values, 'reduction_indices': list(
            range(ragged.flat_values.shape.rank))}, {'keep_dims': False})
    known = convert.constant_value(convert.convert_to_tensor(axis))
    if known is None:
        raise NotImplementedError('Berth reduces ragged tensors over axes that are known where the graph is built.')
    rank = ragged.shape.rank
    axes = sorted({ragged_shapes.axis_of(a, rank) for a in np.asarray(known).reshape(-1)}, reverse=True)
    if len(axes) != 1 or keepdims:
        return _over_axes(op, ragged, axes, keepdims)
    axis = axes[0]
    if axis > 1:
        inner = ragged.values
        done = reduced(op, inner, axis - 1, False) if is_ragged(inner) else gen.apply(
            op, None, {'input': inner, 'reduction_indices': [axis - 1]}, {'keep_dims': False})
        return ragged.with_values(done)
    return _over_rows(op, ragged, int(axis))


def _over_axes(op: str, ragged: RaggedTensor, axes: list[int], keepdims: bool) -> Any:
    """Reduces over several axes, the last first."""
    if op == 'Mean' and len(axes) > 1:
        total = _over_axes('Sum', ragged, axes, keepdims)
        ones = ragged.with_flat_values(array_ops.ones_like(ragged.flat_values))
        return math_ops.divide(total, _over_axes('Sum', ones, axes, keepdims))
    found: Any = ragged
    for axis in axes:
        found = reduced(op, found, axis, False) if is_ragged(found) else gen.apply(
            op, None, {'input': found, 'reduction_indices': [axis]}, {'keep_dims': False})
    for axis in reversed(axes) if keepdims else ():
        found = array_ops.expand_dims(found, axis)
    return found


def _over_rows(op: str, ragged: RaggedTensor, axis: int) -> Any:
    """Reduces over one of the first two axes."""
    if is_ragged(ragged.values):
        return _over_ragged_rows(op, ragged, axis)
    if op in _SEGMENTS:
        if axis == 1:
            rows, count = ragged.value_rowids(), ragged.nrows()
        else:
            rows, count = _columns(ragged), math_ops.maximum(reduce_ops.reduce_max(ragged.row_lengths()), 0)
        return gen.apply('UnsortedSegment' + op, None, {'data': ragged.values, 'segment_ids': rows, 'num_segments': count})
    if op != 'Mean':
        dense = to_tensor(ragged, _empty(op, ragged.dtype), None)
        return gen.apply(op, None, {'input': dense, 'reduction_indices': [axis]}, {'keep_dims': False})
    total = _over_rows('Sum', ragged, axis)
    count = _over_rows('Sum', ragged.with_values(array_ops.ones_like(ragged.values)), axis)
    return math_ops.divide(total, count)


def _over_ragged_rows(op: str, ragged: RaggedTensor, axis: int) -> Any:
    """The same, where what stands in rows is ragged."""
    if axis == 1:
        keys, count = ragged.value_rowids(), ragged.nrows()
    else:
        keys, count = _columns(ragged), math_ops.maximum(reduce_ops.reduce_max(ragged.row_lengths()), 0)
    return by_key(op, ragged.values, keys, count)


def by_key(op: str, ragged: RaggedTensor, keys: Any, count: Any) -> Any:
    """Reduces the rows that have the same key, element by element; a row of the result is as long as the longest."""
    if is_ragged(ragged.values):
        raise NotImplementedError('Berth reduces rows of ragged tensors whose elements are not ragged themselves.')
    if op == 'Mean':
        ones = ragged.with_values(array_ops.ones_like(ragged.values))
        return math_ops.divide(by_key('Sum', ragged, keys, count), by_key('Sum', ones, keys, count))
    if op in ('All', 'Any'):
        number = ragged.with_values(math_ops.cast(ragged.values, dtypes.int32))
        return math_ops.cast(by_key('Min' if op == 'All' else 'Max', number, keys, count), dtypes.bool)
    longest = gen.apply('UnsortedSegmentMax', None, {'data': ragged.row_lengths(), 'segment_ids': keys, 'num_segments': count})
    longest = math_ops.maximum(longest, 0)
    limits = math_ops.cumsum(longest)
    places = array_ops.gather(array_ops.gather(limits - longest, keys), ragged.value_rowids()) + _columns(ragged)
    made = gen.apply('UnsortedSegment' + op, None, {
        'data': ragged.values, 'segment_ids': places, 'num_segments': reduce_ops.reduce_sum(longest)})
    return RaggedTensor.from_row_lengths(made, longest, validate=False)


# ---- Shapes ----

def from_tensor(tensor: Any, lengths: Any, padding: Any, ragged_rank: int, splits_type: Any) -> RaggedTensor:
    """Cuts the rows of a tensor."""
    tensor = convert.convert_to_tensor(tensor)
    if lengths is not None and padding is not None:
        raise ValueError('Specify argument `lengths` or `padding`, but not both.')
    if tensor.shape.rank is None or tensor.shape.rank < 2:
        raise ValueError(f'tensor.shape.rank must be greater than ragged_rank; got tensor of rank '
                         f'{tensor.shape.rank} and ragged_rank {ragged_rank}')
    sizes = array_ops.shape(tensor, out_type=splits_type)
    if ragged_rank > 1:
        flat = array_ops.reshape(tensor, array_ops.concat([[sizes[0] * sizes[1]], sizes[2:]], 0))
        inner: Any = from_tensor(flat, None, None, ragged_rank - 1, splits_type)
        return RaggedTensor._made(inner, math_ops.range(sizes[0] + 1) * sizes[1])
    flat = array_ops.reshape(tensor, array_ops.concat([[sizes[0] * sizes[1]], sizes[2:]], 0))
    if lengths is None and padding is None:
        return RaggedTensor._made(flat, math_ops.range(sizes[0] + 1) * sizes[1])
    places = math_ops.range(sizes[1])
    if padding is not None:
        differs = math_ops.not_equal(tensor, math_ops.cast(padding, tensor.dtype))
        lengths = reduce_ops.reduce_max(array_ops.where_v2(
            differs, places + 1, array_ops.zeros_like(places)), axis=1)
    lengths = math_ops.cast(lengths, splits_type)
    kept = math_ops.less(array_ops.expand_dims(places, 0), array_ops.expand_dims(lengths, 1))
    chosen = array_ops.reshape(array_ops.where_v2(array_ops.reshape(kept, [-1])), [-1])
    return RaggedTensor.from_row_lengths(array_ops.gather(flat, chosen), lengths)


def _columns(ragged: RaggedTensor) -> Any:
    """Returns the place of each value in its row."""
    rowids = ragged.value_rowids()
    count = array_ops.shape(rowids, out_type=rowids.dtype)[0]
    return math_ops.range(count) - array_ops.gather(ragged.row_splits, rowids)


def to_tensor(ragged: RaggedTensor, default_value: Any, shape: Any) -> Any:
    """Makes a tensor with a value behind the ends of rows."""
    wanted = TensorShape(shape)
    values, splits = ragged, []
    while is_ragged(values):
        splits.append(values.row_splits)
        values = values.values
    if default_value is None:
        default_value = array_ops.zeros([], ragged.dtype)
    args = {'shape': -1 if wanted.rank is None else [-1 if size is None else size for size in wanted.as_list()],
            'values': values, 'default_value': default_value, 'row_partition_tensors': splits}
    args['shape'] = convert.constant(args['shape'], dtypes.int64)
    return gen.apply('RaggedTensorToTensor', None, args, {'row_partition_types': ['ROW_SPLITS'] * len(splits)})


def to_sparse(ragged: RaggedTensor) -> Any:
    """Makes a SparseTensor of all values."""
    from berth.ops.sparse_tensor import SparseTensor

    sizes = math_ops.cast(ragged.bounding_shape(), dtypes.int64)
    if is_ragged(ragged.values):
        inner = to_sparse(ragged.values)
        outer = inner.indices[:, 0]
        rows = math_ops.cast(array_ops.gather(ragged.value_rowids(), outer), dtypes.int64)
        columns = math_ops.cast(array_ops.gather(_columns(ragged), outer), dtypes.int64)
        places = array_ops.concat([array_ops.stack([rows, columns], axis=1), inner.indices[:, 1:]], 1)
        return SparseTensor(places, inner.values, sizes)
    if ragged.values.shape.rank != 1:
        raise NotImplementedError('RaggedTensor.to_sparse: Berth has it for values that are numbers.')
    places = array_ops.stack([ragged.value_rowids(), _columns(ragged)], axis=1)
    return SparseTensor(math_ops.cast(places, dtypes.int64), ragged.values, sizes)


# Types of ranges: of several the last is that of all.
_RANGED = (dtypes.int32, dtypes.int64, dtypes.float32, dtypes.float64)


def ranges(starts: Any, limits: Any = None, deltas: Any = 1, dtype: Any = None, name: str | None = None,
           row_splits_dtype: Any = dtypes.int64) -> RaggedTensor:
    """Makes a row of numbers at equal distances for each start and limit."""
    if limits is None:
        starts, limits = 0, starts
    with scopes.name_scope(name, 'RaggedRange', [starts, limits, deltas]):
        ends = [convert.convert_to_tensor(value, dtype) for value in (starts, limits, deltas)]
        if dtype is None:
            kind = max((end.dtype for end in ends), key=_RANGED.index)
            ends = [math_ops.cast(end, kind) for end in ends]
        splits, values = gen.apply('RaggedRange', None, dict(zip(('starts', 'limits', 'deltas'), ends)),
                                   {'Tsplits': dtypes.as_dtype(row_splits_dtype)})
        return RaggedTensor._made(values, splits)


def boolean_mask(data: Any, mask: Any, name: str | None = None) -> Any:
    """Keeps the elements of rows where |mask| is True."""
    with scopes.name_scope(name, 'RaggedMask', [data, mask]):
        mask = to_tensor_or_ragged(mask if not isinstance(mask, (list, tuple)) else constant(mask)
                                   if _depth(mask) > 1 else mask, dtypes.bool)
        if not is_ragged(mask) and mask.shape.rank == 1:
            return array_ops.gather(data, array_ops.reshape(array_ops.where_v2(mask), [-1]))
        mask = mask if is_ragged(mask) else RaggedTensor.from_tensor(mask)
        data = data if is_ragged(data) else constant(data) if isinstance(data, (list, tuple)) else RaggedTensor.from_tensor(data)
        kept = array_ops.reshape(array_ops.where_v2(mask.values), [-1])
        lengths = reduced('Sum', mask.with_values(math_ops.cast(mask.values, dtypes.int64)), 1, False)
        return RaggedTensor.from_row_lengths(array_ops.gather(data.values, kept), lengths)


def row_splits_to_segment_ids(splits: Any, name: str | None = None, out_type: Any = None) -> Any:
    """Returns the number of the row that each value belongs to."""
    splits = convert.convert_to_tensor(splits, dtype_hint=dtypes.int64)
    ids = RaggedTensor._made(math_ops.range(splits[-1]), splits).value_rowids()
    return ids if out_type is None else math_ops.cast(ids, out_type)


def segment_ids_to_row_splits(segment_ids: Any, num_segments: Any = None, out_type: Any = None,
                              name: str | None = None) -> Any:
    """Returns where rows begin, and where the last ends."""
    ids = convert.convert_to_tensor(segment_ids, dtype_hint=dtypes.int64)
    splits = RaggedTensor.from_value_rowids(ids, ids, num_segments).row_splits
    return splits if out_type is None else math_ops.cast(splits, out_type)


# ---- Parts ----

def getitem(ragged: RaggedTensor, key: Any) -> Any:
    """Returns a row, some rows, or parts of rows."""
    keys = _spelled(key if isinstance(key, (tuple, list)) else (key,), ragged.shape.rank)
    if not keys:
        return ragged
    first, rest = keys[0], keys[1:]
    if first is None:
        return ragged_shapes.expanded(ragged[rest], 0)
    if isinstance(first, slice):
        rows = _rows(ragged, first)
        return rows if not rest else _inner(rows, rest)
    splits = ragged.row_splits
    if not isinstance(first, (int, np.integer)) and getattr(first, 'dtype', None) not in (dtypes.int32, dtypes.int64):
        raise TypeError('Only integers, slices (`:`), ellipsis (`...`), tf.newaxis (`None`) and scalar tf.int32/tf.int64 '
                        f'tensors are valid indices, got {first!r}')
    place = first if not isinstance(first, (int, np.integer)) or first >= 0 else first + int(ragged.nrows())
    if scopes.executing_eagerly() and not 0 <= int(place) < int(ragged.nrows()):
        raise IndexError(f'Row key {first} out of bounds')
    row = ragged.values[splits[place]:splits[place + 1]]
    return row if not rest else row[rest]


def _spelled(keys: Any, rank: int) -> tuple[Any, ...]:
    """Returns keys with what an ellipsis stands for in its place."""
    places = [i for i, key in enumerate(keys) if key is Ellipsis]
    if not places:
        return tuple(keys)
    if len(places) > 1:
        raise ValueError('Only one ellipsis ("...") is allowed in a slice key.')
    missing = rank - sum(key is not None and key is not Ellipsis for key in keys)
    return (*keys[:places[0]], *[slice(None)] * max(0, missing), *keys[places[0] + 1:])


def _rows(ragged: RaggedTensor, part: slice) -> RaggedTensor:
    """Returns some rows."""
    if part == slice(None):
        return ragged
    if part.step in (None, 1):
        splits = ragged.row_splits
        begin, end = _limits(part, ragged.nrows())
        kept = splits[begin:end + 1]
        return RaggedTensor._made(ragged.values[kept[0]:kept[-1]], kept - kept[0])
    order = np.arange(*part.indices(int(ragged.nrows())))
    from berth.ops import ragged_calls

    return ragged_calls.picked(ragged, order)


def _limits(part: slice, count: Any) -> tuple[Any, Any]:
    """Returns the first of |count| rows that is in |part|, and the one behind the last."""
    if scopes.executing_eagerly():
        begin, end, _ = part.indices(int(count))
        return begin, max(begin, end)
    begin = _limit(0 if part.start is None else part.start, count)
    return begin, math_ops.maximum(begin, _limit(count if part.stop is None else part.stop, count))


def _limit(place: Any, count: Any) -> Any:
    """Returns where rows begin or end: |place|, from the end if it is negative, and within |count|."""
    place = math_ops.cast(place, count.dtype)
    place = array_ops.where_v2(place < 0, math_ops.maximum(place + count, 0), place)
    return math_ops.minimum(place, count)


def _inner(ragged: RaggedTensor, keys: tuple[Any, ...]) -> Any:
    """Returns the same part of each row."""
    first, rest = keys[0], keys[1:]
    if first is None:
        return ragged_shapes.expanded(_inner(ragged, rest) if rest else ragged, 1)
    if not isinstance(first, slice) and ragged.uniform_row_length is None:
        raise ValueError('Cannot index into an inner ragged dimension.')
    if isinstance(first, slice) and first == slice(None):
        inner = ragged.values[(slice(None), *rest)] if rest else ragged.values
        return ragged.with_values(inner)
    if isinstance(first, slice):
        rows = _inner_slice(ragged, first)
        return rows if not rest else rows.with_values(rows.values[(slice(None), *rest)])
    # All rows are of one length.
    found = array_ops.gather(ragged.row_splits[:-1], math_ops.range(ragged.nrows())) + first
    if first < 0:
        found = found + ragged.uniform_row_length
    from berth.ops import ragged_calls

    row = ragged_calls.picked(ragged.values, found)
    return row if not rest else row[(slice(None), *rest)]


def _inner_slice(ragged: RaggedTensor, part: slice) -> RaggedTensor:
    """Returns the same part of each row."""
    from berth.ops import ragged_calls

    splits, lengths = ragged.row_splits, ragged.row_lengths()
    step = 1 if part.step is None else int(part.step)
    if step < 1:
        raise NotImplementedError('Berth takes parts of the rows of ragged tensors forwards.')
    begin = array_ops.zeros_like(lengths) if part.start is None else _limit(part.start, lengths)
    end = lengths if part.stop is None else math_ops.maximum(begin, _limit(part.stop, lengths))
    places = ranges(splits[:-1] + begin, splits[:-1] + end, math_ops.cast(step, splits.dtype), row_splits_dtype=splits.dtype)
    return RaggedTensor._made(ragged_calls.picked(ragged.values, places.values), places.row_splits)


# ---- Constants and values ----

def _depth(value: Any) -> int:
    """Returns how many lists stand around the elements of |value|."""
    if not isinstance(value, (list, tuple, np.ndarray)):
        return 0
    return 1 + max((_depth(item) for item in value), default=0)


def constant(pylist: Any, dtype: Any = None, ragged_rank: int | None = None, inner_shape: Any = None,
             name: str | None = None, row_splits_dtype: Any = dtypes.int64) -> Any:
    """Makes a ragged tensor of nested lists."""
    with scopes.name_scope(name, 'RaggedConstant'):
        depth = _depth(pylist)
        if depth == 0:
            if ragged_rank:
                raise ValueError(f'Invalid pylist={pylist}: incompatible with ragged_rank={ragged_rank}')
            return convert.constant(pylist, dtype)
        rank = ragged_rank if ragged_rank is not None else depth - 1 - (len(inner_shape) if inner_shape else 0)
        rank = max(rank, 0)
        splits = []
        level = list(pylist)
        for _ in range(rank):
            for item in level:
                if not isinstance(item, (list, tuple, np.ndarray)):
                    raise ValueError('all scalar values must have the same nesting depth')
            splits.append(np.cumsum([0] + [len(item) for item in level]))
            level = [inner for item in level for inner in item]
        kind = dtypes.as_dtype(dtype) if dtype is not None else dtypes.float32 if not level else None
        if rank and any(_depth(item) != _depth(level[0]) for item in level):
            raise ValueError('all scalar values must have the same nesting depth')
        values = convert.constant(level, kind)
        if inner_shape:
            values = array_ops.reshape(values, [-1, *inner_shape])
        number = dtypes.as_dtype(row_splits_dtype).as_numpy_dtype
        return RaggedTensor.from_nested_row_splits(values, [s.astype(number) for s in splits], validate=False)


@naming.public('ops.ragged.ragged_tensor_value')
class RaggedTensorValue:
    """What a session gives for a ragged tensor: arrays."""

    def __init__(self, values: Any, row_splits: Any) -> None:
        self.values, self.row_splits = values, row_splits

    @classmethod
    def of(cls, flat_values: Any, nested_row_splits: list[Any]) -> Any:
        """Makes one of innermost values and all splits, outermost first."""
        result = flat_values
        for splits in reversed(nested_row_splits):
            result = cls(result, splits)
        return result

    @property
    def dtype(self) -> Any:
        """The type of the elements."""
        return self.values.dtype

    @property
    def flat_values(self) -> Any:
        """The innermost values."""
        return self.values.flat_values if isinstance(self.values, RaggedTensorValue) else self.values

    @property
    def nested_row_splits(self) -> tuple[Any, ...]:
        """The splits of all ragged dimensions, outermost first."""
        inner = self.values.nested_row_splits if isinstance(self.values, RaggedTensorValue) else ()
        return (self.row_splits, *inner)

    @property
    def ragged_rank(self) -> int:
        """How many dimensions are ragged."""
        return len(self.nested_row_splits)

    @property
    def shape(self) -> tuple[Any, ...]:
        """The shape, None where it is ragged."""
        return (len(self.row_splits) - 1, None, *self.values.shape[1:])

    def to_list(self) -> list[Any]:
        """Returns nested lists."""
        inner = self.values.to_list() if isinstance(self.values, RaggedTensorValue) else self.values.tolist()
        return [inner[begin:end] for begin, end in zip(self.row_splits, self.row_splits[1:])]

    def __str__(self) -> str:
        return f'<tf.RaggedTensorValue {self.to_list()}>'

    def __repr__(self) -> str:
        return f'tf.RaggedTensorValue(values={self.values!r}, row_splits={self.row_splits!r})'


@naming.public('ops.ragged.ragged_tensor')
class RaggedTensorSpec(TypeSpec):
    """What is known of a RaggedTensor."""

    __slots__ = ('_shape', '_dtype', '_ragged_rank', '_row_splits_dtype')

    def __init__(self, shape: Any = None, dtype: Any = dtypes.float32, ragged_rank: Any = None,
                 row_splits_dtype: Any = dtypes.int64, flat_values_spec: Any = None) -> None:
        self._shape, self._dtype = TensorShape(shape), dtypes.as_dtype(dtype)
        rank = self._shape.rank
        self._ragged_rank = ragged_rank if ragged_rank is not None else (rank - 1 if rank is not None else None)
        if self._ragged_rank is None:
            raise ValueError('Must specify ragged_rank or a shape with a known rank.')
        self._row_splits_dtype = dtypes.as_dtype(row_splits_dtype)

    @property
    def value_type(self) -> Any:
        """The class of the values."""
        return RaggedTensor

    shape = property(lambda self: self._shape)
    dtype = property(lambda self: self._dtype)
    ragged_rank = property(lambda self: self._ragged_rank)
    row_splits_dtype = property(lambda self: self._row_splits_dtype)

    def _fields(self) -> tuple[Any, ...]:
        return tuple(getattr(self, name) for name in self.__slots__)

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """True for a RaggedTensor, or a spec of one, that fits."""
        other = getattr(spec_or_value, '_type_spec', spec_or_value)
        if isinstance(spec_or_value, core.Tensor):
            return (self._ragged_rank == 0 and self._dtype == spec_or_value.dtype
                    and self._shape.is_compatible_with(spec_or_value.shape))
        return (isinstance(other, RaggedTensorSpec) and self._fields()[1:] == other._fields()[1:]
                and self._shape.is_compatible_with(other._shape))

    def most_specific_common_supertype(self, others: Any) -> Any:
        """Returns the narrowest spec of the values of all, or None."""
        if any(not isinstance(each, RaggedTensorSpec) or each._fields()[1:] != self._fields()[1:] for each in others):
            return None
        shape = self._shape.most_specific_common_supertype([each._shape for each in others])
        return RaggedTensorSpec(shape, *self._fields()[1:])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RaggedTensorSpec) and self._fields() == other._fields()

    def __hash__(self) -> int:
        return hash(self._fields())

    def __repr__(self) -> str:
        return f'RaggedTensorSpec({", ".join(repr(field) for field in self._fields())})'
