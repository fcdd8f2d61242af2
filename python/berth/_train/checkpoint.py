"""checkpoint - tf.train.Checkpoint: objects and their variables in checkpoints."""

from __future__ import annotations

import contextlib
import os
import time
from typing import Any

from berth._train import checkpoint_state, objects, restoration
from berth._train.checkpoint_reader import NewCheckpointReader
from berth.base import naming
from berth.framework import compat_text, convert, dtypes, errors, gen, scopes
from berth.variables.graph_variable import Variable
from berth.framework.trackable import Trackable


@naming.public('checkpoint.checkpoint_options')
class CheckpointOptions:
    """How checkpoints are written; nothing of it changes what Berth does."""

    def __init__(self, experimental_io_device: Any = None, experimental_enable_async_checkpoint: bool = False,
                 experimental_write_callbacks: Any = None, enable_async: bool = False,
                 experimental_skip_slot_variables: bool = False, experimental_sharding_callback: Any = None) -> None:
        if experimental_enable_async_checkpoint or enable_async or experimental_sharding_callback is not None:
            raise NotImplementedError('tf.train.CheckpointOptions: Berth writes at once, into one file')
        self.experimental_io_device = experimental_io_device
        self.experimental_write_callbacks = experimental_write_callbacks
        self.experimental_skip_slot_variables = experimental_skip_slot_variables


def _not_trackable(name: str, value: Any) -> ValueError:
    return ValueError(f'`Checkpoint` was expecting {name} to be a trackable object (an object derived from `Trackable`), '
                      f'got {value}. If you believe this object should be trackable (i.e. it is part of the TensorFlow '
                      'Python API and manages state), please open an issue.')


@naming.public('checkpoint.checkpoint')
class Checkpoint(Trackable):
    """Saves the variables that objects hold, and restores them by where they are held."""

    def __init__(self, root: Any = None, **kwargs: Any) -> None:
        if root is not None and type(root).__module__ == 'builtins':  # Of TensorFlow's own, what has no state may be one.
            raise _not_trackable('root', root)
        for name, value in kwargs.items():
            if not objects._is_tracked(value) and not isinstance(value, (list, dict)):
                raise _not_trackable(name, value)
            if root is not None and hasattr(root, name) and getattr(root, name) is not value:
                raise ValueError(f'Cannot create a Checkpoint with keyword argument {name} if root.{name} already exists.')
        self._root, self._held = root, dict(kwargs)
        self._save_counter: Any = None
        self._count_op: Any = None
        self._save_ops: dict[Any, Any] = {}  # By graphs and the names of values.
        self.__dict__.update(kwargs)

    def __setattr__(self, name: str, value: Any) -> None:
        if not name.startswith('_'):
            self._held[name] = value
        object.__setattr__(self, name, value)
        for waiting in self.__dict__.get('_restorations', ()):
            waiting.again()

    def _checkpoint_children(self) -> dict[str, Any]:
        found = {} if self._root is None else dict(objects.children(self._root))
        found.update((name, value) for name, value in self._held.items() if objects._is_tracked(value))
        if self._save_counter is not None:
            found['save_counter'] = self._save_counter
        return found

    @property
    def save_counter(self) -> Any:
        """How often save() was called, as a variable."""
        if self._save_counter is None:
            self._save_counter = Variable(0, trainable=False, name='save_counter', dtype='int64')
        return self._save_counter

    def _counted(self, session: Any) -> int:
        """Counts one more, and returns how often save() was called."""
        is_new = self._save_counter is None
        counter = self.save_counter
        if restoration.value_is_eager(counter):
            counter.assign_add(1)
            return int(counter.numpy())
        if self._count_op is None:
            self._count_op = counter.assign_add(1, read_value=False)
        if is_new:
            session.run(counter.initializer)
        session.run(self._count_op)
        return int(session.run(counter))

    def write(self, file_prefix: Any, options: Any = None) -> str:
        """Writes a checkpoint; returns its path."""
        return self._write(compat_text.path_to_str(file_prefix), None)

    def _write(self, prefix: str, session: Any) -> str:
        with contextlib.suppress(OSError):  # Whoever writes says what is wrong.
            os.makedirs(os.path.dirname(prefix) or '.', exist_ok=True)
        nodes = objects.nodes_of(self)
        values = {key: value for node in nodes for key, value in node.saved().items()}
        names = [*values, objects.GRAPH_KEY]
        if scopes.executing_eagerly():
            write_nodes(prefix, nodes)
            return prefix
        key = (scopes.get_default_graph(), tuple(names))
        if key not in self._save_ops:
            path, graph = (gen.apply('Placeholder', None, {}, {'dtype': dtypes.string, 'shape': []}) for _ in range(2))
            made = _save(path, names, [*map(_read, values.values()), graph])
            self._save_ops[key] = made, path, graph
        made, path, graph = self._save_ops[key]
        _session(session).run(made, {path: prefix, graph: objects.message_of(nodes).SerializeToString()})
        return prefix

    def save(self, file_prefix: Any, options: Any = None) -> str:
        """Writes a numbered checkpoint, and notes it as the last of its folder."""
        return self._save(compat_text.path_to_str(file_prefix), None)

    def _save(self, prefix: str, session: Any) -> str:
        session = None if scopes.executing_eagerly() else _session(session)
        path = self._write(f'{prefix}-{self._counted(session)}', session)
        checkpoint_state.update_state(os.path.dirname(prefix), path, [path], save_relative_paths=True)
        return path

    def read(self, save_path: Any, options: Any = None) -> Any:
        """Gives variables the values of a checkpoint that write() made, those that come later as they come."""
        reader = NewCheckpointReader(compat_text.path_to_str(save_path))
        if not reader.has_tensor(objects.GRAPH_KEY):
            return restoration.NameBasedSaverStatus(self, reader)
        return restoration.CheckpointLoadStatus(restoration.Restoration(self, reader))

    def restore(self, save_path: Any, options: Any = None) -> Any:
        """The same for one that save() made; None restores nothing."""
        try:
            return self._restore(save_path, options)
        except errors.NotFoundError as error:
            raise errors.NotFoundError(
                None, None, f'Error when restoring from checkpoint or SavedModel at {compat_text.path_to_str(save_path)}: '
                f"{error.message}\nPlease double-check that the path is correct. You may be missing the checkpoint "
                "suffix (e.g. the '-1' in 'path/to/ckpt-1').") from None

    def _restore(self, save_path: Any, options: Any) -> Any:
        if save_path is None:
            return restoration.InitializationOnlyStatus(self)
        status = self.read(save_path, options)
        _ = self.save_counter  # It is restored, too.
        if isinstance(status, restoration.CheckpointLoadStatus):
            status._restoration.again()
        return status


