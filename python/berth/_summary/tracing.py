"""tracing - tf.summary.trace_on, trace_export and trace_off: graphs of functions as they run."""

from __future__ import annotations

import contextlib
import threading
from typing import Any, Optional

from berth._summary.recording import checked_step
from berth._summary.writing import summary_scope, write
from berth.base import logging, protos
from berth.eager import binding, concrete
from berth.framework import convert, dtypes, errors, scopes
from berth.modules import profiler as profiling

_lock = threading.Lock()
_graphs: Optional[list[Any]] = None  # Of functions that ran since the trace began; None: there is none.
_is_profiling = False  # The trace has a profile.


def _refuses(in_function: str, in_graph: str) -> bool:
    """Says why there is no trace here, if so."""
    if binding.is_in_function():
        logging.warning(in_function)
        return True
    if not scopes.executing_eagerly():
        logging.warning(in_graph)
        return True
    return False


def trace_on(graph: bool = True, profiler: bool = False, profiler_outdir: Optional[str] = None) -> None:
    """Begins to collect the graphs of functions that run for the first time, and, if so told, a profile."""
    global _graphs, _is_profiling
    if _refuses('Cannot enable trace inside a tf.function.', 'Must enable trace in eager mode.'):
        return
    with _lock:
        if _graphs is not None:
            logging.warning('Trace already enabled')
            return
        if profiler and profiler_outdir is None:
            logging.warning("No `profiler_outdir` passed to trace_on(). Profiler won't be enabled.")
        elif profiler:
            profiling.start(profiler_outdir)
            _is_profiling = True
        _graphs = []
        concrete.see_graphs(_graphs if graph else None)


def trace_off() -> None:
    """Stops collecting, and forgets what was collected; a profile is written."""
    global _graphs, _is_profiling
    with _lock:
        _graphs = None
        concrete.see_graphs(None)
        profiles, _is_profiling = _is_profiling, False
    if profiles:
        with contextlib.suppress(errors.UnavailableError):  # The program has ended it.
            profiling.stop()


def trace_export(name: str, step: Any = None, profiler_outdir: Optional[str] = None) -> None:
    """Stops collecting, and writes what was collected."""
    if step is not None:
        checked_step(step)
    if _refuses('Cannot export trace inside a tf.function.', 'Can only export trace while executing eagerly.'):
        return
    with _lock:
        graphs = _graphs
    if graphs is None:
        raise ValueError('Must enable trace before export through tf.summary.trace_on.')
    _write(name, _run_metadata(list(graphs)), step)
    trace_off()


def _run_metadata(graphs: list[Any]) -> Any:
    found = protos.RunMetadata()
    for graph in graphs:
        message = graph.as_graph_def(add_shapes=True)
        found.function_graphs.add(partition_graphs=[message], pre_optimization_graph=message,
                                  post_optimization_graph=message)
        found.partition_graphs.append(message)
    return found


def _write(name: str, data: Any, step: Any) -> None:
    about = protos.SummaryMetadata()
    about.plugin_data.plugin_name = 'graph_run_metadata_graph'
    about.plugin_data.content = b'1'
    with summary_scope(name, 'graph_run_metadata_graph_summary', [step]) as (tag, _):
        with scopes.device('cpu:0'):
            tensor = convert.constant(data.SerializeToString(), dtype=dtypes.string)
        write(tag, tensor, step, about)
