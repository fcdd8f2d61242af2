"""gradients_ops - tf.gradients and what goes with it."""

from __future__ import annotations

import enum
from typing import Any

from berth.base import execution
from berth.framework import convert, dtypes, emission, scopes
from berth.framework.indexed_slices import IndexedSlices
from berth.framework.node import SymbolicTensor


class AggregationMethod:
    """How slopes of several uses are summed; the sum is the same."""

    ADD_N = 0
    DEFAULT = ADD_N
    EXPERIMENTAL_TREE = 1
    EXPERIMENTAL_ACCUMULATE_N = 2


class UnconnectedGradients(enum.Enum):
    """What a gradient is where nothing leads from one to the other."""

    NONE = 'none'
    ZERO = 'zero'


def gradients(ys: Any, xs: Any, grad_ys: Any = None, name: str = 'gradients',
              colocate_gradients_with_ops: bool = False, gate_gradients: bool = False,
              aggregation_method: Any = None, stop_gradients: Any = None,
              unconnected_gradients: Any = UnconnectedGradients.NONE) -> list[Any]:
    """Returns the slopes of the sum of |ys| by each of |xs|."""
    if execution.executing_eagerly():
        raise RuntimeError('tf.gradients is not supported when eager execution is enabled. Use tf.GradientTape '
                           'instead.')
    if aggregation_method not in (None, 0, 1, 2):
        raise ValueError(f'Invalid `aggregation_method` specified {aggregation_method}. Accepted values are [0, 1, 2].')
    return slopes(ys, xs, grad_ys, name, colocate_gradients_with_ops, gate_gradients, stop_gradients,
                  unconnected_gradients)


def gradients_v2(ys: Any, xs: Any, grad_ys: Any = None, name: str = 'gradients', gate_gradients: bool = False,
                 aggregation_method: Any = None, stop_gradients: Any = None,
                 unconnected_gradients: Any = UnconnectedGradients.NONE) -> list[Any]:
    """The same with the arguments of version 2."""
    return gradients(ys, xs, grad_ys, name, True, gate_gradients, aggregation_method, stop_gradients,
                     unconnected_gradients)


def slopes(ys: Any, xs: Any, grad_ys: Any, name: str, colocated: bool, gated: bool, stops: Any,
           unconnected: Any, first: int = 0) -> list[Any]:
    """Makes the nodes of tf.gradients."""
    ys, xs = _as_list(ys), _as_list(xs)
    dys = [None] * len(ys) if grad_ys is None else _as_list(grad_ys)
    if len(dys) != len(ys):
        raise ValueError(f'Length mismatch. Passed {len(dys)} grad_ys for {len(ys)} ys')
    zero = _unconnected(unconnected)
    graph = scopes.get_default_graph()
    y_tensors = [_tensor(y) for y in ys]
    x_tensors = [_source(x) for x in xs]
    for y, dy in zip(y_tensors, dys):
        _check_target(y, dy)
    dy_places = [emission.slope_place(None if dy is None else _slope_for(dy, y, i))
                 for i, (dy, y) in enumerate(zip(dys, y_tensors))]
    halts = [_tensor(s) for s in _as_list(stops or [])] + graph.no_way_back
    found = graph._gradients(y_tensors, x_tensors, dy_places, halts,
                             name, gated, colocated, first)
    return [_zeros(x) if slope is None and zero else slope for slope, x in zip(found, xs)]


def _as_list(items: Any) -> list[Any]:
    return list(items) if isinstance(items, (list, tuple)) else [items]


def _tensor(value: Any) -> SymbolicTensor:
    """Returns the tensor that |value| is in the graph."""
    if isinstance(value, SymbolicTensor):
        graph = scopes.get_default_graph()
        return value if value.graph is graph or not graph.building_function else graph.capture(value)
    return convert.convert_to_tensor(value)


def _source(value: Any) -> Any:
    """Returns what slopes are asked for: of a variable its handle, or its reference."""
    handle = getattr(value, 'handle', None)
    if handle is not None:
        return _tensor(handle)
    if hasattr(value, '_ref') and callable(value._ref):
        return value._ref()
    return _tensor(value)


