"""global_step - tf.train: the variable that counts steps, and graphs as files."""

from __future__ import annotations

import os
from typing import Any

from berth.base import logging
from berth.framework import convert, dtypes, scopes
from berth.framework.collections import GraphKeys
from berth.framework.graph import Graph
from berth.ops import flow_ops, init_ops, state_ops
from berth.variables import scope as variable_scope
from berth.variables.graph_variable import Variable
from berth.variables.replicas import VariableAggregation

_READ = 'global_step_read_op_cache'  # The collection of what was read before steps.


def global_step(sess: Any, global_step_tensor: Any) -> int:
    """Returns how many steps |sess| has counted."""
    return int(global_step_tensor if scopes.executing_eagerly() else sess.run(global_step_tensor))


def get_global_step(graph: Graph | None = None) -> Any:
    """Returns the variable that counts steps, or None."""
    graph = graph or scopes.get_default_graph()
    found = graph.get_collection(GraphKeys.GLOBAL_STEP)
    if len(found) > 1:
        logging.error('Multiple tensors in global_step collection.')
        return None
    if not found:
        try:
            found = [graph.get_tensor_by_name('global_step:0')]
        except KeyError:
            return None
    assert_global_step(found[0])
    return found[0]


def create_global_step(graph: Graph | None = None) -> Any:
    """Makes the variable that counts steps."""
    graph = graph or scopes.get_default_graph()
    if get_global_step(graph) is not None:
        raise ValueError('"global_step" already exists.')
    if scopes.executing_eagerly():
        with scopes.device('cpu:0'):
            made = _counter()
        graph.add_to_collection(GraphKeys.GLOBAL_STEP, made)
        return made
    with graph.as_default(), graph.name_scope(None):
        return _counter()


def _counter() -> Any:
    return variable_scope.get_variable(
        GraphKeys.GLOBAL_STEP, shape=[], dtype=dtypes.int64, initializer=init_ops.zeros_initializer(), trainable=False,
        aggregation=VariableAggregation.ONLY_FIRST_REPLICA,
        collections=[GraphKeys.GLOBAL_VARIABLES, GraphKeys.GLOBAL_STEP])


def get_or_create_global_step(graph: Graph | None = None) -> Any:
    """Returns the variable that counts steps, which is made if there is none."""
    graph = graph or scopes.get_default_graph()
    found = get_global_step(graph)
    return create_global_step(graph) if found is None else found


def assert_global_step(global_step_tensor: Any) -> None:
    """Raises unless it is a whole number."""
    if not convert.is_tensor(global_step_tensor):
        raise TypeError(f'Existing "global_step" must be a Variable or Tensor: {global_step_tensor}.')
    if not global_step_tensor.dtype.base_dtype.is_integer:
        raise TypeError(f'Existing "global_step" does not have integer type: {global_step_tensor.dtype}')
    shape = global_step_tensor.get_shape()
    if shape.ndims != 0 and shape.is_fully_defined():
        raise TypeError(f'Existing "global_step" is not scalar: {shape}')


def get_or_create_global_step_read(graph: Graph | None = None) -> Any:
    """Returns a tensor that is what the counter was before the step; None without a counter."""
    graph = graph or scopes.get_default_graph()
    known = graph.get_collection_ref(_READ)
    if len(known) > 1:
        raise RuntimeError(f'There are multiple items in collection {_READ}. There should be only one.')
    counter = get_global_step(graph)
    if not known and counter is not None:
        with graph.as_default(), graph.name_scope(None), graph.name_scope(counter.op.name + '/'):
            known.append(_value_or_first(counter) + 0)
    return known[0] if known else None


def _value_or_first(counter: Any) -> Any:
    """Returns the value, or the initial one as long as there is none."""
    if not isinstance(counter, Variable):
        return counter
    return flow_ops.cond(state_ops.is_variable_initialized(counter), counter.read_value,
                         lambda: counter.initial_value)


def increment_global_step(increment: Any, graph: Graph | None = None) -> Any:
    """Makes an operation that counts steps, after the counter was read."""
    graph = graph or scopes.get_default_graph()
    counter = get_global_step(graph)
    if counter is None:
        raise ValueError('Global step tensor should be created by tf.train.get_or_create_global_step before calling '
                         'increment.')
    read = get_or_create_global_step_read(graph)
    with graph.as_default(), graph.name_scope(None), graph.name_scope(counter.op.name + '/'):
        with scopes.control_dependencies([read]):
            return state_ops.assign_add(counter, increment)


def write_graph(graph_or_graph_def: Any, logdir: str, name: str, as_text: bool = True) -> str:
    """Writes a graph to a file of the folder |logdir|, as text or as bytes, and returns its path."""
    definition = graph_or_graph_def.as_graph_def() if isinstance(graph_or_graph_def, Graph) else graph_or_graph_def
    os.makedirs(logdir, exist_ok=True)
    path = os.path.join(logdir, name)
    if as_text:
        from google.protobuf import text_format

        data = text_format.MessageToString(definition).encode()
    else:
        data = definition.SerializeToString(deterministic=True)
    part = f'{path}.{os.getpid()}.part'
    with open(part, 'wb') as file:
        file.write(data)
    os.replace(part, path)
    return path
