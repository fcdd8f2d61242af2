"""handles.py - Tensors that stay in a session from one run to another, and the handles they are known by."""

from __future__ import annotations

from typing import Any

from berth.base import naming
from berth.framework import dtypes, gen, scopes
from berth.framework.device_spec import DeviceSpecV2
from berth.framework.node import SymbolicTensor
from berth.framework.tensor_shape import TensorShape


def _device(handle: Any) -> str:
    """Returns the device that a handle says, the last of its parts."""
    text = handle.decode() if isinstance(handle, bytes) else str(handle)
    return DeviceSpecV2.from_string(text.split(';')[-1]).to_string()


def _holder() -> Any:
    return gen.apply('Placeholder', None, {}, {'dtype': dtypes.string, 'shape': TensorShape(None)})


@naming.public('ops.session_ops')
class TensorHandle:
    """A tensor that a session keeps, until it is deleted or nobody has its handle."""

    def __init__(self, handle: Any, dtype: Any, session: Any) -> None:
        self._handle = handle.decode() if isinstance(handle, bytes) else str(handle)
        self._dtype = dtype
        self._session = session
        self._auto_gc_enabled = True

    def __del__(self) -> None:
        if self._auto_gc_enabled:
            self._session._register_dead_handle(self._handle)

    def __str__(self) -> str:
        return self._handle

    handle = property(lambda self: self._handle, doc='The text that it is known by.')

    def _check(self) -> None:
        if not self._auto_gc_enabled:
            raise TypeError(f'Persistent tensor {self._handle} may have already been deleted.')

    def eval(self) -> Any:
        """Returns the tensor's value."""
        self._check()
        holder, value = reader(self._session.graph, self._handle, self._dtype)
        return self._session.run(value, feed_dict={holder: self._handle})

    def delete(self) -> None:
        """Deletes the tensor."""
        self._check()
        self._auto_gc_enabled = False
        holder, deleted = deleter(self._session.graph, 0, self._handle)
        self._session.run(deleted, feed_dict={holder: self._handle})

    def get_raw_handle(self) -> str:
        """Returns the text; whoever has it deletes the tensor."""
        self._auto_gc_enabled = False
        return self._handle


def get_session_handle(data: Any, name: str | None = None) -> Any:
    """Keeps |data| in the session; a run that fetches this gives a handle of it."""
    if not isinstance(data, SymbolicTensor):
        raise TypeError('`data` must be of type Tensor.')
    with scopes.colocate(data):
        return gen.apply('GetSessionHandle', name, {'value': data})


def get_session_tensor(handle: Any, dtype: Any, name: str | None = None) -> Any:
    """Returns a placeholder for a handle, and the tensor of the one that is fed."""
    with scopes.device(_device(handle)):
        holder = _holder()
        return holder, gen.apply('GetSessionTensor', name, {'handle': holder}, {'dtype': dtypes.as_dtype(dtype)})


def delete_session_tensor(handle: Any, name: str | None = None) -> Any:
    """Returns a placeholder for a handle, and an operation that deletes the tensor of the one that is fed."""
    with scopes.device(_device(handle)):
        holder = _holder()
        return holder, gen.apply('DeleteSessionTensor', name, {'handle': holder})


# ---- What sessions make for handles ----


def _made(graph: Any, key: Any, make: Any) -> Any:
    """Returns the nodes under |key|, made by |make| the first time."""
    nodes = graph._handle_nodes.get(key)
    if nodes is None:
        with graph.as_default(), scopes.device(None):
            nodes = graph._handle_nodes[key] = make()
    return nodes


def reader(graph: Any, handle: str, dtype: Any) -> Any:
    """Returns nodes that read tensors of the same node on the same device."""
    parts = handle.split(';')
    return _made(graph, (parts[0], parts[-1]), lambda: get_session_tensor(handle, dtype))


def deleter(graph: Any, number: int, handle: str) -> Any:
    """Returns nodes that delete a tensor, one of several in one run."""
    return _made(graph, number, lambda: delete_session_tensor(handle))
