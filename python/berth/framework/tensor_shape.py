"""tensor_shape - TensorShape and, for TF1, Dimension."""

from __future__ import annotations

import operator
from typing import Any, Callable, Iterator, Optional

from berth import _mode
from berth.base import naming
from berth.framework.trace_type import Constant

_Size = Optional[int]


def _size_of(value: Any) -> _Size:
    """Reads a dimension; TypeError or ValueError for what is none."""
    if isinstance(value, Dimension):
        return value.value
    if value is None:
        return None
    try:
        size = operator.index(value)
    except TypeError:
        raise TypeError('Dimension value must be integer or None or have an __index__ method, '
                        f"got value '{value!r}' with type '{type(value)!r}'") from None
    if size < 0:
        raise ValueError(f'Dimension {size} must be >= 0')
    return size


def dimension_value(dimension: Any) -> Any:
    """Returns the number in a Dimension; anything else as it is."""
    return dimension.value if isinstance(dimension, Dimension) else dimension


def dimension_at_index(shape: 'TensorShape', index: int) -> 'Dimension':
    """Returns a Dimension of |shape|, in TF1 and TF2 alike."""
    dims = shape.dims
    return Dimension(None) if dims is None else dims[index]


@naming.public('framework.tensor_shape')
class Dimension:
    """A size that may be unknown."""

    __slots__ = ('_value',)
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, value: Any) -> None:
        self._value = _size_of(value)

    @property
    def value(self) -> _Size:
        """The size, or None."""
        return self._value

    def is_compatible_with(self, other: Any) -> bool:
        """True when both may be the same size."""
        other = as_dimension(other)
        return self._value is None or other._value is None or self._value == other._value

    def assert_is_compatible_with(self, other: Any) -> None:
        """Raises ValueError when they cannot be the same size."""
        if not self.is_compatible_with(other):
            raise ValueError(f'Dimensions {self} and {as_dimension(other)} are not compatible')

    def merge_with(self, other: Any) -> 'Dimension':
        """Returns what is known from both."""
        other = as_dimension(other)
        self.assert_is_compatible_with(other)
        return Dimension(other._value if self._value is None else self._value)

    def __repr__(self) -> str:
        return f'Dimension({self._value!r})'

    def __str__(self) -> str:
        return '?' if self._value is None else str(self._value)

    def __eq__(self, other: object) -> Any:
        try:
            other = as_dimension(other)
        except (TypeError, ValueError):
            return NotImplemented
        return None if self._value is None or other._value is None else self._value == other._value

    def __ne__(self, other: object) -> Any:
        equal = self.__eq__(other)
        return equal if equal is None or equal is NotImplemented else not equal

    def __bool__(self) -> bool:
        return bool(self._value)

    def __int__(self) -> int:
        return self._value  # type: ignore[return-value]

    def __index__(self) -> int:
        return self._value  # type: ignore[return-value]

    def __truediv__(self, other: Any) -> Any:
        raise TypeError("unsupported operand type(s) for /: 'Dimension' and "
                        f"'{type(other).__name__}', please use // instead")

    def __rtruediv__(self, other: Any) -> Any:
        raise TypeError(f"unsupported operand type(s) for /: '{type(other).__name__}' and "
                        "'Dimension', please use // instead")

    def __reduce__(self) -> Any:
        return Dimension, (self._value,)


def as_dimension(value: Any) -> Dimension:
    """Returns |value| as a Dimension."""
    return value if isinstance(value, Dimension) else Dimension(value)


def _arithmetic(function: Callable[[int, int], int], is_swapped: bool) -> Any:
    """Makes an operator that is unknown when one of its operands is."""
    def method(self: Dimension, other: Any) -> Any:
        try:
            left, right = self.value, as_dimension(other).value
        except (TypeError, ValueError):
            return NotImplemented
        if left is None or right is None:
            return Dimension(None)
        return Dimension(function(right, left) if is_swapped else function(left, right))
    return method


def _comparison(function: Callable[[int, int], bool]) -> Any:
    """Makes a comparison that is None when one of its operands is unknown."""
    def method(self: Dimension, other: Any) -> Optional[bool]:
        left, right = self.value, as_dimension(other).value
        return None if left is None or right is None else function(left, right)
    return method


for _name, _function in (('add', operator.add), ('sub', operator.sub), ('mul', operator.mul),
                         ('floordiv', operator.floordiv), ('mod', operator.mod)):
    setattr(Dimension, f'__{_name}__', _arithmetic(_function, False))
    setattr(Dimension, f'__r{_name}__', _arithmetic(_function, True))
for _name in ('lt', 'le', 'gt', 'ge'):
    setattr(Dimension, f'__{_name}__', _comparison(getattr(operator, _name)))


