"""convert.py - Python and numpy values as tensors: constants and conversions."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

import numpy as np

from berth import _core as core
from berth.base import execution, naming
from berth.framework import dtypes, scopes, sequences
from berth.framework.composite import Composite
from berth.framework.node import Native, Operation, SymbolicTensor, Tensor
from berth.framework.tensor_shape import Dimension, TensorShape

_INTEGERS = (int, np.integer, Dimension)
_PLAIN = (list, tuple, int, float, complex, str, bytes, bool)
# What numpy has and no tensor: the letter of the type, and its name in the C API.
_UNSUPPORTED = {'M': 'DATETIME', 'm': 'TIMEDELTA', 'g': 'LONGDOUBLE', 'G': 'CLONGDOUBLE', 'V': 'VOID'}
_ALLOWED = {
    'bool': (bool, np.bool_),
    'string': (str, bytes),
}


def _accepts(value: Any, dtype: dtypes.DType) -> bool:
    """True when |value| of Python can become an element of |dtype| without loss of kind."""
    if dtype.name in _ALLOWED:
        return isinstance(value, _ALLOWED[dtype.name])
    if isinstance(value, np.bool_):
        return True
    if dtype.is_quantized:
        return False
    if dtype.is_integer:
        return isinstance(value, _INTEGERS)
    if dtype.is_floating:
        return isinstance(value, (int, np.integer, float, np.floating))
    if dtype.is_complex:
        return isinstance(value, (int, float, complex, np.number))
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
        if not _accepts(item, dtype) or isinstance(item, Tensor):
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
        return _as_type(value, dtype)
    array = np.array(value)
    if list(array.shape) != _dense_dims(value) and array.dtype != object:
        raise ValueError(f'Expected values {value} to be a dense tensor with shape {_dense_dims(value)}, but got shape '
                         f'{list(array.shape)}.')
    if array.dtype.kind in 'SU' and any(not isinstance(v, (str, bytes)) for v in _leaves(value)):
        raise _failed(value)
    if array.dtype == np.float64 and not isinstance(value, (np.ndarray, np.generic)):
        with np.errstate(over='ignore'):
            return array.astype(np.float32)
    if array.dtype == np.int64:
        small = array.astype(np.int32)
        return small if np.array_equal(small, array) else array
    if array.dtype.kind in 'SU':
        return np.array(value, dtype=object)
    return array


def _as_type(value: Any, dtype: dtypes.DType) -> np.ndarray:
    """Returns nested lists and scalars as an array of |dtype|: integers wrap around."""
    if dtype.name == 'string':
        return np.array(value, dtype=object)
    if dtype.is_integer:
        return np.array(value).astype(dtype.as_numpy_dtype)
    return np.array(value, dtype=np.float32 if dtype.name == 'bfloat16' else dtype.as_numpy_dtype)


def _dense_dims(value: Any) -> list[int]:
    """Returns the shape that the first elements of nested lists show."""
    dims = []
    while isinstance(value, (list, tuple)):
        dims.append(len(value))
        value = value[0] if value else None
    return dims


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
    if not isinstance(value, _PLAIN) and hasattr(value, '__array__'):
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
    return rounded.astype(np.uint16).reshape(array.shape)


def make_tensor(value: Any, dtype: Any = None, shape: Any = None, verify_shape: bool = False) -> Any:
    """Returns |value| as a tensor of the extension; one value fills a larger |shape|."""
    kind = None if dtype is None else dtypes.as_dtype(dtype).base_dtype
    array = to_array(value, kind)
    given = array.size
    if shape is not None:
        array = _fit(array, shape, verify_shape)
    return tensor_of(array, kind, value, given if 0 < given < array.size else 0)


def make_eager_tensor(value: Any, dtype: dtypes.DType | None) -> Any:
    """The same by the rules of eager TensorFlow."""
    if isinstance(value, TensorShape):
        value = value.as_list()
    if isinstance(value, Dimension):
        value = value.value
    if isinstance(value, (np.ndarray, np.generic)):
        return tensor_of(_eager_numpy(np.asarray(value), dtype), dtype, value)
    if not isinstance(value, _PLAIN) and hasattr(value, '__array__'):
        return tensor_of(to_array(np.asarray(value), dtype), dtype, value)
    return tensor_of(sequences.eager_array(value, dtype), dtype, value)


def _eager_numpy(array: np.ndarray, dtype: dtypes.DType | None) -> np.ndarray:
    """Returns an array of the program's in |dtype|; ValueError when no tensor can hold it."""
    if array.dtype.kind == 'O' or (dtype is not None and dtype.name == 'string' and array.dtype.kind not in 'SU'):
        for item in array.flat:
            if not isinstance(item, (str, bytes)):
                raise ValueError('Failed to convert a NumPy array to a Tensor (Unsupported object type '
                                 f'{type(item.item() if isinstance(item, np.generic) else item).__name__}).')
    elif array.dtype.char in _UNSUPPORTED:
        raise ValueError('Failed to convert a NumPy array to a Tensor (Unsupported numpy type: '
                         f'NPY_{_UNSUPPORTED[array.dtype.char]}).')
    elif dtype is not None and dtype.name != 'string' and array.dtype.kind in 'SU':
        return array.astype(dtype.as_numpy_dtype)
    return to_array(array, dtype)


