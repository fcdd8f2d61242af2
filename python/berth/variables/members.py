"""members - What several kinds of variables have: settings, parts of the value, the handle.

Where Berth has no kernel of an op that changes parts of a variable, a variable whose ops
run at once reads the value, changes it with numpy and writes it back; in a graph the op is made.
The kinds themselves are in `graph_variable` and in `eager/variable.py`.
"""

from __future__ import annotations

from typing import Any, Callable, Optional

from berth.base import execution, naming, protos
from berth.framework import convert, dtypes, gen, scopes
from berth.framework.composite import Composite
from berth.framework.node import Reference, SymbolicTensor
from berth.ops import array_ops, state_ops
from berth.variables import variable_proto


class SaveSliceInfo:
    """Which part of a whole a variable is, for those that save it."""

    def __init__(self, full_name: Optional[str] = None, full_shape: Any = None, var_offset: Any = None,
                 var_shape: Any = None, save_slice_info_def: Any = None, import_scope: Optional[str] = None) -> None:
        if save_slice_info_def is not None:
            source = save_slice_info_def
            full_name, full_shape = source.full_name, list(source.full_shape)
            var_offset, var_shape = list(source.var_offset), list(source.var_shape)
            full_name = f'{import_scope}/{full_name}' if import_scope else full_name
        self.full_name, self.full_shape = full_name, full_shape
        self.var_offset, self.var_shape = var_offset, var_shape

    @property
    def spec(self) -> str:
        """The whole shape, then first place and size in each dimension."""
        parts = ':'.join(f'{place},{size}' for place, size in zip(self.var_offset, self.var_shape))
        return f'{" ".join(str(size) for size in self.full_shape)} {parts}'

    def to_proto(self, export_scope: Optional[str] = None) -> Any:
        """Returns it as a message; None when it is not in the scope."""
        if export_scope is not None and not self.full_name.startswith(export_scope):  # type: ignore[union-attr]
            return None
        name = self.full_name if export_scope is None else \
            self.full_name[len(export_scope.rstrip('/')) + 1:]  # type: ignore[index]
        return protos.SaveSliceInfoDef(full_name=name, full_shape=self.full_shape, var_offset=self.var_offset,
                                       var_shape=self.var_shape)


class VariableMembers:
    """Settings of a variable, and changes of parts of its value."""

    SaveSliceInfo = SaveSliceInfo

    # What the variable itself has.
    _is_resource: bool
    _synchronization: Any
    _aggregation: Any
    shape: Any
    dtype: Any
    value: Callable[[], Any]
    assign: Callable[..., Any]
    _after: Callable[[Any], Any]

    @property
    def synchronization(self) -> Any:
        """When copies on several devices are made the same."""
        return self._synchronization

    @property
    def aggregation(self) -> Any:
        """What copies on several devices become together."""
        return self._aggregation

    def ref(self) -> Reference:
        """Returns something hashable that stands for the variable."""
        return Reference(self)

    def experimental_ref(self) -> Reference:
        """Returns something hashable that stands for the variable."""
        return self.ref()

    def count_up_to(self, limit: int) -> Any:
        """Counts up to a limit and returns what it was."""
        return state_ops.count_up_to(self, limit)

    _save_slice_info: Any = None

    def _set_save_slice_info(self, save_slice_info: Any) -> None:
        """Says which part of a whole the variable is saved as."""
        self._save_slice_info = save_slice_info

    def _get_save_slice_info(self) -> Any:
        return self._save_slice_info

    def to_proto(self, export_scope: Optional[str] = None) -> Any:
        """Returns the names of its nodes as a message."""
        return variable_proto.to_proto(self, export_scope)

    @staticmethod
    def from_proto(variable_def: Any, import_scope: Optional[str] = None) -> Any:
        """Makes a variable of nodes that are in the graph."""
        return variable_proto.from_proto(variable_def, import_scope)

    # ---- Parts of the value ----

    def sparse_read(self, indices: Any, name: Optional[str] = None) -> Any:
        """Returns some rows."""
        if not self._is_resource:
            raise AttributeError
        if execution.tapes:
            execution.note_variable(self)
        with scopes.name_scope('Gather' if name is None else name) as name:
            found = gen.apply('ResourceGather', name, {'resource': self.handle, 'indices': indices},  # type: ignore
                              {'dtype': self.dtype})
        if isinstance(found, Composite):
            found.flat_values.set_shape(indices.flat_values.shape.concatenate(self.shape[1:]))
        elif isinstance(found, SymbolicTensor):  # A function does not know the shape of what it is given a handle of.
            found.set_shape(found.op.inputs[1].shape.concatenate(self.shape[1:]))
        return found

    def gather_nd(self, indices: Any, name: Optional[str] = None) -> Any:
        """Returns the elements or rows at some coordinates."""
        if not self._is_resource:
            return gen.apply('GatherNd', name, {'params': self.value(), 'indices': indices})
        if execution.tapes:
            execution.note_variable(self)
        with scopes.name_scope('GatherNd' if name is None else name) as name:
            found = gen.apply('ResourceGatherNd', name, {'resource': self.handle, 'indices': indices},  # type: ignore
                              {'dtype': self.dtype})
        if isinstance(found, SymbolicTensor):
            places = found.op.inputs[1].shape
            if places.rank and places[-1] is not None:
                found.set_shape(places[:-1].concatenate(self.shape[places[-1]:]))
        return array_ops.identity(found)

    def batch_scatter_update(self, sparse_delta: Any, use_locking: bool = False, name: Optional[str] = None) -> Any:
        """Changes some rows in each of a batch."""
        self._check_slices(sparse_delta)
        places = convert.convert_to_tensor(sparse_delta.indices, dtype_hint=dtypes.int32)
        sizes = places.shape.as_list()
        if None in sizes:
            raise NotImplementedError('tf.Variable.batch_scatter_update: Berth needs the shape of the indices')
        import numpy

        batch = [numpy.broadcast_to(grid, sizes) for grid in numpy.indices(sizes, sparse=True)[:-1]]
        grids = [convert.constant(numpy.ascontiguousarray(grid), dtype=places.dtype) for grid in batch]
        return self._scatter('NdUpdate', array_ops.stack([*grids, places], axis=-1), sparse_delta.values, name, True)

    def _check_slices(self, sparse_delta: Any) -> None:
        """Raises TypeError for what are no IndexedSlices."""
        from berth.framework.indexed_slices import IndexedSlices

        if not isinstance(sparse_delta, IndexedSlices):
            raise TypeError(f'Argument `sparse_delta` must be a `tf.IndexedSlices`. Received arg: {sparse_delta}'
                            if self._is_resource else f'sparse_delta is not IndexedSlices: {sparse_delta}')

    def _scatter(self, kind: str, indices: Any, updates: Any, name: Optional[str], use_locking: bool) -> Any:
        """Changes the rows, or for |kind| "Nd…" the elements, at |indices|."""
        is_nd = kind.startswith('Nd')
        updates = convert.convert_to_tensor(updates, dtype=self.dtype.base_dtype)
        places = {'indices': indices, 'updates': updates}
        if not self._is_resource:
            return gen.apply(f'Scatter{kind}', name, {'ref': self._variable, **places},  # type: ignore[attr-defined]
                             {'use_locking': use_locking})
        target = {'ref' if is_nd else 'resource': self.handle}  # type: ignore[attr-defined]
        return self._after(gen.apply(f'ResourceScatter{kind}', name, {**target, **places}))


