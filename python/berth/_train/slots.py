"""slots - Variables that are kept beside others: momentum, averages."""

from __future__ import annotations

import contextlib
from typing import Any

from berth.framework import scopes
from berth.ops import array_ops, flow_ops, init_ops, state_ops
from berth.variables import scope as variable_scopes
from berth.variables.graph_variable import RefVariable, Variable
from berth.variables.members import SaveSliceInfo


def _kind(primary: Any) -> Any:
    """Returns whether a slot has a handle: as |primary| does, and None when that is a tensor."""
    if state_ops.is_resource(primary):
        return True
    return False if isinstance(primary, RefVariable) else None


def _variable(primary: Any, value: Any, name: str, shape: Any, dtype: Any, validate_shape: bool,
              colocate_with_primary: bool) -> Any:
    """Makes the variable |name| of |primary|, where that is."""
    prefix = primary._shared_name if isinstance(primary, Variable) else primary.op.name
    is_everywhere = hasattr(primary, '_distribute_strategy')
    where = scopes.colocate(primary) if colocate_with_primary and not is_everywhere else contextlib.nullcontext()
    with variable_scopes.variable_scope(None, f'{prefix}/{name}'), where:
        variable_scopes.get_variable_scope().set_partitioner(None)
        slot = variable_scopes.get_variable(
            '', initializer=value, trainable=False, use_resource=_kind(primary),
            shape=shape if callable(value) else None, dtype=dtype, validate_shape=validate_shape)
    _place(primary, slot)
    return slot


def _place(primary: Any, slot: Any) -> None:
    """Says which part of a whole |slot| is: the one that |primary| is of its own."""
    info = primary._get_save_slice_info() if isinstance(primary, Variable) else None
    rank = slot.shape.rank if info else 0
    if rank == 0:
        return
    name = slot.name[len(primary.op.name + '/'):-2]
    slot._set_save_slice_info(SaveSliceInfo(f'{info.full_name}/{name}', info.full_shape[:rank],
                                            info.var_offset[:rank], info.var_shape[:rank]))


def create_slot(primary: Any, val: Any, name: str, colocate_with_primary: bool = True) -> Any:
    """Makes a variable with the initial value |val|."""
    return _variable(primary, val, name, None, None, val.shape.is_fully_defined(), colocate_with_primary)


def create_slot_with_initializer(primary: Any, initializer: Any, shape: Any, dtype: Any, name: str,
                                 colocate_with_primary: bool = True) -> Any:
    """Makes a variable by an initializer."""
    return _variable(primary, initializer, name, shape, dtype, shape.is_fully_defined(), colocate_with_primary)


def create_zeros_slot(primary: Any, name: str, dtype: Any = None, colocate_with_primary: bool = True) -> Any:
    """Makes a variable of zeros."""
    dtype = primary.dtype if dtype is None else dtype
    if primary.shape.is_fully_defined():
        return create_slot_with_initializer(primary, init_ops.zeros_initializer(), primary.shape, dtype, name,
                                            colocate_with_primary)
    zeros = array_ops.zeros(_sizes(primary), dtype=dtype)
    return create_slot(primary, zeros, name, colocate_with_primary)


def _sizes(primary: Any) -> Any:
    """Returns the shape of the value, or of the initial one as long as there is none."""
    if not isinstance(primary, Variable):
        return array_ops.shape(primary)
    return array_ops.shape(flow_ops.cond(state_ops.is_variable_initialized(primary), primary.read_value,
                                         lambda: primary.initial_value))
