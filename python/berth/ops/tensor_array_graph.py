"""tensor_array_graph - What a TensorArray is in a graph.

Old graphs have an array of the run, which nodes write and read, and a flow that keeps them in order: `RunArray`. In
functions, and graphs whose loops are those of TF2, the flow itself is the value, a list: `ListArray`. What changes an
array gives another flow; `tensor_array_ops` makes another TensorArray of it.
"""

from __future__ import annotations

import contextlib
import traceback
from collections.abc import Iterator
from typing import Any

from berth.base import logging
from berth.framework import convert, dtypes, gen, scopes, static_value
from berth.framework.node import Tensor
from berth.framework.tensor_shape import TensorShape
from berth.ops import array_ops, list_ops, math_ops, order_ops


def _known(value: Any) -> Any:
    return static_value.get_static_value(value) if convert.is_tensor(value) else value


def _check_type(value: Any, dtype: Any) -> None:
    """Says that a value has another type than the array, as TensorFlow does: that is all."""
    if value.dtype != dtype:
        logging.error(f'Error: Input value {value} has dtype {value.dtype!s}, but expected dtype {dtype!s}.  '
                      'This leads to undefined behavior and will be an error in future versions of TensorFlow.  '
                      f'Traceback:\n{"".join(traceback.format_stack())}')


class _Array:
    """What both have in common: type, size, and what is known of the shape of elements."""

    handle: Any = None

    def __init__(self, dtype: Any, size: Any, dynamic_size: Any, infer_shape: bool, element_shape: Any) -> None:
        self.dtype = dtypes.as_dtype(dtype).base_dtype
        self.size_given = size
        self.dynamic_size = dynamic_size
        self.infers = infer_shape
        self.shapes = [TensorShape(element_shape)]  # One, shared by all that are made from this one.
        self.flow: Any = None

    @property
    def element_shape(self) -> TensorShape:
        """What is known of the shape of elements."""
        return self.shapes[0]

    def with_flow(self, flow: Any) -> '_Array':
        """Returns one that is like it, after |flow|."""
        made = self.__class__.__new__(self.__class__)
        made.__dict__.update(self.__dict__)
        made.flow = flow
        return made

    def check_shape(self, shape: TensorShape) -> None:
        """Notes the shape of an element; ValueError when others have another."""
        if not shape.is_compatible_with(self.element_shape):
            raise ValueError(f'Inconsistent shapes: saw {shape} but expected {self.element_shape} ')
        if self.infers:
            self.shapes[0] = self.element_shape.merge_with(shape)

    def value_of(self, value: Any) -> Any:
        """Returns what is written as a tensor."""
        tensor = convert.convert_to_tensor(value, dtype_hint=self.dtype, name='value')
        _check_type(tensor, self.dtype)
        return tensor

    def check_pieces(self, value: Any, lengths: Any) -> None:
        """Notes the shape of pieces that all are equally long."""
        known = static_value.get_static_value(lengths)
        if value.shape.rank is None or known is None or not known.shape or known.max() != known.min():
            return
        self.check_shape(TensorShape([int(known[0])]).concatenate(value.shape[1:]))

    def identity(self) -> Any:
        """Returns the flow after all that was written."""
        return array_ops.identity(self.flow)


