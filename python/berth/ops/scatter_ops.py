"""scatter_ops.py - Functions that read and change slices at places given as indices."""

from __future__ import annotations

from typing import Any

from berth.framework import convert, gen, scopes
from berth.ops import array_ops, math_ops, reduce_ops


def tensor_scatter_nd_update(tensor: Any, indices: Any, updates: Any, name: str | None = None) -> Any:
    """Returns a tensor with slices replaced."""
    return gen.apply('TensorScatterUpdate', name, {'tensor': tensor, 'indices': indices, 'updates': updates})


def batch_gather(params: Any, indices: Any, name: str | None = None) -> Any:
    """Picks slices of each batch by number."""
    with scopes.name_scope(name, 'BatchGather', [params, indices]):
        indices = convert.convert_to_tensor(indices, name='indices')
        params = convert.convert_to_tensor(params, name='params')
        if indices.shape.rank is None:
            raise ValueError('batch_gather does not allow indices with unknown shape.')
        batch_dims = indices.shape.rank - 1
        return array_ops.gather(params, indices, axis=batch_dims, batch_dims=batch_dims)


def gather_nd(params: Any, indices: Any, name: str | None = None, batch_dims: int = 0,
              bad_indices_policy: str = '') -> Any:
    """Picks elements or slices of a tensor by coordinates."""
    if batch_dims != 0:
        return _batch_gather_nd(params, indices, batch_dims, name, bad_indices_policy)
    if bad_indices_policy in ('', 'DEFAULT') and hasattr(params, 'gather_nd'):
        return params.gather_nd(indices, name=name)
    return gen.apply('GatherNd', name, {'params': params, 'indices': indices},
                     {'bad_indices_policy': bad_indices_policy})


def _batch_gather_nd(params: Any, indices: Any, batch_dims: int, name: str | None, policy: str) -> Any:
    """Puts the number of its batch in front of each coordinate."""
    with scopes.name_scope(name, 'BatchGatherND', [params, indices]):
        indices = convert.convert_to_tensor(indices, name='indices')
        params = convert.convert_to_tensor(params, name='params')
        _check_batch(params, indices, batch_dims)
        batch = array_ops.shape(params)[:batch_dims]
        rows = reduce_ops.reduce_prod(batch)
        depth = array_ops.shape(indices)[-1]
        flat = array_ops.reshape(indices, array_ops.stack([rows, -1, depth]))
        numbers = array_ops.reshape(math_ops.cast(math_ops.range(rows), indices.dtype), [-1, 1, 1])
        numbers = array_ops.tile(numbers, array_ops.stack([1, array_ops.shape(flat)[1], 1]))
        rest = array_ops.shape(params)[batch_dims:]
        found = gen.apply('GatherNd', None, {
            'params': array_ops.reshape(params, array_ops.concat([[rows], rest], 0)),
            'indices': array_ops.concat([numbers, flat], -1)}, {'bad_indices_policy': policy})
        outer = array_ops.shape(indices)[:-1]
        return array_ops.reshape(found, array_ops.concat([outer, array_ops.shape(found)[2:]], 0))


def batch_scatter_update(ref: Any, indices: Any, updates: Any, use_locking: bool = True, name: str | None = None) -> Any:
    """Assigns slices of each batch by number."""
    with scopes.name_scope(name):
        indices = convert.convert_to_tensor(indices, name='indices')
        sizes, rank = array_ops.shape(indices), indices.shape.rank
        # The places in all dimensions before the last, in front of the number in the last.
        axes = [array_ops.reshape(math_ops.range(sizes[i]), [-1 if j == i else 1 for j in range(rank)])
                for i in range(rank - 1)]
        places = [array_ops.broadcast_to(math_ops.cast(axis, indices.dtype), sizes) for axis in axes]
        return scatter_nd_update(ref, array_ops.stack([*places, indices], axis=-1), updates, use_locking)


def _check_batch(params: Any, indices: Any, batch_dims: int) -> None:
    """Raises what TensorFlow raises for a number of dimensions that is none."""
    if not isinstance(batch_dims, int):
        raise TypeError(f'Argument `batch_dims` must be an int; got {batch_dims}')
    if batch_dims < 0:
        raise ValueError('tf.gather_nd does not allow negative batch_dims.')
    for what, tensor in (('indices', indices), ('params', params)):
        if tensor.shape.rank is not None and batch_dims >= tensor.shape.rank:
            raise ValueError(f'Argument `batch_dims` = {batch_dims} must be less than rank(`{what}`) = '
                             f'{tensor.shape.rank}')


def _by_reference(op: str, locks: bool) -> Any:
    """Makes the function of TF1 that changes slices of a variable."""
    def scatter(ref: Any, indices: Any, updates: Any, use_locking: bool = locks, name: str | None = None) -> Any:
        kind = op.removeprefix('Scatter')
        if getattr(ref, '_is_resource', False):
            return ref._scatter(kind, indices, updates, name, use_locking)
        return gen.apply(op, name, {'ref': ref, 'indices': indices, 'updates': updates},
                         {'use_locking': use_locking})

    scatter.__doc__ = f'Changes slices of a variable by the op {op}.'
    return scatter


scatter_update = _by_reference('ScatterUpdate', True)
scatter_add = _by_reference('ScatterAdd', False)
scatter_sub = _by_reference('ScatterSub', False)
scatter_mul = _by_reference('ScatterMul', False)
scatter_div = _by_reference('ScatterDiv', False)
scatter_min = _by_reference('ScatterMin', False)
scatter_max = _by_reference('ScatterMax', False)
scatter_nd_update = _by_reference('ScatterNdUpdate', True)
scatter_nd_add = _by_reference('ScatterNdAdd', False)
scatter_nd_sub = _by_reference('ScatterNdSub', False)
for _name in ('update', 'add', 'sub', 'mul', 'div', 'min', 'max', 'nd_update', 'nd_add', 'nd_sub'):
    globals()[f'scatter_{_name}'].__name__ = globals()[f'scatter_{_name}'].__qualname__ = f'scatter_{_name}'
