"""nest.py - tf.nest: lists, tuples, dictionaries and the like around values.

A structure is a list, a tuple, a named tuple, a mapping or another sequence that is no
text; anything else is an atom. Dictionaries are gone through in the order of their keys.
"""

from __future__ import annotations

import collections.abc
from typing import Any, Callable, Iterator

from berth.framework.tensor_shape import TensorShape

__all__ = ['assert_same_structure', 'flatten', 'is_nested', 'map_structure', 'pack_sequence_as']

_ATOMS = (str, bytes, bytearray)


def is_nested(structure: Any) -> bool:
    """Returns True for what holds other values; texts and sets do not."""
    if isinstance(structure, _ATOMS):
        return False
    return isinstance(structure, (collections.abc.Sequence, collections.abc.Mapping, collections.abc.MappingView))


def _children(structure: Any) -> Iterator[Any]:
    """Yields what |structure| holds, in the order of flatten()."""
    if isinstance(structure, collections.abc.Mapping):
        for key in sorted(structure):
            yield structure[key]
    else:
        yield from structure


def flatten(structure: Any, expand_composites: bool = False) -> list[Any]:
    """Returns the atoms of |structure| in a list."""
    if structure is None:
        return [None]
    if not is_nested(structure):
        return _composite_parts(structure) if expand_composites else [structure]
    return [atom for child in _children(structure) for atom in flatten(child, expand_composites)]


def _composite_parts(value: Any) -> list[Any]:
    """Returns the tensors that a value such as IndexedSlices is made of; others as they are."""
    parts = getattr(value, '_parts', None)
    return [value] if parts is None else list(parts())


def _like(structure: Any, values: list[Any]) -> Any:
    """Returns a structure of the kind of |structure| that holds |values|."""
    if isinstance(structure, collections.abc.Mapping):
        found = dict(zip(sorted(structure), values))
        if isinstance(structure, collections.defaultdict):
            return type(structure)(structure.default_factory, ((key, found[key]) for key in structure))
        return type(structure)((key, found[key]) for key in structure)  # type: ignore[call-arg]
    if hasattr(structure, '_fields'):
        return type(structure)(*values)
    if isinstance(structure, (range, collections.abc.MappingView)):
        return list(values)
    return type(structure)(values)


def map_structure(func: Callable[..., Any], *structure: Any, **kwargs: Any) -> Any:
    """Returns a structure of what |func| gives for the atoms of all structures."""
    if not callable(func):
        raise TypeError(f'func must be callable, got: {func}')
    if not structure:
        raise ValueError('Must provide at least one structure')
    check_types, expand = kwargs.pop('check_types', True), kwargs.pop('expand_composites', False)
    kwargs.pop('check_up_to', None)
    if kwargs:
        names = '`, `'.join(kwargs)
        raise ValueError('Only valid keyword arguments are `check_types` and `expand_composites`, not: '
                         f'`{names}`')
    for other in structure[1:]:
        assert_same_structure(structure[0], other, check_types, expand)
    flat = [flatten(each, expand) for each in structure]
    return pack_sequence_as(structure[0], [func(*atoms) for atoms in zip(*flat)], expand)


def pack_sequence_as(structure: Any, flat_sequence: Any, expand_composites: bool = False) -> Any:
    """Returns a structure like |structure| with the values of |flat_sequence|."""
    if not is_nested(flat_sequence):
        raise TypeError(f'Attempted to pack value:\n  {flat_sequence}\ninto a structure, but found incompatible '
                        f'type `{type(flat_sequence)}` instead.')
    if not is_nested(structure) and not (expand_composites and hasattr(structure, '_parts')):
        if len(flat_sequence) != 1:
            raise ValueError(
                f'The target structure is of type `{type(structure)}`\n  {structure}\nHowever the input is a '
                f'sequence ({type(flat_sequence)}) of length {len(flat_sequence)}.\n  {flat_sequence}\nnest cannot '
                'guarantee that it is safe to map one to the other.')
        return flat_sequence[0]
    count = len(flatten(structure, expand_composites))
    if count != len(flat_sequence):
        raise ValueError(f'Could not pack sequence. Structure had {count} atoms, but flat_sequence had '
                         f'{len(flat_sequence)} items.  Structure: {structure}, flat_sequence: {flat_sequence}.')
    values = iter(flat_sequence)
    return _filled(structure, values, expand_composites)


def _filled(structure: Any, values: Iterator[Any], expand: bool) -> Any:
    if expand and hasattr(structure, '_parts'):
        return structure._with_parts([next(values) for _ in structure._parts()])
    if not is_nested(structure):
        return next(values)
    return _like(structure, [_filled(child, values, expand) for child in _children(structure)])


# ---- Comparing ----

def assert_same_structure(nest1: Any, nest2: Any, check_types: bool = True,
                          expand_composites: bool = False) -> None:
    """Raises ValueError or TypeError unless both hold the same number of values in the same way."""
    try:
        _compare(nest1, nest2, check_types)
    except (TypeError, ValueError) as error:
        raise type(error)(
            f"The two structures don't have the same nested structure.\n\nFirst structure: {_shown(nest1)}\n\n"
            f'Second structure: {_shown(nest2)}\n\nMore specifically: {error}\nEntire first structure:\n'
            f'{_outline(nest1)}\nEntire second structure:\n{_outline(nest2)}') from None


def _shown(value: Any) -> str:
    return f'type={type(value).__name__} str={value!s}'


def _outline(structure: Any) -> str:
    """Returns |structure| as text with dots for its atoms."""
    return str(map_structure(lambda _: _DOT, structure))


class _Dot:
    """Something that prints as a dot."""

    def __repr__(self) -> str:
        return '.'


_DOT = _Dot()


def _compare(first: Any, second: Any, check_types: bool) -> None:
    """Raises with what differs, without what is around it."""
    for one, other in ((first, second), (second, first)):
        if is_nested(one) and not is_nested(other):
            raise ValueError(f'Substructure "{_shown(one)}" is a sequence, while substructure "{_shown(other)}" is not')
    if not is_nested(first):
        return
    if check_types:
        _compare_types(first, second)
    left, right = list(_children(first)), list(_children(second))
    if len(left) != len(right):
        raise ValueError("The two structures don't have the same number of elements. First structure: "
                         f'{_shown(first)}. Second structure: {_shown(second)}')
    for one, other in zip(left, right):
        _compare(one, other, check_types)


def _compare_types(first: Any, second: Any) -> None:
    if isinstance(first, collections.abc.Mapping) and isinstance(second, collections.abc.Mapping):
        if set(first) != set(second):
            raise ValueError("The two dictionaries don't have the same set of keys. First structure has keys "
                             f'{_shown(list(first))}, while second structure has keys {_shown(list(second))}')
        return
    if type(first) is not type(second) and not _are_alike(first, second):
        raise TypeError("The two namedtuples don't have the same sequence type. First structure "
                        f'{_shown(first)} has type {type(first).__name__}, while second structure {_shown(second)} '
                        f'has type {type(second).__name__}')


def _are_alike(first: Any, second: Any) -> bool:
    """True for two kinds of named tuples with the same fields, and for shapes."""
    if hasattr(first, '_fields') and hasattr(second, '_fields'):
        return type(first).__name__ == type(second).__name__ and first._fields == second._fields
    return isinstance(first, TensorShape) and isinstance(second, TensorShape)
