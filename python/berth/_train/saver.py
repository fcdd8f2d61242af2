"""saver - tf.train.Saver: variables to checkpoints and back."""

from __future__ import annotations

import os
import time
from typing import Any

from berth._train import checkpoint_state, meta_graph
from berth._train import global_step as steps
from berth._train.saver_builder import VERSION_2, BulkSaverBuilder
from berth.base import logging, naming, protos
from berth.client.session import BaseSession
from berth.framework import compat_text, errors, scopes
from berth.framework.collections import GraphKeys
from berth.modules import gfile

_EAGER = ('Saver is deprecated, please switch to tf.train.Checkpoint or tf.keras.Model.save_weights for training '
          'checkpoints. When executing eagerly variables do not necessarily have unique names, and so the '
          'variable.name-based lookups Saver performs are error-prone.')


def _all_saveable(scope: str | None = None) -> list[Any]:
    return scopes.get_collection(GraphKeys.GLOBAL_VARIABLES, scope) + \
        scopes.get_collection(GraphKeys.SAVEABLE_OBJECTS, scope)


@naming.public('training.saver')
class Saver:
    """Saves variables and restores them, and keeps the last few checkpoints."""

    def __init__(self, var_list: Any = None, reshape: bool = False, sharded: bool = False, max_to_keep: int | None = 5,
                 keep_checkpoint_every_n_hours: float = 10000.0, name: str | None = None,
                 restore_sequentially: bool = False, saver_def: Any = None, builder: Any = None,
                 defer_build: bool = False, allow_empty: bool = False, write_version: int = VERSION_2,
                 pad_step_number: bool = False, save_relative_paths: bool = False,
                 filename: str | None = None) -> None:
        if defer_build and var_list:
            raise ValueError('If `var_list` is provided then build cannot be deferred. Either set defer_build=False or '
                             'var_list=None.')
        if scopes.executing_eagerly():
            logging.warning(_EAGER)
            if var_list is None:
                raise RuntimeError('When eager execution is enabled, `var_list` must specify a list or dict of '
                                   'variables to save')
        self._var_list, self._reshape, self._sharded = var_list, reshape, sharded
        self._max_to_keep, self._keep_hours = max_to_keep, keep_checkpoint_every_n_hours
        self._name, self._sequentially = name, restore_sequentially
        self.saver_def, self._builder, self._filename = saver_def, builder, filename
        self._allow_empty, self._write_version = allow_empty, write_version
        self._pad_step_number, self._save_relative_paths = pad_step_number, save_relative_paths
        self._is_built = False
        self._is_empty = None
        self._last_checkpoints: list[tuple[str, float]] = []
        self._surplus: list[tuple[str, float]] = []
        if scopes.executing_eagerly():
            self._next_kept = time.time() + keep_checkpoint_every_n_hours * 3600
        elif not defer_build:
            self.build()
        if self.saver_def:
            self._check_saver_def()
            self._write_version = self.saver_def.version

    # ---- Nodes ----

    def build(self) -> None:
        """Adds the nodes to the graph, once."""
        if scopes.executing_eagerly():
            raise RuntimeError('Use save/restore instead of build in eager mode.')
        self._build(self._filename, True, True)

    def _build(self, path: Any, saves: bool, restores: bool) -> None:
        eagerly = scopes.executing_eagerly()
        if self._is_built and not eagerly:
            return
        self._is_built = True
        if not self.saver_def or eagerly:
            if not self._make_nodes(path, saves, restores):
                return
        elif self._name:
            for field in ('filename_tensor_name', 'save_tensor_name', 'restore_op_name'):
                setattr(self.saver_def, field, meta_graph.with_scope(getattr(self.saver_def, field), self._name))
        self._check_saver_def()
        if not eagerly:
            self._next_kept = time.time() + self.saver_def.keep_checkpoint_every_n_hours * 3600

    def _make_nodes(self, path: Any, saves: bool, restores: bool) -> bool:
        """Lets the builder do it; False when there is nothing to save."""
        self._builder = self._builder or BulkSaverBuilder(self._write_version)
        if self._var_list is None:
            self._var_list = _all_saveable()
        if not self._var_list:
            if not self._allow_empty:
                raise ValueError('No variables to save')
            self._is_empty = True
            return False
        self._is_empty = False
        self.saver_def = self._builder._build_internal(
            self._var_list, reshape=self._reshape, sharded=self._sharded, max_to_keep=self._max_to_keep,
            keep_checkpoint_every_n_hours=self._keep_hours, name=self._name, restore_sequentially=self._sequentially,
            filename=path, build_save=saves, build_restore=restores)
        return True

    def _check_saver_def(self) -> None:
        if not isinstance(self.saver_def, protos.SaverDef):
            raise ValueError(f'saver_def must be a saver_pb2.SaverDef: {self.saver_def}')
        if scopes.executing_eagerly():
            return
        for field in ('save_tensor_name', 'restore_op_name'):
            if not getattr(self.saver_def, field):
                raise ValueError(f'saver_def must specify the {field}: {self.saver_def}')

    def as_saver_def(self) -> Any:
        """Returns the names of the nodes, and what is kept, as a message."""
        return self.saver_def

    def to_proto(self, export_scope: str | None = None) -> Any:
        """The same, without a scope of names; None when it is not in that scope."""
        if export_scope is None:
            return self.saver_def
        names = ('filename_tensor_name', 'save_tensor_name', 'restore_op_name')
        if not all(getattr(self.saver_def, name).startswith(export_scope) for name in names):
            return None
        made = protos.SaverDef()
        made.CopyFrom(self.saver_def)
        for name in names:
            setattr(made, name, meta_graph.without_scope(getattr(made, name), export_scope))
        return made

    @staticmethod
    def from_proto(saver_def: Any, import_scope: str | None = None) -> Saver:
        """Makes one for nodes that are there."""
        return Saver(saver_def=saver_def, name=import_scope)

    # ---- What is kept ----

    @property
    def last_checkpoints(self) -> list[str]:
        """The checkpoints that have been kept, the oldest first."""
        return [path for path, _ in self._last_checkpoints]

    def set_last_checkpoints(self, last_checkpoints: list[str]) -> None:
        """Says which checkpoints there are; they are never removed for their age."""
        assert isinstance(last_checkpoints, list)
        self._last_checkpoints = [(path, float('inf')) for path in last_checkpoints]

    def set_last_checkpoints_with_time(self, last_checkpoints_with_time: list[tuple[str, float]]) -> None:
        """Says which checkpoints there are, and when they were written."""
        assert isinstance(last_checkpoints_with_time, list)
        self._last_checkpoints = last_checkpoints_with_time

    def recover_last_checkpoints(self, checkpoint_paths: Any) -> None:
        """Takes the checkpoints of another run as its own, those that are still there."""
        found = []
        for path in checkpoint_paths:
            try:
                times = checkpoint_state.mtimes([path])
            except errors.NotFoundError:  # Somebody else is removing it.
                continue
            found.extend((path, when) for when in times[:1])
        self.set_last_checkpoints_with_time(found)

    def _record(self, path: str) -> None:
        """Notes a new checkpoint, and which one there is no more room for."""
        if not self.saver_def.max_to_keep:
            return
        self._last_checkpoints = [each for each in self._last_checkpoints if each[0] != path]
        self._last_checkpoints.append((path, time.time()))
        if len(self._last_checkpoints) > self.saver_def.max_to_keep:
            self._surplus.append(self._last_checkpoints.pop(0))

    def _remove_surplus(self, suffix: str) -> None:
        """Removes a checkpoint that is too much, unless it is one of those that are kept for good."""
        if not self._surplus:
            return
        path, when = self._surplus.pop(0)
        if when > self._next_kept:
            self._next_kept += self.saver_def.keep_checkpoint_every_n_hours * 3600
            return
        try:
            checkpoint_state.remove_checkpoint(path, self.saver_def.version, suffix)
        except Exception as error:  # noqa: BLE001  pylint: disable=broad-except
            logging.warning('Ignoring: %s', str(error))

    # ---- Saving ----

    def save(self, sess: Any, save_path: Any, global_step: Any = None, latest_filename: str | None = None,
             meta_graph_suffix: str = 'meta', write_meta_graph: bool = True, write_state: bool = True,
             strip_default_attrs: bool = False, save_debug_info: bool = False) -> str | None:
        """Writes a checkpoint, the state of its folder and the graph; returns its path."""
        eagerly = scopes.executing_eagerly()
        if not self._is_built and not eagerly:
            raise RuntimeError('`build()` should be called before save if defer_build==True')
        latest_filename = latest_filename or 'checkpoint'
        self._warn_of_old_format()
        if os.path.split(latest_filename)[0]:
            raise ValueError("'latest_filename' must not contain path components")
        save_path = compat_text.as_str(compat_text.path_to_str(save_path))
        path = self._numbered(sess, save_path, global_step, latest_filename)
        if not eagerly and not isinstance(sess, BaseSession):
            raise TypeError(f"'sess' must be a Session; {sess}")
        written = None if self._is_empty else self._write(sess, save_path, path, latest_filename, write_state,
                                                          meta_graph_suffix)
        if write_meta_graph and not eagerly:
            with sess.graph.as_default():
                self.export_meta_graph(checkpoint_state.meta_graph_filename(path, meta_graph_suffix),
                                       strip_default_attrs=strip_default_attrs, save_debug_info=save_debug_info)
        return written

    def _warn_of_old_format(self) -> None:
        if self._write_version == VERSION_2:
            return
        for text in ('*******************************************************',
                     "TensorFlow's V1 checkpoint format has been deprecated.",
                     'Consider switching to the more efficient V2 format:',
                     '   `tf.train.Saver(write_version=tf.train.SaverDef.V2)`', 'now on by default.',
                     '*******************************************************'):
            logging.warning(text)

    def _numbered(self, sess: Any, save_path: str, global_step: Any, latest_filename: str) -> str:
        """Returns the path with the number of the step, if there is one."""
        if global_step is not None:
            step = int(global_step) if _is_integer(global_step) else steps.global_step(sess, global_step)
            return f'{save_path}-{step:08d}' if self._pad_step_number else f'{save_path}-{step}'
        if os.path.basename(save_path) == latest_filename and not self._sharded:
            raise ValueError(f"'latest_filename' collides with 'save_path': '{latest_filename}' and '{save_path}'")
        return save_path

    def _write(self, sess: Any, save_path: str, path: str, latest_filename: str, write_state: bool,
               suffix: str) -> str:
        """Writes the checkpoint, then the state; then removes what is too much."""
        folder = os.path.dirname(save_path)
        try:
            if scopes.executing_eagerly():
                self._build(path, True, False)
                written = self.saver_def.save_tensor_name
            else:
                written = sess.run(self.saver_def.save_tensor_name, {self.saver_def.filename_tensor_name: path})
            written = compat_text.as_str(written)
            if write_state:
                self._record(written)
                checkpoint_state.update_state(folder, written, self.last_checkpoints, latest_filename,
                                              self._save_relative_paths)
                self._remove_surplus(suffix)
        except (errors.FailedPreconditionError, errors.NotFoundError) as error:
            if not gfile.IsDirectory(folder):
                raise ValueError(f"Parent directory of {save_path} doesn't exist, can't save.") from error
            raise
        return written

    def export_meta_graph(self, filename: str | None = None, collection_list: Any = None, as_text: bool = False,
                          export_scope: str | None = None, clear_devices: bool = False,
                          clear_extraneous_savers: bool = False, strip_default_attrs: bool = False,
                          save_debug_info: bool = False) -> Any:
        """Writes the graph with its collections and the nodes of the saver."""
        return meta_graph.export_meta_graph(
            filename=filename, graph_def=scopes.get_default_graph().as_graph_def(add_shapes=True),
            saver_def=self.saver_def, collection_list=collection_list, as_text=as_text, export_scope=export_scope,
            clear_devices=clear_devices, clear_extraneous_savers=clear_extraneous_savers,
            strip_default_attrs=strip_default_attrs)

    # ---- Restoring ----

    def restore(self, sess: Any, save_path: Any) -> None:
        """Gives the variables the values of a checkpoint."""
        if self._is_empty:
            return
        if save_path is None:
            raise ValueError("Can't load save_path when it is None.")
        prefix = compat_text.as_text(compat_text.path_to_str(save_path))
        if not checkpoint_state.exists(prefix):
            raise ValueError('The passed save_path is not a valid checkpoint: ' + prefix)
        logging.info('Restoring parameters from %s', prefix)
        try:
            if scopes.executing_eagerly():
                self._build(prefix, False, True)
            else:
                sess.run(self.saver_def.restore_op_name, {self.saver_def.filename_tensor_name: prefix})
        except errors.NotFoundError as error:
            raise _explained(error, 'a Variable name or other graph key that is missing') from None
        except errors.InvalidArgumentError as error:
            raise _explained(error, 'a mismatch between the current graph and the graph') from None


