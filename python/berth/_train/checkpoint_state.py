"""checkpoint_state - The file `checkpoint` of a folder: which checkpoints there are, and which is the last."""

from __future__ import annotations

import os
import re
from typing import Any

from berth.base import logging, protos
from berth.framework import errors
from berth.modules import gfile
from berth.modules.deprecation import deprecated


def _state_path(save_dir: str, latest_filename: str | None) -> str:
    return os.path.join(save_dir, latest_filename or 'checkpoint')


def _relative(path: str, folder: str, wanted: bool) -> str:
    """Returns |path| as seen from |folder|, where that is |wanted|."""
    return os.path.relpath(path, folder) if wanted else path


def generate_checkpoint_state_proto(save_dir: str, model_checkpoint_path: str, all_model_checkpoint_paths: Any = None,
                                    all_model_checkpoint_timestamps: Any = None,
                                    last_preserved_timestamp: float | None = None) -> Any:
    """Returns a CheckpointState; paths are relative to a folder that is relative itself."""
    paths = [] if all_model_checkpoint_paths is None else all_model_checkpoint_paths
    if not paths or paths[-1] != model_checkpoint_path:
        logging.info('%s is not in all_model_checkpoint_paths. Manually adding it.', model_checkpoint_path)
        paths.append(model_checkpoint_path)
    if all_model_checkpoint_timestamps and len(all_model_checkpoint_timestamps) != len(paths):
        raise ValueError('Checkpoint timestamps, if provided, must match checkpoint paths (got paths '
                         f'{paths} and timestamps {all_model_checkpoint_timestamps})')
    moves = not os.path.isabs(save_dir)
    paths[:] = [_relative(path, save_dir, moves and not os.path.isabs(path)) for path in paths]
    return protos.CheckpointState(
        model_checkpoint_path=_relative(model_checkpoint_path, save_dir,
                                        moves and not os.path.isabs(model_checkpoint_path)),
        all_model_checkpoint_paths=paths, all_model_checkpoint_timestamps=all_model_checkpoint_timestamps,
        last_preserved_timestamp=last_preserved_timestamp)


def update_state(save_dir: str, model_checkpoint_path: str, all_model_checkpoint_paths: Any = None,
                 latest_filename: str | None = None, save_relative_paths: bool = False,
                 all_model_checkpoint_timestamps: Any = None, last_preserved_timestamp: float | None = None) -> None:
    """Writes the file, whole or not at all."""
    from google.protobuf import text_format

    path = _state_path(save_dir, latest_filename)
    model, paths = model_checkpoint_path, all_model_checkpoint_paths
    if save_relative_paths:
        model = _relative(model, save_dir, os.path.isabs(model))
        paths = [_relative(each, save_dir, os.path.isabs(each)) for each in paths or []]
    state = generate_checkpoint_state_proto(save_dir, model, paths, all_model_checkpoint_timestamps,
                                            last_preserved_timestamp)
    if path == state.model_checkpoint_path:
        raise RuntimeError(f"Save path '{model_checkpoint_path}' conflicts with path used for checkpoint state.  "
                           'Please use a different save path.')
    write_whole(path, text_format.MessageToString(state).encode())


def write_whole(path: str, data: bytes) -> None:
    """Makes a file of |data|: under its name there is the old one or the new one, whole."""
    beside = f'{path}.tmp{os.getpid()}'
    with gfile.as_errors(beside):
        with open(beside, 'wb') as file:
            file.write(data)
        os.replace(beside, path)


@deprecated(None, 'Use `tf.train.CheckpointManager` to manage checkpoints rather than manually editing the Checkpoint '
            'proto.')
def update_checkpoint_state(save_dir: str, model_checkpoint_path: str, all_model_checkpoint_paths: Any = None,
                            latest_filename: str | None = None, all_model_checkpoint_timestamps: Any = None,
                            last_preserved_timestamp: float | None = None) -> None:
    """Writes which checkpoints a folder has."""
    update_state(save_dir, model_checkpoint_path, all_model_checkpoint_paths, latest_filename, False,
                 all_model_checkpoint_timestamps, last_preserved_timestamp)