def tensor_of(array: np.ndarray, kind: dtypes.DType | None, value: Any, listed: int = 0) -> Any:
    """Returns an array as a tensor of the extension; errors are about |value|."""
    if array.dtype == object:
        for item in array.flat:
            if not isinstance(item, (str, bytes)):
                raise TypeError(f'Expected binary or unicode string, got {item}') \
                    if isinstance(value, np.ndarray) else _failed(value)
        return core.Tensor.from_strings([_text_bytes(v, value) for v in array.flat], array.shape, listed)
    if kind is None:
        try:
            kind = dtypes.as_dtype(array.dtype)
        except TypeError:
            if isinstance(value, (np.ndarray, np.generic)):
                raise
            raise _failed(value) from None
    if kind.name == 'bfloat16' and array.dtype != np.uint16:
        array = _narrow_float(array)
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder('='))  # Bytes are taken as they lie.
    return core.Tensor.from_buffer(np.ascontiguousarray(array), kind.number, array.shape, listed)


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


def making(function: Any, parameters: str, keeps: bool = False) -> Any:
    """Gives a function that makes a tensor of a value a short way for plain ones; |keeps|: tensors stay as they are."""
    return functools.update_wrapper(core.Maker(function, tuple(parameters.split()), keeps), function)


def constant(value: Any, dtype: Any = None, shape: Any = None, name: str = 'Const',
             verify_shape: bool = False) -> Any:
    """Makes a constant."""
    if scopes.executing_eagerly():
        return execution.make_constant(value, dtype, shape)
    if dtype is not None and isinstance(value, Tensor):
        _check_elements(value, dtypes.as_dtype(dtype))
    try:
        tensor = make_tensor(value, dtype, shape, verify_shape)
    except NotImplementedError:  # Numpy asked a tensor of a graph for its values.
        raise TypeError('Expected any non-tensor type, but got a tensor instead.') from None
    graph = scopes.get_default_graph()
    op = graph.add('Const', name, [], {'dtype': core.DType(tensor.dtype), 'value': tensor})
    return op.single(dtypes.as_dtype(tensor.dtype))


constant = making(constant, 'value dtype shape name verify_shape')


@naming.public('framework.constant_op', 'constant')
def constant_v2(value: Any, dtype: Any = None, shape: Any = None, name: str = 'Const') -> Any:
    """Makes a constant; the arguments of version 2."""
    if shape is not None and not scopes.executing_eagerly():
        given, wanted = to_array(value, None if dtype is None else dtypes.as_dtype(dtype)), TensorShape(shape)
        if given.size not in (1, wanted.num_elements()):
            raise TypeError(f"Expected Tensor's shape: {tuple(wanted.as_list())}, but got {given.shape}.")
    return constant(value, dtype, shape, name)


constant_v2 = making(constant_v2, 'value dtype shape name')


def _holds_tensor(value: Any) -> bool:
    return any(is_tensor(v) or stands_in(v) for v in _leaves(value))


def _with_tensors(value: Any) -> Any:
    """Returns nested lists with tensors in place of what stands for them."""
    if isinstance(value, (list, tuple)):
        return [_with_tensors(item) for item in value]
    return convert_to_tensor(value) if stands_in(value) else value


def _pack_list(values: Any, dtype: Any, name: str, wanted: bool | None = None) -> Any:
    """Joins a list that has tensors in it, as tf.stack does."""
    from berth.framework import gen

    found = next(v.dtype.base_dtype for v in _leaves(values) if is_tensor(v))
    if wanted is None:
        wanted = dtype not in (None, found) and not scopes.executing_eagerly()
    dtype = found if dtype is None else dtype
    if scopes.executing_eagerly() and all(isinstance(v, Tensor) for v in values):
        return gen.apply('Pack', name, {'values': values}, {'axis': 0})
    with scopes.name_scope(name) as scope:
        parts = [_pack_item(item, dtype, str(index), wanted) for index, item in enumerate(values)]
        return gen.apply('Pack', scope, {'values': parts}, {'axis': 0})


def _pack_item(item: Any, dtype: dtypes.DType, name: str, wanted: bool) -> Any:
    """Returns one of the values that are joined as a tensor of |dtype|; others are cast where it is |wanted|."""
    if isinstance(item, (list, tuple)) and _holds_tensor(item):
        return _pack_list(item, dtype, name, wanted)
    if not is_tensor(item):
        return constant(item, dtype, name=name)
    if item.dtype.base_dtype != dtype and wanted:
        from berth.framework import gen

        return gen.apply('Cast', None, {'x': item}, {'DstT': dtype})
    if item.dtype.base_dtype != dtype:
        raise TypeError(f'Cannot convert a list containing a tensor of dtype {item.dtype} to {dtype} '
                        f'(Tensor is: {item!r})')
    return convert_to_tensor(item)


