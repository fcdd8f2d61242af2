"""casting - Arguments made what a signature or a trace asks for, or refused."""

from __future__ import annotations

import weakref
from typing import Any

from berth.eager import composite_spec, kinds, structure
from berth.eager.spec import TensorSpec, VariableSpec
from berth.framework import convert
from berth.framework.composite import Composite
from berth.framework.node import Tensor
from berth.framework.trace_type import TypeSpec


def cast(value: Any, spec: Any) -> Any:
    """Returns |value| as |spec| asks for it: specs of tensors and values of Python's, in any structure."""
    if isinstance(spec, TensorSpec):
        return _cast_tensor(value, spec)
    if isinstance(spec, (VariableSpec, weakref.ref)):
        return value
    if isinstance(spec, Composite):
        return structure.pack(spec, iter([cast(*pair) for pair in zip(
            structure.flatten(value), structure.flatten(spec))]))
    if isinstance(spec, dict):
        return _cast_dict(value, spec)
    if structure.is_row(spec):
        return _cast_row(value, spec)
    return _cast_literal(value, spec)


def _cast_tensor(value: Any, spec: TensorSpec) -> Any:
    if kinds.is_variable(value):
        value = convert.convert_to_tensor(value)
    if not isinstance(value, (Tensor, TensorSpec)):
        value = convert.convert_to_tensor(value, spec.dtype)
    if not spec.is_compatible_with(value):
        raise TypeError(f'Can not cast {TensorSpec(value.shape, value.dtype)!r} to {spec!r}')
    return value


def _cast_dict(value: Any, spec: dict) -> Any:
    if not isinstance(value, dict):
        raise TypeError(f'Can not cast {value!r} to a Dict type.')
    if set(value) != set(spec):
        raise TypeError(f'{value!r} has different keys with the TraceType {type_text(spec)}.')
    return {key: cast(value[key], spec[key]) for key in spec}


def _cast_row(value: Any, spec: Any) -> Any:
    if structure.is_namedtuple(spec):
        if not structure.is_namedtuple(value):
            raise TypeError(f'Cannot cast {value!r} to type {type(spec)!r}.')
    elif isinstance(value, list) != isinstance(spec, list) or not structure.is_row(value):
        raise TypeError(f'Can not cast {value!r} to {"list" if isinstance(spec, list) else "tuple"} type.')
    if len(value) != len(spec):
        raise TypeError(f'Expected {value!r} to have length of {len(spec)}')
    items = [cast(*pair) for pair in zip(value, spec)]
    return type(spec)(*items) if structure.is_namedtuple(spec) else type(spec)(items)


def _cast_literal(value: Any, literal: Any) -> Any:
    if value is literal or bool(value == literal):
        return value
    raise TypeError(f'Can not cast {value!r} to Literal[{literal!r}]')


# ---- In words ----


def type_text(value: Any) -> str:
    """Returns an argument or a result as signatures show it."""
    return structure.type_text(composite_spec.closed(value), _leaf_text)


def _leaf_text(leaf: Any) -> str:
    if isinstance(leaf, (VariableSpec, TypeSpec)):
        return repr(leaf)
    if kinds.is_tensor(leaf):
        spec = kinds.spec_of(leaf)
        return repr(TensorSpec(spec.shape, spec.dtype, getattr(spec, 'name', None) if isinstance(leaf, TensorSpec) else None))
    return f'Weakref({leaf!r})' if isinstance(leaf, weakref.ref) else f'Literal[{leaf!r}]'
