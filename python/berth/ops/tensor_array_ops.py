"""tensor_array_ops.py - TensorArray: tensors by number.

Where ops run at once it is a list of Python, which writing changes. In a graph each write makes another one
(`tensor_array_graph`).
"""

from __future__ import annotations

from typing import Any

from berth.base import naming
from berth.framework import convert, dtypes, errors, flow_context, scopes, static_value
from berth.framework.tensor_shape import TensorShape
from berth.ops import array_ops, tensor_array_graph


class _Eager:
    """A TensorArray where ops run at once."""

    handle = None

    def __init__(self, dtype: Any, size: Any = None, dynamic_size: Any = None, clear_after_read: Any = None,
                 tensor_array_name: Any = None, handle: Any = None, flow: Any = None, infer_shape: bool = True,
                 element_shape: Any = None, colocate_with_first_write_call: bool = True,
                 name: str | None = None) -> None:
        if handle is not None:
            raise ValueError('TensorArray handles are not supported when eager execution is enabled.')
        if size is None:
            raise ValueError('Size must be declared for TensorArrays when eager execution is enabled.')
        self.flow = convert.constant(0, dtypes.int32)
        self.dtype = dtypes.as_dtype(dtype).base_dtype
        self.dynamic_size = dynamic_size or False
        self.element_shape = TensorShape(element_shape)
        self._clears = True if clear_after_read is None else clear_after_read
        self._infers = infer_shape
        self._items: list[Any] = [None] * int(size)
        self._cleared: set[int] = set()

    def identity(self) -> None:
        """Does nothing: it is one thing."""

    def grad(self, source: Any, flow: Any, name: str | None) -> Any:
        """Raises: there are no gradients."""
        raise NotImplementedError('TensorArray.grad is not supported when executing eagerly; eager\'s gradient '
                                  'implementation does not use/need this function to compute gradients of operations '
                                  'that use TensorArrays.')

    def size(self, name: str | None) -> Any:
        """Returns how many tensors it has room for."""
        return convert.constant(len(self._items))

    def write(self, index: Any, value: Any, name: str | None) -> None:
        """Puts a tensor at a number."""
        place = int(index)
        if place < 0:
            raise errors.OutOfRangeError(None, None, f'Writing to negative indices (index {place}) is not allowed.')
        if place >= len(self._items):
            if not self.dynamic_size:
                raise errors.OutOfRangeError(None, None, f'Tried to write to index {place} but array is not '
                                             f'resizeable and size is: {len(self._items)} ')
            self._items += [None] * (place + 1 - len(self._items))
        self._items[place] = self._checked(value)
        self._cleared.discard(place)

    def _checked(self, value: Any) -> Any:
        """Returns |value| as a tensor that may be written, and notes its shape."""
        tensor = convert.convert_to_tensor(value, dtype_hint=self.dtype)
        if tensor.dtype != self.dtype:
            raise errors.InvalidArgumentError(None, None, f'TensorArray dtype is {self.dtype.name} but Op is trying '
                                              f'to write dtype {tensor.dtype.name} ')
        if not self.element_shape.is_compatible_with(tensor.shape):
            raise ValueError(f'Incompatible shape for value ({tensor.shape}), expected ({self.element_shape})')
        if self._infers:
            self.element_shape = self.element_shape.merge_with(tensor.shape)
        return tensor

    def _item(self, place: int) -> Any:
        """Returns a tensor, zeros where none was written."""
        if self._items[place] is None:
            return array_ops.zeros(self.element_shape, self.dtype)
        return self._items[place]

    def read(self, index: Any, name: str | None) -> Any:
        """Returns the tensor at a number."""
        place = int(index)
        if place < 0:
            raise errors.OutOfRangeError(None, None, f'Reading from negative indices (index {place}) is not allowed.')
        if place >= len(self._items):
            raise errors.OutOfRangeError(None, None, f'Tried to read from index {place} but array size is: '
                                         f'{len(self._items)} ')
        if place in self._cleared:
            raise errors.InvalidArgumentError(None, None, f'Could not read index {place} twice because it was cleared '
                                              'after a previous read (perhaps try setting clear_after_read = false?)')
        value = self._item(place)
        if self._clears:
            self._cleared.add(place)
            self._items[place] = None
        return value

    def stack(self, name: str | None) -> Any:
        """Returns all tensors, joined along a new axis."""
        if not self._items:
            shape = self.element_shape.as_list() if self.element_shape.rank is not None else []
            return array_ops.zeros([0, *shape], self.dtype)
        return array_ops.stack([self._item(i) for i in range(len(self._items))])

    def gather(self, indices: Any, name: str | None) -> Any:
        """Returns some tensors, joined along a new axis."""
        known = static_value.get_static_value(convert.convert_to_tensor(indices))
        return array_ops.stack([self._item(int(i)) for i in known])

    def concat(self, name: str | None) -> Any:
        """Returns all tensors, joined along their first axis."""
        for place, item in enumerate(self._items):
            if item is not None and item.shape.rank == 0:
                raise errors.InvalidArgumentError(None, None, f'Concat saw a scalar shape at index {place} but '
                                                  'requires at least vectors.')
        return array_ops.concat([self._item(i) for i in range(len(self._items))], 0)

    def unstack(self, value: Any, name: str | None) -> None:
        """Fills it with the parts of a tensor along its first axis."""
        parts = array_ops.unstack(convert.convert_to_tensor(value, dtype_hint=self.dtype))
        if len(parts) > len(self._items) and not self.dynamic_size:
            raise ValueError(f'Cannot unstack {len(parts)} tensors into a TensorArray of static size '
                             f'{len(self._items)} ')
        self._items, self._cleared = list(parts), set()

    def scatter(self, indices: Any, value: Any, name: str | None) -> None:
        """Puts the parts of a tensor at numbers."""
        known = static_value.get_static_value(convert.convert_to_tensor(indices))
        for place, part in zip(known, array_ops.unstack(convert.convert_to_tensor(value))):
            self.write(int(place), part, None)

    def split(self, value: Any, lengths: Any, name: str | None) -> None:
        """Fills it with pieces of a tensor, of given lengths."""
        known = static_value.get_static_value(convert.convert_to_tensor(lengths))
        value = convert.convert_to_tensor(value, dtype_hint=self.dtype)
        self._check_pieces(value, known)
        at = 0
        self._items, self._cleared = [], set()
        for length in known:
            self._items.append(value[at:at + int(length)])
            at += int(length)

    def _check_pieces(self, value: Any, lengths: Any) -> None:
        """Raises for lengths that do not cut |value| into as many pieces as there is room for."""
        wrong = None
        if lengths.ndim != 1:
            wrong = f'Expected lengths to be a vector, received shape: {list(lengths.shape)} '
        elif not value.shape.rank:
            wrong = f'Expected value to be at least a vector, but received shape: {value.shape.as_list()} '
        elif value.shape[0] != lengths.sum():
            wrong = ('Expected sum of lengths to be equal to values.shape[0], but sum of lengths is '
                     f"{lengths.sum()} and value's shape is: {value.shape.as_list()} ")
        elif len(lengths) != len(self._items) and not self.dynamic_size:
            wrong = (f"TensorArray's size is not equal to the size of lengths ({len(self._items)} vs. {len(lengths)}), "
                     'and the TensorArray is not marked as dynamically resizeable.')
        if wrong:
            raise errors.InvalidArgumentError(None, None, wrong)

    def close(self, name: str | None) -> None:
        """Lets go of all tensors."""
        self._items = []


