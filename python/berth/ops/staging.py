"""staging - StagingArea: tensors that one step puts by for another, on a device."""

from __future__ import annotations

from typing import Any

from berth.base import naming
from berth.framework import convert, dtypes, gen, scopes
from berth.framework.tensor_shape import TensorShape
from berth.ops import array_ops, order_ops


@naming.public('ops.data_flow_ops')
class StagingArea:
    """Elements of one or more tensors, put in by some steps and taken out by others."""

    def __init__(self, dtypes: Any, shapes: Any = None, names: Any = None, shared_name: Any = None, capacity: int = 0,
                 memory_limit: int = 0) -> None:
        if shared_name is None:
            self._name = scopes.get_default_graph().unique_name('StagingArea')
        elif isinstance(shared_name, str):
            self._name = shared_name
        else:
            raise ValueError(f'shared_name must be a string, got {shared_name}')
        for given, what in ((shapes, 'shapes'), (names, 'names')):
            if given is not None and len(given) != len(dtypes):
                raise ValueError(f'StagingArea {what} must be the same length as dtypes')
        self._dtypes, self._names = dtypes, names
        self._shapes = [TensorShape(shape) for shape in shapes or [None] * len(dtypes)]
        self._capacity, self._memory_limit = capacity, memory_limit
        with scopes.name_scope(f'{self._name}_root'):
            self._coloc_op = order_ops.no_op()  # What puts and takes is where this is.

    name = property(lambda self: self._name, doc='The name that both ends have.')
    dtypes = property(lambda self: self._dtypes, doc='The types of the tensors of an element.')
    shapes = property(lambda self: self._shapes, doc='Their shapes, as far as they are known.')
    names = property(lambda self: self._names, doc='Their names, or None.')
    capacity = property(lambda self: self._capacity, doc='How many elements there may be; 0: any number.')
    memory_limit = property(lambda self: self._memory_limit, doc='How many bytes they may have; 0: any number.')

    def put(self, values: Any, name: str | None = None) -> Any:
        """Returns an operation that puts an element in, and waits while there are as many as there may be."""
        with scopes.name_scope(name, f'{self._name}_put') as scope:
            tensors = self._checked(values if isinstance(values, (list, tuple, dict)) else [values])
            with scopes.colocate_with(self._coloc_op):
                return gen.apply('Stage', scope, {'values': tensors}, self._attrs())

    def get(self, name: str | None = None) -> Any:
        """Returns the tensors of an element that is taken out; waits for one."""
        with scopes.colocate_with(self._coloc_op):
            tensors = gen.apply('Unstage', name or f'{self._name}_get', {}, dict(self._attrs(), dtypes=self._dtypes))
        return self._given(tensors)

    def _given(self, tensors: Any) -> Any:
        """Returns the tensors of an element as they are asked for: by name where they have names."""
        tensors = list(tensors) if isinstance(tensors, (list, tuple)) else [tensors]
        if order_ops.no_op().device != self._coloc_op.device:
            tensors = [array_ops.identity(tensor) for tensor in tensors]
        for tensor, shape in zip(tensors, self._shapes):
            tensor.set_shape(shape)
        return dict(zip(self._names, tensors)) if self._names else tensors

    def peek(self, index: Any, name: str | None = None) -> Any:
        """Returns the tensors of element |index|, which stays where it is; waits for it."""
        with scopes.colocate_with(self._coloc_op):
            tensors = gen.apply('StagePeek', name or f'{self._name}_peek', {
                'index': convert.convert_to_tensor(index, dtypes.int32)}, dict(self._attrs(), dtypes=self._dtypes))
        return self._given(tensors)

    def size(self, name: str | None = None) -> Any:
        """Returns how many elements there are."""
        return gen.apply('StageSize', name or f'{self._name}_size', {}, dict(self._attrs(), dtypes=self._dtypes))

    def clear(self, name: str | None = None) -> Any:
        """Returns an operation that takes all elements out."""
        return gen.apply('StageClear', name or f'{self._name}_clear', {}, dict(self._attrs(), dtypes=self._dtypes))

    def _attrs(self) -> dict[str, Any]:
        return {'shared_name': self._name, 'capacity': self._capacity, 'memory_limit': self._memory_limit}

    def _checked(self, values: Any) -> list[Any]:
        """Returns the tensors of an element, in the order of the types."""
        if isinstance(values, dict):
            values = self._by_names(values)
        elif self._names:
            raise ValueError('You must enqueue a dictionary in a staging area with names')
        if len(values) > len(self._dtypes):
            raise ValueError(f'Unexpected number of inputs {len(values)} vs {len(self._dtypes)}')
        tensors = []
        for i, value in enumerate(values):
            if value.dtype != self._dtypes[i]:
                raise ValueError(f'Datatypes do not match. Received val.dtype {value.dtype} and dtype {self._dtypes[i]}')
            value.get_shape().assert_is_compatible_with(self._shapes[i])
            tensors.append(convert.convert_to_tensor(value, dtype=self._dtypes[i], name=f'component_{i}'))
        return tensors

    def _by_names(self, values: dict[str, Any]) -> list[Any]:
        if not self._names:
            raise ValueError('Staging areas must have names to enqueue a dictionary')
        if not set(values).issubset(self._names):
            raise ValueError(f'Keys in dictionary to put do not match names of staging area. Dictionary: {sorted(values)}'
                             f'Queue: {sorted(self._names)}')
        return [values[name] for name in self._names if name in values]
