"""graph_util.py - tf.graph_util: parts of a GraphDef, and variables made constants."""

from __future__ import annotations

from typing import Any, Callable, Optional

_VARIABLES = ('Variable', 'VariableV2', 'AutoReloadVariable', 'VarHandleOp')
# Ops that hand a handle on, between a variable and its reads.
_PASSING = ('Enter', 'Identity', 'NextIteration', 'Switch')


def _owner(name: str) -> str:
    """Returns the node of an input such as "a:1" or "^a"."""
    return name.lstrip('^').partition(':')[0]


def _check(graph_def: Any) -> None:
    if not hasattr(graph_def, 'SerializeToString'):
        raise TypeError(f'graph_def must be a graph_pb2.GraphDef proto, but got type {type(graph_def)}.')


def _empty_like(graph_def: Any) -> Any:
    """Returns a GraphDef without nodes, with the functions and versions of |graph_def|."""
    found = type(graph_def)()
    found.library.CopyFrom(graph_def.library)
    found.versions.CopyFrom(graph_def.versions)
    return found


def _needed(graph_def: Any, targets: list[str]) -> set[str]:
    """Returns the names of the nodes that |targets| need."""
    inputs = {node.name: [_owner(name) for name in node.input] for node in graph_def.node}
    for name in targets:
        if name not in inputs:
            raise AssertionError(f'{name} is not in graph')
    found: set[str] = set()
    waiting = list(targets)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting.extend(inputs.get(name, ()))
    return found


def extract_sub_graph(graph_def: Any, dest_nodes: Any) -> Any:
    """Returns a GraphDef with only what |dest_nodes| need."""
    _check(graph_def)
    if isinstance(dest_nodes, str):
        raise TypeError(f'dest_nodes must be an iterable of strings, but got type {type(dest_nodes)}.')
    needed = _needed(graph_def, list(dest_nodes))
    found = _empty_like(graph_def)
    found.node.extend(node for node in graph_def.node if node.name in needed)
    return found


def tensor_shape_from_node_def_name(graph: Any, input_name: str) -> Any:
    """Returns the shape of a tensor that is named as inputs of nodes are."""
    name = input_name if ':' in input_name else input_name + ':0'
    return graph.get_tensor_by_name(name).get_shape()


def must_run_on_cpu(node: Any, pin_variables_on_cpu: bool = False) -> bool:
    """Returns whether an operation, or a NodeDef, holds what GPUs do not."""
    from berth.base import protos
    from berth.framework.node import Operation

    definition = node.node_def if isinstance(node, Operation) else node
    if definition.op in ('Variable', 'VariableV2') and pin_variables_on_cpu:
        return True
    kinds = [definition.attr[name].type for name in ('dtype', 'DstT') if name in definition.attr]
    if definition.op == 'Const':
        return kinds[0] in (protos.DT_STRING, protos.DT_INT32)
    if definition.op in ('DynamicStitch', 'ParallelDynamicStitch'):
        return definition.attr['T'].type == protos.DT_INT32
    return definition.op == 'Cast' and protos.DT_INT32 in kinds


def remove_training_nodes(input_graph: Any, protected_nodes: Optional[list[str]] = None) -> Any:
    """Returns a GraphDef without CheckNumerics and without the Identity nodes that can go."""
    protected = set(protected_nodes or ())
    without = _spliced(input_graph, lambda node: node.op == 'CheckNumerics' and node.name not in protected)
    waited_for = {_owner(name) for node in without.node for name in node.input if name.startswith('^')}
    kept = protected | waited_for
    return _spliced(without, lambda node: node.op == 'Identity' and node.name not in kept
                    and not any(name.startswith('^') for name in node.input))


def _spliced(graph_def: Any, goes: Callable[[Any], bool]) -> Any:
    """Returns a GraphDef in which what read a node that goes reads that node's input."""
    replaced = {node.name: node.input[0] for node in graph_def.node if goes(node)}
    found = type(graph_def)()
    found.library.CopyFrom(graph_def.library)
    found.versions.CopyFrom(graph_def.versions)
    for node in graph_def.node:
        if node.name in replaced:
            continue
        copy = found.node.add()
        copy.CopyFrom(node)
        for index, name in enumerate(copy.input):
            while _owner(name) in replaced and not name.startswith('^'):
                name = replaced[_owner(name)]
            copy.input[index] = name
    return found


# ---- Freezing ----

def convert_variables_to_constants(sess: Any, input_graph_def: Any, output_node_names: list[str],
                                   variable_names_whitelist: Any = None,
                                   variable_names_blacklist: Any = None) -> Any:
    """Returns what the outputs need, with variables replaced by the values that they have in |sess|."""
    sub_graph = extract_sub_graph(input_graph_def, output_node_names)
    names = [node.name for node in sub_graph.node if node.op in _VARIABLES
             and (variable_names_whitelist is None or node.name in variable_names_whitelist)
             and node.name not in (variable_names_blacklist or ())]
    values = dict(zip(names, sess.run([_read_of(sess.graph, name) for name in names]))) if names else {}
    frozen = type(sub_graph)()
    handles = _handles(sub_graph, values)
    for node in sub_graph.node:
        _add_frozen(frozen, node, values, handles)
    frozen.library.CopyFrom(sub_graph.library)
    frozen.versions.CopyFrom(sub_graph.versions)
    return frozen


def _read_of(graph: Any, name: str) -> str:
    """Returns the name of a tensor that has the value of a variable."""
    op = graph.get_operation_by_name(name)
    if op.type != 'VarHandleOp':
        return name + ':0'
    for reader in op.outputs[0].consumers():
        if reader.type == 'ReadVariableOp':
            return reader.outputs[0].name
    raise ValueError(f'The variable {name} is never read in this graph')


def _handles(graph_def: Any, values: dict[str, Any]) -> set[str]:
    """Returns the names of nodes that hand on the handle of a variable to be replaced."""
    nodes = {node.name: node for node in graph_def.node}
    found = {name for name in values if nodes[name].op == 'VarHandleOp'}
    for node in graph_def.node:
        if node.op in _PASSING and node.input and _owner(node.input[0]) in found:
            found.add(node.name)
    return found


def _add_frozen(graph_def: Any, node: Any, values: dict[str, Any], handles: set[str]) -> None:
    """Adds |node| to a frozen graph, as what it becomes there."""
    from berth.base import protos
    from berth.framework import convert

    new = graph_def.node.add()
    if node.name in values:
        tensor = convert.make_tensor(values[node.name])
        new.op, new.name = 'Const', node.name
        new.attr['dtype'].type = tensor.dtype
        new.attr['value'].tensor.CopyFrom(protos.TensorProto.FromString(tensor.to_proto()))
    elif node.op == 'ReadVariableOp' and _owner(node.input[0]) in handles:
        new.op, new.name = 'Identity', node.name
        new.input.append(node.input[0])
        new.attr['T'].CopyFrom(node.attr['dtype'])
        if '_class' in node.attr:
            new.attr['_class'].CopyFrom(node.attr['_class'])
    else:
        new.CopyFrom(node)
