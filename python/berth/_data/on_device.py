"""on_device - Elements brought to a card ahead of their use: prefetch_to_device and copy_to_device.

A dataset of these knows its device; its iterators keep copies there, as many as it says, that begin while
the elements before them are used. In graphs the copy is a node behind IteratorGetNext.
"""

from __future__ import annotations

import collections
from typing import Any

from berth._data import making, structure
from berth._data.iterators import OwnedIterator
from berth.framework import dtypes, scopes
from berth.ops import array_ops

_ON_HOST = (dtypes.string, dtypes.resource, dtypes.variant)


def to_device(dataset: Any, device: Any, ahead: int) -> Any:
    """Returns |dataset| with elements on |device|, |ahead| of which are there before they are asked for."""
    if ahead < 0:
        raise ValueError('`buffer_size` must not be negative.')
    host = dataset.prefetch(ahead + 1) if ahead else dataset
    kind = '_PrefetchToDeviceDataset' if ahead else '_CopyToDeviceDataset'
    made = making.make(kind, host._variant_tensor, host.element_spec, (host,))
    made._device_, made._ahead = device, ahead
    return made


def moved(element: Any, spec: Any, device: Any) -> Any:
    """Returns an element on |device|; what no card holds stays where it is."""
    def move(tensor: Any) -> Any:
        return tensor if tensor.dtype.base_dtype in _ON_HOST else array_ops.identity(tensor)

    with scopes.device(device):
        return structure.from_tensors(spec, [move(tensor) for tensor in structure.to_tensors(spec, element)])


class DeviceIterator(OwnedIterator):
    """Goes through a dataset, and has the next elements on a device."""

    def __init__(self, dataset: Any) -> None:
        super().__init__(dataset)
        self._device_, self._ahead = dataset._device_, dataset._ahead
        self._ready: collections.deque[Any] = collections.deque()  # Elements, and how it ends or fails.

    def _bring(self) -> None:
        try:
            self._ready.append((moved(super().__next__(), self._spec, self._device_), None))
        except Exception as error:  # pylint: disable=broad-except
            self._ready.append((None, error))

    def __next__(self) -> Any:
        if not scopes.executing_eagerly():
            return moved(super().__next__(), self._spec, self._device_)
        if not self._ready:
            self._bring()
        element, error = self._ready[0]
        if isinstance(error, StopIteration):
            raise StopIteration
        self._ready.popleft()
        if error is not None:
            raise error
        while len(self._ready) < self._ahead and not (self._ready and self._ready[-1][1] is not None):
            self._bring()
        return element

    next = __next__

    def get_next(self, name: Any = None) -> Any:
        """Returns the next element; OutOfRangeError at the end."""
        from berth.framework import errors

        try:
            return self.__next__()
        except StopIteration:
            raise errors.OutOfRangeError(None, None, 'End of sequence') from None

    def _checkpoint_state(self) -> Any:
        raise NotImplementedError('Berth does not save where an iterator is whose elements are on a device; save one of the '
                                  'dataset before prefetch_to_device.')
