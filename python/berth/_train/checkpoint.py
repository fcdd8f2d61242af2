"""checkpoint - tf.train.Checkpoint: objects and their variables in checkpoints."""

from __future__ import annotations

import os
import time
from typing import Any

from berth._train import checkpoint_state, objects
from berth._train.checkpoint_reader import NewCheckpointReader
from berth.base import logging, naming, protos
from berth.framework import compat_text, gen, scopes
from berth.variables.graph_variable import Variable


def _check_eager(what: str) -> None:
    if not scopes.executing_eagerly():
        raise NotImplementedError(f'tf.train.Checkpoint.{what}: Berth has it where ops run at once; in graphs use '
                                  'tf.train.Saver')


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


class _Status:
    """What restoring has found: which objects have got values, and which have not."""

    def __init__(self, root: Any, message: Any, found: dict[int, Any]) -> None:
        self._root, self._message, self._found = root, message, found

    def _bound(self) -> set[int]:
        """The variables that have got values."""
        return {id(value) for number, value in self._found.items() if self._message.nodes[number].attributes}

    def _unbound(self) -> list[Any]:
        bound = self._bound()
        return [node.value for node in objects.nodes_of(self._root)
                if isinstance(node.value, Variable) and id(node.value) not in bound]

    def assert_consumed(self) -> _Status:
        """Raises unless all values of the checkpoint, and all variables, have found each other."""
        for number, node in enumerate(self._message.nodes):
            if node.attributes and number not in self._found:
                raise AssertionError(f'Unresolved object in checkpoint {_path(self._message, number)}: {node}')
        for value in self._unbound():
            raise AssertionError(f'Object not assigned a value from checkpoint: {value}')
        return self

    def assert_existing_objects_matched(self) -> _Status:
        """Raises unless all variables have got values."""
        unbound = self._unbound()
        if unbound:
            shown = [str(value) for value in unbound[:10]]
            raise AssertionError(f'Found {len(unbound)} Python objects that were not bound to checkpointed values, '
                                 f'likely due to changes in the Python program. Showing {len(shown)} of '
                                 f'{len(unbound)} unmatched objects: {shown}')
        return self

    def assert_nontrivial_match(self) -> _Status:
        """Raises unless something besides the root has been found."""
        if len(objects.nodes_of(self._root)) == 1:
            raise AssertionError(f'Nothing to load. No dependencies have been added to {self._root} yet.')
        if len(self._found) <= 1:
            raise AssertionError('Nothing except the root object matched a checkpointed value. Typically this means '
                                 'that the checkpoint does not match the Python program. The following objects have no '
                                 f'matching checkpointed value: {self._unbound()}')
        return self

    def expect_partial(self) -> _Status:
        """Says that it is well that values are left."""
        return self

    def initialize_or_restore(self, session: Any = None) -> None:
        """Does nothing: values are there at once."""

    def run_restore_ops(self, session: Any = None) -> None:
        """Does nothing: values are there at once."""


def _path(message: Any, wanted: int) -> str:
    """Returns how a node is reached, as messages say it."""
    paths = {0: '(root)'}
    for number, node in enumerate(message.nodes):
        for child in node.children:
            paths.setdefault(child.node_id, f'{paths.get(number, "(root)")}.{child.local_name}')
    return paths.get(wanted, '(root)')


