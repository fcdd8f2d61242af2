"""static_value.py - What is known of a tensor's value, and of shapes, before anything runs."""

from __future__ import annotations

from typing import Any, Callable, Optional

import numpy as np

from berth.framework import convert, gen
from berth.framework.node import SymbolicTensor, Tensor
from berth.framework.tensor_shape import TensorShape, as_shape


def get_static_value(tensor: Any, partial: bool = False) -> Any:
    """Returns the value of a tensor as an array, None where only a run can tell.

    What was looked at must stay true: the tensor can no longer be fed.
    """
    if isinstance(tensor, (int, float, bool, np.ndarray, np.generic)):
        return tensor
    if hasattr(tensor, '_dense_var_to_tensor'):
        return None
    if not isinstance(tensor, Tensor):
        raise AttributeError(f'{type(tensor).__name__!r} object has no attribute \'dtype\'')
    if not isinstance(tensor, SymbolicTensor):
        return tensor.numpy()
    value = _value(tensor, partial)
    if value is not None:
        tensor.graph.prevent_feeding(tensor)
    return value


def _value(tensor: Any, partial: bool) -> Any:
    """Returns the value, followed through the ops that shapes are computed with."""
    op = tensor.op
    if op.type == 'Const':
        return convert.constant_value(tensor)
    if op.type == 'Pack':
        return _packed(op, partial)
    rule = _RULES.get(op.type)
    return None if rule is None else rule(op)


def _packed(op: Any, partial: bool) -> Any:
    parts = [_value(each, partial) for each in op.inputs]
    if not partial and any(part is None for part in parts):
        return None
    if all(part is None for part in parts):
        return None
    dtype = object if any(part is None for part in parts) else None
    return np.array(parts, dtype=dtype)


def _of_inputs(function: Callable[..., Any]) -> Callable[[Any], Any]:
    """Makes a rule that needs the values of all inputs."""
    def rule(op: Any) -> Any:
        values = [_value(each, False) for each in op.inputs]
        return None if any(value is None for value in values) else function(op, *values)

    return rule


def _shape(op: Any) -> Any:
    shape = op.inputs[0].shape
    kind = op.outputs[0].dtype.as_numpy_dtype
    return np.array(shape.as_list(), dtype=kind) if shape.is_fully_defined() else None


def _size(op: Any) -> Any:
    count = op.inputs[0].shape.num_elements()
    return None if count is None else np.array(count, dtype=op.outputs[0].dtype.as_numpy_dtype)


def _rank(op: Any) -> Any:
    rank = op.inputs[0].shape.rank
    return None if rank is None else np.array(rank, dtype=np.int32)


_RULES: dict[str, Callable[[Any], Any]] = {
    'Shape': _shape,
    'Size': _size,
    'Rank': _rank,
    'Range': _of_inputs(lambda op, start, stop, step: np.arange(start, stop, step, dtype=start.dtype)),
    'Cast': _of_inputs(lambda op, x: x.astype(op.outputs[0].dtype.as_numpy_dtype)),
    'ConcatV2': _of_inputs(lambda op, *parts: np.concatenate(parts[:-1], axis=int(parts[-1]))),
    'Fill': _of_inputs(lambda op, dims, value: np.full(tuple(dims), value, dtype=value.dtype)),
    'Equal': _of_inputs(lambda op, x, y: np.equal(x, y)),
    'NotEqual': _of_inputs(lambda op, x, y: np.not_equal(x, y)),
    'StopGradient': _of_inputs(lambda op, x: x),
    'Identity': _of_inputs(lambda op, x: x),
    'BroadcastTo': _of_inputs(lambda op, x, shape: np.broadcast_to(x, tuple(shape))),
}


def constant_value_as_shape(tensor: Any) -> TensorShape:
    """Returns the shape that a vector of sizes describes, as far as it is known."""
    if tensor.shape.rank != 1:
        known = get_static_value(tensor)
        if tensor.shape.rank == 0 and known is not None and int(known) != -1:
            raise ValueError(f"Received a scalar with value '{known}' as shape; require a statically known scalar with "
                             "value '-1' to describe an unknown shape.")
        return TensorShape(None)
    if isinstance(tensor, SymbolicTensor) and tensor.op.type == 'ConcatV2':
        whole = TensorShape([])
        for part in list(tensor.op.inputs)[:-1]:
            whole = whole.concatenate(constant_value_as_shape(part))
        return whole
    if isinstance(tensor, SymbolicTensor) and tensor.op.type == 'Shape':
        return tensor.op.inputs[0].shape
    sizes = get_static_value(tensor, partial=True)
    if sizes is None:
        return TensorShape([None] * tensor.shape[0]) if tensor.shape.is_fully_defined() else TensorShape(None)
    return TensorShape([None if size is None or size < 0 else int(size) for size in sizes])


# ---- Shapes that are broadcast ----

def broadcast_static_shape(shape_x: Any, shape_y: Any) -> TensorShape:
    """Returns the shape of what two shapes give together; ValueError when they give nothing."""
    left, right = as_shape(shape_x), as_shape(shape_y)
    if left.rank is None or right.rank is None:
        return TensorShape(None)
    count = max(left.rank, right.rank)
    pairs = zip([1] * (count - left.rank) + left.as_list(), [1] * (count - right.rank) + right.as_list())
    sizes: list[Optional[int]] = []
    for x, y in pairs:
        if x is not None and y is not None and x != y and 1 not in (x, y):
            raise ValueError('Incompatible shapes for broadcasting. Two shapes are compatible if for each dimension '
                             f'pair they are either equal or one of them is 1. Received: {left} and {right}.')
        sizes.append(_broadcast_size(x, y))
    return TensorShape(sizes)


def _broadcast_size(x: Optional[int], y: Optional[int]) -> Optional[int]:
    """Returns the size that two sizes give; one larger than 1 wins over one that is unknown."""
    if x is None or y is None:
        known = y if x is None else x
        return known if known is not None and known > 1 else None
    return y if x == 1 else x


def broadcast_dynamic_shape(shape_x: Any, shape_y: Any) -> Any:
    """Returns the shape of what two shapes give together, as a tensor."""
    return gen.apply('BroadcastArgs', None, {'s0': shape_x, 's1': shape_y})


def is_symbolic_tensor(tensor: Any) -> bool:
    """Returns whether it is a tensor of a graph, without a value yet."""
    return isinstance(tensor, SymbolicTensor)
