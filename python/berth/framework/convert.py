"""convert.py - Python and numpy values as tensors: constants and conversions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from berth import _core as core
from berth.framework import dtypes, scopes
from berth.framework.node import Operation, Tensor
from berth.framework.tensor_shape import Dimension, TensorShape

_INTEGERS = (int, np.integer, Dimension)
_ALLOWED = {
    'bool': (bool, np.bool_),
    'string': (str, bytes),
}


def _accepts(value: Any, dtype: dtypes.DType) -> bool:
    """True when |value| of Python can become an element of |dtype| without loss of kind."""
    if dtype.name in _ALLOWED:
        return isinstance(value, _ALLOWED[dtype.name])
    if isinstance(value, (bool, np.bool_)):
        return not (dtype.is_integer or dtype.is_floating or dtype.is_complex) or isinstance(value, np.bool_)
    if dtype.is_integer or dtype.is_quantized:
        return isinstance(value, _INTEGERS)
    if dtype.is_floating:
        return isinstance(value, _INTEGERS + (float, np.floating))
    if dtype.is_complex:
        return isinstance(value, _INTEGERS + (float, complex, np.number))
    return True


def _leaves(value: Any) -> Iterator[Any]:
    """Goes through the elements of nested lists."""
    pending: list[Any] = [value]
    while pending:
        item = pending.pop()
        if isinstance(item, (list, tuple)):
            pending.extend(reversed(item))
        elif isinstance(item, np.ndarray):
            continue
        else:
            yield item


def _check_elements(value: Any, dtype: dtypes.DType) -> None:
    for item in _leaves(value):
        if not _accepts(item, dtype):
            raise TypeError(f'Expected {dtype.name}, but got {item} of type {type(item).__name__!r}.')


def _failed(value: Any) -> TypeError:
    return TypeError(f'Failed to convert elements of {value} to Tensor. Consider casting elements to a supported '
                     'type. See https://www.tensorflow.org/api_docs/python/tf/dtypes for supported TF dtypes.')


def _from_python(value: Any, dtype: dtypes.DType | None) -> np.ndarray:
    """Returns nested lists and scalars as an array, in TensorFlow's default types."""
    if value is None:
        raise ValueError('None values not supported.')
    if dtype is not None:
        _check_elements(value, dtype)
        if dtype.name == 'string':
            return np.array(value, dtype=object)
        if dtype.name != 'bfloat16':
            return np.array(value, dtype=dtype.as_numpy_dtype)
    array = np.array(value)
    if dtype is None and array.dtype.kind in 'SU' and any(not isinstance(v, (str, bytes)) for v in _leaves(value)):
        raise _failed(value)
    if array.dtype == np.float64 and not isinstance(value, (np.ndarray, np.generic)):
        return array.astype(np.float32)
    if array.dtype == np.int64:
        small = array.astype(np.int32)
        return small if np.array_equal(small, array) else array
    if array.dtype.kind in 'SU':
        return np.array(value, dtype=object)
    return array


def to_array(value: Any, dtype: dtypes.DType | None) -> np.ndarray:
    """Returns |value| as an array whose type is, or corresponds to, |dtype|."""
    if isinstance(value, (np.ndarray, np.generic)):
        array = np.asarray(value)
        if array.dtype.kind in 'SU':
            return array.astype(object)
        if dtype is not None and dtype.name not in ('bfloat16', 'string'):
            return array.astype(dtype.as_numpy_dtype)
        return array
    if isinstance(value, TensorShape):
        value = value.as_list()
    if isinstance(value, Dimension):
        value = value.value
    if not isinstance(value, (list, tuple, int, float, complex, str, bytes, bool)) and hasattr(value, '__array__'):
        return to_array(np.asarray(value), dtype)
    return _from_python(value, dtype)


def _text_bytes(value: Any, whole: Any) -> bytes:
    if isinstance(value, bytes):
        return value
    if isinstance(value, str):
        return value.encode()
    raise _failed(whole)


def _narrow_float(array: np.ndarray) -> np.ndarray:
    """Returns float32 values as the bits of bfloat16, rounded to the nearest even."""
    bits = np.ascontiguousarray(array, dtype=np.float32).view(np.uint32)
    rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16
    return rounded.astype(np.uint16)


def make_tensor(value: Any, dtype: Any = None, shape: Any = None, verify_shape: bool = False) -> Any:
    """Returns |value| as a tensor of the extension; one value fills a larger |shape|."""
    kind = None if dtype is None else dtypes.as_dtype(dtype).base_dtype
    array = to_array(value, kind)
    if kind is None and array.dtype != object:
        try:
            kind = dtypes.as_dtype(array.dtype)
        except TypeError:
            raise _failed(value) from None
    if shape is not None:
        array = _fit(array, shape, verify_shape)
    if array.dtype == object:
        if any(not isinstance(v, (str, bytes)) for v in array.flat):
            raise _failed(value)
        return core.Tensor.from_strings([_text_bytes(v, value) for v in array.flat], array.shape)
    assert kind is not None
    if kind.name == 'bfloat16' and array.dtype != np.uint16:
        array = _narrow_float(array)
    return core.Tensor.from_buffer(np.ascontiguousarray(array), kind.number, array.shape)