def _kind(flow: Any) -> Any:
    """Returns what a TensorArray is made of here."""
    is_list = flow is not None and flow.dtype == dtypes.variant
    if scopes.executing_eagerly() and not is_list:
        return _Eager
    if is_list or flow_context.is_v2() or scopes.get_default_graph().building_function:
        return tensor_array_graph.ListArray
    return tensor_array_graph.RunArray


@naming.public('ops.tensor_array_ops')
class TensorArray:
    """Tensors of one type, by number."""

    def __init__(self, dtype: Any, size: Any = None, dynamic_size: Any = None, clear_after_read: Any = None,
                 tensor_array_name: Any = None, handle: Any = None, flow: Any = None, infer_shape: bool = True,
                 element_shape: Any = None, colocate_with_first_write_call: bool = True,
                 name: str | None = None) -> None:
        self._implementation: Any = _kind(flow)(
            dtype, size, dynamic_size, clear_after_read, tensor_array_name, handle, flow, infer_shape, element_shape,
            colocate_with_first_write_call, name)

    dtype = property(lambda self: self._implementation.dtype)
    dynamic_size = property(lambda self: self._implementation.dynamic_size)
    element_shape = property(lambda self: self._implementation.element_shape)
    handle = property(lambda self: self._implementation.handle)
    flow = property(lambda self: self._implementation.flow)

    def _made(self, implementation: Any) -> 'TensorArray':
        made = TensorArray.__new__(TensorArray)
        made._implementation = implementation
        return made

    def _with_flow(self, flow: Any) -> 'TensorArray':
        """Returns what it is after |flow|; itself where writing changes it."""
        if flow is None:
            return self
        if isinstance(self._implementation, _Eager):
            raise NotImplementedError(
                'Attempting to build a graph-mode TF2-style TensorArray from either an eager-mode TensorArray or a '
                'TF1-style TensorArray.  This is not currently supported.  You may be attempting to capture a '
                'TensorArray inside a tf.function or tf.data map function. Instead, construct a new TensorArray '
                'inside the function.')
        return self._made(self._implementation.with_flow(flow))

    def identity(self) -> 'TensorArray':
        """Returns one with the same tensors."""
        return self._with_flow(self._implementation.identity())

    def grad(self, source: Any, flow: Any = None, name: str | None = None) -> 'TensorArray':
        """Returns the one that gradients are written to."""
        return self._made(self._implementation.grad(source, flow, name))

    def read(self, index: Any, name: str | None = None) -> Any:
        """Returns the tensor at a number."""
        return self._implementation.read(index, name)

    def write(self, index: Any, value: Any, name: str | None = None) -> 'TensorArray':
        """Puts a tensor at a number."""
        return self._with_flow(self._implementation.write(index, value, name))

    def stack(self, name: str | None = None) -> Any:
        """Returns all tensors, joined along a new axis."""
        return self._implementation.stack(name)

    def gather(self, indices: Any, name: str | None = None) -> Any:
        """Returns some tensors, joined along a new axis."""
        return self._implementation.gather(indices, name)

    def concat(self, name: str | None = None) -> Any:
        """Returns all tensors, joined along their first axis."""
        return self._implementation.concat(name)

    def unstack(self, value: Any, name: str | None = None) -> 'TensorArray':
        """Fills it with the parts of a tensor along its first axis."""
        return self._with_flow(self._implementation.unstack(value, name))

    def scatter(self, indices: Any, value: Any, name: str | None = None) -> 'TensorArray':
        """Puts the parts of a tensor at numbers."""
        return self._with_flow(self._implementation.scatter(indices, value, name))

    def split(self, value: Any, lengths: Any, name: str | None = None) -> 'TensorArray':
        """Fills it with pieces of a tensor, of given lengths."""
        return self._with_flow(self._implementation.split(value, lengths, name))

    def size(self, name: str | None = None) -> Any:
        """Returns how many tensors it has room for."""
        return self._implementation.size(name)

    def close(self, name: str | None = None) -> Any:
        """Lets go of all tensors."""
        return self._implementation.close(name)
