"""tensor - EagerTensor: a value that is there already, on some device."""

from __future__ import annotations

from typing import Any, Iterator, Optional

from berth import _core as core
from berth.base import execution
from berth.eager import switches
from berth.framework import dtypes, gen
from berth.framework.node import NUMPY_NAMES, Tensor, numpy_advice
from berth.framework.tensor_shape import TensorShape


# What only tensors of graphs have.
_OF_GRAPHS = ('op', 'graph', 'name', 'value_index')


def _undefined(name: str) -> property:
    """Makes an attribute that only tensors of graphs have."""
    def getter(self: Any) -> Any:
        raise AttributeError(f'Tensor.{name} is undefined when eager execution is enabled.')
    return property(getter)


class EagerTensor(core.Tensor, Tensor):
    """A tensor of the extension with TensorFlow's attributes. Immutable."""

    # |assign| changes the slice of a variable that the tensor is, where it is one.
    __slots__ = ('__dict__', 'assign')

    # What the extension calls by the names that follow.
    _number, _dims, _memory = core.Tensor.dtype, core.Tensor.shape, core.Tensor.device

    op, graph, name, value_index = (_undefined(n) for n in _OF_GRAPHS)

    @property
    def reshape(self) -> Any:  # type: ignore[override]
        """Raises: tensors have it in the extension only."""
        raise numpy_advice(self, 'reshape')

    # ---- What it is ----

    # The type of its elements, and how many dimensions it has.
    dtype, ndim = core.Tensor.kind, core.Tensor.rank  # type: ignore[assignment]

    @property
    def shape(self) -> TensorShape:  # type: ignore[override]
        """Its shape."""
        return TensorShape.of_sizes(self._dims)

    def set_shape(self, shape: Any) -> None:
        """Raises ValueError when it has another shape."""
        if not self.shape.is_compatible_with(shape):
            raise ValueError(f"Tensor's shape {self.shape} is not compatible with supplied "
                             f'shape {TensorShape(shape)}.')

    @property
    def device(self) -> str:
        """The full name of the device it belongs to."""
        try:
            return self._device
        except AttributeError:
            return self._memory

    @property
    def backing_device(self) -> str:
        """The full name of the device whose memory holds it."""
        return self.device if '/device:CPU:' in self.device else self._memory

    @property
    def is_packed(self) -> bool:
        """False: it is one tensor, not one for each of several devices."""
        return False

    def __getattr__(self, name: str) -> Any:
        if name in NUMPY_NAMES:
            raise numpy_advice(self, name)
        if name in _OF_GRAPHS:  # Their own error comes through here, too.
            raise AttributeError(f'Tensor.{name} is undefined when eager execution is enabled.')
        raise AttributeError(f"'tensorflow.python.framework.ops.EagerTensor' object has no attribute {name!r}")

    # ---- Its values ----

    def numpy(self) -> Any:
        """Returns the values in an array of the caller's own, or a scalar."""
        try:
            return core.Tensor.numpy(self)
        except Exception:
            if self.dtype not in (dtypes.resource, dtypes.variant):
                raise
            from berth.framework import errors

            raise errors.InvalidArgumentError(
                None, None, f'Cannot convert a Tensor of dtype {self.dtype.name} to a NumPy array.') from None

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        import numpy

        if self.dtype in (dtypes.string, dtypes.bfloat16) or self.ndim == 0 or copy:
            return numpy.asarray(self.numpy(), dtype=dtype)
        shared: Any = self.to_host()
        return numpy.asarray(memoryview(shared), dtype=dtype)

    def _scalar(self) -> Any:
        """Returns the one value; numpy's error when there are more."""
        return self.numpy()

    def __bool__(self) -> bool:
        return 0 not in self._dims and bool(self._scalar())

    def __int__(self) -> int:
        return int(self._scalar())

    def __round__(self, ndigits: Optional[int] = None) -> Any:
        raise numpy_advice(self, 'astype')

    def __float__(self) -> float:
        return float(self._scalar())

    def __complex__(self) -> complex:
        return complex(self._scalar())

    def __index__(self) -> int:
        return self._scalar().__index__()

    def __len__(self) -> int:
        if not self._dims:
            raise TypeError('Scalar tensor has no `len()`')
        return self._dims[0]

    def __iter__(self) -> Iterator['EagerTensor']:
        if not self._dims:
            raise TypeError('Cannot iterate over a scalar tensor.')
        return (self[i] for i in range(len(self)))  # type: ignore[index]

    def __eq__(self, other: object) -> Any:
        return self._compare('Equal', other, False)

    def __ne__(self, other: object) -> Any:
        return self._compare('NotEqual', other, True)

    def _compare(self, op: str, other: object, without: bool) -> Any:
        """Compares element by element; |without| is the answer for what is no tensor."""
        if not switches.tensor_equality_enabled():
            return (self is other) != without
        if other is None:
            return without
        return gen.apply(op, None, {'x': self, 'y': other}, {'incompatible_shape_error': False})

    def __hash__(self) -> int:
        if not switches.tensor_equality_enabled():
            return id(self)
        raise TypeError('Tensor is unhashable. Instead, use tensor.ref() as the key.')

    def __copy__(self) -> 'EagerTensor':
        return self

    def __deepcopy__(self, memo: Any) -> 'EagerTensor':
        return self

    def __reduce__(self) -> Any:
        from berth.framework.convert import convert_to_tensor

        return convert_to_tensor, (self.numpy(), self.dtype)

    # ---- Copies ----

    def cpu(self) -> 'EagerTensor':
        """Returns a copy on the CPU; deprecated."""
        _deprecated('cpu', 'Use tf.identity with explicit device placement instead.')
        return self._copy(device_name='CPU:0')

    def gpu(self, gpu_index: int = 0) -> 'EagerTensor':
        """Returns a copy on a GPU; deprecated."""
        _deprecated('gpu', 'Use tf.identity instead.')
        return self._copy(device_name=f'GPU:{gpu_index}')

    def _copy(self, ctx: Any = None, device_name: Optional[str] = None) -> 'EagerTensor':
        """Returns a copy on |device_name|."""
        from berth.eager import context

        return context.copy(self, device_name or 'CPU:0')

    # ---- What only graphs have ----

    def eval(self, feed_dict: Any = None, session: Any = None) -> Any:
        """Raises: there is no session."""
        raise NotImplementedError('eval is not supported when eager execution is enabled, '
                                  "is .numpy() what you're looking for?")

    def consumers(self) -> Any:
        """Raises: nothing is known of who reads it."""
        raise NotImplementedError('Tensor.consumers is undefined when eager execution is enabled.')

    # ---- Printing ----

    def __format__(self, spec: str) -> str:
        if self.dtype == dtypes.bfloat16:
            from berth.eager import quiet

            return _bfloat16_text(self, str) if self._dims else format(quiet.as_floats(self).item(), spec)
        return format(self.numpy(), spec)

    def __str__(self) -> str:
        text = text_of(self, str)
        return f'tf.Tensor({text}, shape={self._dims}, dtype={self.dtype.name})'

    def __repr__(self) -> str:
        text = text_of(self, repr)
        label = 'value' if self.dtype == dtypes.variant else 'numpy'
        return f'<tf.Tensor: shape={self._dims}, dtype={self.dtype.name}, {label}={text}>'


