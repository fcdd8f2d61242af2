"""writing - tf.summary of TF2: values that go to the writer of the thread when they are there."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from typing import Any, Callable, Optional

from berth._summary.recording import checked_step, get_step, should_record_summaries, state, static
from berth.base import protos
from berth.framework import convert, dtypes, gen, scopes
from berth.framework.graph import Graph
from berth.framework.node import Tensor
from berth.ops import array_ops, flow_ops, order_ops

_COLLECTION = '_SUMMARY_V2'
_NOT_IN_SCOPES = re.compile(r'[^-_/.A-Za-z0-9]')
_NO_STEP = ('No step set. Please specify one either through the `step` argument or through '
            'tf.summary.experimental.set_step()')
_HOST = 'cpu:0'


@contextlib.contextmanager
def summary_scope(name: Any, default_name: str = 'summary', values: Any = None) -> Iterator[tuple[str, str]]:
    """A scope for one summary: gives its tag and the scope's name."""
    name = name or default_name
    around = scopes.get_current_name_scope()
    tag = f'{around}/{name}' if around else name
    with scopes.name_scope(_NOT_IN_SCOPES.sub('', name) or None, default_name, values) as scope:
        yield tag, scope


def _written(make: Callable[[], Any]) -> Any:
    """Makes an op that writes, in the host's part, and a tensor that is true behind it."""
    with scopes.device(_HOST), scopes.control_dependencies([make()]):
        return convert.constant(True)


def _if_recording(record: Callable[[], Any]) -> Any:
    """Records where summaries are written; gives whether it did."""
    wanted = should_record_summaries()
    known = static(wanted)
    if known is None:
        made = flow_ops.cond(wanted, record, lambda: convert.constant(False), name='summary_cond')
    else:
        made = record() if known else convert.constant(False)
    if not scopes.executing_eagerly():
        scopes.add_to_collection(_COLLECTION, made)
    return made


def write(tag: Any, tensor: Any, step: Any = None, metadata: Any = None, name: Optional[str] = None) -> Any:
    """Writes a tensor, or what a function gives; gives whether there is a writer."""
    if step is not None:
        checked_step(step)
    with scopes.name_scope(name, 'write_summary') as scope:
        if state.writer is None:
            return convert.constant(False)
        step = get_step() if step is None else step
        about = metadata.SerializeToString() if hasattr(metadata, 'SerializeToString') else metadata or b''

        def record() -> Any:
            if step is None:
                raise ValueError(_NO_STEP)
            with scopes.device(_HOST):
                value = tensor() if callable(tensor) else array_ops.identity(tensor)
                return _written(lambda: gen.apply('WriteSummary', scope, {
                    'writer': state.writer._resource, 'step': step, 'tensor': value, 'tag': tag,
                    'summary_metadata': about}))

        return _if_recording(record)


def write_raw_pb(tensor: Any, step: Any = None, name: Optional[str] = None) -> Any:
    """Writes messages Summary as they are."""
    if step is not None:
        checked_step(step)
    with scopes.name_scope(name, 'write_raw_pb') as scope:
        if state.writer is None:
            return convert.constant(False)
        step = get_step() if step is None else step
        if step is None:
            raise ValueError(_NO_STEP)
        with scopes.device(_HOST):
            return _if_recording(lambda: _written(lambda: gen.apply('WriteRawProtoSummary', scope, {
                'writer': state.writer._resource, 'step': step, 'tensor': array_ops.identity(tensor)})))


def all_v2_summary_ops() -> Any:
    """Returns what the default graph writes with writers of TF2; None where ops run at once."""
    return None if scopes.executing_eagerly() else scopes.get_collection(_COLLECTION)


# ---- Graphs ----

def serialized(graph: Any) -> bytes:
    """Returns a graph, or the message of one, as bytes."""
    message = graph.as_graph_def(add_shapes=True) if isinstance(graph, Graph) else graph
    return message.SerializeToString()


def graph(graph_data: Any) -> Any:
    """Writes a graph."""
    if not scopes.executing_eagerly():
        raise ValueError('graph() cannot be invoked inside a graph context.')
    if state.writer is None or not should_record_summaries():
        return convert.constant(False)
    if not isinstance(graph_data, (Graph, protos.GraphDef)):
        raise ValueError("Argument 'graph_data' is not tf.Graph or tf.compat.v1.GraphDef. Received graph_data="
                         f'{graph_data} of type {type(graph_data).__name__}.')
    with scopes.device(_HOST):
        gen.apply('WriteGraphSummary', None, {'writer': state.writer._resource, 'step': 0,
                                              'tensor': convert.constant(serialized(graph_data))})
        return convert.constant(True)


def graph_v1(param: Any, step: Any = None, name: Optional[str] = None) -> Any:
    """Makes an op that writes the graph in a tensor of bytes."""
    if not scopes.executing_eagerly() and not isinstance(param, Tensor):
        raise TypeError('graph() needs a argument `param` to be tf.Tensor (e.g. tf.placeholder) in graph mode, but '
                        f'received param={param} of type {type(param).__name__}.')
    if state.writer is None:
        return order_ops.no_op()
    if isinstance(param, (Graph, protos.GraphDef)):
        param = convert.convert_to_tensor(serialized(param), dtypes.string)
    with scopes.device(_HOST):
        return gen.apply('WriteGraphSummary', name, {'writer': state.writer._resource, 'step': checked_step(step),
                                                     'tensor': array_ops.identity(param)})
