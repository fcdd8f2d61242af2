"""order_ops - group, tuple, no_op: which operations run before which.

Branches and loops are in `flow_ops.py`.
"""

from __future__ import annotations

import builtins
from typing import Any

from berth.framework import convert, gen, scopes
from berth.framework.graph import op_of
from berth.framework.node import Operation
from berth.ops import array_ops


def no_op(name: str | None = None) -> Any:
    """Makes an operation that does nothing."""
    return gen.apply('NoOp', name, {})


def _flatten(items: Any, with_none: bool = False) -> list[Any]:
    flat: list[Any] = []
    pending = list(items)[::-1]
    while pending:
        item = pending.pop()
        if isinstance(item, dict):
            pending.extend(list(item[k] for k in sorted(item))[::-1])
        elif isinstance(item, (list, builtins.tuple)):
            pending.extend(item[::-1])
        elif item is not None or with_none:
            flat.append(item)
    return flat


def group(*inputs: Any, **kwargs: Any) -> Any:
    """Makes an operation that is done when all |inputs| are."""
    name = kwargs.pop('name', None)
    if kwargs:
        raise ValueError('Unknown keyword arguments: ' + ', '.join(kwargs))
    if scopes.executing_eagerly():
        return None
    with scopes.name_scope(name, 'group_deps', _flatten(inputs)) as name:
        by_device: dict[str, list[Any]] = {}
        for item in _flatten(inputs, with_none=True):
            if not hasattr(item, 'device') and not hasattr(item, 'op'):
                raise TypeError("'inputs' should be zero or more (nested) Tensors. Received "
                                f"'{item}' with type '{type(item)}'.")
            by_device.setdefault(item.device, []).append(item)
        if len(by_device) <= 1:
            (device, deps), = by_device.items() or [('', [])]
            return _group_on(device, deps, name)
        deps = [_group_on(device, by_device[device], None) for device in sorted(by_device)]
        with scopes.control_dependencies(deps):
            return no_op(name=name)


def _group_on(device: str, deps: list[Any], name: str | None) -> Operation:
    with scopes.control_dependencies(deps):
        if not device:
            return no_op(name=name)
        with scopes.device(device):
            return no_op(name=name)


def with_dependencies(dependencies: Any, output_tensor: Any, name: str | None = None) -> Any:
    """Returns a tensor that is there only after |dependencies| have run."""
    with scopes.name_scope(name, 'control_dependency', list(dependencies) + [output_tensor]) as name:
        with scopes.colocate(output_tensor):
            with scopes.control_dependencies(dependencies):
                output_tensor = convert.convert_to_tensor(output_tensor)
                if output_tensor.dtype._is_ref_dtype:
                    return gen.apply('RefIdentity', name, {'input': output_tensor})
                return array_ops.identity(output_tensor, name=name)


def tuple(tensors: Any, name: str | None = None,  # pylint: disable=redefined-builtin
          control_inputs: Any = None) -> list[Any]:
    """Returns tensors that are all there only after all of them are computed."""
    if scopes.executing_eagerly():
        return tensors
    with scopes.name_scope(name, 'tuple', tensors):
        gates = [op_of(t) for t in tensors if t is not None]
        gates += [op_of(c) for c in control_inputs or ()]
        if not gates:
            raise ValueError(f"'tensors' must have at least one Tensor. Received: {tensors}.")
        gate = group(*sorted(set(gates), key=lambda op: op.node))
        return [None if t is None else t if isinstance(t, Operation) else with_dependencies([gate], t)
                for t in tensors]
