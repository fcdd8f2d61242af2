"""clip_ops.py - Tensors that are brought to a norm together."""

from __future__ import annotations

from collections import abc
from typing import Any

from berth.framework import convert, scopes
from berth.framework.indexed_slices import IndexedSlices
from berth.ops import array_ops, math_ops, nn_ops, reduce_ops


def _as_list(t_list: Any) -> list[Any]:
    if not isinstance(t_list, abc.Sequence) or isinstance(t_list, str):
        raise TypeError(f'`t_list` should be a sequence of tensors. Received {type(t_list)}.')
    return list(t_list)


def _values(tensors: list[Any]) -> list[Any]:
    """Returns what there is to measure of each: None stays None."""
    return [None if t is None else convert.convert_to_tensor(
        t.values if isinstance(t, IndexedSlices) else t, name=f't_{i}') for i, t in enumerate(tensors)]


def global_norm(t_list: Any, name: str | None = None) -> Any:
    """Returns the Euclidean norm of all tensors together."""
    tensors = _as_list(t_list)
    with scopes.name_scope(name, 'global_norm', tensors):
        halves = []
        for value in _values(tensors):
            if value is not None:
                with scopes.colocate(value):
                    halves.append(nn_ops.l2_loss(value))
        half = reduce_ops.reduce_sum(array_ops.stack(halves))
        return math_ops.sqrt(half * convert.constant(2.0, dtype=half.dtype), name='global_norm')


def clip_by_global_norm(t_list: Any, clip_norm: Any, use_norm: Any = None, name: str | None = None) -> Any:
    """Scales all tensors down so far that their common norm is |clip_norm|; returns them and the norm they had."""
    tensors = _as_list(t_list)
    if use_norm is None:
        use_norm = global_norm(tensors, name)
    with scopes.name_scope(name, 'clip_by_global_norm', tensors + [clip_norm]) as name:
        inverse = 1.0 / use_norm
        finite = clip_norm * math_ops.minimum(inverse, convert.constant(1.0, dtype=use_norm.dtype) / clip_norm)
        scale = finite + (use_norm - use_norm)  # Not a number for an infinite norm.
        clipped = []
        for i, value in enumerate(_values(tensors)):
            if value is not None:
                with scopes.colocate(value):
                    value = array_ops.identity(value * math_ops.cast(scale, value.dtype), name=f'{name}_{i}')
            clipped.append(value)
        return [IndexedSlices(value, t.indices, t.dense_shape) if isinstance(t, IndexedSlices) else value
                for value, t in zip(clipped, tensors)], use_norm


def clip_by_average_norm(t: Any, clip_norm: Any, name: str | None = None) -> Any:
    """Scales a tensor down so far that its norm, divided by its size, is |clip_norm|."""
    with scopes.name_scope(name, 'clip_by_average_norm', [t, clip_norm]) as name:
        t = convert.convert_to_tensor(t, name='t')
        count = math_ops.cast(array_ops.size(t), dtype='float32')
        inverse = math_ops.rsqrt(reduce_ops.reduce_sum(t * t, math_ops.range(array_ops.rank(t))))
        return array_ops.identity(
            t * clip_norm * math_ops.minimum(inverse * count, convert.constant(1.0) / clip_norm), name=name)
