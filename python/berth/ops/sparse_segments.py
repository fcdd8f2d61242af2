"""sparse_segments.py - Segments of rows that are chosen by their numbers."""

from __future__ import annotations

from typing import Any

from berth.framework import gen


def _function(op: str, verb: str, is_old: bool) -> Any:
    """Makes a function of the op |op|; |is_old| says in which order its last arguments are."""
    def call(data: Any, indices: Any, segment_ids: Any, num_segments: Any, sparse_gradient: bool, name: Any) -> Any:
        args = {'data': data, 'indices': indices, 'segment_ids': segment_ids}
        attrs = {'sparse_gradient': sparse_gradient}
        if num_segments is None:
            return gen.apply(op, name, args, attrs)
        return gen.apply(f'{op}WithNumSegments', name, {**args, 'num_segments': num_segments}, attrs)

    def old(data: Any, indices: Any, segment_ids: Any, name: str | None = None, num_segments: Any = None,
            sparse_gradient: bool = False) -> Any:
        return call(data, indices, segment_ids, num_segments, sparse_gradient, name)

    def new(data: Any, indices: Any, segment_ids: Any, num_segments: Any = None, name: str | None = None,
            sparse_gradient: bool = False) -> Any:
        return call(data, indices, segment_ids, num_segments, sparse_gradient, name)

    made = old if is_old else new
    made.__name__ = made.__qualname__ = f'sparse_segment_{verb}' + ('' if is_old else '_v2')
    made.__doc__ = f'Reduces segments of chosen rows by the op {op}.'
    return made


sparse_segment_sum = _function('SparseSegmentSum', 'sum', True)
sparse_segment_mean = _function('SparseSegmentMean', 'mean', True)
sparse_segment_sqrt_n = _function('SparseSegmentSqrtN', 'sqrt_n', True)
sparse_segment_sum_v2 = _function('SparseSegmentSum', 'sum', False)
sparse_segment_mean_v2 = _function('SparseSegmentMean', 'mean', False)
sparse_segment_sqrt_n_v2 = _function('SparseSegmentSqrtN', 'sqrt_n', False)