def _is_integer(value: Any) -> bool:
    import numbers

    return isinstance(value, numbers.Integral) or type(value).__module__ == 'numpy' and value.dtype.kind in 'iu' \
        and value.ndim == 0


def _explained(error: Any, cause: str) -> Any:
    """Returns |error| with what it mostly means."""
    text = (f'Restoring from checkpoint failed. This is most likely due to {cause} from the checkpoint. Please ensure '
            'that you have not altered the graph expected based on the checkpoint. Original error:\n\n'
            f'{error.message}')
    return type(error)(error.node_def, error.op, text)


def import_meta_graph(meta_graph_or_file: Any, clear_devices: bool = False, import_scope: str | None = None,
                      **kwargs: Any) -> Saver | None:
    """Adds a graph with its collections to this one; returns what saves its variables."""
    if scopes.executing_eagerly():
        raise RuntimeError(meta_graph.GRAPHS_ONLY)
    message = meta_graph.read(meta_graph_or_file)
    variables = meta_graph.add_scoped(message, clear_devices, import_scope, **kwargs)
    if message.HasField('saver_def'):
        scope = import_scope
        if variables:  # The scope may have got another name.
            name, variable = next(iter(variables.items()))
            scope = variable.name[:-len(name)]
        return Saver(saver_def=message.saver_def, name=scope)
    if _all_saveable(import_scope):
        return Saver()
    logging.info('Saver not created because there are no variables in the graph to restore')
    return None


meta_graph.register(GraphKeys.SAVERS, 'SaverDef', Saver.to_proto, Saver.from_proto)
