"""saveables - What a Saver saves: variables and their slices, by the names they have in a checkpoint."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Callable

from berth.base import naming
from berth.framework import convert, gen, nest, scopes
from berth.framework.device_spec import DeviceSpecV2
from berth.framework.node import Tensor
from berth.ops import array_ops, state_ops
from berth.variables.graph_variable import RefVariable, Variable
from berth.variables.partitioned import PartitionedVariable

_REFERENCES = frozenset(('Variable', 'VariableV2', 'AutoReloadVariable'))
_READS = _REFERENCES | {'VarHandleOp', 'ReadVariableOp'}


@naming.public('training.saving.saveable_object')
class SaveSpec:
    """One tensor of a checkpoint: its value, or what returns it; its slice, name and type."""

    def __init__(self, tensor: Any, slice_spec: str, name: str, dtype: Any = None, device: Any = None) -> None:
        self._tensor, self.slice_spec, self.name = tensor, slice_spec, name
        if callable(tensor) and (dtype is None or device is None):
            raise AssertionError('When passing a callable `tensor` to a SaveSpec, an explicit dtype and device must be '
                                 'provided.')
        self.dtype = dtype if callable(tensor) or dtype is not None else tensor.dtype
        self.device = device if callable(tensor) or device is not None else tensor.device

    @property
    def tensor(self) -> Any:
        """The value."""
        return self._tensor() if callable(self._tensor) else self._tensor


@naming.public('training.saving.saveable_object')
class SaveableObject:
    """Something that is saved as one or more tensors, and restored from them."""

    def __init__(self, op: Any, specs: Any, name: str) -> None:
        self.op, self.specs, self.name = op, specs, name

    @property
    def device(self) -> str:
        """Where its tensors are."""
        return self.specs[0].device

    def restore(self, restored_tensors: Any, restored_shapes: Any) -> Any:
        """Makes the operation that takes the values back."""
        raise ValueError('Calling an abstract method.')


def _restored(tensors: Any, shapes: Any) -> Any:
    """Returns the one tensor that was restored, in the shape that is asked for."""
    return tensors[0] if shapes is None else array_ops.reshape(tensors[0], shapes[0])


class _ReferenceSaveable(SaveableObject):
    """A variable of TF1's own kind."""

    def __init__(self, var: Any, slice_spec: str, name: str) -> None:
        super().__init__(var, [SaveSpec(var, slice_spec, name, var.dtype)], name)

    def restore(self, restored_tensors: Any, restored_shapes: Any) -> Any:
        """Makes the assignment."""
        value = _restored(restored_tensors, restored_shapes)
        return state_ops.assign(self.op, value, validate_shape=restored_shapes is None and
                                self.op.shape.is_fully_defined())


class _ResourceSaveable(SaveableObject):
    """A variable that is used through a handle, or what reads one."""

    def __init__(self, var: Any, slice_spec: str, name: str) -> None:
        self._shape, self._device = var.shape, var.device
        if isinstance(var, Tensor):
            self.handle_op, value = var.op.inputs[0], var
        else:
            self.handle_op, value = var.handle, _reader(var)
        super().__init__(var, [SaveSpec(value, slice_spec, name, var.dtype, var.device)], name)

    def restore(self, restored_tensors: Any, restored_shapes: Any) -> Any:
        """Makes the assignment, on the device of the variable."""
        value = _restored(restored_tensors, restored_shapes)
        with scopes.device(self._device):
            value = array_ops.identity(value)
            if not self._shape.is_compatible_with(value.shape):
                raise ValueError(f'Received incompatible tensor with shape {value.shape} when attempting to restore '
                                 f'variable with shape {self._shape} and name {self.name}.')
            return gen.apply('AssignVariableOp', None, {'resource': self.handle_op, 'value': value})


class _CopiesSaveable(SaveableObject):
    """A variable of a strategy: saved as one, restored into every copy."""

    def __init__(self, var: Any, name: str) -> None:
        super().__init__(var, [SaveSpec(_reader(var), '', name, var.dtype, var.device)], name)

    def restore(self, restored_tensors: Any, restored_shapes: Any) -> Any:
        """Makes the assignments."""
        value = _restored(restored_tensors, restored_shapes)
        return self.op.distribute_strategy.group(self.op.assign(value, read_value=False))


def _reader(var: Any) -> Callable[[], Any]:
    """Returns a function that reads |var| and brings its value to the CPU."""
    def read() -> Any:
        with scopes.device(var.device):
            value = var.read_value()
            with scopes.device('/device:CPU:0'):
                return array_ops.identity(value)
    return read


def on_cpu(device: str) -> str:
    """Returns the name of the CPU of the machine that |device| is in."""
    return DeviceSpecV2.from_string(device).replace(device_type='CPU', device_index=0).to_string()


# ---- By name ----


