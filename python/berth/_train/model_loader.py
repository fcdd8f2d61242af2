"""model_loader - SavedModels read into a session: a graph by its tags, its variables, its tables."""

from __future__ import annotations

import os
from typing import Any, Optional

from berth._train import model_names as names
from berth._train import model_signatures as signatures
from berth._train import saver as savers
from berth.base import logging, naming, protos
from berth.framework import compat_text, scopes
from berth.modules import gfile


def _folder(export_dir: Any) -> str:
    return compat_text.as_str(compat_text.path_to_str(export_dir))


def contains_saved_model(export_dir: Any) -> bool:
    """Tells whether a folder has the file of a SavedModel."""
    return any(gfile.Exists(os.path.join(_folder(export_dir), name))
               for name in (names.SAVED_MODEL_FILENAME_PBTXT, names.SAVED_MODEL_FILENAME_PB))


maybe_saved_model_directory = contains_saved_model


def parse_saved_model(export_dir: Any) -> Any:
    """Returns the message in the file of a SavedModel, as bytes or as text."""
    from google.protobuf import text_format
    from google.protobuf.message import DecodeError

    path = os.path.join(_folder(export_dir), names.SAVED_MODEL_FILENAME_PB)
    text_path = os.path.join(_folder(export_dir), names.SAVED_MODEL_FILENAME_PBTXT)
    made = protos.SavedModel()
    try:
        if gfile.Exists(path):
            with gfile.GFile(path, 'rb') as file:
                made.ParseFromString(file.read())
            return made
        path = text_path
        if gfile.Exists(path):
            with gfile.GFile(path, 'rb') as file:
                text = file.read().decode()
            return text_format.Parse(text, made, descriptor_pool=made.DESCRIPTOR.file.pool)
    except (DecodeError, text_format.ParseError) as error:
        raise OSError(f'Cannot parse file {path.encode()}: {error}.') from error
    raise OSError(f'SavedModel file does not exist at: {export_dir}{os.path.sep}'
                  f'{{{names.SAVED_MODEL_FILENAME_PBTXT}|{names.SAVED_MODEL_FILENAME_PB}}}')


def _assets(folder: str, message: Any, scope: Optional[str]) -> dict[str, bytes]:
    """Returns the paths of the files that a graph reads, by the names of the tensors that are to have them."""
    noted = list(message.asset_file_def)
    if not noted and names.ASSETS_KEY in message.collection_def:
        for each in message.collection_def[names.ASSETS_KEY].any_list.value:
            noted.append(protos.AssetFileDef.FromString(each.value))
    found = {}
    for each in noted:
        name = f'{scope}/{each.tensor_info.name}' if scope else each.tensor_info.name
        found[name] = os.path.join(folder, names.ASSETS_DIRECTORY, each.filename).encode()
    return found


def _collected(message: Any, key: str) -> Any:
    """Returns the one operation of a collection, or None."""
    if key not in message.collection_def:
        return None
    values = message.collection_def[key].node_list.value
    if len(values) != 1:
        raise RuntimeError(f'Expected exactly one SavedModel init op. Found {len(values)}: {values}.')
    return scopes.get_collection(key)[0]


def _init_op(message: Any, scope: Optional[str]) -> Any:
    """Returns what is to be run once the variables are there, or None."""
    if names.INIT_OP_SIGNATURE_KEY in message.signature_def:
        return signatures.load_op_from_signature_def(message.signature_def[names.INIT_OP_SIGNATURE_KEY],
                                                     names.INIT_OP_SIGNATURE_KEY, scope)
    found = _collected(message, names.MAIN_OP_KEY)
    return found if found is not None else _collected(message, names.LEGACY_INIT_OP_KEY)


@naming.public('saved_model.loader_impl')
class SavedModelLoader:
    """Reads a SavedModel, step by step."""

    def __init__(self, export_dir: Any) -> None:
        self._export_dir = export_dir
        self._variables_path = os.path.join(_folder(export_dir), names.VARIABLES_DIRECTORY, names.VARIABLES_FILENAME)
        self._saved_model = parse_saved_model(export_dir)

    export_dir = property(lambda self: self._export_dir, doc='The folder.')
    variables_path = property(lambda self: self._variables_path.encode(), doc='The path of the checkpoint.')
    saved_model = property(lambda self: self._saved_model, doc='The message.')

    def get_meta_graph_def_from_tags(self, tags: Any) -> Any:
        """Returns the graph that has these tags and no others."""
        available = []
        for message in self._saved_model.meta_graphs:
            available.append(set(message.meta_info_def.tags))
            if available[-1] == set(tags):
                return message
        raise RuntimeError(
            f"MetaGraphDef associated with tags {str(tags).strip('[]')} could not be found in SavedModel, with "
            f"available tags '{available}'. To inspect available tag-sets in the SavedModel, please use the SavedModel "
            'CLI: `saved_model_cli`.')

    def load_graph(self, graph: Any, tags: Any, import_scope: Optional[str] = None, **saver_kwargs: Any) -> Any:
        """Adds a graph to another one; returns what restores its variables, and the elements that were asked for."""
        message = self.get_meta_graph_def_from_tags(tags)
        with graph.as_default():
            return savers.import_meta_graph(message, import_scope=import_scope, **saver_kwargs), None

    def restore_variables(self, sess: Any, saver: Any, import_scope: Optional[str] = None) -> None:
        """Gives the variables their values."""
        with sess.graph.as_default():
            if saver is None and not savers._all_saveable(import_scope):
                logging.info('The specified SavedModel has no variables; no checkpoints were restored.')
            elif isinstance(saver, savers.Saver):
                saver.restore(sess, self._variables_path)
            else:
                raise ValueError('No tf.train.Saver object was passed to the function '
                                 '`SavedModelLoader.restore_variables`. Since there are variables in the graph, a saver '
                                 'is required.')

    def run_init_ops(self, sess: Any, tags: Any, import_scope: Optional[str] = None) -> None:
        """Runs what the graph has for this moment: most times, tables are filled."""
        message = self.get_meta_graph_def_from_tags(tags)
        with sess.graph.as_default():
            op = _init_op(message, import_scope)
            if op is not None:
                sess.run([op], feed_dict=_assets(_folder(self._export_dir), message, import_scope))

    def load(self, sess: Any, tags: Any, import_scope: Optional[str] = None, **saver_kwargs: Any) -> Any:
        """Does all of it, and returns the message of the graph."""
        with sess.graph.as_default():
            saver, _ = self.load_graph(sess.graph, tags, import_scope, **saver_kwargs)
            self.restore_variables(sess, saver, import_scope)
            self.run_init_ops(sess, tags, import_scope)
        return self.get_meta_graph_def_from_tags(tags)


def load(sess: Any, tags: Any, export_dir: Any, import_scope: Optional[str] = None, **saver_kwargs: Any) -> Any:
    """Reads the graph with these tags into the graph of a session, and gives its variables their values."""
    return SavedModelLoader(export_dir).load(sess, tags, import_scope, **saver_kwargs)