def write_nodes(prefix: str, nodes: list[objects.Node]) -> None:
    """Writes what is saved of |nodes|, at once."""
    values = {key: value for node in nodes for key, value in node.saved().items()}
    message = convert.convert_to_tensor(objects.message_of(nodes).SerializeToString())
    _save(prefix, [*values, objects.GRAPH_KEY], [*map(_value_of, values.values()), message])


def _value_of(value: Any) -> Any:
    """Returns what is saved of a variable, or of what has a state."""
    if isinstance(value, Variable):
        return value.value()
    return value._checkpoint_state() if objects.has_state(value) else _told(value)


def _read(value: Any) -> Any:
    """Returns the node of the same."""
    if isinstance(value, Variable):
        return value.read_value()
    return value._checkpoint_state() if objects.has_state(value) else _told(value)


def _told(value: Any) -> Any:
    """Returns what an object has said that is saved of it, as a tensor."""
    return convert.convert_to_tensor(value() if callable(value) else value)


def _session(session: Any) -> Any:
    """Returns |session|, or the one that is the default."""
    from berth.client.session import Session

    return session or scopes.get_default_session() or Session()


def _save(prefix: Any, names: list[str], tensors: list[Any]) -> Any:
    return gen.apply('SaveV2', None, {'prefix': prefix, 'tensor_names': names, 'shape_and_slices': [''] * len(names),
                                      'tensors': tensors})


@naming.public('checkpoint.checkpoint', 'Checkpoint')
class CheckpointV1(Checkpoint):
    """The Checkpoint of TF1, whose objects all have names."""

    def __init__(self, **kwargs: Any) -> None:  # pylint: disable=useless-parent-delegation
        super().__init__(None, **kwargs)

    def restore(self, save_path: Any, options: Any = None) -> Any:
        """Gives variables the values of a checkpoint that save() made, those that come later as they come."""
        return self._restore(save_path, options)

    def write(self, file_prefix: Any, session: Any = None, options: Any = None) -> str:  # type: ignore[override]
        """Writes a checkpoint; returns its path."""
        return self._write(compat_text.path_to_str(file_prefix), session)

    def save(self, file_prefix: Any, session: Any = None, options: Any = None) -> str:  # type: ignore[override]
        """Writes a numbered checkpoint, and notes it as the last of its folder."""
        return self._save(compat_text.path_to_str(file_prefix), session)


