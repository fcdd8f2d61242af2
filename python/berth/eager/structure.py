"""structure - Nested tuples, lists and dicts: taking them apart and putting them together."""

from __future__ import annotations

import itertools
import operator
from collections.abc import Iterator, Sequence
from typing import Any, Callable

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
    return [value]


def pack(form: Any, leaves: Iterator[Any]) -> Any:
    """Puts |leaves| where those of |form| are."""
    if isinstance(form, dict):
        made = {key: pack(form[key], leaves) for key in sorted(form)}
        return type(form)((key, made[key]) for key in form)
    if is_namedtuple(form):
        return type(form)(*(pack(item, leaves) for item in form))
    if is_row(form):
        return type(form)(pack(item, leaves) for item in form)
    return next(leaves)


def packer(form: Any, kind: type) -> Callable[[Sequence[Any]], Any]:
    """Returns what gives a row the form of |form|, whose leaves of |kind| stand for items.

    Other leaves stay. It is made once and called often.
    """
    if type(form) in (list, tuple) and all(isinstance(item, kind) for item in form):
        return type(form)
    return _packer(form, kind, itertools.count())


def _packer(form: Any, kind: type, places: Iterator[int]) -> Callable[[Sequence[Any]], Any]:
    if isinstance(form, dict):
        made = {key: _packer(form[key], kind, places) for key in sorted(form)}
        keys, of_dict = list(form), type(form)
        return lambda row: of_dict([(key, made[key](row)) for key in keys])
    if is_row(form):
        parts = [_packer(item, kind, places) for item in form]
        if is_namedtuple(form):
            of_fields: Any = type(form)
            return lambda row: of_fields(*[part(row) for part in parts])
        of_items = type(form)
        return lambda row: of_items([part(row) for part in parts])
    if isinstance(form, kind):
        return operator.itemgetter(next(places))
    return lambda row: form


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