def convert_to_tensor(value: Any, dtype: Any = None, name: str | None = None, preferred_dtype: Any = None,
                      dtype_hint: Any = None) -> Any:
    """Returns |value| as a tensor: itself, the value of a variable, or a constant."""
    if isinstance(value, Composite) and value._is_passed_on and dtype in (None, value.dtype):
        return value  # What ops do with it is decided where they are made.
    return to_tensor(value, dtype, name, preferred_dtype if preferred_dtype is not None else dtype_hint, False)


convert_to_tensor = making(convert_to_tensor, 'value dtype name preferred_dtype dtype_hint', True)


def to_tensor(value: Any, dtype: Any, name: str | None, hint: Any, as_ref: bool) -> Any:
    """The same; |as_ref| gives the reference that a variable is handed out as."""
    kind = None if dtype is None else dtypes.as_dtype(dtype)
    if isinstance(value, Tensor):
        if kind is not None and not kind.is_compatible_with(value.dtype):
            raise ValueError(f'Tensor conversion requested dtype {kind.name} for Tensor with dtype '
                             f'{value.dtype.name}: {value!r}')
        if not scopes.executing_eagerly() and _is_from_outside(value):
            return scopes.get_default_graph()._capture(value, name)
        return value
    if hasattr(value, '_dense_var_to_tensor'):
        found = value._dense_var_to_tensor(kind, name, as_ref)
        if isinstance(found, SymbolicTensor) and _is_from_outside(found):  # A reference's value, read elsewhere.
            return scopes.get_default_graph()._capture(found, name)
        return found
    if stands_in(value):
        return value.__tf_tensor__(kind, name)
    if kind is None and hint is not None:
        try:
            return _convert(value, dtypes.as_dtype(hint), name)
        except (TypeError, ValueError):
            pass
    return _convert(value, kind, name)


def _is_from_outside(value: Any) -> bool:
    """True for a tensor that the graph being built has to capture."""
    if isinstance(value, core.Tensor):
        return True
    graph = scopes.get_default_graph()
    return graph.building_function and value.graph is not graph


# (priority, classes, function) of what programs registered, the first to be asked first.
conversions: list[tuple[int, tuple[type, ...], Any]] = []


def _convert_registered(value: Any, kind: dtypes.DType | None, name: str | None) -> Any:
    """Returns what a registered function makes of |value|, NotImplemented where none does."""
    for _, kinds, function in conversions:
        if not isinstance(value, kinds):
            continue
        found = function(value, dtype=kind, name=name, as_ref=False)
        if found is NotImplemented:
            continue
        if not isinstance(found, Tensor):
            raise RuntimeError(f'Conversion function {function!r} for type {kinds[0]} returned non-Tensor: {found!r}')
        if kind is not None and not kind.is_compatible_with(found.dtype):
            raise RuntimeError(f'Conversion function {function!r} for type {kinds[0]} returned incompatible dtype: '
                               f'requested = {kind.name}, actual = {found.dtype.name}')
        return found
    return NotImplemented


def _convert(value: Any, kind: dtypes.DType | None, name: str | None) -> Any:
    if conversions:
        found = _convert_registered(value, kind, name)
        if found is not NotImplemented:
            return found
    if isinstance(value, (list, tuple)) and not isinstance(value, TensorShape) and _holds_tensor(value):
        return _pack_list(_with_tensors(value), kind, name or 'packed')
    if isinstance(value, TensorShape):
        return _convert_shape(value, kind, name)
    if isinstance(value, Operation):
        raise TypeError(f"Can't convert Operation '{value.name}' to Tensor")
    if isinstance(value, Dimension):
        return _convert_dimension(value, kind, name)
    return constant(value, kind, name='Const' if name is None else name)


def _convert_dimension(size: Dimension, kind: dtypes.DType | None, name: str | None) -> Any:
    if size.value is None:
        raise ValueError(f'Cannot convert unknown Dimension {size} to a Tensor.')
    if kind is not None and kind.name not in ('int32', 'int64'):
        raise TypeError(f'Cannot convert Dimension {size} to dtype {kind}. Allowed dtypes are tf.int32 and tf.int64.')
    return constant(size.value, kind or dtypes.int32, name=name or 'shape_as_tensor')


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
    return isinstance(x, Native) or hasattr(x, '_dense_var_to_tensor')


def stands_in(x: Any) -> bool:
    """True for an object of a program that says which tensor it stands for."""
    return hasattr(type(x), '__tf_tensor__')


def constant_value(tensor: Any) -> Any:
    """Returns the value of a constant as an array, None for anything else."""
    if not isinstance(tensor, Tensor):
        return to_array(tensor, None)
    if not hasattr(tensor, 'op'):
        return tensor.numpy()
    if tensor.op.type != 'Const':
        return None
    return tensor.op.graph._core.node_attr(tensor.op.node, 'value').numpy()
