"""tensor_array_ops.py - TensorArray: tensors by number.

It is a list of Python. Where ops run at once writing changes it, as TensorFlow does; in a graph each write makes
another one. A list ends where a number is not known when the graph is built, as in loops: from there on it is two
tensors, the elements as rows of one matrix, and their shape.
"""

from __future__ import annotations

from typing import Any

from berth.base import naming
from berth.framework import convert, dtypes, errors, flow_context, scopes, static_value
from berth.framework.tensor_shape import TensorShape
from berth.ops import array_ops, math_ops, reduce_ops, scatter_ops


def _known(value: Any) -> int | None:
    """Returns a number that is known, or None."""
    known = static_value.get_static_value(value) if convert.is_tensor(value) else value
    return None if known is None else int(known)


def _no_size() -> str:
    if scopes.executing_eagerly():
        return 'Size must be declared for TensorArrays when eager execution is enabled.'
    missing = 'argument `flow`' if flow_context.is_v2() else 'handle'
    return f'Argument `size` must be provided if {missing} is not provided.'


@naming.public('ops.tensor_array_ops')
class TensorArray:
    """Tensors of one type, by number."""

    def __init__(self, dtype: Any, size: Any = None, dynamic_size: Any = None, clear_after_read: Any = None,
                 tensor_array_name: Any = None, handle: Any = None, flow: Any = None, infer_shape: bool = True,
                 element_shape: Any = None, colocate_with_first_write_call: bool = True,
                 name: str | None = None) -> None:
        if handle is not None or flow is not None:
            raise ValueError('TensorArray handles are not supported when eager execution is enabled.')
        if size is None:
            raise ValueError(_no_size())
        self._dtype = dtypes.as_dtype(dtype)
        self._dynamic_size = bool(dynamic_size)
        self._clears = True if clear_after_read is None else clear_after_read
        self._shape = TensorShape(element_shape)
        self._infers = infer_shape
        self._rows: Any = None  # The elements, a row each, where numbers are not known; then _dims is their shape.
        self._dims: Any = None
        known = _known(size)
        self._size = None if self._dynamic_size else known
        self._items: list[Any] = [None] * (known or 0)
        self._cleared: set[int] = set()
        if known is None:
            self._flow_from(convert.convert_to_tensor(size))

    dtype = property(lambda self: self._dtype)
    dynamic_size = property(lambda self: self._dynamic_size)
    element_shape = property(lambda self: self._shape)
    handle = property(lambda self: None)
    flow = property(lambda self: array_ops.zeros([]))

    def _changed(self) -> 'TensorArray':
        """Returns what is written to: itself, or in a graph another one."""
        if scopes.executing_eagerly():
            return self
        made = TensorArray.__new__(TensorArray)
        made.__dict__.update(self.__dict__)
        made._items, made._cleared = list(self._items), set(self._cleared)
        return made

    # ---- Numbers that are not known ----

    def _flow_from(self, count: Any) -> None:
        """Makes it |count| rows that are as long as elements are, if that is known, and empty until the first write."""
        is_known = self._shape.is_fully_defined()
        width = self._shape.num_elements() if is_known else 0
        self._rows = array_ops.zeros(array_ops.stack([count, width]), self._dtype)
        self._dims = convert.constant(self._shape.as_list() if is_known else [], dtypes.int32)

    def _flowing(self) -> 'TensorArray':
        """Returns it as two tensors."""
        if self._rows is not None:
            return self
        made = self._changed()
        made._flow_from(convert.constant(len(self._items)))
        for place, item in enumerate(self._items):
            if item is not None:
                made = made._write_row(convert.constant(place), item)
        return made

    def _loop_parts(self) -> list[Any]:
        """Returns the tensors that stand for it in a loop, and how their shapes may change."""
        array = self._flowing()
        return [(array._rows, TensorShape([None, None])), (array._dims, TensorShape([None]))]

    def _of_loop_parts(self, rows: Any, dims: Any) -> 'TensorArray':
        """Returns one that is like it, but for its tensors."""
        made = self._changed()
        made._rows, made._dims, made._items = rows, dims, []
        return made

    def _count(self) -> Any:
        return array_ops.shape(self._rows)[0]

    def _write_row(self, index: Any, tensor: Any) -> 'TensorArray':
        """Puts a tensor into a row; all rows become as long as it is, and more if they may."""
        made = self._changed()
        width, count = array_ops.size(tensor), self._count()
        gap = array_ops.zeros(array_ops.stack([count, width - array_ops.shape(self._rows)[1]]), self._dtype)
        rows = array_ops.concat([self._rows, gap], 1)
        if self._dynamic_size:
            more = math_ops.maximum(index + 1 - count, 0)
            rows = array_ops.concat([rows, array_ops.zeros(array_ops.stack([more, width]), self._dtype)], 0)
        made._rows = scatter_ops.tensor_scatter_nd_update(
            rows, array_ops.reshape(index, [1, 1]), array_ops.reshape(tensor, array_ops.stack([1, width])))
        made._dims = array_ops.shape(tensor)
        return made

    def _shaped(self, rows: Any, before: Any, static: list[Any]) -> Any:
        """Returns |rows| as elements, with axes |before| in front of their own, which are |static| if known."""
        value = array_ops.reshape(rows, array_ops.concat([before, self._dims], 0))
        if self._shape.rank is not None:
            value.set_shape([*static, *self._shape.as_list()])
        return value

    # ---- What programs call ----

    def identity(self) -> 'TensorArray':
        """Returns itself."""
        return self

    def size(self, name: str | None = None) -> Any:
        """Returns how many tensors it has room for."""
        if self._rows is not None:
            return self._count()
        return convert.constant(len(self._items))

    def write(self, index: Any, value: Any, name: str | None = None) -> 'TensorArray':
        """Puts a tensor at a number."""
        place = _known(index)
        if self._rows is not None or place is None:
            made = self._flowing()._changed()
            return made._write_row(math_ops.cast(index, dtypes.int32), made._checked(value))
        array = self._changed()
        if place < 0:
            raise errors.OutOfRangeError(None, None, f'Writing to negative indices (index {place}) is not allowed.')
        if place >= len(array._items):
            if not self._dynamic_size:
                raise errors.OutOfRangeError(None, None, f'Tried to write to index {place} but array is not '
                                             f'resizeable and size is: {len(array._items)} ')
            array._items += [None] * (place + 1 - len(array._items))
        array._put(place, value)
        return array

    def _put(self, place: int, value: Any) -> None:
        self._items[place] = self._checked(value)
        self._cleared.discard(place)

    def _checked(self, value: Any) -> Any:
        """Returns |value| as a tensor that may be written, and notes its shape."""
        tensor = convert.convert_to_tensor(value, dtype_hint=self._dtype)
        if tensor.dtype != self._dtype:
            raise errors.InvalidArgumentError(None, None, f'TensorArray dtype is {self._dtype.name} but Op is trying '
                                              f'to write dtype {tensor.dtype.name} ')
        if not self._shape.is_compatible_with(tensor.shape):
            raise ValueError(f'Incompatible shape for value ({tensor.shape}), expected ({self._shape})')
        if self._infers:
            self._shape = self._shape.merge_with(tensor.shape)
        return tensor

    def _read(self, place: int) -> Any:
        """Returns a tensor, zeros where none was written."""
        if self._items[place] is None:
            if not self._shape.is_fully_defined() and not scopes.executing_eagerly():
                raise errors.InvalidArgumentError(
                    None, None, f'Could not read from TensorArray index {place}. Furthermore, the element shape is not '
                    f'fully defined: {self._shape}. It is possible you are working with a resizeable TensorArray and '
                    'stop_gradients is not allowing the gradients to be written.')
            return array_ops.zeros(self._shape, self._dtype)
        return self._items[place]

    def read(self, index: Any, name: str | None = None) -> Any:
        """Returns the tensor at a number."""
        place = _known(index)
        if self._rows is not None or place is None:
            array = self._flowing()
            none = convert.constant([], dtypes.int32)
            return array._shaped(array_ops.gather(array._rows, index), none, [])
        if place < 0:
            raise errors.OutOfRangeError(None, None, f'Reading from negative indices (index {place}) is not allowed.')
        if place >= len(self._items):
            raise errors.OutOfRangeError(None, None, f'Tried to read from index {place} but array size is: '
                                         f'{len(self._items)} ')
        if place in self._cleared:
            raise errors.InvalidArgumentError(None, None, f'Could not read index {place} twice because it was cleared '
                                              'after a previous read (perhaps try setting clear_after_read = false?)')
        value = self._read(place)
        if self._clears and scopes.executing_eagerly():
            self._cleared.add(place)
            self._items[place] = None
        return value

    def stack(self, name: str | None = None) -> Any:
        """Returns all tensors, joined along a new axis."""
        with scopes.name_scope(name, 'TensorArrayStack'):
            if self._rows is not None:
                return self._shaped(self._rows, array_ops.shape(self._rows)[:1], [self._size])
            if not self._items:
                return array_ops.zeros([0, *(self._shape.as_list() if self._shape.rank is not None else [])],
                                       self._dtype)
            return array_ops.stack([self._read(i) for i in range(len(self._items))])

    def gather(self, indices: Any, name: str | None = None) -> Any:
        """Returns some tensors, joined along a new axis."""
        known = static_value.get_static_value(convert.convert_to_tensor(indices))
        if self._rows is not None or known is None:
            return array_ops.gather(self.stack(), indices)
        return array_ops.stack([self._read(int(i)) for i in known])

    def concat(self, name: str | None = None) -> Any:
        """Returns all tensors, joined along their first axis."""
        if self._rows is not None:
            whole = array_ops.concat([array_ops.reshape(self._count() * self._dims[0], [1]), self._dims[1:]], 0)
            return array_ops.reshape(self._rows, whole)
        for place, item in enumerate(self._items):
            if item is not None and item.shape.rank == 0:
                raise errors.InvalidArgumentError(None, None, f'Concat saw a scalar shape at index {place} but requires '
                                                  'at least vectors.')
        return array_ops.concat([self._read(i) for i in range(len(self._items))], 0)

    def unstack(self, value: Any, name: str | None = None) -> 'TensorArray':
        """Fills it with the parts of a tensor along its first axis."""
        tensor = convert.convert_to_tensor(value, dtype_hint=self._dtype)
        if self._rows is not None or not tensor.shape.rank or tensor.shape[0] is None:
            return self._unstacked(tensor)
        parts = array_ops.unstack(convert.convert_to_tensor(value, dtype_hint=self._dtype))
        if len(parts) > len(self._items) and not self._dynamic_size:
            raise ValueError(f'Cannot unstack {len(parts)} tensors into a TensorArray of static size '
                             f'{len(self._items)} ')
        array = self._changed()
        array._items, array._cleared = [None] * len(parts), set()
        for place, part in enumerate(parts):
            if scopes.executing_eagerly():
                array._items[place] = part
            else:
                array._put(place, part)
        return array

    def _unstacked(self, tensor: Any) -> 'TensorArray':
        """Returns it, filled with the parts of a tensor of which there are any number."""
        made = self._changed()
        if tensor.shape.rank is not None:
            made._shape = self._shape.merge_with(tensor.shape[1:])
        dims = array_ops.shape(tensor)
        made._dims, made._items, made._size = dims[1:], [], None
        made._rows = array_ops.reshape(tensor, array_ops.stack([dims[0], reduce_ops.reduce_prod(dims[1:])]))
        return made

    def scatter(self, indices: Any, value: Any, name: str | None = None) -> 'TensorArray':
        """Puts the parts of a tensor at numbers."""
        known = static_value.get_static_value(convert.convert_to_tensor(indices))
        if known is None:
            raise NotImplementedError('tf.TensorArray.scatter: Berth needs to know the numbers.')
        array = self
        for place, part in zip(known, array_ops.unstack(convert.convert_to_tensor(value))):
            array = array.write(int(place), part)
        return array

    def split(self, value: Any, lengths: Any, name: str | None = None) -> 'TensorArray':
        """Fills it with pieces of a tensor, of given lengths."""
        known = static_value.get_static_value(convert.convert_to_tensor(lengths))
        if known is None:
            raise NotImplementedError('tf.TensorArray.split: Berth needs to know the lengths.')
        if len(known) != len(self._items) and not self._dynamic_size:
            raise errors.InvalidArgumentError(
                None, None, f"TensorArray's size is not equal to the size of lengths ({len(self._items)} vs. {len(known)}), "
                'and the TensorArray is not marked as dynamically resizeable.')
        array = self._changed()
        at = 0
        value = convert.convert_to_tensor(value)
        if value.shape[0] not in (None, known.sum()):
            raise errors.InvalidArgumentError(
                None, None, 'Expected sum of lengths to be equal to values.shape[0], but sum of lengths is '
                f"{known.sum()} and value's shape is: {value.shape.as_list()} ")
        array._items = [None] * len(known)
        array._infers = False
        for place, length in enumerate(known):
            array._put(place, value[at:at + int(length)])
            at += int(length)
        return array

    def grad(self, source: Any, flow: Any = None, name: str | None = None) -> None:
        """Raises: there are no gradients."""
        raise NotImplementedError('TensorArray.grad is not supported when executing eagerly; eager\'s gradient '
                                  'implementation does not use/need this function to compute gradients of operations '
                                  'that use TensorArrays.')

    def close(self, name: str | None = None) -> None:
        """Lets go of all tensors."""
        self._items = []
