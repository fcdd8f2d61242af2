"""ragged_calls.py - What single ops do with ragged tensors, where it is not the same with every element."""

from __future__ import annotations

from typing import Any

from berth.framework import convert, dtypes, gen, scopes
from berth.ops import array_ops, math_ops, ragged_shapes
from berth.ops.ragged_tensor import RaggedTensor, is_ragged

# What a function of this file gives for arguments that it has nothing for.
_UNFIT = object()


def call(op_type: str, name: Any, args: dict[str, Any], attrs: Any) -> Any:
    """Does what an op does; None for ops that are not here."""
    function = _CALLS.get(op_type)
    if function is None:
        return None
    with scopes.name_scope(name if name is None or name.endswith('/') else None, op_type):
        found = function(args, attrs or {})
    return None if found is _UNFIT else found


def _gather(args: dict[str, Any], attrs: Any) -> Any:
    params, ids = args['params'], args['indices']
    axis = convert.constant_value(convert.convert_to_tensor(args['axis']))
    if axis is None or int(axis) != 0 or attrs.get('batch_dims'):
        return _UNFIT
    return picked(params, ids)


def _gather_resource(args: dict[str, Any], attrs: Any) -> Any:
    ids = args['indices']
    return ids.with_flat_values(gen.apply('ResourceGather', None, {**args, 'indices': ids.flat_values}, attrs))


def picked(params: Any, ids: Any) -> Any:
    """Returns rows by their numbers; both may be ragged."""
    if is_ragged(ids):
        return ids.with_values(picked(params, ids.values))
    if not is_ragged(params):
        return array_ops.gather(params, ids)
    ids = convert.convert_to_tensor(ids)
    if ids.shape.rank == 0:
        return params[ids]
    if ids.shape.rank != 1:
        flat = picked(params, array_ops.reshape(ids, [-1]))
        for size in reversed(ids.shape.as_list()[1:]):
            flat = ragged_shapes.of_uniform_length(flat, size)
            flat._length = None
        return flat
    return _picked_rows(params, ids)


def _picked_rows(params: RaggedTensor, ids: Any) -> RaggedTensor:
    splits, kind = params.row_splits, params.row_splits.dtype
    starts, limits = array_ops.gather(splits[:-1], ids), array_ops.gather(splits[1:], ids)
    from berth.ops import ragged_ops

    places = ragged_ops.ranges(starts, limits, row_splits_dtype=kind)
    return RaggedTensor._made(picked(params.values, places.values), places.row_splits)


def _gather_nd(args: dict[str, Any], attrs: Any) -> Any:
    params, places = args['params'], args['indices']
    if not is_ragged(params) or is_ragged(places):
        return _UNFIT
    return _at(params, convert.convert_to_tensor(places))


def _at(params: Any, places: Any) -> Any:
    """Returns what is at |places|, rows of numbers."""
    if not is_ragged(params):
        return gen.apply('GatherNd', None, {'params': params, 'indices': places})
    depth = places.shape.as_list()[-1]
    if depth is None:
        raise ValueError('indices.shape[-1] must be statically known.')
    if depth == 1:
        return picked(params, places[..., 0])
    places = math_ops.cast(places, params.row_splits.dtype)
    inner = array_ops.gather(params.row_splits, places[..., 0]) + places[..., 1]
    return _at(params.values, array_ops.concat([array_ops.expand_dims(inner, -1), places[..., 2:]], -1))


def _expand_dims(args: dict[str, Any], attrs: Any) -> Any:
    return ragged_shapes.expanded(args['input'], args['dim'])


def _squeeze(args: dict[str, Any], attrs: Any) -> Any:
    return ragged_shapes.squeezed(args['input'], list(attrs.get('squeeze_dims') or ()))


def _reverse(args: dict[str, Any], attrs: Any) -> Any:
    ragged, rank = args['tensor'], args['tensor'].shape.rank
    axes = convert.constant_value(convert.convert_to_tensor(args['axis']))
    if axes is None:
        return _UNFIT
    for axis in {ragged_shapes.axis_of(axis, rank) for axis in axes}:
        ragged = _reversed(ragged, axis)
    return ragged


def _reversed(ragged: Any, axis: int) -> Any:
    if not is_ragged(ragged):
        return array_ops.reverse(ragged, [axis])
    if axis > 1:
        return ragged.with_values(_reversed(ragged.values, axis - 1))
    if axis == 0:
        return picked(ragged, math_ops.range(ragged.nrows() - 1, -1, -1))
    # The place of a value from the end of its row is its place from the front.
    rows, splits = ragged.value_rowids(), ragged.row_splits
    places = math_ops.range(math_ops.cast(array_ops.shape(rows)[0], splits.dtype))
    order = array_ops.gather(splits[:-1] + splits[1:], rows) - 1 - places
    return ragged.with_values(picked(ragged.values, order))


def _one_hot(args: dict[str, Any], attrs: Any) -> Any:
    ragged, axis = args['indices'], attrs.get('axis', -1)
    if not is_ragged(ragged) or axis is not None and 0 <= axis <= ragged.ragged_rank:
        return _UNFIT
    axis = axis if axis is None or axis < 0 else axis - ragged.ragged_rank
    return ragged.with_flat_values(gen.apply('OneHot', None, {**args, 'indices': ragged.flat_values},
                                             {**attrs, 'axis': axis}))


