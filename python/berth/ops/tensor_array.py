"""tensor_array - TensorArray: tensors in a row, written and read one by one.

They are kept in a list of Python's, so that places must be known when they are named: where ops
run at once, and in functions whose loops are Python's own.
"""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

from berth.framework import convert, dtypes, errors, scopes
from berth.framework.tensor_shape import TensorShape
from berth.ops import array_ops


class TensorArray:
    """A row of tensors of one type."""

    def __init__(self, dtype: Any, size: Any = None, dynamic_size: Optional[bool] = None,
                 clear_after_read: Optional[bool] = None, tensor_array_name: Optional[str] = None, handle: Any = None,
                 flow: Any = None, infer_shape: bool = True, element_shape: Any = None,
                 colocate_with_first_write_call: bool = True, name: Optional[str] = None) -> None:
        if handle is not None:
            raise ValueError('TensorArray handles are not supported when eager execution is enabled.')
        if size is None:
            raise ValueError('Size must be declared for TensorArrays when eager execution is enabled.')
        self._dtype = dtypes.as_dtype(dtype).base_dtype
        self._dynamic_size = bool(dynamic_size)
        self._clears = clear_after_read is None or clear_after_read
        self._infers = infer_shape
        self._element_shape = TensorShape(element_shape)
        self._values: list[Any] = [None] * _number(size)
        self._read: set[int] = set()  # Places that were cleared.
        self.flow = convert.constant(0)
        self.handle = None

    @property
    def dtype(self) -> Any:
        """The type of the tensors."""
        return self._dtype

    @property
    def dynamic_size(self) -> bool:
        """Whether it grows."""
        return self._dynamic_size

    @property
    def element_shape(self) -> TensorShape:
        """What is known of the shape of the tensors."""
        return self._element_shape

    def identity(self) -> 'TensorArray':
        """Returns itself."""
        return self

    def grad(self, source: Any, flow: Any = None, name: Optional[str] = None) -> Any:
        """Raises: gradients do not need it."""
        raise NotImplementedError(
            "TensorArray.grad is not supported when executing eagerly; eager's gradient implementation does not use/need "
            'this function to compute gradients of operations that use TensorArrays.')

    # ---- One by one ----

    def read(self, index: Any, name: Optional[str] = None) -> Any:
        """Returns the tensor at a place, and forgets it unless told otherwise."""
        place = _number(index)
        if place < 0:
            raise errors.OutOfRangeError(None, None, f'Reading from negative indices (index {place}) is not allowed.')
        if place >= len(self._values):
            raise errors.OutOfRangeError(
                None, None, f'Tried to read from index {place} but array size is: {len(self._values)} ')
        if self._values[place] is None and place in self._read:
            raise errors.InvalidArgumentError(
                None, None, f'Could not read index {place} twice because it was cleared after a previous read '
                '(perhaps try setting clear_after_read = false?)')
        value = self._at(place)
        if self._clears:
            self._values[place] = None
            self._read.add(place)
        return value

    def write(self, index: Any, value: Any, name: Optional[str] = None) -> 'TensorArray':
        """Puts a tensor at a place."""
        place, size = _number(index), len(self._values)
        if place < 0:
            raise errors.OutOfRangeError(None, None, f'Writing to negative indices (index {place}) is not allowed.')
        if place >= size:
            if not self._dynamic_size:
                raise errors.OutOfRangeError(
                    None, None, f'Tried to write to index {place} but array is not resizeable and size is: {size} ')
            self._values += [None] * (place - size + 1)
        value = convert.convert_to_tensor(value, preferred_dtype=self._dtype, name='value')
        self._check_type(value)
        if not self._element_shape.is_compatible_with(value.shape):
            raise ValueError(f'Incompatible shape for value ({value.shape}), expected ({self._element_shape})')
        if self._infers:
            self._element_shape = self._element_shape.merge_with(value.shape)
        self._values[place] = value
        return self

    def _check_type(self, value: Any) -> None:
        if value.dtype.base_dtype != self._dtype:
            raise errors.InvalidArgumentError(
                None, None, f'TensorArray dtype is {self._dtype.name} but Op is trying to write dtype '
                f'{value.dtype.name} ')

    def _at(self, place: int) -> Any:
        """Returns the tensor at |place|: zeros where none was written."""
        if self._values[place] is None:
            self._values[place] = array_ops.zeros(self._element_shape, self._dtype)
        return self._values[place]

    # ---- All together ----

    def size(self, name: Optional[str] = None) -> Any:
        """Tells how many there are."""
        return convert.constant(len(self._values))

    def stack(self, name: Optional[str] = None) -> Any:
        """Returns all as one tensor."""
        if not self._values and self._element_shape.is_fully_defined():
            return convert.convert_to_tensor(np.zeros([0] + self._element_shape.as_list()), dtype=self._dtype)
        return self._stacked(range(len(self._values)), name)

    def gather(self, indices: Any, name: Optional[str] = None) -> Any:
        """Returns some as one tensor."""
        return self._stacked(_numbers(indices), name)

    def _stacked(self, places: Any, name: Optional[str]) -> Any:
        values = [self._at(place) for place in places]
        return array_ops.stack(values) if values else convert.convert_to_tensor([], dtype=self._dtype)

    def concat(self, name: Optional[str] = None) -> Any:
        """Returns all, joined along their first dimension."""
        values = [self._at(place) for place in range(len(self._values))]
        for place, value in enumerate(values):
            if value.shape.rank == 0:
                raise errors.InvalidArgumentError(
                    None, None, f'Concat saw a scalar shape at index {place} but requires at least vectors.')
        return array_ops.concat(values, 0)

    def unstack(self, value: Any, name: Optional[str] = None) -> 'TensorArray':
        """Takes the slices of a tensor along its first dimension."""
        values = array_ops.unstack(convert.convert_to_tensor(value, preferred_dtype=self._dtype))
        if len(values) > len(self._values) and not self._dynamic_size:
            raise ValueError(f'Cannot unstack {len(values)} tensors into a TensorArray of static size '
                             f'{len(self._values)} ')
        self._values = list(values)
        return self

    def scatter(self, indices: Any, value: Any, name: Optional[str] = None) -> 'TensorArray':
        """Puts the slices of a tensor at some places."""
        slices = array_ops.unstack(convert.convert_to_tensor(value, preferred_dtype=self._dtype))
        for place, part in zip(_numbers(indices), slices):
            self.write(place, part)
        return self

    def split(self, value: Any, lengths: Any, name: Optional[str] = None) -> 'TensorArray':
        """Takes pieces of a tensor."""
        value = convert.convert_to_tensor(value, preferred_dtype=self._dtype, name='value')
        self._check_type(value)
        sizes = _numbers(lengths)
        if value.shape.rank == 0:
            raise errors.InvalidArgumentError(
                None, None, f'Expected value to be at least a vector, but received shape: {value.shape.as_list()} ')
        if sum(sizes) != value.shape.as_list()[0]:
            raise errors.InvalidArgumentError(
                None, None, 'Expected sum of lengths to be equal to values.shape[0], but sum of lengths is '
                f"{sum(sizes)} and value's shape is: {value.shape.as_list()} ")
        if not self._dynamic_size and len(sizes) != len(self._values):
            raise errors.InvalidArgumentError(
                None, None, f"TensorArray's size is not equal to the size of lengths ({len(self._values)} vs. "
                f'{len(sizes)}), and the TensorArray is not marked as dynamically resizeable.')
        self._values = list(array_ops.split(value, sizes))
        return self

    def close(self, name: Optional[str] = None) -> None:
        """Forgets all."""
        self._values.clear()


def _known(value: Any) -> Any:
    """Returns the value of a size or place; NotImplementedError where it is known only in a run."""
    if not convert.is_tensor(value):
        return value
    if scopes.executing_eagerly():
        return value.numpy()
    found = convert.constant_value(value)
    if found is None:
        raise NotImplementedError('tf.TensorArray: in a graph Berth needs places that are known when it is made; use '
                                  "Python's loops, or call the function without tf.function.")
    return found


def _number(value: Any) -> int:
    return int(_known(value))


def _numbers(values: Any) -> list[int]:
    return [_number(v) for v in _known(values)]