@naming.public('checkpoint.checkpoint')
class Checkpoint:
    """Saves the variables that objects hold, and restores them by where they are held."""

    def __init__(self, root: Any = None, **kwargs: Any) -> None:
        for name, value in kwargs.items():
            if not objects._is_tracked(value) and not isinstance(value, (list, dict)):
                raise ValueError('`Checkpoint` was expecting ' + name + ' to be a trackable object (an object derived '
                                 f'from `Trackable`), got {value}. If you believe this object should be trackable '
                                 '(i.e. it is part of the TensorFlow Python API and manages state), please open an '
                                 'issue.')
        self._root, self._held = root, dict(kwargs)
        self._save_counter: Any = None
        self.__dict__.update(kwargs)

    def __setattr__(self, name: str, value: Any) -> None:
        if not name.startswith('_'):
            self._held[name] = value
        object.__setattr__(self, name, value)

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

    def write(self, file_prefix: Any, options: Any = None) -> str:
        """Writes a checkpoint; returns its path."""
        _check_eager('write')
        prefix = compat_text.path_to_str(file_prefix)
        nodes = objects.nodes_of(self)
        variables = [node for node in nodes if isinstance(node.value, Variable)]
        gen.apply('SaveV2', None, {
            'prefix': prefix, 'tensor_names': [node.key() for node in variables] + [objects.GRAPH_KEY],
            'shape_and_slices': [''] * (len(variables) + 1),
            'tensors': [node.value.value() for node in variables] + [_text(objects.message_of(nodes))]})
        return prefix

    def save(self, file_prefix: Any, options: Any = None) -> str:
        """Writes a numbered checkpoint, and notes it as the last of its folder."""
        _check_eager('save')
        prefix = compat_text.path_to_str(file_prefix)
        self.save_counter.assign_add(1)
        path = self.write(f'{prefix}-{int(self.save_counter.numpy())}')
        checkpoint_state.update_state(os.path.dirname(prefix), path, [path], save_relative_paths=True)
        return path

    def read(self, save_path: Any, options: Any = None) -> _Status:
        """Gives variables the values of a checkpoint that write() made."""
        _check_eager('read')
        path = compat_text.path_to_str(save_path)
        reader = NewCheckpointReader(path)
        if not reader.has_tensor(objects.GRAPH_KEY):
            raise NotImplementedError(f'tf.train.Checkpoint: {path} holds variables by name; Berth restores such by '
                                      'tf.compat.v1.train.Saver')
        message = protos.TrackableObjectGraph.FromString(reader.get_tensor(objects.GRAPH_KEY))
        found = objects.matched(self, message)
        for number, value in found.items():
            for attribute in message.nodes[number].attributes:
                if isinstance(value, Variable):
                    value.assign(reader.get_tensor(attribute.checkpoint_key))
        return _Status(self, message, found)

    def restore(self, save_path: Any, options: Any = None) -> _Status:
        """The same for one that save() made; None restores nothing."""
        if save_path is None:
            return _Status(self, protos.TrackableObjectGraph(), {})
        _ = self.save_counter  # It is restored, too.
        status = self.read(save_path, options)
        left = sum(bool(node.attributes) and number not in status._found
                   for number, node in enumerate(status._message.nodes))
        if left:
            logging.warning('%d values of %s belong to no variable that there is: Berth restores what has been made; '
                            'call restore() again when there is more.', left, save_path)
        return status


@naming.public('checkpoint.checkpoint', 'Checkpoint')
class CheckpointV1(Checkpoint):
    """The Checkpoint of TF1, whose objects all have names."""

    def __init__(self, **kwargs: Any) -> None:  # pylint: disable=useless-parent-delegation
        super().__init__(None, **kwargs)


def _text(message: Any) -> Any:
    from berth.framework import convert

    return convert.convert_to_tensor(message.SerializeToString())


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
        _check_eager('save')
        if self._interval is not None and check_interval:
            step = int(self._step_counter.numpy())
            if self._last_step is not None and step < self._last_step + self._interval:
                return None
            self._last_step = step
        counter = self._checkpoint.save_counter
        counter.assign_add(1)
        number = int(counter.numpy()) if checkpoint_number is None else int(checkpoint_number)
        path = self._checkpoint.write(f'{self._prefix}-{number}')
        self._kept.pop(path, None)
        self._kept[path] = time.time()
        self.latest_checkpoint = path
        self._note()
        self._sweep()
        self._note()
        return path

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
