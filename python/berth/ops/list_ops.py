"""list_ops - Lists of tensors, as values: the nodes that TensorArray is made of in functions."""

from __future__ import annotations

from typing import Any

from berth.framework import convert, dtypes, gen
from berth.framework.tensor_shape import TensorShape
from berth.ops import math_ops


def element_shape_of(shape: Any) -> Any:
    """Returns a shape as nodes on lists take it: -1 where nothing is known, and for each size that is not."""
    if convert.is_tensor(shape):
        return shape
    if isinstance(shape, TensorShape):
        shape = None if shape.rank is None else shape.as_list()
    if shape is None:
        return -1
    if not isinstance(shape, (list, tuple)) or not shape:
        return convert.convert_to_tensor(shape, dtype=dtypes.int32)
    return [-1 if size is None else math_ops.cast(size, dtypes.int32) if convert.is_tensor(size) else int(size)
            for size in shape]


def reserve(element_shape: Any, num_elements: Any, element_dtype: Any, name: str | None = None) -> Any:
    """Returns a list of so many elements that are not set."""
    return gen.apply('TensorListReserve', name, {
        'element_shape': element_shape_of(element_shape), 'num_elements': num_elements},
        {'element_dtype': element_dtype})


def from_tensor(tensor: Any, element_shape: Any, name: str | None = None) -> Any:
    """Returns a list of the parts of a tensor along its first axis."""
    return gen.apply('TensorListFromTensor', name, {
        'tensor': tensor, 'element_shape': element_shape_of(element_shape)})


def get_item(handle: Any, index: Any, element_dtype: Any, element_shape: Any, name: str | None = None) -> Any:
    """Returns an element."""
    return gen.apply('TensorListGetItem', name, {
        'input_handle': handle, 'index': index, 'element_shape': element_shape_of(element_shape)},
        {'element_dtype': element_dtype})


def set_item(handle: Any, index: Any, item: Any, grows: bool, name: str | None = None) -> Any:
    """Returns a list with another element at a number."""
    return gen.apply('TensorListSetItem', name, {'input_handle': handle, 'index': index, 'item': item},
                     {'resize_if_index_out_of_bounds': grows})


def stack(handle: Any, element_dtype: Any, num_elements: Any, element_shape: Any, name: str | None = None) -> Any:
    """Returns all elements, joined along a new axis."""
    return gen.apply('TensorListStack', name, {
        'input_handle': handle, 'element_shape': element_shape_of(element_shape)},
        {'element_dtype': element_dtype, 'num_elements': -1 if num_elements is None else int(num_elements)})


def gather(handle: Any, indices: Any, element_dtype: Any, element_shape: Any, name: str | None = None) -> Any:
    """Returns some elements, joined along a new axis."""
    return gen.apply('TensorListGather', name, {
        'input_handle': handle, 'indices': indices, 'element_shape': element_shape_of(element_shape)},
        {'element_dtype': element_dtype})


def concat(handle: Any, element_dtype: Any, element_shape: Any, name: str | None = None) -> Any:
    """Returns all elements, joined along their first axis."""
    return gen.apply('TensorListConcatV2', name, {
        'input_handle': handle, 'element_shape': element_shape_of(element_shape),
        'leading_dims': convert.convert_to_tensor([], dtype=dtypes.int64)}, {'element_dtype': element_dtype})[0]


def scatter_into(handle: Any, tensor: Any, indices: Any, name: str | None = None) -> Any:
    """Returns a list with the parts of a tensor at numbers."""
    return gen.apply('TensorListScatterIntoExistingList', name, {
        'input_handle': handle, 'tensor': tensor, 'indices': indices})


def split(tensor: Any, element_shape: Any, lengths: Any, name: str | None = None) -> Any:
    """Returns a list of pieces of a tensor, of given lengths."""
    return gen.apply('TensorListSplit', name, {
        'tensor': tensor, 'element_shape': element_shape_of(element_shape), 'lengths': lengths})


def length(handle: Any, name: str | None = None) -> Any:
    """Returns how many elements there are."""
    return gen.apply('TensorListLength', name, {'input_handle': handle})
