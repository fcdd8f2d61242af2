"""embedding_ops.py - Rows of tables picked by number, one by one or summed up: tf.nn.embedding_lookup and its kin."""

from __future__ import annotations

from typing import Any

from berth.framework import convert, dtypes, gen, scopes
from berth.framework.tensor_shape import TensorShape
from berth.ops import array_ops, math_ops, reduce_ops, sparse_ops
from berth.ops.signature import reordered
from berth.ops.sparse_tensor import SparseTensor

_COMBINERS = ('mean', 'sqrtn', 'sum')


def _is_resource(table: Any) -> bool:
    return bool(getattr(table, '_is_resource', False))


def _beside(table: Any) -> Any:
    """Makes operations go where |table| is."""
    return scopes.colocate(getattr(table, 'handle', table))


def parts(table: Any) -> list[Any]:
    """Returns the parts of a table: of a list, of a variable in parts, or one."""
    table = list(table) if hasattr(table, '_get_variable_list') else table
    return table if isinstance(table, list) else [table]


def _tables(params: Any) -> list[Any]:
    """Returns the parts of a table."""
    if params is None:
        raise ValueError('params must be specified')
    if isinstance(params, (list, tuple)) and not params:
        raise ValueError('Length of params is currently 0. Need at least one param.')
    return parts(params)


# ---- One by one ----


def embedding_lookup(params: Any, ids: Any, partition_strategy: str = 'mod', name: str | None = None,
                     validate_indices: bool = True, max_norm: Any = None) -> Any:
    """Picks rows of a table by number; the table may be cut into several."""
    del validate_indices
    tables = _tables(params)
    with scopes.name_scope(name, 'embedding_lookup', [*tables, ids]) as name:
        if not any(_is_resource(table) for table in tables):
            labels = ['params'] if len(tables) == 1 else [f'params_{i}' for i in range(len(tables))]
            tables = [convert.convert_to_tensor(table, name=label) for table, label in zip(tables, labels)]
        ids = convert.convert_to_tensor(ids, name='ids')
        if len(tables) > 1:
            return _clipped(_from_parts(tables, ids, partition_strategy, name), ids, max_norm)
        with _beside(tables[0]):
            rows = _clipped(array_ops.gather(tables[0], ids, name=name), ids, max_norm)
        return array_ops.identity(rows)


def _clipped(rows: Any, ids: Any, max_norm: Any) -> Any:
    """Returns rows no longer than |max_norm|."""
    if max_norm is None:
        return rows
    ranks = ids.shape.rank, rows.shape.rank
    if all(ranks):
        axes: Any = list(range(*ranks))
    else:
        axes = math_ops.range(*(rank or array_ops.rank(x) for rank, x in zip(ranks, (ids, rows))))
    return math_ops.clip_by_norm(rows, max_norm, axes=axes)


