"""sequences.py - Numbers, texts and nested lists of Python as arrays, by the rules of eager TensorFlow.

The first element decides the kind; all others must fit it. Graphs follow numpy's
rules instead, which `convert` has.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from berth.framework import dtypes

_SEQUENCES = (list, tuple, range, np.ndarray)
_TEXTS = (str, bytes)
_NUMBERS = (bool, int, float, complex, np.number, np.bool_)
_MIXED = "Can't convert Python sequence with mixed types to Tensor."
_NOT_RECTANGULAR = "Can't convert non-rectangular Python sequence to Tensor."
_TOO_LARGE = "Can't convert Python sequence with out-of-range integer to Tensor."
_TOO_LARGE_FLOAT = "Can't convert Python sequence with a value out of range for a double-precision float."
_FITTING = {'b': 'bifcq', 'i': 'ifcq', 'f': 'fc', 'c': 'c', 's': 's'}


def eager_array(value: Any, kind: dtypes.DType | None) -> np.ndarray:
    """Returns |value| as an array of |kind|, or of the type that its elements ask for."""
    first = _first_leaf(value)
    if first is not None and not isinstance(first, _TEXTS + _NUMBERS):
        raise _unsupported(first)
    if first is None and not _is_empty(value):
        raise _unsupported(None)
    array = _plain_array(value)
    base = _base_of(array, first, value, kind)
    if kind is None:
        return _own_type(array, base, first)
    if array.size and _letter(kind) not in _FITTING[base]:
        raise cannot_convert(value, kind)
    return _cast(array, kind)


def cannot_convert(value: Any, kind: dtypes.DType) -> TypeError:
    """Returns the error for a value that does not fit a type."""
    name = {'float32': 'float', 'float64': 'double', 'float16': 'half'}.get(kind.name, kind.name)
    return TypeError(f'Cannot convert {value!r} to EagerTensor of dtype {name}')


def _unsupported(value: Any) -> ValueError:
    return ValueError(f'Attempt to convert a value ({value!r}) with an unsupported type ({type(value)}) to a Tensor.')


def _first_leaf(value: Any) -> Any:
    while isinstance(value, _SEQUENCES):
        if not len(value):
            return None
        value = value[0]
    return value


def _is_empty(value: Any) -> bool:
    while isinstance(value, _SEQUENCES):
        if not len(value):
            return True
        value = value[0]
    return False


def _plain_array(value: Any) -> np.ndarray:
    try:
        array = np.array(value)
    except UnicodeDecodeError:  # Texts beside bytes that are none.
        return np.array(value, dtype=object)
    except ValueError:
        raise ValueError(_shape_problem(value)) from None
    return np.array(value, dtype=object) if array.dtype.kind in 'SU' else array


def _shape_problem(value: Any) -> str:
    """Says why nested lists have no shape: the first elements show what it should be."""
    sizes = []
    item = value
    while isinstance(item, _SEQUENCES) and len(item):
        sizes.append(len(item))
        item = item[0]
    level = [value]
    for size in sizes:
        if any(not isinstance(v, _SEQUENCES) or len(v) != size for v in level):
            return _NOT_RECTANGULAR
        level = [v for part in level for v in part]
    return _MIXED


def _base_of(array: np.ndarray, first: Any, value: Any, kind: dtypes.DType | None) -> str:
    """Returns the letter of what the elements are: b, i, f, c or s."""
    found = {'b': 'b', 'i': 'i', 'u': 'i', 'f': 'f', 'c': 'c', 'V': 'f'}.get(array.dtype.kind, 'o')
    if not array.size:
        return found
    if found == 'o':
        return _object_base(array, kind)
    is_bool = isinstance(first, (bool, np.bool_))
    if is_bool != (found == 'b') or (found == 'c' and not isinstance(first, (complex, np.complexfloating))):
        raise ValueError(_MIXED)
    if found == 'f' and isinstance(first, int):  # Numpy makes floats of integers that no type holds, too.
        return _object_base(np.array(value, dtype=object), kind, 'f')
    if array.dtype.kind == 'u' and int(array.max()) >= 1 << 63 and (kind is None or kind.name != 'uint64'):
        raise ValueError(_TOO_LARGE)
    return found


def _object_base(array: np.ndarray, kind: dtypes.DType | None, other: str = '') -> str:
    """The same for what numpy has no type for: texts, very large integers; |other| is what else is meant."""
    if all(isinstance(v, _TEXTS) for v in array.flat):
        return 's'
    if all(isinstance(v, int) and not isinstance(v, bool) for v in array.flat):
        if kind is None or _letter(kind) not in 'fc':
            raise ValueError(_TOO_LARGE)
        return 'i'
    if other:
        return other
    raise ValueError(_MIXED)


def _own_type(array: np.ndarray, base: str, first: Any) -> np.ndarray:
    """Returns the array in the type that elements of its kind get."""
    if not array.size:
        return array.astype(np.float32)
    if base == 'i':
        small = array.astype(np.int32)
        return small if np.array_equal(small, array) else array.astype(np.int64)
    if base != 'f' or isinstance(first, (np.float64, np.float16)):
        return array
    with np.errstate(over='ignore'):
        small = array.astype(np.float32)
    if np.any(np.isinf(small) & ~np.isinf(array)):
        raise ValueError(_TOO_LARGE_FLOAT)
    return small


def _letter(kind: dtypes.DType) -> str:
    if kind.is_bool:
        return 'b'
    if kind.is_floating:
        return 'f'
    if kind.is_complex:
        return 'c'
    if kind.is_quantized:
        return 'q'
    return 'i' if kind.is_integer else 's' if kind.name == 'string' else '-'


def _cast(array: np.ndarray, kind: dtypes.DType) -> np.ndarray:
    """Returns the array in another type: integers wrap around, large floats become infinite."""
    if kind.name == 'string':
        return array.astype(object)
    with np.errstate(over='ignore', invalid='ignore'):
        return array.astype(np.float32 if kind.name == 'bfloat16' else kind.as_numpy_dtype)
