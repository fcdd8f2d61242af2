"""parts - What sessions and hooks take from checkpoints and summaries, in one place."""

from __future__ import annotations

from typing import Any

from berth._train import checkpoint_reader
from berth._train.checkpoint_state import get_checkpoint_state
from berth._train.saver import Saver
from berth.base import protos
from berth.framework import scopes
from berth.framework.collections import GraphKeys

_MANY_SAVERS = ('More than one item in collection {}. Please indicate which one to use by passing it to the '
                'constructor.')


def default_saver() -> Any:
    """Returns the one saver of the graph, which is made if there is none."""
    known = scopes.get_collection_ref(GraphKeys.SAVERS)
    if len(known) > 1:
        raise RuntimeError(_MANY_SAVERS.format(GraphKeys.SAVERS))
    if not known:
        known.append(Saver(sharded=True, allow_empty=True))
    return known[0]


def known_saver() -> Any:
    """Returns the one saver of the graph."""
    known = scopes.get_collection(GraphKeys.SAVERS)
    if not known:
        raise RuntimeError(f'No items in collection {GraphKeys.SAVERS}. Please add a saver to the collection or '
                           'provide a saver or scaffold.')
    if len(known) > 1:
        raise RuntimeError(_MANY_SAVERS.format(GraphKeys.SAVERS))
    return known[0]


def checkpoint_state(folder: str) -> Any:
    """Returns what the file "checkpoint" of |folder| says, or None."""
    return get_checkpoint_state(folder)


def checkpoint_names(folder: str) -> list[str]:
    """Returns the names of the variables in the latest checkpoint of |folder|."""
    return [name for name, _ in checkpoint_reader.list_variables(folder)]


def checkpoint_value(folder: str, name: str) -> Any:
    """Returns the value of a variable in the latest checkpoint of |folder|."""
    return checkpoint_reader.load_variable(folder, name)


def writer_of(folder: Any) -> Any:
    """Returns the one writer of events of |folder|; None without a folder."""
    if not folder:
        return None
    from berth._summary.writer_cache import FileWriterCache

    return FileWriterCache.get(folder)


def merge_all() -> Any:
    """Returns the summaries of the graph as one tensor, or None."""
    if not scopes.get_collection(GraphKeys.SUMMARIES):
        return None
    from berth._summary import summary_ops

    return summary_ops.merge_all()


def summarize_loss(loss: Any) -> None:
    """Makes a summary of a loss, unless there is one called so."""
    if any(summary.op.name == 'loss' for summary in scopes.get_collection(GraphKeys.SUMMARIES)):
        return
    from berth._summary import summary_ops

    summary_ops.scalar('loss', loss)


def log_session(writer: Any, status: str, step: Any = None, path: str = '') -> None:
    """Writes down that a session began, ended or was saved."""
    if writer is not None:
        log = protos.SessionLog(status=protos.SessionLog.SessionStatus.Value(status), checkpoint_path=path)
        writer.add_session_log(log, step)


def add_number(writer: Any, tag: str, value: float, step: Any) -> None:
    """Writes down one number."""
    if writer is not None:
        summary = protos.Summary(value=[protos.Summary.Value(tag=tag, simple_value=value)])
        writer.add_summary(summary, step)


def add_graphs(writer: Any, graph: Any, saver: Any) -> None:
    """Writes down a graph, and how it is saved."""
    if writer is not None:
        writer.add_graph(graph)
        meta = protos.MetaGraphDef(graph_def=graph.as_graph_def(add_shapes=True))
        if saver is not None:
            meta.saver_def.CopyFrom(saver.saver_def)
        writer.add_meta_graph(meta)
