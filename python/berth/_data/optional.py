"""optional - tf.experimental.Optional: an element, or nothing."""

from __future__ import annotations

from typing import Any

from berth._data import structure
from berth.base import naming
from berth.eager.spec import TensorSpec
from berth.framework import dtypes, gen, scopes
from berth.framework.composite import Composite
from berth.framework.trace_type import TypeSpec


@naming.public('data.ops.optional_ops')
class Optional(Composite):
    """An element, or nothing."""

    def __init__(self, variant: Any, spec: Any) -> None:
        self._variant_tensor = variant
        self._element_spec = spec  # Who puts branches together says more of it.

    @property
    def element_spec(self) -> Any:
        """What is known of the element."""
        return self._element_spec

    def has_value(self, name: Any = None) -> Any:
        """Returns whether there is one."""
        return gen.apply('OptionalHasValue', name, {'optional': self._variant_tensor})

    def get_value(self, name: Any = None) -> Any:
        """Returns it; InvalidArgumentError when there is none."""
        with scopes.name_scope(name, 'OptionalGetValue', [self._variant_tensor]) as scope:
            attrs = {'output_types': structure.types(self._element_spec), 'output_shapes': structure.shapes(self._element_spec)}
            tensors = gen.apply('OptionalGetValue', scope, {'optional': self._variant_tensor}, attrs)
        if not scopes.executing_eagerly():
            for tensor, shape in zip(tensors, structure.shapes(self._element_spec)):
                tensor.set_shape(shape)
        return structure.from_tensors(self._element_spec, tensors)

    @staticmethod
    def from_value(value: Any) -> 'Optional':
        """Returns one that has |value|."""
        with scopes.name_scope('optional') as scope:
            with scopes.name_scope('value'):
                spec = structure.spec_of(value)
                tensors = structure.to_tensors(spec, value)
            return Optional(gen.apply('OptionalFromValue', scope, {'components': tensors}), spec)

    @staticmethod
    def empty(element_spec: Any) -> 'Optional':
        """Returns one without a value."""
        return Optional(gen.apply('OptionalNone', None, {}), element_spec)

    def _element_type(self) -> 'OptionalSpec':
        return OptionalSpec(self._element_spec)

    # ---- What it is made of ----

    def _parts(self) -> list[Any]:
        return [self._variant_tensor]

    def _with_parts(self, parts: list[Any]) -> 'Optional':
        return Optional(parts[0], self._element_spec)

    def _open_parts(self) -> tuple[int, ...]:
        return ()

    def _kind_note(self) -> str:
        return repr(self._element_spec)

    _type_spec = property(_element_type)


@naming.public('data.ops.optional_ops')
class OptionalSpec(TypeSpec):
    """What is known of an Optional."""

    __slots__ = ('_element_spec',)

    def __init__(self, element_spec: Any) -> None:
        self._element_spec = element_spec

    @property
    def value_type(self) -> Any:
        """The class of the values."""
        return Optional

    @staticmethod
    def from_value(value: Any) -> 'OptionalSpec':
        """Returns what is known of an Optional."""
        return OptionalSpec(value.element_spec)

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """True for an Optional, or what is known of one, whose element is the same."""
        other = getattr(spec_or_value, '_type_spec', spec_or_value)
        return self == other

    def flatten(self) -> list[Any]:
        """Returns the spec of the variant."""
        return [TensorSpec((), dtypes.variant)]

    def to_tensors(self, value: Any) -> list[Any]:
        """Returns the variant."""
        return [value._variant_tensor]

    def from_tensors(self, tensors: Any) -> Any:
        """Returns the Optional of the next variant."""
        return Optional(next(tensors), self._element_spec)

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, OptionalSpec) and other._element_spec == self._element_spec

    def __hash__(self) -> int:
        return hash(repr(self))

    def __repr__(self) -> str:
        return f'OptionalSpec({self._element_spec!r},)'


def get_next_as_optional(iterator: Any) -> Any:
    """Returns the next element of |iterator|, or nothing at the end."""
    return iterator.get_next_as_optional()
