"""members - What several kinds of variables have: settings, parts of the value, the handle.

Where Berth has no kernel of an op that changes parts of a variable, a variable whose ops
run at once reads the value, changes it with numpy and writes it back; in a graph the op is made.
The kinds themselves are in `graph_variable` and in `eager/variable.py`.
"""

from __future__ import annotations

from typing import Any, Callable, Optional

from berth import _core as core
from berth.base import naming
from berth.framework import gen, scopes
from berth.framework.node import Reference
from berth.ops import array_ops, state_ops

_NUMPY_NAMES = {'Add': 'add', 'Sub': 'subtract', 'Mul': 'multiply', 'Div': 'divide', 'Min': 'minimum', 'Max': 'maximum'}


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
        """Refuses: the message belongs to saving."""
        raise NotImplementedError('tf.Variable.SaveSliceInfo.to_proto belongs to saving, which Berth does not have yet')


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
        """Counts up to a limit; Berth has no kernel of the op."""
        return state_ops.count_up_to(self, limit)

    def to_proto(self, export_scope: Optional[str] = None) -> Any:
        """Refuses: the message belongs to saving."""
        raise NotImplementedError('tf.Variable.to_proto belongs to saving, which Berth does not have yet')

    @staticmethod
    def from_proto(variable_def: Any, import_scope: Optional[str] = None) -> Any:
        """Refuses: the message belongs to saving."""
        raise NotImplementedError('tf.Variable.from_proto belongs to saving, which Berth does not have yet')

    # ---- Parts of the value ----

    def sparse_read(self, indices: Any, name: Optional[str] = None) -> Any:
        """Returns some rows."""
        if not self._is_resource:
            raise AttributeError
        return array_ops.gather(self.value(), indices, name=name)

    def gather_nd(self, indices: Any, name: Optional[str] = None) -> Any:
        """Returns the elements or rows at some coordinates."""
        return array_ops.gather_nd(self.value(), indices, name=name)

    def batch_scatter_update(self, sparse_delta: Any, use_locking: bool = False, name: Optional[str] = None) -> Any:
        """Refuses: there is no op for it."""
        raise NotImplementedError('tf.Variable.batch_scatter_update: Berth does not have it; use scatter_nd_update')

    def _scatter(self, kind: str, indices: Any, updates: Any, name: Optional[str], use_locking: bool) -> Any:
        """Changes the rows, or for |kind| "Nd…" the elements, at |indices|."""
        op = ('ResourceScatter' if self._is_resource else 'Scatter') + kind
        if scopes.executing_eagerly() and not core.has_kernel(op):
            return self.assign(_changed(self, op, indices, updates))
        if op not in state_ops.known_ops():
            raise NotImplementedError(f'tf.Variable: Berth does not have the op {op}; use assign with the whole value')
        target = {'resource': self.handle} if self._is_resource else {'ref': self._variable}  # type: ignore
        attrs = {} if self._is_resource and not kind.startswith('Nd') else {'use_locking': use_locking}
        done = gen.apply(op, name, {**target, 'indices': indices, 'updates': updates}, attrs)
        return self._after(done) if self._is_resource else done  # type: ignore[attr-defined]


def _rows(kind: str) -> Any:
    """Makes the method that changes the rows of IndexedSlices."""
    def method(self: Any, sparse_delta: Any, use_locking: bool = False, name: Optional[str] = None) -> Any:
        from berth.framework.indexed_slices import IndexedSlices

        if not isinstance(sparse_delta, IndexedSlices):
            raise TypeError(f'Argument `sparse_delta` must be a `tf.IndexedSlices`. Received arg: {sparse_delta}'
                            if self._is_resource else f'sparse_delta is not IndexedSlices: {sparse_delta}')
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


def _changed(variable: Any, op: str, indices: Any, updates: Any) -> Any:
    """Returns the value of |variable| as an array in which |op| has changed some places."""
    import numpy

    value = variable.numpy()
    kind = op.partition('Scatter')[2]
    places = numpy.asarray(indices)
    _check_places(places, value.shape, op)
    where = tuple(numpy.moveaxis(places, -1, 0)) if kind.startswith('Nd') else places
    new = numpy.asarray(updates, dtype=value.dtype)
    if kind.endswith('Update'):
        value[where] = new
    else:
        getattr(numpy, _NUMPY_NAMES[kind.replace('Nd', '')]).at(value, where, new)
    return value


def _check_places(places: Any, shape: tuple[int, ...], op: str) -> None:
    """Raises InvalidArgumentError when a place is outside of a value of that shape."""
    import numpy

    from berth.framework import errors

    limits = numpy.array(shape[:places.shape[-1]] if 'Nd' in op else shape[:1])
    bad = numpy.argwhere((places < 0) | (places >= limits))
    if bad.size:
        first = tuple(bad[0])
        limit = limits[first[-1]] if 'Nd' in op else limits[0]
        raise errors.InvalidArgumentError(
            None, None, f'indices{[int(i) for i in first]} = {places[first]} is not in [0, {limit}) [Op:{op}]')


@naming.public('ops.resource_variable_ops')
class BaseResourceVariable:
    """What variables with a handle have, whether in a graph or read and changed at once."""

    _is_resource = True

    # What the variable itself has.
    _handle: Any
    dtype: Any
    value: Callable[[], Any]
    _update: Callable[[str, Any, Any, bool], Any]

    @property
    def handle(self) -> Any:
        """The tensor that stands for the variable."""
        return self._handle

    def read_value(self) -> Any:
        """Returns the value as a tensor of its own."""
        with scopes.name_scope('Read'):
            value = self.value()
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
