"""importer.py - import_graph_def: the nodes of a GraphDef in the default graph."""

from __future__ import annotations

from typing import Any

from berth.framework import errors, scopes
from berth.framework.convert import convert_to_tensor
from berth.framework.device_spec import DeviceSpecV2
from berth.framework.node import Operation


def _read(graph_def: Any) -> Any:
    """Returns a GraphDef of our own, with devices in their canonical form."""
    from berth.base import protos

    if not hasattr(graph_def, 'SerializeToString') or not hasattr(graph_def, 'node'):
        raise TypeError('Argument `graph_def` must be a GraphDef proto.')
    copy = protos.GraphDef.FromString(graph_def.SerializeToString())
    for node in copy.node:
        if node.device:
            node.device = DeviceSpecV2.from_string(node.device).to_string()
    return copy


def _prefix(name: str | None) -> str:
    """Returns the unique prefix of the imported names, without a slash."""
    if name == '':
        return ''
    graph = scopes.get_default_graph()
    if name is not None and name.endswith('/'):
        return name[:-1]
    return graph.unique_name('import' if name is None else name)


def _check_elements(return_elements: Any) -> list[str]:
    if return_elements is None:
        return []
    if not all(isinstance(e, (str, bytes)) for e in return_elements):
        raise TypeError(f'Argument `return_elements` must be a list of strings. Obtained {return_elements}.')
    found = [e.decode() if isinstance(e, bytes) else e for e in return_elements]
    for element in found:
        _check_name(element)
    return found


def _check_name(element: str) -> None:
    """Raises for what is not the name of a tensor, though it has a colon."""
    _, *rest = element.split(':')
    if len(rest) > 1:
        raise ValueError(f'Cannot convert {element!r} to a tensor name. Tensor names should not contain more than 1 '
                         f'`:`. Obtained {len(rest)}')
    try:
        int(rest[0] if rest else 0)
    except ValueError:
        raise ValueError(f'Cannot convert {element!r} to a tensor name. Second component of the name following the '
                         f'`:` should be an int. Got {rest[0]}.') from None


def _mapped(input_map: dict[Any, Any] | None) -> dict[str, Any]:
    """Returns what inputs come from instead, by the names of the GraphDef."""
    found: dict[str, Any] = {}
    if input_map is not None and not isinstance(input_map, dict):
        raise TypeError(f'Argument `input_map` must be a dictionary. Obtained {type(input_map).__name__}')
    for key, value in (input_map or {}).items():
        name = key.decode() if isinstance(key, bytes) else key
        if name.startswith('^'):
            found[name] = (value.node if isinstance(value, Operation) else value.op.node, -1)
        else:
            found[name if ':' in name else name + ':0'] = convert_to_tensor(value)
    return found


def _check_used(mapped: dict[str, Any], definition: Any) -> None:
    names = {n.name for n in definition.node}
    names.update(i.lstrip('^').split(':')[0] for n in definition.node for i in n.input)
    unused = [k for k in mapped if k.lstrip('^').split(':')[0] not in names]
    if unused:
        raise ValueError(f'Attempted to map inputs that were not found in graph_def: [{", ".join(unused)}]')


def import_graph_def(graph_def: Any, input_map: Any = None, return_elements: Any = None, name: str | None = None,
                     op_dict: Any = None, producer_op_list: Any = None) -> Any:
    """Adds the nodes of a GraphDef; returns the elements asked for."""
    definition = _read(graph_def)
    wanted = _check_elements(return_elements)
    graph = scopes.get_default_graph()
    mapped = _mapped(input_map)
    prefix = _prefix(name)
    _check_used(mapped, definition)
    _apply_devices(graph, definition)
    results = _add(graph, definition, prefix, mapped, wanted)
    return results if return_elements is not None else None


def _apply_devices(graph: Any, definition: Any) -> None:
    """Gives nodes the devices that the scopes in force ask for."""
    if not graph._scopes.devices:
        return
    for node in definition.node:
        probe = Operation(graph, node.op, node.name, [], None)
        probe._device = node.device
        node.device = graph._device_of(probe)


def _add(graph: Any, definition: Any, prefix: str, mapped: dict[str, Any], wanted: list[str]) -> list[Any]:
    tensors = [w for w in wanted if ':' in w]
    nodes = [w for w in wanted if ':' not in w]
    try:
        with graph._lock:
            outs, ids = graph._core.import_(definition.SerializeToString(), prefix or None, mapped, tensors, nodes,
                                            (), not prefix, False, None)
            graph._adopt()
    except errors.InvalidArgumentError as error:
        raise ValueError(error.message) from None
    found: dict[str, Any] = {w: graph._ops[node].outputs[index] for w, (node, index) in zip(tensors, outs)}
    found.update({w: graph._ops[node] for w, node in zip(nodes, ids)})
    return [found[w] for w in wanted]
