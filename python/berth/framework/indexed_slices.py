"""indexed_slices.py - IndexedSlices: some rows of a tensor, and which ones they are."""

from __future__ import annotations

import collections
from typing import Any, Optional

from berth.base import naming
from berth.framework import convert, dtypes, gen
from berth.framework.composite import Composite
from berth.framework.tensor_shape import TensorShape
from berth.framework.trace_type import TypeSpec


class IndexedSlices(Composite):
    """Rows |values| of a tensor, at |indices|."""

    def __init__(self, values: Any, indices: Any, dense_shape: Any = None) -> None:
        self._values, self._indices, self._dense_shape = values, indices, dense_shape

    @property
    def values(self) -> Any:
        """The rows."""
        return self._values

    @property
    def indices(self) -> Any:
        """Which rows they are."""
        return self._indices

    @property
    def dense_shape(self) -> Any:
        """The shape of the whole tensor, or None."""
        return self._dense_shape

    @property
    def shape(self) -> TensorShape:
        """What is known of the shape of the whole tensor."""
        from berth.framework import static_value

        known = None if self._dense_shape is None else static_value.get_static_value(self._dense_shape)
        return TensorShape(None if known is None else [int(size) for size in known])

    @property
    def dtype(self) -> dtypes.DType:
        """The type of the rows."""
        return self._values.dtype

    @property
    def name(self) -> str:
        """The name of the tensor of rows."""
        return self._values.name

    @property
    def device(self) -> str:
        """The device of the rows."""
        return self._values.device

    @property
    def op(self) -> Any:
        """The operation that makes the rows."""
        return self._values.op

    @property
    def graph(self) -> Any:
        """The graph of the rows."""
        return self._values.graph

    def consumers(self) -> list[Any]:
        """Returns the operations that read the rows."""
        return self._values.consumers()

    def _parts(self) -> list[Any]:
        """Returns the tensors that it is made of."""
        return [part for part in (self._values, self._indices, self._dense_shape) if part is not None]

    @property
    def _elements(self) -> Any:
        return self._values

    def _with_parts(self, parts: list[Any]) -> 'IndexedSlices':
        return IndexedSlices(*parts)

    def _open_parts(self) -> tuple[int, ...]:
        return 0, 1

    def _fetched(self, arrays: list[Any]) -> Any:
        return IndexedSlicesValue(*arrays, *[None] * (3 - len(arrays)))

    def _fed(self, value: Any) -> list[Any]:
        return [part for part in value if part is not None]

    @property
    def _type_spec(self) -> 'IndexedSlicesSpec':
        rows = TensorShape(self._indices.shape)
        shape = self.shape
        if self._dense_shape is None and self._values.shape.rank:
            shape = TensorShape([None, *self._values.shape.as_list()[1:]])
        kind = None if self._dense_shape is None else self._dense_shape.dtype
        return IndexedSlicesSpec(shape, self.dtype, self._indices.dtype, kind, rows)

    def _dense_var_to_tensor(self, dtype: Any, name: Any, as_ref: bool) -> Any:
        """Returns the whole tensor, zero where there are no rows."""
        if dtype is not None and not dtype.is_compatible_with(self.dtype):
            raise ValueError(f'Incompatible tensor conversion requested to `dtype` {dtype.name} for IndexedSlices '
                             f'({self}) with dtype {self.dtype.name}')
        if self._dense_shape is None:
            raise ValueError(f'Tensor conversion requested for IndexedSlices for argument `value` without '
                             f'dense_shape: {self}')
        return gen.apply('UnsortedSegmentSum', name, {
            'data': self._values, 'segment_ids': self._indices, 'num_segments': self._dense_shape[0]})

    def __neg__(self) -> 'IndexedSlices':
        return IndexedSlices(-self._values, self._indices, self._dense_shape)

    def __str__(self) -> str:
        shape = '' if self._dense_shape is None else f', dense_shape={self._dense_shape!s}'
        return f'IndexedSlices(indices={self._indices!s}, values={self._values!s}{shape})'


IndexedSlicesValue = collections.namedtuple('IndexedSlicesValue', ['values', 'indices', 'dense_shape'])
IndexedSlicesValue.__doc__ = 'What a session gives for IndexedSlices.'
naming.public('framework.indexed_slices')(IndexedSlicesValue)
IndexedSlices.__module__ = 'tensorflow.python.framework.indexed_slices'  # As its repr says.


@naming.public('framework.indexed_slices')
class IndexedSlicesSpec(TypeSpec):
    """What is known of IndexedSlices."""

    __slots__ = ('_shape', '_values_dtype', '_indices_dtype', '_dense_shape_dtype', '_indices_shape')

    def __init__(self, shape: Any = None, dtype: Any = dtypes.float32, indices_dtype: Any = dtypes.int64,
                 dense_shape_dtype: Any = None, indices_shape: Any = None) -> None:
        self._shape = TensorShape(shape)
        self._values_dtype, self._indices_dtype = dtypes.as_dtype(dtype), dtypes.as_dtype(indices_dtype)
        self._dense_shape_dtype: Optional[dtypes.DType] = (
            None if dense_shape_dtype is None else dtypes.as_dtype(dense_shape_dtype))
        self._indices_shape = TensorShape(indices_shape).with_rank(1)

    @property
    def value_type(self) -> Any:
        """The class of the values."""
        return IndexedSlices

    def _fields(self) -> tuple[Any, ...]:
        return tuple(getattr(self, name) for name in self.__slots__)

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """True for IndexedSlices, or a spec of them, that fit."""
        other = getattr(spec_or_value, '_type_spec', spec_or_value)
        return (isinstance(other, IndexedSlicesSpec) and self._shape.is_compatible_with(other._shape)
                and self._fields()[1:4] == other._fields()[1:4]
                and self._indices_shape.is_compatible_with(other._indices_shape))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, IndexedSlicesSpec) and self._fields() == other._fields()

    def __hash__(self) -> int:
        return hash(self._fields())

    def __repr__(self) -> str:
        return f'IndexedSlicesSpec({", ".join(repr(field) for field in self._fields())})'


def convert_to_tensor_or_indexed_slices(value: Any, dtype: Any = None, name: str | None = None) -> Any:
    """Returns IndexedSlices as they are, and anything else as a tensor."""
    return value if isinstance(value, IndexedSlices) else convert.convert_to_tensor(value, dtype, name)