def _rows(kind: str) -> Any:
    """Makes the method that changes the rows of IndexedSlices."""
    def method(self: Any, sparse_delta: Any, use_locking: bool = False, name: Optional[str] = None) -> Any:
        self._check_slices(sparse_delta)
        return self._scatter(kind, sparse_delta.indices, sparse_delta.values, name, use_locking)

    method.__doc__ = f'Changes some rows by the op Scatter{kind}.'
    return method


def _elements(kind: str) -> Any:
    """Makes the method that changes what is at some coordinates."""
    def method(self: Any, indices: Any, updates: Any, name: Optional[str] = None) -> Any:
        return self._scatter(f'Nd{kind}', indices, updates, name, True)

    method.__doc__ = f'Changes what is at some coordinates by the op ScatterNd{kind}.'
    return method


for _kind in ('Add', 'Sub', 'Mul', 'Div', 'Min', 'Max', 'Update'):
    setattr(VariableMembers, f'scatter_{_kind.lower()}', _rows(_kind))
for _kind in ('Add', 'Sub', 'Min', 'Max', 'Update'):
    setattr(VariableMembers, f'scatter_nd_{_kind.lower()}', _elements(_kind))


@naming.public('ops.resource_variable_ops')
class BaseResourceVariable:
    """What variables with a handle have, whether in a graph or read and changed at once."""

    _is_resource = True

    # What the variable itself has.
    _handle: Any
    dtype: Any
    value: Callable[[], Any]
    _noted_read: Callable[[], Any]
    _update: Callable[[str, Any, Any, bool], Any]

    @property
    def handle(self) -> Any:
        """The tensor that stands for the variable."""
        return self._handle

    def read_value(self) -> Any:
        """Returns the value as a tensor of its own."""
        with scopes.name_scope('Read'):
            value = self._noted_read()
        return array_ops.identity(value)

    def read_value_no_copy(self) -> Any:
        """Returns the value as a tensor of its own."""
        return self.read_value()

    def is_initialized(self, name: Optional[str] = None) -> Any:
        """Tells whether it has a value."""
        return gen.apply('VarIsInitializedOp', name, {'resource': self._handle})

    def _check_type(self, dtype: Any) -> None:
        """Raises ValueError when the value cannot be had as |dtype|; None is any."""
        if dtype is not None and not dtype.is_compatible_with(self.dtype):
            raise ValueError(f'Incompatible type conversion requested to type {dtype.name} for `tf.Variable of type '
                             f'{self.dtype.name}. (Variable: {self!r})')

    def assign(self, value: Any, use_locking: Any = None, name: Optional[str] = None,
               read_value: bool = True) -> Any:
        """Sets the value."""
        return self._update('AssignVariableOp', value, name, read_value)

    def assign_add(self, delta: Any, use_locking: Any = None, name: Optional[str] = None,
                   read_value: bool = True) -> Any:
        """Adds to the value."""
        return self._update('AssignAddVariableOp', delta, name, read_value)

    def assign_sub(self, delta: Any, use_locking: Any = None, name: Optional[str] = None,
                   read_value: bool = True) -> Any:
        """Subtracts from the value."""
        return self._update('AssignSubVariableOp', delta, name, read_value)