def get_checkpoint_state(checkpoint_dir: Any, latest_filename: str | None = None) -> Any:
    """Returns the CheckpointState of a folder, or None."""
    from google.protobuf import text_format

    checkpoint_dir = os.fspath(checkpoint_dir) if isinstance(checkpoint_dir, os.PathLike) else checkpoint_dir
    path = _state_path(checkpoint_dir, latest_filename)
    if not gfile.Exists(path):
        return None
    try:
        with gfile.GFile(path) as file:
            state = text_format.Merge(file.read(), protos.CheckpointState())
    except (errors.OpError, text_format.ParseError) as error:
        logging.warning('%s: %s', type(error).__name__, error)
        logging.warning('%s: Checkpoint ignored', path)
        return None
    if not state.model_checkpoint_path:
        raise ValueError('Invalid checkpoint state loaded from ' + checkpoint_dir)
    state.model_checkpoint_path = os.path.join(checkpoint_dir, state.model_checkpoint_path)
    for place, each in enumerate(state.all_model_checkpoint_paths):
        state.all_model_checkpoint_paths[place] = os.path.join(checkpoint_dir, each)
    return state


def latest_checkpoint(checkpoint_dir: Any, latest_filename: str | None = None) -> str | None:
    """Returns the last checkpoint of a folder, or None."""
    state = get_checkpoint_state(checkpoint_dir, latest_filename)
    if state is None:
        return None
    if exists(state.model_checkpoint_path):
        return state.model_checkpoint_path
    logging.error("Couldn't match files for checkpoint %s", state.model_checkpoint_path)
    return None


def exists(checkpoint_prefix: str) -> bool:
    """True when there is a checkpoint of either format."""
    return bool(gfile.Glob(checkpoint_prefix + '.index') or gfile.Glob(checkpoint_prefix))


@deprecated(None, 'Use standard file APIs to check for files with this prefix.')
def checkpoint_exists(checkpoint_prefix: str) -> bool:
    """True when there is a checkpoint of either format."""
    return exists(checkpoint_prefix)


def mtimes(checkpoint_prefixes: Any) -> list[float]:
    """Returns when checkpoints were written, of those that there are."""
    found = []
    for prefix in checkpoint_prefixes:
        paths = gfile.Glob(prefix + '.index') or gfile.Glob(prefix)
        if paths:
            found.append(gfile.Stat(paths[0]).mtime_nsec / 1e9)
    return found


@deprecated(None, 'Use standard file utilities to get mtimes.')
def get_checkpoint_mtimes(checkpoint_prefixes: Any) -> list[float]:
    """Returns when checkpoints were written, of those that there are."""
    return mtimes(checkpoint_prefixes)


@deprecated(None, 'Use standard file APIs to delete files with this prefix.')
def remove_checkpoint(checkpoint_prefix: str, checkpoint_format_version: int = 2,
                      meta_graph_suffix: str = 'meta') -> None:
    """Removes the files of a checkpoint."""
    _remove(meta_graph_filename(checkpoint_prefix, meta_graph_suffix))
    if checkpoint_format_version == 2:
        # The index first: without it there is no checkpoint, and none that lacks data.
        _remove(checkpoint_prefix + '.index')
        _remove(checkpoint_prefix + '.data-?????-of-?????')
    else:
        _remove(checkpoint_prefix)


def _remove(pattern: str) -> None:
    for path in gfile.Glob(pattern):
        try:
            gfile.Remove(path)
        except errors.NotFoundError:
            logging.warning("Hit NotFoundError when deleting '%s', possibly because another process/thread is also "
                            'deleting/moving the same file', path)


def meta_graph_filename(checkpoint_filename: str, meta_graph_suffix: str = 'meta') -> str:
    """Returns where the graph of a checkpoint is kept."""
    return re.sub(r'-[\d\?]+-of-\d+$', '', checkpoint_filename) + '.' + meta_graph_suffix