def _pack(args: dict[str, Any], attrs: Any) -> Any:
    return ragged_shapes.stack(args['values'], attrs.get('axis', 0))


def _split(args: dict[str, Any], attrs: Any) -> Any:
    axis = convert.constant_value(convert.convert_to_tensor(args['split_dim']))
    return _UNFIT if axis is None else ragged_shapes.parted(args['value'], args.get('size_splits'), axis, attrs['num_split'])


def _where(args: dict[str, Any], attrs: Any) -> Any:
    ragged = args['input']
    if ragged.ragged_rank != 1 or ragged.shape.rank != 2:
        return _UNFIT
    from berth.ops import ragged_ops

    kept = array_ops.reshape(gen.apply('Where', None, {'input': ragged.values}), [-1])
    places = array_ops.stack([ragged.value_rowids(), ragged_ops._columns(ragged)], axis=1)
    return array_ops.gather(math_ops.cast(places, dtypes.int64), kept)


def _partitions(args: dict[str, Any], attrs: Any) -> Any:
    ragged, which = args['data'], args['partitions']
    if not is_ragged(ragged) or is_ragged(which):
        return _UNFIT
    which = convert.convert_to_tensor(which)
    if which.shape.rank != 1:
        return _UNFIT
    rows = gen.apply('DynamicPartition', None, {'data': math_ops.range(array_ops.size(which)), 'partitions': which}, attrs)
    return [picked(ragged, numbers) for numbers in rows]


def _add_n(args: dict[str, Any], attrs: Any) -> Any:
    from berth.ops import ragged_ops

    return ragged_ops.map_flat_values(lambda *flat: math_ops.add_n(list(flat)), *args['inputs'])


def _segments(op: str) -> Any:
    def function(args: dict[str, Any], attrs: Any) -> Any:
        from berth.ops import ragged_ops

        if not is_ragged(args['data']) or is_ragged(args['segment_ids']):
            return _UNFIT
        keys = convert.convert_to_tensor(args['segment_ids'])
        return ragged_ops.by_key(op, args['data'], keys, convert.convert_to_tensor(args['num_segments']))

    return function


def _softmax(args: dict[str, Any], attrs: Any) -> Any:
    from berth.ops import ragged_ops

    ragged = args['logits']
    if ragged.flat_values.shape.rank > 1:
        return ragged.with_flat_values(gen.apply('Softmax', None, {'logits': ragged.flat_values}))
    powers = math_ops.exp(ragged - ragged_ops.reduced('Max', ragged, -1, True))
    return math_ops.truediv(powers, ragged_ops.reduced('Sum', powers, -1, True))


def _reduce_join(args: dict[str, Any], attrs: Any) -> Any:
    ragged, rank = args['inputs'], args['inputs'].shape.rank
    axes = convert.constant_value(convert.convert_to_tensor(args['reduction_indices']))
    if axes is None or attrs.get('keep_dims'):
        return _UNFIT
    for axis in [ragged_shapes.axis_of(axis, rank) for axis in axes.reshape(-1)]:
        ragged = _joined(ragged, axis, attrs)
    return ragged


def _joined(texts: Any, axis: int, attrs: Any) -> Any:
    if not is_ragged(texts):
        return gen.apply('ReduceJoin', None, {'inputs': texts, 'reduction_indices': axis}, attrs)
    if axis > 1:
        return texts.with_values(_joined(texts.values, axis - 1, attrs))
    if is_ragged(texts.values):
        raise NotImplementedError('tf.strings.reduce_join: Berth joins the innermost texts of ragged tensors.')
    if axis == 0:
        return gen.apply('ReduceJoin', None, {'inputs': texts.to_tensor(''), 'reduction_indices': axis}, attrs)
    return gen.apply('UnsortedSegmentJoin', None, {
        'inputs': texts.values, 'segment_ids': texts.value_rowids(), 'num_segments': texts.nrows()},
        {'separator': attrs.get('separator', '')})


def _matmul(args: dict[str, Any], attrs: Any) -> Any:
    left, right = args['x'], args['y']
    if not is_ragged(left) or is_ragged(right) or left.ragged_rank != 1 or left.shape.rank != 3 or any(attrs.values()):
        return _UNFIT
    made = gen.apply('BatchMatMulV2', None, {'x': left.to_tensor(), 'y': right}, attrs)
    return RaggedTensor.from_tensor(made, lengths=left.row_lengths(), row_splits_dtype=left.row_splits.dtype)


def _bitcast(args: dict[str, Any], attrs: Any) -> Any:
    ragged = args['input']
    if ragged.dtype.size != dtypes.as_dtype(attrs['type']).size:
        return _UNFIT
    return ragged.with_flat_values(gen.apply('Bitcast', None, {'input': ragged.flat_values}, attrs))


_CALLS = {'GatherV2': _gather, 'ResourceGather': _gather_resource, 'GatherNd': _gather_nd, 'ExpandDims': _expand_dims,
          'Squeeze': _squeeze, 'ReverseV2': _reverse, 'OneHot': _one_hot, 'Pack': _pack, 'Softmax': _softmax,
          'ReduceJoin': _reduce_join, 'BatchMatMulV2': _matmul, 'Bitcast': _bitcast, 'Split': _split, 'SplitV': _split,
          'Where': _where, 'DynamicPartition': _partitions, 'AddN': _add_n,
          **{f'UnsortedSegment{op}': _segments(op) for op in ('Sum', 'Prod', 'Max', 'Min')}}
