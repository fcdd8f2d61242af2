"""feeds.py - What a run is fed: keys to tensors, values to arrays, and the words for mistakes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from berth.client.handles import TensorHandle
from berth.framework import convert, dtypes, errors, nest
from berth.framework.composite import Composite
from berth.framework.node import Tensor


def find_key(graph: Any, key: Any) -> Tensor:
    """Returns the tensor that |key| is, names or wraps."""
    try:
        return graph.as_graph_element(key, allow_operation=False)
    except Exception as error:
        text = error.args[0] if error.args else str(error)
        raise TypeError(f'Cannot interpret feed_dict key as Tensor: {text}') from None


def read(graph: Any, feed_dict: Any) -> dict[Tensor, Any]:
    """Returns the tensors that are fed, each with its array; of two for one tensor the last counts."""
    if not hasattr(feed_dict, 'items'):
        raise TypeError("FlattenDictItems: 'dict' must be a dictionary or collection.Mapping type object, "
                        f"instead of '{type(feed_dict).__name__}'.")
    found: dict[Tensor, Any] = {}
    for key, value in list(_flat(feed_dict)):
        tensor = find_key(graph, key)
        found[tensor] = _array(tensor, value)
        if not graph.is_feedable(tensor):
            raise ValueError(f'Tensor {tensor.name} may not be fed.')
    return found


def _flat(feed_dict: Any) -> Iterator[tuple[Any, Any]]:
    """Goes through feeds; a key may be a nest of keys for a nest of values."""
    for key, value in feed_dict.items():
        if isinstance(key, Composite):
            yield from zip(key._parts(), key._fed(value))
            continue
        if not nest.is_nested(key):
            yield key, value
            continue
        keys, values = nest.flatten(key), nest.flatten(value)
        if len(keys) != len(values):
            raise ValueError(f'Could not flatten dictionary. Key had {len(keys)} elements, but value had '
                             f'{len(values)} elements. Key: {keys}, value: {values}.')
        yield from zip(keys, values)


def _array(tensor: Tensor, value: Any) -> np.ndarray:
    """Returns |value| as an array of the type of |tensor|, checked against its shape."""
    if convert.is_tensor(value):
        raise TypeError('The value of a feed cannot be a tf.Tensor object. Acceptable feed values include Python '
                        f'scalars, strings, lists, numpy ndarrays, or TensorHandles. For reference, the tensor object '
                        f'was {value!s} which was passed to the argument `feed_dict` with key {tensor!s}.')
    kind = tensor.dtype.base_dtype
    if isinstance(value, TensorHandle):
        value = _kept(tensor, value)
    if isinstance(value, int) and not _stays(value, kind):
        raise TypeError(f'Type of feed value {value} with type {type(value)} is not compatible with Tensor type '
                        f'{kind.as_numpy_dtype}. Try explicitly setting the type of the feed tensor to a larger type '
                        '(e.g. int64).')
    array = _convert(value, kind)
    dims = tensor._rank_and_dims
    if dims is not None and (len(dims) != array.ndim or
                             any(d is not None and d != s for d, s in zip(dims, array.shape))):
        raise ValueError(f'Cannot feed value of shape {array.shape} for Tensor {tensor.name}, which has shape '
                         f'{tensor.shape}')
    return array


def _kept(tensor: Tensor, handle: Any) -> Any:
    """Returns the value of what a session keeps, for a tensor of its type."""
    value = handle.eval()
    kinds = [{'float32': 'float', 'float64': 'double', 'float16': 'half'}.get(kind.name, kind.name)
             for kind in (tensor.dtype.base_dtype, handle._dtype.base_dtype)]
    if kinds[0] != kinds[1]:
        raise errors.InvalidArgumentError(None, None, f'Expects arg[0] to be {kinds[0]} but {kinds[1]} is provided')
    return value


def _stays(value: int, kind: dtypes.DType) -> bool:
    """True when an int is still itself as a number of |kind|."""
    if kind == dtypes.bfloat16:
        return True  # numpy has no such type of its own.
    wanted = kind.as_numpy_dtype
    return wanted is not object and bool(wanted(np.array(value).astype(wanted)) == value)


def _convert(value: Any, kind: dtypes.DType) -> np.ndarray:
    """Returns an array of |kind|; numbers are first read as what they are, so that those too large wrap around."""
    if kind == dtypes.bfloat16:
        return np.asarray(value)
    wanted = kind.as_numpy_dtype
    if np.issubdtype(wanted, np.number):
        return np.asarray(value).astype(wanted, copy=False)
    return np.asarray(value, dtype=wanted)
