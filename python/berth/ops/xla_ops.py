"""xla_ops - Functions of tensorflow.compiler.tf2xla.python.xla that are made of other ops."""

from __future__ import annotations

from typing import Any, Optional

from berth.framework import convert, gen, scopes
from berth.ops import array_ops, math_ops


def _start(whole: Any, part_sizes: Any, start_indices: Any) -> Any:
    """Returns where a part begins: moved as little as needed to lie in |whole|."""
    start = convert.convert_to_tensor(start_indices)
    sizes = array_ops.shape(whole, out_type=start.dtype)
    return math_ops.minimum(math_ops.maximum(start, array_ops.zeros_like(start)),
                            sizes - math_ops.cast(part_sizes, start.dtype))


def dynamic_slice(x: Any, starts: Any, sizes: Any, name: Optional[str] = None) -> Any:
    """Returns a part of |x|, which begins at |starts|, or where it still fits."""
    with scopes.name_scope(name, 'XlaDynamicSlice', [x, starts, sizes]):
        x = convert.convert_to_tensor(x)
        sizes = convert.convert_to_tensor(sizes)
        begin = _start(x, sizes, starts)
        return gen.apply('Slice', None, {'input': x, 'begin': begin, 'size': math_ops.cast(sizes, begin.dtype)})


def dynamic_update_slice(input: Any, update: Any, start_indices: Any,  # pylint: disable=redefined-builtin
                         name: Optional[str] = None) -> Any:
    """Returns |input| with |update| in it, which begins at |start_indices|, or where it still fits."""
    with scopes.name_scope(name, 'XlaDynamicUpdateSlice', [input, update, start_indices]):
        whole = convert.convert_to_tensor(input)
        part = convert.convert_to_tensor(update, dtype=whole.dtype)
        sizes = array_ops.shape(part)
        begin = _start(whole, sizes, start_indices)
        end = begin + math_ops.cast(sizes, begin.dtype)
        return gen.apply('TensorStridedSliceUpdate', None, {
            'input': whole, 'begin': begin, 'end': end, 'strides': array_ops.ones_like(begin), 'value': part})