def _sizes_of(dims: Any) -> Optional[tuple]:
    """Reads what a shape can be made from; None is of unknown rank."""
    if dims is None:
        return None
    if isinstance(dims, TensorShape):
        return dims._sizes
    if isinstance(dims, (tuple, list)):
        return tuple(_size_of(d) for d in dims)
    if hasattr(dims, 'unknown_rank') and hasattr(dims, 'dim'):  # A TensorShapeProto.
        return None if dims.unknown_rank else tuple(
            None if d.size == -1 else d.size for d in dims.dim)
    try:
        items = iter(dims)
    except TypeError:
        return (_size_of(dims),)
    sizes = []
    for item in items:
        try:
            sizes.append(_size_of(item))
        except TypeError:
            raise TypeError(
                f"Failed to convert '{dims!r}' to a shape: '{item!r}'could not be converted to "
                'a dimension. A shape should either be single dimension (e.g. 10), or an '
                'iterable of dimensions (e.g. [1, 10, None]).') from None
    return tuple(sizes)


@naming.public('framework.tensor_shape')
class TensorShape(Constant):
    """A shape of which the rank, or some sizes, may be unknown."""

    __slots__ = ('_sizes',)

    def __init__(self, dims: Any) -> None:
        self._sizes = _sizes_of(dims)

    @classmethod
    def of_sizes(cls, sizes: tuple) -> 'TensorShape':
        """Makes a shape of sizes that are known to be numbers."""
        shape = cls.__new__(cls)
        shape._sizes = sizes
        return shape

    @property
    def rank(self) -> _Size:
        """How many dimensions, or None."""
        return None if self._sizes is None else len(self._sizes)

    ndims = rank

    @property
    def dims(self) -> Optional[list]:
        """The sizes as Dimensions, or None."""
        return None if self._sizes is None else [Dimension(size) for size in self._sizes]

    @property
    def _dims(self) -> Optional[tuple]:
        """The sizes, by the name that other packages know."""
        return self._sizes

    def as_list(self) -> list:
        """Returns the sizes, None for those that are unknown."""
        if self._sizes is None:
            raise ValueError('as_list() is not defined on an unknown TensorShape.')
        return list(self._sizes)

    def as_proto(self) -> Any:
        """Returns a TensorShapeProto."""
        from berth.base import protos

        if self._sizes is None:
            return protos.TensorShapeProto(unknown_rank=True)
        dim = protos.TensorShapeProto.Dim
        return protos.TensorShapeProto(
            dim=[dim(size=-1 if size is None else size) for size in self._sizes])

    def num_elements(self) -> _Size:
        """Returns how many elements there are, or None."""
        if not self.is_fully_defined():
            return None
        count = 1
        for size in self._sizes or ():
            count *= size
        return count

    def is_fully_defined(self) -> bool:
        """True when nothing is unknown."""
        return self._sizes is not None and None not in self._sizes

    def is_compatible_with(self, other: Any) -> bool:
        """True when a tensor can have both shapes."""
        other = as_shape(other)
        if self._sizes is None or other._sizes is None:
            return True
        return len(self._sizes) == len(other._sizes) and all(
            a is None or b is None or a == b for a, b in zip(self._sizes, other._sizes))

    def is_subtype_of(self, other: 'TensorShape') -> bool:
        """True when every tensor of this shape has that of |other|, too."""
        if other._sizes is None:
            return True
        return self._sizes is not None and len(self._sizes) == len(other._sizes) and all(
            b is None or a == b for a, b in zip(self._sizes, other._sizes))

    def most_specific_common_supertype(self, others: Any) -> Optional['TensorShape']:
        """Returns the narrowest shape that tensors of all these shapes have, None where one is no shape."""
        if any(not isinstance(other, TensorShape) for other in others):
            return None
        found = self
        for other in others:
            found = found.most_specific_compatible_shape(other)
        return found

    def most_specific_compatible_shape(self, other: Any) -> 'TensorShape':
        """Returns the narrowest shape that tensors of both shapes have."""
        other = as_shape(other)
        if self._sizes is None or other._sizes is None or len(self._sizes) != len(other._sizes):
            return unknown_shape()
        return TensorShape([a if a == b else None for a, b in zip(self._sizes, other._sizes)])

    @classmethod
    def experimental_type_proto(cls) -> Any:
        """Returns the class of its message."""
        from berth.base import protos

        return protos.TensorShapeProto

    @classmethod
    def experimental_from_proto(cls, proto: Any) -> 'TensorShape':
        """Returns the shape of a TensorShapeProto."""
        return TensorShape(proto)

    def experimental_as_proto(self) -> Any:
        """Returns a TensorShapeProto."""
        return self.as_proto()

    def merge_with(self, other: Any) -> 'TensorShape':
        """Returns what is known from both; ValueError when they contradict each other."""
        other = as_shape(other)
        if not self.is_compatible_with(other):
            raise ValueError(f'Shapes {self} and {other} are not compatible')
        if self._sizes is None or other._sizes is None:
            return other if self._sizes is None else self
        return TensorShape([b if a is None else a
                            for a, b in zip(self._sizes, other._sizes)])

    def concatenate(self, other: Any) -> 'TensorShape':
        """Returns the sizes of both in a row."""
        other = as_shape(other)
        if self._sizes is None or other._sizes is None:
            return TensorShape(None)
        return TensorShape(self._sizes + other._sizes)

    __add__ = concatenate

    def __radd__(self, other: Any) -> 'TensorShape':
        return as_shape(other).concatenate(self)

    def with_rank(self, rank: int) -> 'TensorShape':
        """Returns this shape, known to have |rank| dimensions."""
        if self._sizes is not None and len(self._sizes) != rank:
            raise ValueError(f'Shape {self} must have rank {rank}')
        return self.merge_with(unknown_shape(rank))

    def with_rank_at_least(self, rank: int) -> 'TensorShape':
        """Returns this shape; ValueError when it has fewer dimensions."""
        if self._sizes is not None and len(self._sizes) < rank:
            raise ValueError(f'Shape {self} must have rank at least {rank}')
        return self

    def with_rank_at_most(self, rank: int) -> 'TensorShape':
        """Returns this shape; ValueError when it has more dimensions."""
        if self._sizes is not None and len(self._sizes) > rank:
            raise ValueError(f'Shape {self} must have rank at most {rank}')
        return self

    def assert_has_rank(self, rank: int) -> None:
        """Raises ValueError for another rank."""
        if self.rank not in (None, rank):
            raise ValueError(f'Shape {self} must have rank {rank}')

    def assert_same_rank(self, other: Any) -> None:
        """Raises ValueError when the ranks differ."""
        other = as_shape(other)
        if None not in (self.rank, other.rank) and self.rank != other.rank:
            raise ValueError(f'Shapes {self} and {other} must have the same rank')

    def assert_is_compatible_with(self, other: Any) -> None:
        """Raises ValueError when no tensor can have both shapes."""
        if not self.is_compatible_with(other):
            raise ValueError(f'Shapes {self} and {other} are incompatible')

    def assert_is_fully_defined(self) -> None:
        """Raises ValueError when something is unknown."""
        if not self.is_fully_defined():
            raise ValueError(f'Shape {self} is not fully defined')

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, slice):
            return TensorShape(self._slice(key))
        if self._sizes is None:
            size = None
        elif -len(self._sizes) <= key < len(self._sizes):
            size = self._sizes[key]
        else:
            raise IndexError(f'{"list" if _mode.has_dimensions() else "tuple"} index out of range')
        return Dimension(size) if _mode.has_dimensions() else size

    def _slice(self, key: slice) -> Optional[list]:
        """Returns the sizes that |key| takes, unknown ones when the rank is."""
        if self._sizes is not None:
            return list(self._sizes[key])
        start, stop = key.start or 0, key.stop
        if key.step is not None:
            raise ValueError('Steps are not yet handled')
        if stop is None or start < 0 or stop < 0:
            return None
        return [None] * max(stop - start, 0)

    def __iter__(self) -> Iterator:
        if self._sizes is None:
            raise ValueError('Cannot iterate over a shape with unknown rank.')
        return iter(self.dims or [] if _mode.has_dimensions() else self._sizes)

    def __len__(self) -> int:
        if self._sizes is None:
            raise ValueError('Cannot take the length of shape with unknown rank.')
        return len(self._sizes)

    def __bool__(self) -> bool:
        return self._sizes is not None

    def __eq__(self, other: object) -> bool:
        try:
            return self._sizes == as_shape(other)._sizes
        except (TypeError, ValueError):
            return NotImplemented

    def __hash__(self) -> int:
        return hash(self._sizes)

    def __reduce__(self) -> Any:
        return TensorShape, (self._sizes,)

    def __repr__(self) -> str:
        if self._sizes is not None and _mode.has_dimensions():
            return f'TensorShape({self.dims!r})'
        return f'TensorShape({None if self._sizes is None else list(self._sizes)!r})'

    def __str__(self) -> str:
        if self._sizes is None:
            return '<unknown>'
        if not _mode.has_dimensions():
            return str(self._sizes)
        words = ['?' if size is None else str(size) for size in self._sizes]
        return '(' + ', '.join(words) + (',)' if len(words) == 1 else ')')


def as_shape(shape: Any) -> TensorShape:
    """Returns |shape| as a TensorShape."""
    return shape if isinstance(shape, TensorShape) else TensorShape(shape)


def unknown_shape(rank: _Size = None) -> TensorShape:
    """Returns a shape of which at most the rank is known."""
    return TensorShape(None if rank is None else [None] * rank)