def _is_resource(var: Any) -> bool:
    return isinstance(var, Variable) and not isinstance(var, RefVariable)


def _has_copies(var: Any) -> bool:
    """True for a variable of a strategy, with a copy for each replica."""
    return isinstance(var, Variable) and isinstance(getattr(var, 'values', None), tuple)


def _slice_info(var: Any) -> Any:
    return getattr(var, '_save_slice_info', None) if isinstance(var, Variable) else None


def _element(var: Any) -> Any:
    """Returns the tensor that stands for a variable of a graph."""
    if _is_resource(var):
        return var._as_graph_element()
    return var._ref() if isinstance(var, RefVariable) else convert.convert_to_tensor(var)


def _comes_from_variable(value: Any) -> bool:
    return isinstance(value, Tensor) and value.op.type in _READS


def by_name(op_list: Any) -> dict[str, Any]:
    """Returns what is to be saved, by the names in the checkpoint."""
    if not isinstance(op_list, (list, tuple, set)):
        raise TypeError(f'Variables to save should be passed in a dict or a list. Got {op_list}')
    found: dict[str, Any] = {}
    for var in sorted(nest.flatten(list(op_list)), key=lambda each: each.name):
        _add_named(var, found)
    return found


def _add_named(var: Any, found: dict[str, Any]) -> None:
    info = _slice_info(var)
    if isinstance(var, SaveableObject):
        found[var.name] = var
    elif isinstance(var, PartitionedVariable):
        if var.name in found:
            raise ValueError(f'At least two variables have the same name: {var.name}')
        found[var.name] = var
    elif info:
        if not isinstance(found.get(info.full_name, []), list):
            raise ValueError(f'Mixing slices and non-slices with the same name: {info.full_name}')
        found.setdefault(info.full_name, []).append(var)
    elif not getattr(var, '_in_graph_mode', True):
        other = found.setdefault(var._shared_name, var)
        if other is not var:
            raise ValueError('Two different ResourceVariable objects with the same shared_name '
                             f"'{var._shared_name}' were passed to the Saver. This likely means that they were created "
                             'in different Graphs or isolated contexts, and may not be checkpointed together.')
    else:
        element = _element(var)
        if not _comes_from_variable(element):
            raise TypeError(f'Variable to save is not a Variable: {element}')
        name = element.op.inputs[0].op.name if element.op.type == 'ReadVariableOp' else element.op.name
        if name in found:
            raise ValueError(f'At least two variables have the same name: {name}')
        found[name] = var if _has_copies(var) else element


def _of_slices(variables: Any, name: str) -> Iterator[SaveableObject]:
    whole = None
    for var in variables:
        if isinstance(var, SaveableObject):
            yield var
            continue
        info = _slice_info(var)
        if not isinstance(var, Variable):
            raise ValueError(f'Slices must all be Variables: {var}')
        if not info:
            raise ValueError(f'Slices must all be slices: {var}')
        whole = whole or info.full_name
        if whole != info.full_name:
            raise ValueError(f'Slices must all be from the same tensor: {whole} != {info.full_name}')
        kind = _ResourceSaveable if _is_resource(var) else _ReferenceSaveable
        yield kind(var, info.spec, name)


def _saveables(var: Any, name: Any) -> Iterator[SaveableObject]:
    """Returns what saves |var| as |name|."""
    if not isinstance(name, str):
        raise TypeError('names_to_saveables must be a dict mapping string names to trackable operations. Name is not a '
                        f'string: {name}')
    if isinstance(var, SaveableObject):
        yield var
    elif isinstance(var, (list, tuple, PartitionedVariable)):
        yield from _of_slices(var, name)
    elif _has_copies(var):
        yield _CopiesSaveable(var, name)
    elif not getattr(var, '_in_graph_mode', True):
        yield _ResourceSaveable(var, '', name)
    elif scopes.executing_eagerly():
        raise ValueError(f'Can only save/restore ResourceVariables when executing eagerly, got type: {type(var)}.')
    else:
        element = _element(var)
        if not _comes_from_variable(element):
            raise TypeError('names_to_saveables must be a dict mapping string names to Tensors/Variables. Not a '
                            f'variable: {element}')
        yield (_ReferenceSaveable if element.op.type in _REFERENCES else _ResourceSaveable)(element, '', name)


def checked(names: dict[str, Any]) -> list[SaveableObject]:
    """Returns what saves the values of |names|, in the order of the names."""
    found: list[SaveableObject] = []
    seen: set[int] = set()
    for name, var in sorted(names.items(), key=lambda item: item[0]):
        for saveable in _saveables(var, name):
            if saveable.op is not None and id(saveable.op) in seen:
                raise ValueError(f'The same saveable will be restored with two names: {saveable.name}')
            found.append(saveable)
            seen.add(id(saveable.op))
    return found
