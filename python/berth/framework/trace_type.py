"""trace_type.py - What shapes, types and specs have in common where functions are traced."""

from __future__ import annotations

from berth.base import naming

TYPE_CHECKING = False  # The module typing takes longer to load than this one.
if TYPE_CHECKING:
    from typing import Any


class Constant:
    """Something that is the same in every call of a traced function: a shape or a type."""

    __slots__ = ()

    def placeholder_value(self, placeholder_context: Any) -> Any:
        """Returns None: nothing stands for it in a graph."""

    def flatten(self) -> list[Any]:
        """Returns no specs: it has no tensors."""
        return []

    def to_tensors(self, value: Any) -> list[Any]:
        """Returns no tensors: it has none."""
        return []

    def from_tensors(self, tensors: Any) -> Any:
        """Returns what stands for it in a graph."""
        return self.placeholder_value(None)

    def cast(self, value: Any, cast_context: Any) -> Any:
        """Returns |value|; AssertionError for one that is not what stands for it in a graph."""
        if value is not None:
            raise AssertionError(f'Can not cast {value!r} to type {self!r}')
        return value


@naming.public('framework.type_spec')
class TypeSpec:
    """What is known of a value before there is one: the base of TensorSpec and its kin."""

    __slots__ = ()

    def __init__(self) -> None:
        if type(self) is TypeSpec:
            raise TypeError("Can't instantiate abstract class TypeSpec with abstract methods _component_specs, "
                            '_from_components, _serialize, _to_components, value_type')

    @property
    def value_type(self) -> Any:
        """The class of the values."""
        raise NotImplementedError(f'{type(self).__name__}.value_type')

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """True for a value, or a spec, that fits."""
        raise NotImplementedError(f'{type(self).__name__}.is_compatible_with')

    def is_subtype_of(self, other: Any) -> bool:
        """True when every value of this spec is one of |other|, too."""
        raise NotImplementedError(f'{type(self).__name__}.is_subtype_of')

    def most_specific_common_supertype(self, others: Any) -> Any:
        """Returns the narrowest spec of the values of all, or None."""
        raise NotImplementedError(f'{type(self).__name__}.most_specific_common_supertype')

    def most_specific_compatible_type(self, other: Any) -> Any:
        """Returns the narrowest spec of the values of both; ValueError when there is none."""
        found = self.most_specific_common_supertype([other])
        if found is None or getattr(self, 'name', None) != getattr(other, 'name', None):
            raise ValueError(f'No TypeSpec is compatible with both {self} and {other}')
        return found

    def flatten(self) -> list[Any]:
        """Returns the specs of the tensors that a value is made of."""
        return [self]

    def to_tensors(self, value: Any) -> list[Any]:
        """Returns the tensors that |value| is made of."""
        return [value]

    def from_tensors(self, tensors: Any) -> Any:
        """Returns the value that is made of the next of |tensors|."""
        return next(tensors)