class RunArray(_Array):
    """An array that lives in a run."""

    def __init__(self, dtype: Any, size: Any = None, dynamic_size: Any = None, clear_after_read: Any = None,
                 tensor_array_name: Any = None, handle: Any = None, flow: Any = None, infer_shape: bool = True,
                 element_shape: Any = None, colocate_with_first_write_call: bool = True,
                 name: str | None = None) -> None:
        _check_arguments(handle, size, tensor_array_name, element_shape, dynamic_size, clear_after_read)
        super().__init__(dtype, size, dynamic_size or False, infer_shape, element_shape)
        self._colocated: Any = [] if colocate_with_first_write_call else None
        with scopes.name_scope(name, 'TensorArray', [handle, size, flow]) as scope:
            if handle is not None:
                if flow is None:
                    raise ValueError('flow must not be None if handle is not None.')
                self.handle, self.flow = handle, flow
                return
            with contextlib.ExitStack() as stack:
                if colocate_with_first_write_call:
                    stack.enter_context(scopes.device(None))
                    stack.enter_context(scopes.colocate(None, ignore_existing=True))
                self.handle, self.flow = gen.apply('TensorArrayV3', scope, {'size': size}, {
                    'dtype': self.dtype, 'element_shape': array_ops.shape_attr(self.element_shape),
                    'identical_element_shapes': infer_shape, 'dynamic_size': self.dynamic_size,
                    'clear_after_read': True if clear_after_read is None else clear_after_read,
                    'tensor_array_name': tensor_array_name or ''})

    @contextlib.contextmanager
    def _beside(self, value: Any) -> Iterator[None]:
        """What is written later is placed where the first value is."""
        if self._colocated is None:
            yield
            return
        if not self._colocated:
            self._colocated.append(value)
        with scopes.colocate(self._colocated[0]):
            yield

    def _apply(self, op: str, name: Any, inputs: dict[str, Any], attrs: dict[str, Any] | None = None) -> Any:
        return gen.apply(op, name, {'handle': self.handle, **inputs, 'flow_in': self.flow}, attrs or {})

    def grad(self, source: Any, flow: Any, name: str | None) -> '_Array':
        """Returns the array of gradients that belongs to it."""
        flow = self.flow if flow is None else flow
        with scopes.name_scope(name, 'TensorArrayGrad', [self.handle]), scopes.colocate(self.handle):
            handle, _ = gen.apply('TensorArrayGradV3', name, {'handle': self.handle, 'flow_in': flow},
                                  {'source': source})
            with scopes.control_dependencies([handle]):
                flow = array_ops.identity(flow, name='gradient_flow')
            made = RunArray(self.dtype, handle=handle, flow=flow, infer_shape=self.infers,
                            colocate_with_first_write_call=False)
            made.shapes = self.shapes
            return made

    def read(self, index: Any, name: str | None) -> Any:
        """Returns the tensor at a number."""
        value = self._apply('TensorArrayReadV3', name, {'index': index}, {'dtype': self.dtype})
        value.set_shape(self.element_shape)
        return value

    def write(self, index: Any, value: Any, name: str | None) -> Any:
        """Puts a tensor at a number."""
        with scopes.name_scope(name, 'TensorArrayWrite', [self.handle, index, value]):
            value = self.value_of(value)
            self.check_shape(value.shape)
            with self._beside(value):
                return self._apply('TensorArrayWriteV3', name, {'index': index, 'value': value})

    def stack(self, name: str | None) -> Any:
        """Returns all tensors, joined along a new axis."""
        with scopes.colocate(self.handle), scopes.name_scope(name, 'TensorArrayStack', [self.handle]):
            value = self.gather(math_ops.range(0, self.size(None)), name)
            if self.element_shape.rank is not None and not self.dynamic_size and self.size_given is not None:
                value.set_shape([_known(self.size_given), *self.element_shape.as_list()])
            return value

    def gather(self, indices: Any, name: str | None) -> Any:
        """Returns some tensors, joined along a new axis."""
        value = self._apply('TensorArrayGatherV3', name, {'indices': indices}, {
            'dtype': self.dtype, 'element_shape': array_ops.shape_attr(self.element_shape)})
        if self.element_shape.rank is not None:
            value.set_shape([None, *self.element_shape.as_list()])
        return value

    def concat(self, name: str | None) -> Any:
        """Returns all tensors, joined along their first axis."""
        shape = self.element_shape
        value, _ = self._apply('TensorArrayConcatV3', name, {}, {
            'dtype': self.dtype, 'element_shape_except0': array_ops.shape_attr(shape[1:])})
        if shape.rank is not None:
            size = _known(self.size(None)) if self.infers else None
            rows = None if size is None or shape.as_list()[0] is None else int(size) * shape.as_list()[0]
            value.set_shape([rows, *shape.as_list()[1:]])
        return value

    def unstack(self, value: Any, name: str | None) -> Any:
        """Fills it with the parts of a tensor along its first axis."""
        with scopes.name_scope(name, 'TensorArrayUnstack', [self.handle, value]):
            count = array_ops.shape(value)[0]
            return self.scatter(math_ops.range(0, count), value, name)

    def scatter(self, indices: Any, value: Any, name: str | None) -> Any:
        """Puts the parts of a tensor at numbers."""
        with scopes.name_scope(name, 'TensorArrayScatter', [self.handle, value, indices]):
            value = self.value_of(value)
            self.check_shape(value.shape[1:])
            with self._beside(value):
                return self._apply('TensorArrayScatterV3', name, {'indices': indices, 'value': value})

    def split(self, value: Any, lengths: Any, name: str | None) -> Any:
        """Fills it with pieces of a tensor, of given lengths."""
        with scopes.name_scope(name, 'TensorArraySplit', [self.handle, value, lengths]):
            value = convert.convert_to_tensor(value, dtype=self.dtype, name='value')
            with self._beside(value):
                lengths = math_ops.cast(lengths, dtypes.int64)
                self.check_pieces(value, lengths)
                return self._apply('TensorArraySplitV3', name, {'value': value, 'lengths': lengths})

    def size(self, name: str | None) -> Any:
        """Returns how many tensors it has room for."""
        if not self.dynamic_size and self.size_given is not None:
            return convert.convert_to_tensor(self.size_given, dtype=dtypes.int32)
        return self._apply('TensorArraySizeV3', name, {})

    def close(self, name: str | None) -> Any:
        """Lets go of all tensors."""
        return gen.apply('TensorArrayCloseV3', name, {'handle': self.handle})