def _assigned(tables: list[Any], ids: Any, strategy: str) -> tuple[Any, Any]:
    """Returns in which part each row is, and its number there."""
    count = len(tables)
    if strategy == 'mod':
        return ids % count, ids // count
    if strategy != 'div':
        raise ValueError(f'Unrecognized partition strategy: {strategy}.Must be one of either `mod` or `div`.')
    sizes = [table.shape.as_list()[0] for table in tables]
    if None not in sizes:
        total = convert.constant(sum(sizes), ids.dtype)
    else:
        parts = [array_ops.shape(table)[0] if size is None else size for size, table in zip(sizes, tables)]
        total = reduce_ops.reduce_sum(math_ops.cast(array_ops.stack(parts), ids.dtype))
    each, extras = total // count, total % count
    place = math_ops.maximum(ids // (each + 1), (ids - extras) // each)
    number = array_ops.where(place < extras, ids % (each + 1), (ids - extras) % each)
    return place, number


def _from_parts(tables: list[Any], ids: Any, strategy: str, name: Any) -> Any:
    """Picks rows of a table that is cut into several."""
    flat = array_ops.reshape(ids, [-1])
    order = math_ops.range(array_ops.size(flat, out_type=dtypes.int32))
    place, number = _assigned(tables, flat, strategy)
    place = math_ops.cast(place, dtypes.int32)
    wanted = array_ops.dynamic_partition(number, place, len(tables))
    places = array_ops.dynamic_partition(order, place, len(tables))
    rows = []
    for table, part in zip(tables, wanted):
        with scopes.device(None), _beside(table):
            rows.append(array_ops.gather(table, part))
    found = gen.apply('ParallelDynamicStitch', name, {'indices': places, 'data': rows})
    inner = tables[0].shape[1:]
    for table in tables[1:]:
        inner = inner.merge_with(table.shape[1:])
    sizes = inner.as_list() if inner.is_fully_defined() else array_ops.shape(tables[0])[1:]
    found = array_ops.reshape(found, array_ops.concat([array_ops.shape(ids), sizes], 0))
    if not scopes.executing_eagerly():
        found.set_shape(ids.shape.concatenate(inner))
    return found


# ---- Summed up ----


def embedding_lookup_sparse(params: Any, sp_ids: Any, sp_weights: Any, partition_strategy: str = 'mod',
                            name: str | None = None, combiner: Any = None, max_norm: Any = None,
                            allow_fast_lookup: bool = False) -> Any:
    """Picks rows of a table by number and makes one of those of each row of |sp_ids|."""
    combiner = 'mean' if combiner is None else combiner
    if combiner not in _COMBINERS:
        raise ValueError(f"combiner must be one of 'mean', 'sqrtn' or 'sum', got {combiner}")
    tables = parts(params)
    _check_sparse(sp_ids, sp_weights)
    with scopes.name_scope(name, 'embedding_lookup_sparse', [*tables, sp_ids]) as name:
        segments = sp_ids.indices[:, 0]
        ids = sp_ids.values
        if len(tables) == 1 and not convert.is_tensor(tables[0]):
            tables = [convert.convert_to_tensor(tables[0], name='params')]
        is_fast = (len(tables) == 1 and max_norm is None and (allow_fast_lookup or sp_weights is None)
                   and tables[0].device == segments.device)
        if is_fast:
            rows = tables[0]
        else:
            different, ids = array_ops.unique(ids)
            rows = embedding_lookup(tables, different, partition_strategy, max_norm=max_norm)
        if sp_weights is not None:
            return _weighted(rows, ids, sp_weights.values, segments, combiner, name)
        op = {'sum': 'SparseSegmentSum', 'mean': 'SparseSegmentMean', 'sqrtn': 'SparseSegmentSqrtN'}[combiner]
        return gen.apply(op, name, {'data': rows, 'indices': ids, 'segment_ids': segments},
                         {'sparse_gradient': is_fast and not allow_fast_lookup})


def _check_sparse(ids: Any, weights: Any) -> None:
    """Raises for what is not sparse, or does not fit."""
    if not isinstance(ids, SparseTensor):
        raise TypeError(f'sp_ids must be SparseTensor, got {type(ids)}')
    if weights is None:
        return
    if not isinstance(weights, SparseTensor):
        raise TypeError(f'sp_weights must be either None or SparseTensor,got {type(weights)}')
    for part in ('values', 'indices', 'dense_shape'):
        getattr(ids, part).shape.assert_is_compatible_with(getattr(weights, part).shape)


def _segment_sum(rows: Any, segments: Any, name: Any = None) -> Any:
    return gen.apply('SegmentSum', name, {'data': rows, 'segment_ids': segments})


def _weighted(table: Any, ids: Any, weights: Any, segments: Any, combiner: str, name: Any) -> Any:
    """Sums rows up with weights."""
    segments = math_ops.cast(segments, dtypes.int32)
    rows = array_ops.gather(table, ids)
    kind = rows.dtype
    if kind in (dtypes.float16, dtypes.bfloat16):
        rows = math_ops.cast(rows, dtypes.float32)
    weights = math_ops.cast(weights, rows.dtype)
    known = weights.shape
    count = array_ops.expand_dims(array_ops.rank(rows) - 1, 0)
    sizes = array_ops.shape(weights)
    ones = array_ops.ones(count, dtype=sizes.dtype)
    weights = array_ops.reshape(weights, array_ops.concat([sizes, ones], 0))
    if rows.shape.rank is not None and not scopes.executing_eagerly():
        weights.set_shape(known.concatenate(TensorShape([1] * (rows.shape.rank - 1))))
    rows = rows * weights
    if combiner == 'sum':
        return math_ops.cast(_segment_sum(rows, segments, name=name), kind)
    total = _segment_sum(rows, segments)
    if combiner == 'sqrtn':
        weights = math_ops.pow(weights, 2)
    divisor = _segment_sum(weights, segments)
    divisor = math_ops.sqrt(divisor) if combiner == 'sqrtn' else divisor
    return math_ops.cast(math_ops.div_no_nan(total, divisor, name=name), kind)


def safe_embedding_lookup_sparse(embedding_weights: Any, sparse_ids: Any, sparse_weights: Any = None,
                                 combiner: str = 'mean', default_id: Any = None, name: str | None = None,
                                 partition_strategy: str = 'div', max_norm: Any = None,
                                 allow_fast_lookup: bool = False) -> Any:
    """The same for what may have rows without numbers, and numbers that are none: those give zeros, or a default."""
    if embedding_weights is None or isinstance(embedding_weights, list) and not embedding_weights:
        raise ValueError(f'Missing embedding_weights {embedding_weights}.')
    tables = parts(embedding_weights)
    kind = None if sparse_weights is None else sparse_weights.dtype
    tables = [table if _is_resource(table) and kind in (None, table.dtype) else
              convert.convert_to_tensor(table, dtype=kind) for table in tables]
    with scopes.name_scope(name, 'embedding_lookup', [*tables, sparse_ids, sparse_weights]) as scope:
        shape = sparse_ids.dense_shape
        known = shape.shape.as_list()[0] if shape.shape.rank is not None else None
        rank = array_ops.size(shape) if known is None else known
        ids, weights = _as_rows(sparse_ids, sparse_weights, shape, rank)
        ids, weights = _pruned(ids, weights, combiner)
        ids, is_empty = sparse_ops.fill_empty_rows(ids, default_id or 0)
        if weights is not None:
            weights = sparse_ops.fill_empty_rows(weights, 1.0)[0]
        result = embedding_lookup_sparse(tables, ids, weights, partition_strategy,
                                         None if default_id is None else scope, combiner, max_norm, allow_fast_lookup)
        if default_id is None:
            is_empty = array_ops.reshape(is_empty, [-1, 1])
            is_empty = array_ops.tile(is_empty, array_ops.stack([1, array_ops.shape(result)[1]]))
            result = array_ops.where(is_empty, array_ops.zeros_like(result), result, name=scope)
        outer = array_ops.slice(math_ops.cast(shape, dtypes.int32), [0], [rank - 1])
        whole = array_ops.concat([outer, array_ops.slice(array_ops.shape(result), [1], [-1])], 0)
        final = array_ops.reshape(result, whole)
        if known is not None and not scopes.executing_eagerly():
            final.set_shape(TensorShape([None] * (known - 1)).concatenate(result.shape[1:]))
        return final


def _as_rows(ids: Any, weights: Any, shape: Any, rank: Any) -> tuple[Any, Any]:
    """Returns ids and weights as matrices."""
    outer = reduce_ops.reduce_prod(array_ops.slice(shape, [0], [rank - 1]))
    ids = sparse_ops.reshape(ids, [outer, array_ops.gather(shape, rank - 1)])
    return ids, None if weights is None else SparseTensor(ids.indices, weights.values, ids.dense_shape)


def _pruned(ids: Any, weights: Any, combiner: str) -> tuple[Any, Any]:
    """Drops numbers that are negative, and weights that are not positive."""
    is_valid = math_ops.greater_equal(ids.values, 0)
    if weights is None:
        return sparse_ops.retain(ids, is_valid), None
    is_valid = math_ops.logical_and(is_valid, array_ops.ones_like(weights.values, dtype=dtypes.bool))
    ids, weights = sparse_ops.retain(ids, is_valid), sparse_ops.retain(weights, is_valid)
    if combiner == 'sum':
        return ids, weights
    is_valid = math_ops.greater(weights.values, 0)
    return sparse_ops.retain(ids, is_valid), sparse_ops.retain(weights, is_valid)


# ---- The parameters of TensorFlow 2 ----


def embedding_lookup_v2(params: Any, ids: Any, max_norm: Any = None, name: str | None = None) -> Any:
    """Picks rows of a table by number; the table may be cut into several."""
    return embedding_lookup(params, ids, 'div', name, max_norm=max_norm)


def embedding_lookup_sparse_v2(params: Any, sp_ids: Any, sp_weights: Any, combiner: Any = None, max_norm: Any = None,
                               name: str | None = None, allow_fast_lookup: bool = False) -> Any:
    """Picks rows of a table by number and makes one of those of each row of |sp_ids|."""
    return embedding_lookup_sparse(params, sp_ids, sp_weights, 'div', name, combiner, max_norm, allow_fast_lookup)


safe_embedding_lookup_sparse_v2 = reordered(
    safe_embedding_lookup_sparse,
    'embedding_weights sparse_ids sparse_weights combiner default_id max_norm name allow_fast_lookup')