def _check_target(y: Any, dy: Any) -> None:
    if dy is None and y.dtype.base_dtype.is_complex:
        raise TypeError(f'Gradients of complex tensors ({y}) must set grad_ys (y.dtype = {y.dtype.name})')
    if dy is None and not (y.dtype.base_dtype.is_floating or y.dtype in (dtypes.resource, dtypes.variant)):
        from berth.base import logging

        logging.log(logging.WARN, 'The dtype of the target tensor must be floating (e.g. tf.float32) when calling '
                    f'GradientTape.gradient, got {y.dtype.base_dtype!r}')


def _slope_for(dy: Any, y: Any, index: int) -> Any:
    if isinstance(dy, IndexedSlices):
        return dy
    is_tensor = convert.is_tensor(dy)
    found = convert.convert_to_tensor(dy, dtype=None if is_tensor else y.dtype.base_dtype, name=f'grad_ys_{index}')
    _check_type(found, y)
    if not found.shape.is_compatible_with(y.shape):
        raise ValueError(f'Incompatible shapes between y {y.shape} and its gradient {found.shape}')
    return found


def _check_type(dy: Any, y: Any) -> None:
    """Raises TypeError for a slope that a tensor like |y| cannot have."""
    kind, wanted = dy.dtype.base_dtype, y.dtype.base_dtype
    if (wanted.is_floating or wanted.is_integer) and not (kind.is_floating or kind.is_integer):
        raise TypeError(f'Gradient type {kind.name} generated for real or integer-valued tensor {y} with type '
                        f'{wanted.name} must be real or integer')
    if wanted.is_complex and not kind.is_complex:
        raise TypeError(f'Gradient type {kind.name} generated for complex-valued tensor {y} with type {wanted.name} must '
                        'be real')
    if wanted == dtypes.variant and kind != dtypes.variant:
        raise TypeError(f'Gradient type {kind.name} generated for variant tensor {y} with type {wanted.name} must be variant')
    if wanted == dtypes.resource and kind == dtypes.resource:
        raise TypeError(f'Input gradient {dy} for resource tensor {y} should not be a resource')
    if wanted in (dtypes.string, dtypes.bool):
        raise TypeError(f'Tensor {y} with type {wanted.name} must be numeric to obtain a default gradient')


def _unconnected(value: Any) -> bool:
    text = getattr(value, 'value', value)
    if text not in ('none', 'zero'):
        raise ValueError(f"Unknown value for unconnected_gradients: '{value}'")
    return text == 'zero'


def _zeros(x: Any) -> Any:
    from berth.ops import array_ops

    return array_ops.zeros_like(x)


# ---- Second order ----


def hessians(ys: Any, xs: Any, name: str = 'hessians', colocate_gradients_with_ops: bool = False,
             gate_gradients: bool = False, aggregation_method: Any = None) -> list[Any]:
    """Returns for each x the slopes by x of the slopes by x of the sum of |ys|."""
    xs = _as_list(xs)
    first = gradients(ys, xs, None, 'gradients', colocate_gradients_with_ops, gate_gradients, aggregation_method)
    return [_hessian(slope, x) for slope, x in zip(first, xs)]


def hessians_v2(ys: Any, xs: Any, gate_gradients: bool = False, aggregation_method: Any = None,
                name: str = 'hessians') -> list[Any]:
    """The same with the arguments of version 2."""
    return hessians(ys, xs, name, True, gate_gradients, aggregation_method)


def _hessian(slope: Any, x: Any) -> Any:
    """Returns the slopes of each element of |slope| by |x|."""
    from berth.ops import array_ops, functional_ops, math_ops

    flat = array_ops.reshape(slope, [-1])
    count = array_ops.size(x)

    def row(index: Any) -> Any:
        found = gradients(flat, x, array_ops.one_hot(index, count, dtype=flat.dtype))[0]
        return array_ops.zeros_like(x) if found is None else convert.convert_to_tensor(found)

    rows = functional_ops.map_fn(row, math_ops.range(count), flat.dtype)
    sizes = array_ops.shape(x)
    return array_ops.reshape(rows, array_ops.concat([sizes, sizes], 0))
