"""tensor_util.py - TensorProto messages from values and back, and conversions that programs add."""

from __future__ import annotations

from typing import Any, Callable

from berth import _core as core
from berth.framework import convert, dtypes


def make_tensor_proto(values: Any, dtype: Any = None, shape: Any = None, verify_shape: bool = False,
                      allow_broadcast: bool = False) -> Any:
    """Returns |values| as a TensorProto message."""
    from berth.base import protos

    if hasattr(values, 'tensor_shape') and hasattr(values, 'SerializeToString'):
        return values
    if isinstance(values, core.Tensor):
        values = values.numpy()
    if shape is not None and (verify_shape or allow_broadcast):
        array = convert.to_array(values, None if dtype is None else dtypes.as_dtype(dtype))
        if list(array.shape) != list(shape) and (verify_shape or array.size != 1):
            raise TypeError(f"Expected Tensor's shape: {tuple(shape)}, but got {array.shape}.")
    return protos.TensorProto.FromString(convert.make_tensor(values, dtype, shape).to_proto())


def make_ndarray(tensor: Any) -> Any:
    """Returns the values of a TensorProto message as an array."""
    import numpy

    return numpy.asarray(core.Tensor.from_proto(tensor.SerializeToString()).numpy())


def register_tensor_conversion_function(base_type: Any, conversion_func: Callable[..., Any],
                                        priority: int = 100) -> None:
    """Makes convert_to_tensor ask |conversion_func| about values of some classes; the lowest priority first."""
    import numpy

    kinds = base_type if isinstance(base_type, tuple) else (base_type,)
    if not all(isinstance(kind, type) for kind in kinds):
        raise TypeError(f'Argument `base_type` must be a type or a tuple of types. Obtained: {base_type}')
    if any(issubclass(kind, (int, float, complex, numpy.generic, numpy.ndarray)) for kind in kinds):
        raise TypeError('Cannot register conversions for Python numeric types and NumPy scalars and arrays.')
    if not callable(conversion_func):
        raise TypeError(f'Argument `conversion_func` must be callable. Received {conversion_func}.')
    convert.conversions.append((priority, kinds, conversion_func))
    convert.conversions.sort(key=lambda each: each[0])
    # A class of Python's own may come in any list.
    if any(issubclass(plain, kinds) for plain in (list, tuple, str, bytes)):
        core.set_own_conversions(True)