def _variant_text(tensor: EagerTensor) -> str:
    """Returns what the first elements lead to, in one row."""
    words = tensor.format().replace('[', ' ').replace(']', ' ').split()
    row = ' '.join(words[:3]) + ('...' if len(words) > 3 else '')
    return f'[{row}]' if tensor._dims else row


def text_of(tensor: EagerTensor, show: Any) -> str:
    """Returns the values as numpy shows them; several lines begin on a new one."""
    if tensor.dtype == dtypes.variant:
        return _variant_text(tensor)
    if not tensor.dtype.is_numpy_compatible:
        return '<unprintable>'
    if tensor.dtype == dtypes.bfloat16:
        text = _bfloat16_text(tensor, show)
    elif not tensor._dims:
        values = tensor.numpy()
        return str(values) if show is str and not isinstance(values, bytes) else repr(_item(values))
    else:
        text = show(tensor.numpy())
    return '\n' + text if '\n' in text else text


def _item(value: Any) -> Any:
    """Returns a scalar of numpy's as one of Python's, whose text has all digits."""
    return value.item() if hasattr(value, 'item') else value


def _bfloat16_text(tensor: EagerTensor, show: Any) -> str:
    """Returns the values as numpy shows them where it knows this type."""
    import numpy

    from berth.eager import quiet

    values = quiet.as_floats(tensor)
    if not tensor._dims:
        return '%.6g' % values if show is str else repr(values.item())
    layout: Any = {'formatter': {'float_kind': lambda v: '%.6g' % v}}
    if show is str:
        return numpy.array2string(values, **layout)
    text = numpy.array2string(values, separator=', ', prefix='array(', suffix=', dtype=bfloat16)', **layout)
    return f'array({text}, dtype=bfloat16)'


def _deprecated(name: str, instructions: str) -> None:
    from berth.base import logging

    logging.deprecated(f'_EagerTensorBase.{name}', 'tensorflow.python.framework.ops',
                       instructions, depth=3)


# What programs see of the class is what TensorFlow calls it.
EagerTensor.__module__ = 'tensorflow.python.framework.ops'
core.set_class_name(EagerTensor, 'tensorflow.python.framework.ops.EagerTensor')
execution.tensor_class = EagerTensor
