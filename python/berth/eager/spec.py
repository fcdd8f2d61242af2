"""spec - tf.TensorSpec: what is known of an argument of a tf.function."""

from __future__ import annotations

from typing import Any, Optional

from berth.base import naming
from berth.framework import convert, dtypes
from berth.framework.node import Tensor
from berth.framework.tensor_shape import TensorShape
from berth.framework.trace_type import TypeSpec


@naming.public('framework.tensor')
class TensorSpec(TypeSpec):
    """A shape, a type, and maybe a name; never changes."""

    __slots__ = ('_shape', '_dtype', '_name')

    def __init__(self, shape: Any, dtype: Any = dtypes.float32, name: Optional[str] = None) -> None:
        self._shape = TensorShape(shape)
        self._dtype = dtypes.as_dtype(dtype)
        self._name = name

    __init__.__qualname__ = 'DenseSpec.__init__'  # Where TensorFlow has it.

    @classmethod
    def from_tensor(cls, tensor: Any, name: Optional[str] = None) -> 'TensorSpec':
        """Returns the spec of |tensor|."""
        if not isinstance(tensor, Tensor):
            raise ValueError(f'`tensor` should be a tf.Tensor, but got type {type(tensor)}.')
        return cls(tensor.shape, tensor.dtype, name)

    @classmethod
    def from_spec(cls, spec: Any, name: Optional[str] = None) -> 'TensorSpec':
        """Returns |spec|, with another name if there is one."""
        return cls(spec.shape, spec.dtype, name or spec.name)

    @property
    def shape(self) -> TensorShape:
        """The shape, as far as it is known."""
        return self._shape

    @property
    def dtype(self) -> dtypes.DType:
        """The type."""
        return self._dtype

    @property
    def name(self) -> Optional[str]:
        """The name of the argument, or None."""
        return self._name

    @property
    def value_type(self) -> Any:
        """The class of the values."""
        return Tensor

    def is_compatible_with(self, spec_or_tensor: Any) -> bool:
        """True for a tensor, or a spec, that fits."""
        value = spec_or_tensor
        if not hasattr(value, 'dtype') or not hasattr(value, 'shape'):
            try:
                value = convert.convert_to_tensor(value)
            except (TypeError, ValueError):
                return False
        return (self._dtype.is_compatible_with(value.dtype)
                and self._shape.is_compatible_with(value.shape))

    def is_subtype_of(self, other: Any) -> bool:
        """True when every tensor of this spec is one of |other|, too."""
        return (isinstance(other, TensorSpec) and self._dtype == other._dtype
                and self._shape.is_subtype_of(other._shape) and other._name in (None, self._name))

    def most_specific_common_supertype(self, others: Any) -> Optional['TensorSpec']:
        """Returns the narrowest spec of the tensors of all, None when their types differ."""
        if any(not isinstance(each, TensorSpec) or each._dtype != self._dtype for each in others):
            return None
        shape = self._shape.most_specific_common_supertype([each._shape for each in others])
        same_name = all(each._name == self._name for each in others)
        return TensorSpec(shape, self._dtype, self._name if same_name else None)

    def placeholder_value(self, placeholder_context: Any) -> Any:
        """Returns a placeholder in the graph that is being built."""
        from berth.ops import array_ops

        return array_ops.placeholder(self._dtype, self._shape, self._name)

    def cast(self, value: Any, casting_context: Any) -> Any:
        """Returns |value| as a tensor; TypeError when it does not fit."""
        value = convert.convert_to_tensor(value, self._dtype)
        if not self.is_compatible_with(value):
            raise TypeError(f'Can not cast {value!r} to type {self!r}')
        return value

    def __eq__(self, other: object) -> bool:
        return (isinstance(other, TensorSpec) and self._shape == other._shape
                and self._dtype == other._dtype and self._name == other._name)

    def __hash__(self) -> int:
        return hash((self._shape, self._dtype))

    def __repr__(self) -> str:
        return f'TensorSpec(shape={self._shape}, dtype={self._dtype!r}, name={self._name!r})'


@naming.public('ops.resource_variable_ops')
class VariableSpec:
    """What is known of a variable that is an argument of a tf.function; never changes."""

    __slots__ = ('shape', 'dtype', 'trainable', 'alias_id')

    def __init__(self, shape: Any, dtype: Any = dtypes.float32, trainable: bool = True,
                 alias_id: Optional[int] = None) -> None:
        self.shape = TensorShape(shape)
        self.dtype = dtypes.as_dtype(dtype)
        self.trainable = trainable
        self.alias_id = alias_id

    def __repr__(self) -> str:
        return (f'VariableSpec(shape={self.shape}, dtype={self.dtype!r}, '
                f'trainable={self.trainable}, alias_id={self.alias_id})')


def type_spec_from_value(value: Any) -> Any:
    """Returns the spec of |value|; TypeError for what is no tensor and cannot be one."""
    own = getattr(value, '_type_spec', None)
    if own is not None:
        return own
    if not isinstance(value, Tensor):
        try:
            value = convert.convert_to_tensor(value)
        except (TypeError, ValueError):
            raise TypeError(f'Could not build a TypeSpec for {value!r} of unsupported type {type(value)}.') from None
    return TensorSpec(value.shape, value.dtype)
