"""spec - tf.TensorSpec: what is known of an argument of a tf.function."""

from __future__ import annotations

from typing import Any, Optional

from berth.framework import dtypes
from berth.framework.tensor_shape import TensorShape


class TensorSpec:
    """A shape, a type, and maybe a name; never changes."""

    __slots__ = ('_shape', '_dtype', '_name')

    def __init__(self, shape: Any, dtype: Any = dtypes.float32, name: Optional[str] = None) -> None:
        self._shape = TensorShape(shape)
        self._dtype = dtypes.as_dtype(dtype)
        self._name = name

    @classmethod
    def from_tensor(cls, tensor: Any, name: Optional[str] = None) -> 'TensorSpec':
        """Returns the spec of |tensor|."""
        return cls(tensor.shape, tensor.dtype, name)

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

    def is_compatible_with(self, value: Any) -> bool:
        """True for a tensor, or a spec, that fits."""
        return (self._dtype.is_compatible_with(value.dtype)
                and self._shape.is_compatible_with(value.shape))

    def __eq__(self, other: object) -> bool:
        return (isinstance(other, TensorSpec) and self._shape == other._shape
                and self._dtype == other._dtype and self._name == other._name)

    def __hash__(self) -> int:
        return hash((self._shape, self._dtype))

    def __repr__(self) -> str:
        return f'TensorSpec(shape={self._shape}, dtype={self._dtype!r}, name={self._name!r})'


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