@naming.public('checkpoint.checkpoint_management')
class CheckpointManager:
    """Saves numbered checkpoints of one tf.train.Checkpoint, and keeps the last few."""

    def __init__(self, checkpoint: Any, directory: Any, max_to_keep: int | None,
                 keep_checkpoint_every_n_hours: float | None = None, checkpoint_name: str = 'ckpt',
                 step_counter: Any = None, checkpoint_interval: int | None = None, init_fn: Any = None,
                 last_checkpoint_step: Any = None) -> None:
        if max_to_keep is not None and max_to_keep <= 0:
            raise ValueError(f'Expected a positive integer or `None` for `max_to_keep`, got {max_to_keep}.')
        if checkpoint_interval is not None and step_counter is None:
            raise ValueError('`step_counter` should be passed if `checkpoint_interval` is not None.')
        self._checkpoint, self._max_to_keep = checkpoint, max_to_keep
        self._keep_hours, self._init_fn = keep_checkpoint_every_n_hours, init_fn
        self.directory = os.fspath(directory)
        self._prefix = os.path.join(self.directory, checkpoint_name)
        self._step_counter, self._interval, self._last_step = step_counter, checkpoint_interval, last_checkpoint_step
        self._kept: dict[str, float] = {}
        self.latest_checkpoint: str | None = None
        self._preserved = time.time() - 1.0
        self._recover()

    checkpoint_interval = property(lambda self: self._interval, doc='Steps between two checkpoints, at least.')
    checkpoints = property(lambda self: list(self._kept), doc='The checkpoints that are kept, the oldest first.')

    def _recover(self) -> None:
        """Takes over what another manager has left in the folder."""
        state = checkpoint_state.get_checkpoint_state(self.directory)
        if state is None:
            return
        now = time.time()
        self.latest_checkpoint = state.model_checkpoint_path
        self._preserved = min(state.last_preserved_timestamp, now)
        times = list(state.all_model_checkpoint_timestamps) or [self._preserved] * len(state.all_model_checkpoint_paths)
        for path, when in zip(state.all_model_checkpoint_paths, times):
            if min(when, now) > self._preserved:
                self._kept[path] = min(when, now)

    def save(self, checkpoint_number: Any = None, check_interval: bool = True, options: Any = None) -> str | None:
        """Saves a checkpoint, unless it is too soon; returns its path."""
        if self._interval is not None and check_interval:
            step = self._now(self._step_counter)
            if self._last_step is not None and step < self._last_step + self._interval:
                return None
            self._last_step = step
        counted = self._checkpoint._counted(None if scopes.executing_eagerly() else _session(None))
        number = counted if checkpoint_number is None else self._now(checkpoint_number)
        path = self._checkpoint.write(f'{self._prefix}-{number}')
        self._kept.pop(path, None)
        self._kept[path] = time.time()
        self.latest_checkpoint = path
        self._note()
        self._sweep()
        self._note()
        return path

    def _now(self, number: Any) -> int:
        """Returns a number, or the value of a variable."""
        if isinstance(number, Variable) and not restoration.value_is_eager(number):
            return int(_session(None).run(number))
        return int(number)

    def _sweep(self) -> None:
        """Removes what is too much, but for one every few hours."""
        while self._max_to_keep and len(self._kept) > self._max_to_keep:
            path, when = next(iter(self._kept.items()))
            del self._kept[path]
            if self._keep_hours and when - self._keep_hours * 3600 >= self._preserved:
                self._preserved = when
                continue
            checkpoint_state._remove(path + '.index')
            checkpoint_state._remove(path + '.data-?????-of-?????')

    def _note(self) -> None:
        paths = list(self._kept)
        checkpoint_state.update_state(self.directory, self.latest_checkpoint or '', paths, save_relative_paths=True,
                                      all_model_checkpoint_timestamps=list(self._kept.values()),
                                      last_preserved_timestamp=self._preserved)

    def restore_or_initialize(self) -> str | None:
        """Restores the last checkpoint, or calls what was given for the case that there is none."""
        if self.latest_checkpoint is not None:
            self._checkpoint.restore(self.latest_checkpoint)
            return self.latest_checkpoint
        if self._init_fn is not None:
            self._init_fn()
        return None
