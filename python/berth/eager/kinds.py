"""kinds - What decides whether a trace fits a call.

A kind is what a call's arguments have in common with those of other calls that the same
trace serves: the structure they come in, the values of what is no tensor, and the types
and shapes of the tensors. A trace for a wider shape serves narrower ones.
"""

from __future__ import annotations

import weakref
from typing import Any, NamedTuple, Optional

from berth.eager import structure
from berth.eager.spec import TensorSpec
from berth.framework.composite import Composite
from berth.framework import convert
from berth.framework.node import Tensor
from berth.framework.tensor_shape import TensorShape

_STATIC = 'static'  # In the place of a type: the shape of the whole that its parts before this are of.

Dims = Optional[tuple]  # None: the rank is not known; an item of None: nor is that size.


class Kind(NamedTuple):
    """The kind of some arguments; hashable."""

    form: Any  # The structure, with the values of what is no tensor.
    specs: tuple  # (type, dims) of each tensor.


class _Walk:
    """What has been met on the way through some arguments."""

    def __init__(self) -> None:
        self.specs: list[tuple[Any, Dims]] = []
        self.variables: list[Any] = []


def is_variable(value: Any) -> bool:
    """True for a variable of the eager runtime."""
    return hasattr(value, '_dense_var_to_tensor')


def is_tensor(value: Any) -> bool:
    """True for what becomes an input of a trace: tensors, their specs, numpy's arrays."""
    return isinstance(value, (Tensor, TensorSpec)) or (
        type(value).__module__ == 'numpy' and hasattr(value, 'dtype') and hasattr(value, 'shape'))


def spec_of(value: Any) -> TensorSpec:
    """Returns the type and shape of a tensor, a spec, or an array."""
    if isinstance(value, TensorSpec):
        return value
    if not isinstance(value, Tensor):
        value = convert.to_array(value, None)
        return TensorSpec(value.shape, 'string' if value.dtype == object else value.dtype)
    return TensorSpec(value.shape, value.dtype)


def _dims(shape: Any) -> Dims:
    return None if shape.rank is None else tuple(shape.as_list())


def of(value: Any) -> Kind:
    """Returns the kind of |value|, any structure of arguments."""
    walk = _Walk()
    form = _form(value, walk)
    return Kind(form, tuple(walk.specs))


def _form(value: Any, walk: _Walk) -> Any:
    if isinstance(value, dict):
        return dict, tuple((key, _form(value[key], walk)) for key in sorted(value))
    if structure.is_row(value):
        name = type(value).__name__ if structure.is_namedtuple(value) else isinstance(value, list)
        return name, tuple([_form(item, walk) for item in value])
    if isinstance(value, Composite):
        return _composite_form(value, walk)
    if is_variable(value):
        return _variable_form(value, walk)
    if is_tensor(value):
        spec = spec_of(value)
        walk.specs.append((spec.dtype, _dims(spec.shape)))
        return 'tensor'
    return _literal(value)


def _composite_form(value: Composite, walk: _Walk) -> Any:
    """How much is in a sparse or ragged tensor does not count; the shape that is known of a sparse one does."""
    first = len(walk.specs)
    parts = tuple([_form(part, walk) for part in value._parts()])
    for i in value._open_parts():
        dtype, dims = walk.specs[first + i]
        walk.specs[first + i] = dtype, dims and (None, *dims[1:])
    if hasattr(value, '_shape'):
        walk.specs.append((_STATIC, _dims(value._shape)))
    return type(value).__name__, parts, value._kind_note()


def _variable_form(value: Any, walk: _Walk) -> Any:
    """Variables that are alike share a trace; which of them are the same one counts."""
    seen = [i for i, other in enumerate(walk.variables) if other is value]
    walk.variables.append(value)
    return ('variable', value.dtype, _dims(value.shape), value.trainable, value.device,
            seen[0] if seen else len(walk.variables) - 1)


def _literal(value: Any) -> Any:
    """Returns what stands for a value of Python's; objects are not kept alive."""
    if value is None or isinstance(value, (int, float, str, bytes)):
        return 'nan' if value != value else ('is', value)
    try:
        found: Any = weakref.ref(value)
    except TypeError:
        found = value
    try:
        hash(found)
    except TypeError:
        raise TypeError(
            f'Could not generate a generic TraceType for {value!r}.Please verify that it is '
            'immutable/hashable. Otherwise, consider implementing the Tracing Protocol for it.'
        ) from None
    return 'is', found


# ---- Wider and narrower ----


def _covers(wide: Dims, narrow: Dims) -> bool:
    """True when every shape that fits |narrow| fits |wide|."""
    if wide is None:
        return True
    return narrow is not None and len(wide) == len(narrow) and all(
        a is None or a == b for a, b in zip(wide, narrow))


def covers(wide: Kind, narrow: Kind) -> bool:
    """True when a trace for |wide| serves |narrow|."""
    return wide.form == narrow.form and all(
        a[0] == b[0] and _covers(a[1], b[1]) for a, b in zip(wide.specs, narrow.specs))


def _join(one: Dims, other: Dims) -> Dims:
    if one is None or other is None or len(one) != len(other):
        return None
    return tuple(a if a == b else None for a, b in zip(one, other))


def widen(kind: Kind, others: Any) -> Kind:
    """Returns the narrowest kind that covers |kind| and those of |others| that it can."""
    for other in others:
        if other.form == kind.form and [s[0] for s in other.specs] == [s[0] for s in kind.specs]:
            kind = Kind(kind.form, tuple(
                (a[0], _join(a[1], b[1])) for a, b in zip(kind.specs, other.specs)))
    return kind


def apply_specs(value: Any, kind: Kind) -> Any:
    """Returns |value| with specs of |kind| in the place of its tensors."""
    specs = iter([spec for spec in kind.specs if spec[0] != _STATIC])

    def spec(leaf: Any) -> Any:
        if is_variable(leaf) or not is_tensor(leaf):
            return leaf
        dtype, dims = next(specs)
        return TensorSpec(dims, dtype, leaf.name if isinstance(leaf, TensorSpec) else None)

    made = structure.pack(value, iter([spec(leaf) for leaf in structure.flatten(value)]))
    wholes = iter([whole for whole in structure.composites(made) if hasattr(whole, '_shape')])
    for dims in [dims for dtype, dims in kind.specs if dtype == _STATIC]:
        next(wholes)._shape = TensorShape(dims)
    return made
