"""flow_values - What branches and loops hand on: of an array of tensors its flow, of a value of several tensors those."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from berth.framework import nest
from berth.framework.composite import Composite
from berth.framework.tensor_shape import TensorShape


def is_array(value: Any) -> bool:
    """True for a TensorArray."""
    return hasattr(value, '_with_flow')


def is_compound(value: Any) -> bool:
    """True for what is no tensor, but made of some."""
    return is_array(value) or isinstance(value, Composite)


def parts_of(value: Any) -> Any:
    """Returns the tensor that stands for |value| where a graph branches, or a list of those that do."""
    if is_array(value):
        return value.flow
    return list(value._parts()) if isinstance(value, Composite) else value


def apart(structure: Any) -> Any:
    """Returns |structure| with tensors in the places of what is made of them."""
    return nest.map_structure(parts_of, structure)


def together(structure: Any, tensors: Iterable[Any]) -> Any:
    """Returns what is like |structure| and made of |tensors|, a row."""
    rest = iter(tensors)
    return nest.pack_sequence_as(structure, [_made(value, rest) for value in nest.flatten(structure)])


def _made(value: Any, rest: Iterator[Any]) -> Any:
    if isinstance(value, Composite):
        return value._with_parts([next(rest) for _ in value._parts()])
    return value._with_flow(next(rest)) if is_array(value) else next(rest)


# ---- Shapes that variables of a loop may take ----


def invariants_of(structure: Any, invariants: Any) -> Any:
    """Returns |invariants| for the tensors of |structure|; None where there is nothing to say.

    How much is in a sparse or ragged tensor may change from turn to turn.
    """
    values = nest.flatten(structure)
    if not any(isinstance(value, Composite) for value in values):
        return invariants
    given = [None] * len(values) if invariants is None else nest.flatten(invariants)
    return nest.pack_sequence_as(structure, [_shapes_of(*pair) for pair in zip(values, given)])


def _shapes_of(value: Any, given: Any) -> Any:
    """Returns the shape that a variable may take, or those of its parts."""
    if not isinstance(value, Composite):
        return value.shape if given is None and hasattr(value, 'shape') else given
    shapes = [part.shape for part in value._parts()]
    if given is not None:  # It says less of the whole than is known of it.
        return [TensorShape(None if shape.rank is None else [None] * shape.rank) for shape in shapes]
    open_parts = value._open_parts()
    return [TensorShape([None, *shape.as_list()[1:]]) if i in open_parts and shape.rank else shape
            for i, shape in enumerate(shapes)]
