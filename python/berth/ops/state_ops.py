"""state_ops.py - Ops that read and change variables."""

from __future__ import annotations

from typing import Any

from berth.framework import gen
from berth.framework.graph import shape_attr


def variable_op_v2(shape: Any, dtype: Any, name: str = 'Variable', container: str = '',
                   shared_name: str = '') -> Any:
    """Makes the node of a variable that is handed out by reference."""
    return gen.apply('VariableV2', name, {}, {'shape': shape_attr(shape), 'dtype': dtype, 'container': container,
                                              'shared_name': shared_name})


def is_resource(ref: Any) -> bool:
    """True for a variable that is used through a handle."""
    return getattr(ref, '_is_resource', False)


def _is_reference(ref: Any) -> bool:
    """True for a variable that is handed out by reference, and for the reference."""
    return not is_resource(ref) and ref.dtype._is_ref_dtype


def assign(ref: Any, value: Any, validate_shape: Any = None, use_locking: Any = None,
           name: str | None = None) -> Any:
    """Sets a variable."""
    if not _is_reference(ref):
        return ref.assign(value, name=name)
    return gen.apply('Assign', name, {'ref': ref, 'value': value}, {
        'validate_shape': True if validate_shape is None else validate_shape,
        'use_locking': True if use_locking is None else use_locking})


def assign_add(ref: Any, value: Any, use_locking: Any = None, name: str | None = None) -> Any:
    """Adds to a variable."""
    if not _is_reference(ref):
        return ref.assign_add(value)
    return gen.apply('AssignAdd', name, {'ref': ref, 'value': value}, {'use_locking': bool(use_locking)})


def assign_sub(ref: Any, value: Any, use_locking: Any = None, name: str | None = None) -> Any:
    """Subtracts from a variable."""
    if not _is_reference(ref):
        return ref.assign_sub(value)
    return gen.apply('AssignSub', name, {'ref': ref, 'value': value}, {'use_locking': bool(use_locking)})


def is_variable_initialized(ref: Any, name: str | None = None) -> Any:
    """Tells whether a variable has a value."""
    if is_resource(ref):
        return ref.is_initialized(name=name)
    return gen.apply('IsVariableInitialized', name, {'ref': ref})


def scatter_update(ref: Any, indices: Any, updates: Any, use_locking: bool = True,
                   name: str | None = None) -> Any:
    """Replaces slices of a variable."""
    if is_resource(ref):
        return ref._scatter('Update', indices, updates, name, use_locking)
    return gen.apply('ScatterUpdate', name, {'ref': ref, 'indices': indices, 'updates': updates},
                     {'use_locking': use_locking})


def scatter_add(ref: Any, indices: Any, updates: Any, use_locking: bool = False,
                name: str | None = None) -> Any:
    """Adds to slices of a variable."""
    if is_resource(ref):
        return ref._scatter('Add', indices, updates, name, use_locking)
    return gen.apply('ScatterAdd', name, {'ref': ref, 'indices': indices, 'updates': updates},
                     {'use_locking': use_locking})


def count_up_to(ref: Any, limit: int, name: str | None = None) -> Any:
    """Counts a variable up to a limit and returns what it was."""
    if not _is_reference(ref):
        return gen.apply('ResourceCountUpTo', name, {'resource': ref.handle}, {'limit': limit, 'T': ref.dtype})
    return gen.apply('CountUpTo', name, {'ref': ref}, {'limit': limit})


