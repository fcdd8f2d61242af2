"""writer - tf.summary.FileWriter of TF1: summaries, graphs and notes of sessions go into an event file."""

from __future__ import annotations

import time
import warnings
from typing import Any, Optional

from berth._summary.events import EventFile
from berth.base import naming, protos
from berth.framework import scopes
from berth.framework.graph import Graph


@naming.public('summary.writer.writer')
class FileWriter:
    """Writes events into a folder."""

    def __init__(self, logdir: str, graph: Any = None, max_queue: int = 10, flush_secs: float = 120,
                 graph_def: Any = None, filename_suffix: Optional[str] = None, session: Any = None) -> None:
        if scopes.executing_eagerly():
            raise RuntimeError('tf.summary.FileWriter is not compatible with eager execution. Use '
                               '`tf.summary.create_file_writer`, or a `with v1.Graph().as_default():` context')
        self._logdir = str(logdir)
        self._file = EventFile(self._logdir, filename_suffix or '')
        self._flush_secs, self._flushed = flush_secs, time.time()
        self._pending, self._max_queue = 0, max_queue
        self._closed = False
        self._known_tags: set[str] = set()  # Whose metadata was written.
        if graph is not None or graph_def is not None:
            self.add_graph(graph=graph, graph_def=graph_def)

    def __enter__(self) -> 'FileWriter':
        return self

    def __exit__(self, *exc: Any) -> None:
        self.close()

    def get_logdir(self) -> str:
        """The folder."""
        return self._logdir

    # ---- Events ----

    def add_event(self, event: Any) -> None:
        """Adds an event; a writer that was closed says so and leaves it out."""
        if self._closed:
            warnings.warn('Attempting to use a closed FileWriter. The operation will be a noop unless the FileWriter is '
                          'explicitly reopened.', stacklevel=3)
            return
        self._file.write(event)
        self._pending += 1
        if self._pending >= self._max_queue and time.time() - self._flushed >= self._flush_secs:
            self.flush()

    def _add(self, step: Any, **what: Any) -> None:
        event = protos.Event(wall_time=time.time(), **what)
        if step is not None:
            event.step = int(step)
        self.add_event(event)

    def add_summary(self, summary: Any, global_step: Any = None) -> None:
        """Adds a summary, a message or its bytes."""
        if isinstance(summary, bytes):
            summary = protos.Summary.FromString(summary)
        for value in summary.value:
            if not value.metadata.ByteSize():
                continue
            if value.tag in self._known_tags:
                value.ClearField('metadata')  # Readers keep what the first one says.
                continue
            self._known_tags.add(value.tag)
        self._add(global_step, summary=summary)

    def add_session_log(self, session_log: Any, global_step: Any = None) -> None:
        """Adds a note about a session."""
        self._add(global_step, session_log=session_log)

    def add_graph(self, graph: Any = None, global_step: Any = None, graph_def: Any = None) -> None:
        """Adds a graph."""
        if graph is not None and graph_def is not None:
            raise ValueError('Please pass only graph, or graph_def (deprecated), but not both.')
        if isinstance(graph, Graph):
            message = graph.as_graph_def(add_shapes=True)
        elif graph_def is not None or graph is not None:
            message = graph if graph_def is None else graph_def
        else:
            raise TypeError(f'The passed graph must be an instance of `Graph` or the deprecated `GraphDef`, but got: {graph}')
        self._add(global_step, graph_def=message.SerializeToString())

    def add_meta_graph(self, meta_graph_def: Any, global_step: Any = None) -> None:
        """Adds a graph with its collections."""
        if not hasattr(meta_graph_def, 'meta_info_def'):
            raise TypeError(f'meta_graph_def must be type MetaGraphDef, saw type: {type(meta_graph_def)}')
        self._add(global_step, meta_graph_def=meta_graph_def.SerializeToString())

    def add_run_metadata(self, run_metadata: Any, tag: str, global_step: Any = None) -> None:
        """Adds what a run told about itself, once for each tag."""
        if tag in self._known_tags:
            raise ValueError('The provided tag was already used for this event type')
        self._known_tags.add(tag)
        self._add(global_step, tagged_run_metadata=protos.TaggedRunMetadata(
            tag=tag, run_metadata=run_metadata.SerializeToString()))

    # ---- The file ----

    def flush(self) -> None:
        """Brings all events into the file."""
        self._file.flush()
        self._pending, self._flushed = 0, time.time()

    def close(self) -> None:
        """Closes the file."""
        self._file.close()
        self._closed = True

    def reopen(self) -> None:
        """Goes on, in another file."""
        self._closed = False
