"""structure - Nested tuples, lists and dicts: taking them apart and putting them together."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any, Callable

from berth.framework.composite import Composite
from berth.framework.tensor_shape import TensorShape


def is_namedtuple(value: Any) -> bool:
    """True for a tuple whose items have names."""
    return isinstance(value, tuple) and hasattr(value, '_fields')


def is_row(value: Any) -> bool:
    """True for a list or a tuple; a shape is one value."""
    return isinstance(value, (list, tuple)) and not isinstance(value, TensorShape)


def flatten(value: Any) -> list[Any]:
    """Returns the leaves of nested tuples, lists and dicts, keys in order."""
    if isinstance(value, dict):
        return [leaf for key in sorted(value) for leaf in flatten(value[key])]
    if is_row(value):
        return [leaf for item in value for leaf in flatten(item)]
    if isinstance(value, Composite):
        return value._parts()
    return [value]


def composites(value: Any) -> list[Any]:
    """Returns the sparse and ragged tensors in |value|, in the order of flatten()."""
    if isinstance(value, dict):
        return [whole for key in sorted(value) for whole in composites(value[key])]
    if is_row(value):
        return [whole for item in value for whole in composites(item)]
    return [value] if isinstance(value, Composite) else []


def with_composites(value: Any, make: Callable[[Any], Any]) -> Any:
    """Returns |value| with what |make| gives in the place of each sparse or ragged tensor."""
    if isinstance(value, dict):
        return type(value)((key, with_composites(value[key], make)) for key in value)
    if is_row(value):
        items = [with_composites(item, make) for item in value]
        return type(value)(*items) if is_namedtuple(value) else type(value)(items)
    return make(value) if isinstance(value, Composite) else value


def pack(form: Any, leaves: Iterator[Any]) -> Any:
    """Puts |leaves| where those of |form| are."""
    if isinstance(form, dict):
        made = {key: pack(form[key], leaves) for key in sorted(form)}
        return type(form)((key, made[key]) for key in form)
    if is_namedtuple(form):
        return type(form)(*(pack(item, leaves) for item in form))
    if is_row(form):
        return type(form)(pack(item, leaves) for item in form)
    if isinstance(form, Composite):
        return form._with_parts([next(leaves) for _ in form._parts()])
    return next(leaves)


def packer(form: Any, kind: type) -> Callable[[Sequence[Any]], Any]:
    """Returns what gives a row the form of |form|, whose leaves of |kind| stand for items.

    Other leaves stay. Every call of a function ends in this, so it is made as an expression
    of Python, `(row[0], {key: row[1]})`, and not by walking through |form| each time.
    """
    values: dict[str, Any] = {}
    text = _expression(form, kind, itertools.count(), values)
    return eval(f'lambda row: {text}', values)  # pylint: disable=eval-used


def _expression(form: Any, kind: type, places: Iterator[int], values: dict[str, Any]) -> str:
    """Returns the text that makes |form|; objects in it are names, kept in |values|."""
    if isinstance(form, dict):
        made = {key: _expression(form[key], kind, places, values) for key in sorted(form)}
        pairs = ', '.join(f'{_named(key, values)}: {made[key]}' for key in form)
        return '{%s}' % pairs if type(form) is dict else f'{_named(type(form), values)}({{{pairs}}})'
    if is_row(form):
        items = ', '.join([_expression(item, kind, places, values) for item in form])
        if is_namedtuple(form):
            return f'{_named(type(form), values)}({items})'
        return f'[{items}]' if isinstance(form, list) else f'({items}{"," * (len(form) == 1)})'
    if isinstance(form, Composite):
        parts = ', '.join([_expression(part, kind, places, values) for part in form._parts()])
        return f'{_named(form._with_parts, values)}([{parts}])'
    return f'row[{next(places)}]' if isinstance(form, kind) else _named(form, values)


def _named(value: Any, values: dict[str, Any]) -> str:
    name = f'v{len(values)}'
    values[name] = value
    return name


def paths(value: Any, name: str) -> list[str]:
    """Returns a name for each leaf: that of the whole, then the keys that lead to it."""
    if isinstance(value, dict):
        return [path for key in sorted(value) for path in paths(value[key], f'{name}_{key}')]
    if is_namedtuple(value):
        fields: Any = value
        return [path for key, item in zip(fields._fields, value)
                for path in paths(item, f'{name}_{key}')]
    if is_row(value):
        return [path for index, item in enumerate(value)
                for path in paths(item, f'{name}_{index}')]
    if isinstance(value, Composite):
        return [name if i == 0 else f'{name}_{i}' for i in range(len(value._parts()))]
    return [name]


def type_text(value: Any, leaf_text: Any) -> str:
    """Returns a type as signatures show it: `Tuple[…, Dict[['key', …]]]`."""
    if isinstance(value, dict):
        pairs = (f'[{key!r}, {type_text(item, leaf_text)}]' for key, item in value.items())
        return f'Dict[{", ".join(pairs)}]'
    if is_namedtuple(value):
        pairs = (f'[{key!r}, {type_text(item, leaf_text)}]'
                 for key, item in zip(value._fields, value))
        return f'{type(value).__name__}[{", ".join(pairs)}]'
    if is_row(value):
        kind = 'List' if isinstance(value, list) else 'Tuple'
        return f'{kind}[{", ".join(type_text(item, leaf_text) for item in value)}]'
    return leaf_text(value)
