"""iterator_state - Where iterators of graphs are, for savers."""

from __future__ import annotations

from typing import Any

from berth._train.saveables import SaveableObject, SaveSpec
from berth.framework import convert, dtypes, gen
from berth.framework.tensor_shape import TensorShape
from berth.ops import array_ops


class _IteratorSaveable(SaveableObject):
    """An iterator, saved as how many elements were taken, and the seeds that were drawn."""

    def __init__(self, iterator: Any) -> None:
        self._resource = iterator._iterator_resource
        variant = array_ops.reshape(gen.apply('SerializeIterator', None, {'resource_handle': self._resource}), [])
        state = gen.apply('OptionalGetValue', None, {'optional': variant}, {
            'output_types': [dtypes.int64], 'output_shapes': [TensorShape([None])]})[0]
        name = self._resource.op.name
        super().__init__(self._resource, [SaveSpec(state, '', f'{name}-state')], name)

    def restore(self, restored_tensors: Any, restored_shapes: Any) -> Any:
        """Goes to where the iterator was; it has to have been initialized."""
        state = convert.convert_to_tensor(restored_tensors[0], dtype=dtypes.int64)
        variant = gen.apply('OptionalFromValue', None, {'components': [state]})
        return gen.apply('DeserializeIterator', None, {'resource_handle': self._resource, 'serialized': variant})


def make_saveable_from_iterator(iterator: Any, external_state_policy: Any = None) -> Any:
    """Returns what a Saver takes to save where an iterator is."""
    return _IteratorSaveable(iterator)
