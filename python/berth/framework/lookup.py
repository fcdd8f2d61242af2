"""lookup.py - Finding tensors and operations of a graph by name or wrapper."""

from __future__ import annotations

from typing import Any

from berth.framework.node import Operation, Tensor

_FORM = 'Tensor names must be of the form "<op_name>:<output_index>".'


def find(graph: Any, obj: Any, allow_tensor: bool, allow_operation: bool) -> Any:
    """Returns what |obj| stands for in |graph|; the texts are TensorFlow's."""
    kinds = ' or '.join(k for k, on in (('Tensor', allow_tensor), ('Operation', allow_operation)) if on)
    if not kinds:
        raise ValueError("allow_tensor and allow_operation can't both be False.")
    if not isinstance(obj, (Tensor, Operation)) and hasattr(obj, '_as_graph_element'):
        obj = obj._as_graph_element()
    if isinstance(obj, bytes):
        obj = obj.decode()
    if isinstance(obj, str):
        return _by_name(graph, obj, allow_tensor, allow_operation, kinds)
    if isinstance(obj, Tensor) and allow_tensor:
        if obj.graph is not graph:
            raise ValueError(f'Tensor {obj} is not an element of this graph.')
        return obj
    if isinstance(obj, Operation) and allow_operation:
        if obj.graph is not graph:
            raise ValueError(f'Operation {obj} is not an element of this graph.')
        return obj
    raise TypeError(f'Can not convert a {type(obj).__name__} into a {kinds}.')


def _by_name(graph: Any, name: str, allow_tensor: bool, allow_operation: bool, kinds: str) -> Any:
    if ':' in name:
        if allow_tensor:
            return _tensor(graph, name)
        raise ValueError(f'Name {name!r} appears to refer to a Tensor, not a {kinds}.')
    if allow_operation:
        if name not in graph._by_name:
            raise KeyError(f'The name {name!r} refers to an Operation not in the graph.')
        return graph._by_name[name]
    if name in graph._by_name:
        raise ValueError(f'The name {name!r} refers to an Operation, not a {kinds}. ' + _FORM)
    raise ValueError(f'The name {name!r} looks like an (invalid) Operation name, not a {kinds}. ' + _FORM)


def _tensor(graph: Any, name: str) -> Any:
    try:
        op_name, index_text = name.split(':')
        index = int(index_text)
    except ValueError:
        raise ValueError(f'The name {name!r} looks a like a Tensor name, but is not a valid one. ' + _FORM) from None
    op = graph._by_name.get(op_name)
    if op is None:
        raise KeyError(f'The name {name!r} refers to a Tensor which does not exist. The operation, {op_name!r}, '
                       'does not exist in the graph.')
    if not 0 <= index < len(op.outputs):
        raise KeyError(f'The name {name!r} refers to a Tensor which does not exist. The operation, {op_name!r}, '
                       f'exists but only has {len(op.outputs)} outputs.')
    return op.outputs[index]