def _fit(array: np.ndarray, shape: Any, verify_shape: bool) -> np.ndarray:
    """Returns |array| in |shape|; the last value is repeated when there are too few."""
    dims = [int(d) for d in TensorShape(shape).as_list()]
    if verify_shape and list(array.shape) != dims:
        raise TypeError(f"Expected Tensor's shape: {tuple(dims)}, but got {array.shape}.")
    wanted = int(np.prod(dims, dtype=np.int64))
    if array.size > wanted and not (array.size == 1 and wanted == 0):
        raise ValueError(f'Too many elements provided. Takes at most {wanted:d}, but got {array.size:d}.')
    if array.size == wanted:
        return array.reshape(dims)
    if wanted == 0:
        return np.empty(dims, dtype=array.dtype)
    flat = np.empty(wanted, dtype=array.dtype)
    flat[:array.size] = array.ravel()
    flat[array.size:] = array.ravel()[-1] if array.size else 0
    return flat.reshape(dims)


def constant(value: Any, dtype: Any = None, shape: Any = None, name: str = 'Const',
             verify_shape: bool = False) -> Any:
    """Makes a constant."""
    if scopes.executing_eagerly():
        from berth.eager import context

        return context.eager_constant(value, dtype, shape)
    if isinstance(value, Tensor):
        raise TypeError(f'Failed to convert {value!r} to a constant: a tensor of a graph has no value yet. '
                        'Use tf.convert_to_tensor or tf.identity.')
    tensor = make_tensor(value, dtype, shape, verify_shape)
    graph = scopes.get_default_graph()
    op = graph.add('Const', name, [], {'dtype': core.DType(tensor.dtype), 'value': tensor})
    return op.single(dtypes.as_dtype(tensor.dtype))


def constant_v2(value: Any, dtype: Any = None, shape: Any = None, name: str = 'Const') -> Any:
    """Makes a constant; the arguments of version 2."""
    return constant(value, dtype, shape, name)


def _holds_tensor(value: Any) -> bool:
    return any(is_tensor(v) for v in _leaves(value))


def _pack_list(values: Any, dtype: Any, name: str) -> Any:
    """Joins a list that has tensors in it, as tf.stack does."""
    from berth.ops import gen

    if dtype is None:
        dtype = next(v.dtype.base_dtype for v in _leaves(values) if is_tensor(v))
    with scopes.name_scope(name) as scope:
        parts = []
        for index, item in enumerate(values):
            if isinstance(item, (list, tuple)) and _holds_tensor(item):
                parts.append(_pack_list(item, dtype, str(index)))
            elif is_tensor(item):
                parts.append(convert_to_tensor(item))
            else:
                parts.append(constant(item, dtype, name=str(index)))
        return gen.apply('Pack', scope, {'values': parts}, {'axis': 0})


def convert_to_tensor(value: Any, dtype: Any = None, name: str | None = None, preferred_dtype: Any = None,
                      dtype_hint: Any = None) -> Any:
    """Returns |value| as a tensor: itself, the value of a variable, or a constant."""
    return to_tensor(value, dtype, name, preferred_dtype if preferred_dtype is not None else dtype_hint, False)


def to_tensor(value: Any, dtype: Any, name: str | None, hint: Any, as_ref: bool) -> Any:
    """The same; |as_ref| gives the reference that a variable is handed out as."""
    kind = None if dtype is None else dtypes.as_dtype(dtype)
    if isinstance(value, Tensor):
        if kind is not None and not kind.is_compatible_with(value.dtype):
            raise ValueError(f'Tensor conversion requested dtype {kind.name} for Tensor with dtype '
                             f'{value.dtype.name}: {value!r}')
        if isinstance(value, core.Tensor) and not scopes.executing_eagerly():
            from berth.eager import function

            return function.capture(value, name)
        return value
    if hasattr(value, '_dense_var_to_tensor'):
        return value._dense_var_to_tensor(kind, name, as_ref)
    if kind is None and hint is not None:
        try:
            return _convert(value, dtypes.as_dtype(hint), name)
        except (TypeError, ValueError):
            pass
    return _convert(value, kind, name)


def _convert(value: Any, kind: dtypes.DType | None, name: str | None) -> Any:
    if isinstance(value, (list, tuple)) and not isinstance(value, TensorShape) and _holds_tensor(value):
        return _pack_list(value, kind, name or 'packed')
    if isinstance(value, TensorShape):
        return _convert_shape(value, kind, name)
    if isinstance(value, Operation):
        raise TypeError(f"Can't convert Operation '{value.name}' to Tensor")
    if isinstance(value, Dimension):
        value = value.value
    return constant(value, kind, name='Const' if name is None else name)


def _convert_shape(shape: TensorShape, kind: dtypes.DType | None, name: str | None) -> Any:
    if not shape.is_fully_defined():
        raise ValueError(f'Cannot convert a partially known TensorShape {shape} to a Tensor.')
    if kind is None:
        kind = dtypes.as_dtype('int64' if any(d > 0x7FFFFFFF for d in shape.as_list()) else 'int32')
    if kind.name not in ('int32', 'int64'):
        raise TypeError(f'Cannot convert a TensorShape to dtype {kind.name}.')
    return constant(shape.as_list(), kind, name=name or 'shape_as_tensor')


def convert_n_to_tensor(values: Any, dtype: Any = None, name: str | None = None) -> list[Any]:
    """Converts each of |values|, numbering the names."""
    return [convert_to_tensor(v, dtype, None if name is None else f'{name}_{i}') for i, v in enumerate(values)]


def is_tensor(x: Any) -> bool:
    """True for tensors and variables."""
    return isinstance(x, Tensor) or hasattr(x, '_dense_var_to_tensor')


def constant_value(tensor: Any) -> Any:
    """Returns the value of a constant as an array, None for anything else."""
    if not isinstance(tensor, Tensor):
        return to_array(tensor, None)
    if not hasattr(tensor, 'op'):
        return tensor.numpy()
    if tensor.op.type != 'Const':
        return None
    return tensor.op.graph._core.node_attr(tensor.op.node, 'value').numpy()
