"""variable_proto - Variables of graphs as messages, and from them: VariableDef."""

from __future__ import annotations

import re
from typing import Any

from berth.base import protos
from berth.framework import scopes
from berth.framework.tensor_shape import TensorShape
from berth.variables import replicas


def _inside(name: str, scope: str | None) -> str:
    """Returns |name| as it is inside a scope of names."""
    return name if not scope else re.sub(rf'^{re.escape(scope.rstrip("/"))}/', '', name)


def to_proto(variable: Any, export_scope: str | None) -> Any:
    """Returns the names of the nodes of |variable|; None when it is not in the scope."""
    if export_scope is not None and not variable.name.startswith(export_scope):
        return None
    made = protos.VariableDef(trainable=bool(variable.trainable), is_resource=variable._is_resource)
    node = variable._handle if variable._is_resource else variable._variable
    made.variable_name = _inside(node.name, export_scope)
    if variable._initial_value is not None:
        made.initial_value_name = _inside(variable._initial_value.name, export_scope)
    made.initializer_name = _inside(variable.initializer.name, export_scope)
    snapshot = variable._graph_element if variable._is_resource else variable._snapshot
    made.snapshot_name = _inside(snapshot.name, export_scope)
    made.synchronization, made.aggregation = variable.synchronization.value, variable.aggregation.value
    info = getattr(variable, '_save_slice_info', None)
    if info is not None:
        made.save_slice_info_def.MergeFrom(info.to_proto(export_scope))
    return made


def from_proto(variable_def: Any, import_scope: str | None) -> Any:
    """Makes a variable of nodes that are in the graph."""
    from berth.variables.graph_variable import RefVariable, ResourceVariable

    graph = scopes.get_default_graph()
    scope = import_scope.rstrip('/') + '/' if import_scope else ''
    kind = ResourceVariable if variable_def.is_resource else RefVariable
    made = kind.__new__(kind)
    node = graph.as_graph_element(scope + variable_def.variable_name)
    made._trainable = getattr(variable_def, 'trainable', True)
    made._synchronization, made._aggregation = replicas.checked(
        replicas.VariableSynchronization(variable_def.synchronization),
        replicas.VariableAggregation(variable_def.aggregation), variable_def.variable_name)
    made._constraint = made._caching_device = made._asked_shape = None
    made._initializer_op = graph.as_graph_element(scope + variable_def.initializer_name)
    initial = variable_def.initial_value_name
    made._initial_value = graph.as_graph_element(scope + initial) if initial else None
    snapshot = variable_def.snapshot_name
    if variable_def.is_resource:
        _set_handle(made, graph, node, scope + snapshot if snapshot else node.op.name + '/Read/ReadVariableOp:0')
    else:
        made._variable = node
        made._snapshot = graph.as_graph_element(scope + snapshot)
    if variable_def.HasField('save_slice_info_def'):
        made._save_slice_info = made.SaveSliceInfo(save_slice_info_def=variable_def.save_slice_info_def,
                                                   import_scope=import_scope)
    return made


def _set_handle(made: Any, graph: Any, node: Any, snapshot: str) -> None:
    """Gives a variable with a handle what it is made of."""
    made._handle, made._handle_name = node, node.op.name
    made._graph_element = graph.as_graph_element(snapshot)
    made._is_initialized = None
    made._asked_shape = TensorShape(node.op.get_attr('shape'))
    if made._initial_value is None:  # What says the type.
        made._initial_value = made._graph_element
