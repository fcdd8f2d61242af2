"""checkpoint_reader - What is in a checkpoint: names, types, shapes and values."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from typing import Any, Callable

from berth import _core as core
from berth._train import checkpoint_state
from berth.base import logging, naming, protos
from berth.framework import compat_text, dtypes, errors
from berth.modules import gfile


@naming.public('training.py_checkpoint_reader')
class CheckpointReader:
    """Reads the tensors of a checkpoint."""

    def __init__(self, filename: str) -> None:
        self._path, self._checkpoint = filename, core.Checkpoint(filename)
        self._tensors = {name: (dtypes.as_dtype(dtype), list(shape)) for name, dtype, shape in self._checkpoint.list()}

    def get_variable_to_shape_map(self) -> dict[str, list[int]]:
        """Returns the shapes, by name."""
        return {name: list(shape) for name, (_, shape) in self._tensors.items()}

    def get_variable_to_dtype_map(self) -> dict[str, Any]:
        """Returns the types, by name."""
        return {name: dtype for name, (dtype, _) in self._tensors.items()}

    def has_tensor(self, tensor_str: Any) -> bool:
        """True when there is such a tensor."""
        return compat_text.as_str(tensor_str) in self._tensors

    def get_tensor(self, tensor_str: Any) -> Any:
        """Returns the value of a tensor."""
        name = compat_text.as_str(tensor_str)
        if name not in self._tensors:
            raise errors.NotFoundError(None, None, f'Key {name} not found in checkpoint')
        return self._checkpoint.read(name).numpy()

    def debug_string(self) -> bytes:
        """Returns all names, types and shapes as a text."""
        return ''.join(f'{name} ({protos.DataType.Name(dtype.as_datatype_enum)}) [{",".join(map(str, shape))}]\n'
                       for name, (dtype, shape) in sorted(self._tensors.items())).encode()


def NewCheckpointReader(filepattern: Any) -> CheckpointReader:
    """Opens a checkpoint."""
    return CheckpointReader(compat_text.as_str(compat_text.path_to_str(filepattern)))


def load_checkpoint(ckpt_dir_or_file: Any) -> CheckpointReader:
    """Opens a checkpoint, or the last one of a folder."""
    filename = _checkpoint_path(ckpt_dir_or_file)
    if filename is None:
        raise ValueError("Couldn't find 'checkpoint' file or checkpoints in given directory "
                         f'{ckpt_dir_or_file}')
    return NewCheckpointReader(filename)


def _checkpoint_path(ckpt_dir_or_file: Any) -> str | None:
    path = os.fspath(ckpt_dir_or_file) if isinstance(ckpt_dir_or_file, os.PathLike) else ckpt_dir_or_file
    return checkpoint_state.latest_checkpoint(path) if gfile.IsDirectory(path) else path


def load_variable(ckpt_dir_or_file: Any, name: str) -> Any:
    """Returns the value of a variable in a checkpoint."""
    name = name[:-2] if name.endswith(':0') else name
    return load_checkpoint(ckpt_dir_or_file).get_tensor(name)


def list_variables(ckpt_dir_or_file: Any) -> list[tuple[str, list[int]]]:
    """Returns names and shapes of all variables of a checkpoint."""
    shapes = load_checkpoint(ckpt_dir_or_file).get_variable_to_shape_map()
    return [(name, shapes[name]) for name in sorted(shapes)]


def _wait(checkpoint_dir: Any, last: Any, seconds_to_sleep: float, timeout: float | None) -> Any:
    logging.info('Waiting for new checkpoint at %s', checkpoint_dir)
    stop = None if timeout is None else time.time() + timeout
    while True:
        path = checkpoint_state.latest_checkpoint(checkpoint_dir)
        if path is not None and path != last:
            logging.info('Found new checkpoint at %s', path)
            return path
        if stop is not None and time.time() + seconds_to_sleep > stop:
            return None
        time.sleep(seconds_to_sleep)


def checkpoints_iterator(checkpoint_dir: Any, min_interval_secs: float = 0, timeout: float | None = None,
                         timeout_fn: Callable[[], bool] | None = None) -> Iterator[str]:
    """Yields each new checkpoint of a folder, waiting for the next one."""
    path = None
    while True:
        new = _wait(checkpoint_dir, path, 1.0, timeout)
        if new is None:
            if not timeout_fn or timeout_fn():
                return
            logging.info('Timed-out waiting for a checkpoint.')
            continue
        start = time.time()
        path = new
        yield path
        left = start + min_interval_secs - time.time()
        if left > 0:
            time.sleep(left)