def _check_arguments(handle: Any, size: Any, tensor_array_name: Any, element_shape: Any, dynamic_size: Any,
                     clear_after_read: Any) -> None:
    """Raises for arguments that cannot stand together."""
    if handle is None:
        if size is None:
            raise ValueError('Argument `size` must be provided if handle is not provided.')
        return
    if tensor_array_name:
        raise ValueError('Cannot provide both `handle` and `tensor_array_name` arguments at the same time.')
    if not isinstance(handle, Tensor):
        raise TypeError(f'Expected `handle` to be a Tensor, but got `{handle}` of type `{type(handle)}` instead.')
    if size is not None:
        raise ValueError('Cannot provide both a `handle` and `size` arguments at the same time.')
    for label, value in (('element_shape', element_shape), ('dynamic_size', dynamic_size),
                         ('clear_after_read', clear_after_read)):
        if value is not None:
            raise ValueError(f'Cannot provide both `handle` and `{label}` arguments at the same time.')


class ListArray(_Array):
    """An array whose flow is a list."""

    def __init__(self, dtype: Any, size: Any = None, dynamic_size: Any = None, clear_after_read: Any = None,
                 tensor_array_name: Any = None, handle: Any = None, flow: Any = None, infer_shape: bool = True,
                 element_shape: Any = None, colocate_with_first_write_call: bool = True,
                 name: str | None = None) -> None:
        if flow is not None and (not isinstance(flow, Tensor) or flow.dtype != dtypes.variant):
            raise TypeError(f'Expected `flow` to be a variant tensor, but received `{flow.dtype}` instead.')
        if flow is None and size is None:
            raise ValueError('Argument `size` must be provided if argument `flow` is not provided.')
        if flow is not None and size is not None:
            raise ValueError('Cannot provide both `flow` and `size` arguments at the same time.')
        if flow is not None and element_shape is not None:
            raise ValueError('Cannot provide both `flow` and `element_shape` argumentsat the same time.')
        super().__init__(dtype, size, dynamic_size, infer_shape, element_shape)
        with scopes.name_scope(name, 'TensorArrayV2', [size, flow]) as scope:
            self.flow = list_ops.reserve(self.element_shape, size, self.dtype, scope) if flow is None else flow

    def grad(self, source: Any, flow: Any, name: str | None) -> Any:
        """Raises: lists have no arrays of gradients."""
        raise NotImplementedError()

    def read(self, index: Any, name: str | None) -> Any:
        """Returns the tensor at a number."""
        with scopes.name_scope(name, 'TensorArrayV2Read', [self.flow, index]):
            return list_ops.get_item(self.flow, index, self.dtype, self.element_shape, name)

    def write(self, index: Any, value: Any, name: str | None) -> Any:
        """Puts a tensor at a number."""
        with scopes.name_scope(name, 'TensorArrayV2Write', [self.flow, index, value]):
            value = self.value_of(value)
            self.check_shape(value.shape)
            return list_ops.set_item(self.flow, index, value, bool(self.dynamic_size), name)

    def stack(self, name: str | None) -> Any:
        """Returns all tensors, joined along a new axis."""
        with scopes.name_scope(name, 'TensorArrayV2Stack', [self.flow]):
            is_fixed = not self.dynamic_size and self.size_given is not None
            count = _known(self.size_given) if is_fixed else -1
            return list_ops.stack(self.flow, self.dtype, count, self.element_shape)

    def gather(self, indices: Any, name: str | None) -> Any:
        """Returns some tensors, joined along a new axis."""
        return list_ops.gather(self.flow, indices, self.dtype, self.element_shape, name)

    def concat(self, name: str | None) -> Any:
        """Returns all tensors, joined along their first axis."""
        shape = self.element_shape
        wanted = None if shape.rank is None else [None, *shape.as_list()[1:]]
        return list_ops.concat(self.flow, self.dtype, wanted, name)

    def unstack(self, value: Any, name: str | None) -> Any:
        """Fills it with the parts of a tensor along its first axis."""
        with scopes.name_scope(name, 'TensorArrayUnstack', [self.flow, value]):
            value = self.value_of(value)
            self.check_shape(value.shape[1:])
            return list_ops.from_tensor(value, value.shape[1:])

    def scatter(self, indices: Any, value: Any, name: str | None) -> Any:
        """Puts the parts of a tensor at numbers."""
        with scopes.name_scope(name, 'TensorArrayScatter', [self.flow, value, indices]):
            value = self.value_of(value)
            self.check_shape(value.shape[1:])
            return list_ops.scatter_into(self.flow, value, indices)

    def split(self, value: Any, lengths: Any, name: str | None) -> Any:
        """Fills it with pieces of a tensor, of given lengths."""
        with scopes.name_scope(name, 'TensorArraySplit', [self.flow, value, lengths]):
            value = self.value_of(value)
            lengths = math_ops.cast(lengths, dtypes.int64)
            self.check_pieces(value, lengths)
            return list_ops.split(value, self.element_shape, lengths, name)

    def size(self, name: str | None) -> Any:
        """Returns how many tensors it has room for."""
        if not self.dynamic_size and self.size_given is not None:
            return convert.convert_to_tensor(self.size_given, dtype=dtypes.int32)
        return list_ops.length(self.flow, name)

    def close(self, name: str | None) -> Any:
        """Does nothing: a list is a value."""
        return order_ops.no_op(name)
