"""model_builder - SavedModels written: graphs with their signatures, their variables and the files they read."""

from __future__ import annotations

import os
from typing import Any

from berth._train import model_names as names
from berth._train import model_signatures as signatures
from berth._train.saver import Saver, _all_saveable
from berth.base import logging, naming, protos
from berth.framework import compat_text, dtypes, scopes
from berth.framework.collections import GraphKeys
from berth.framework.node import Operation, Tensor
from berth.modules import gfile
from berth.ops import lookup_ops, order_ops
from berth.variables import sets

# ---- Files that a graph reads ----


def _asset_path(tensor: Any) -> bytes:
    """Returns the path that a constant is."""
    if not isinstance(tensor, Tensor):
        raise TypeError(f'Asset path tensor {tensor} must be a Tensor.')
    if tensor.op.type != 'Const':
        raise TypeError(f'Asset path tensor {tensor} must be of type constant.Has type {tensor.op.type} instead.')
    if tensor.dtype != dtypes.string:
        raise TypeError(f'Asset path tensor {tensor}` must be of dtype string.Has type {tensor.dtype} instead.')
    values = tensor.op.get_attr('value').string_val
    if len(values) != 1:
        raise TypeError(f'Asset path tensor {tensor} must be a scalar.')
    if not values[0]:
        raise ValueError(f'Asset filepath tensor {tensor} in is invalid.')
    return values[0]


def _read(path: bytes) -> bytes:
    with gfile.GFile(compat_text.as_str(path), 'rb') as file:
        return file.read()


def _asset_name(path: bytes, taken: dict[bytes, bytes]) -> bytes:
    """Returns the name that a file has beside the others: its own, with a number where another one has it."""
    own = name = os.path.basename(path)
    number = 1
    while name in taken and taken[name] != path and _read(taken[own]) != _read(path):
        name = own + b'_%d' % number
        number += 1
    return name


# ---- The model ----


@naming.public('saved_model.builder_impl')
class SavedModelBuilder:
    """Writes a SavedModel: the first graph with the variables, then others."""

    def __init__(self, export_dir: Any) -> None:
        self._saved_model = protos.SavedModel(saved_model_schema_version=names.SAVED_MODEL_SCHEMA_VERSION)
        self._export_dir = compat_text.as_str(compat_text.path_to_str(export_dir))
        if not gfile.Exists(self._export_dir):
            gfile.MakeDirs(self._export_dir)
        elif gfile.ListDirectory(self._export_dir):
            raise AssertionError(f"Export directory {export_dir} already exists, and isn't empty. Please choose a "
                                 'different export directory, or delete all the contents of the specified directory.')
        self._has_saved_variables = False
        self._copied: set[str] = set()

    # ---- Checks ----

    def _check_info(self, info: Any) -> None:
        if info is None:
            raise AssertionError('All TensorInfo protos used in the SignatureDefs must have the name and dtype fields '
                                 'set.')
        if info.WhichOneof('encoding') is None:
            raise AssertionError(f'Invalid `tensor_info`: {info}. All TensorInfo protos used in the SignatureDefs must '
                                 "have one of the 'encoding' fields (e.g., name or coo_sparse) set.")
        if info.dtype == 0:
            raise AssertionError(f'Invalid `tensor_info`: {info}. All TensorInfo protos used in the SignatureDefs must '
                                 'have the dtype field set.')

    def _check_signatures(self, signature_def_map: Any) -> None:
        for signature in signature_def_map.values():
            for info in (*signature.inputs.values(), *signature.outputs.values()):
                self._check_info(info)
        for key, what in ((names.INIT_OP_SIGNATURE_KEY, 'initialization'), (names.TRAIN_OP_SIGNATURE_KEY, 'the train op')):
            if key in signature_def_map:
                raise KeyError(f'SignatureDef map key "{key}" is reserved for {what}. Please use a different key.')

    # ---- Parts ----

    def _add_assets(self, assets: Any) -> None:
        """Copies the files that constants name, and notes them in a collection."""
        if assets is None:
            logging.info('No assets to save.')
        found: dict[bytes, bytes] = {}
        for tensor in assets or ():
            path = _asset_path(tensor)
            name = _asset_name(path, found)
            found[name] = path
            noted = protos.Any()
            noted.Pack(protos.AssetFileDef(filename=name.decode(), tensor_info=protos.TensorInfo(name=tensor.name)))
            scopes.add_to_collection(names.ASSETS_KEY, noted)
        if assets is not None:
            logging.info('Assets added to graph.')
        if not found:
            logging.info('No assets to write.')
            return
        self._copy_assets(found)

    def _copy_assets(self, found: dict[bytes, bytes]) -> None:
        folder = os.path.join(self._export_dir, names.ASSETS_DIRECTORY)
        gfile.MakeDirs(folder)
        for name, path in found.items():
            source, target = compat_text.as_str(path), os.path.join(folder, compat_text.as_str(name))
            if gfile.Exists(source) and source != target and target not in self._copied:
                gfile.Copy(source, target, overwrite=True)
                self._copied.add(target)
        logging.info('Assets written to: %s', folder)

    def _add_main_op(self, main_op: Any) -> None:
        if main_op is None:
            return
        if not isinstance(main_op, Operation):
            raise TypeError(f'Expected {main_op} to be an Operation but got type {type(main_op)} instead.')
        for key in (names.MAIN_OP_KEY, names.LEGACY_INIT_OP_KEY):
            if scopes.get_collection(key):
                raise ValueError(f'Graph already contains one or more main ops under the collection {key}.')
        scopes.add_to_collection(names.MAIN_OP_KEY, main_op)

    def _add_graph(self, saver: Any, tags: Any, signature_def_map: Any, clear_devices: bool,
                   strip_default_attrs: bool) -> None:
        message = saver.export_meta_graph(clear_devices=clear_devices, strip_default_attrs=strip_default_attrs)
        message.meta_info_def.tags.extend(tags)
        for key, signature in signature_def_map.items():
            message.signature_def[key].CopyFrom(signature)
        self._saved_model.meta_graphs.add().CopyFrom(message)

    def _saver(self, saver: Any) -> Any:
        return saver or Saver(_all_saveable(), sharded=True, write_version=2, allow_empty=True)

    # ---- For programs ----

    def add_meta_graph(self, tags: Any, signature_def_map: Any = None, assets_collection: Any = None,
                       legacy_init_op: Any = None, clear_devices: bool = False, main_op: Any = None,
                       strip_default_attrs: bool = False, saver: Any = None) -> None:
        """Adds the default graph, which has the variables that are saved already."""
        if not self._has_saved_variables:
            raise AssertionError('Graph state including variables and assets has not been saved yet. Please invoke '
                                 '`add_meta_graph_and_variables()` first.')
        signature_def_map = signature_def_map or {}
        self._check_signatures(signature_def_map)
        self._add_assets(assets_collection)
        self._add_main_op(main_op if main_op is not None else legacy_init_op)
        self._add_graph(self._saver(saver), tags, signature_def_map, clear_devices, strip_default_attrs)

    def add_meta_graph_and_variables(self, sess: Any, tags: Any, signature_def_map: Any = None,
                                     assets_collection: Any = None, legacy_init_op: Any = None,
                                     clear_devices: bool = False, main_op: Any = None,
                                     strip_default_attrs: bool = False, saver: Any = None) -> None:
        """Saves the variables of a session, and adds the default graph."""
        if self._has_saved_variables:
            raise AssertionError('Graph state including variables and assets has already been saved. Please invoke '
                                 '`add_meta_graph()` instead.')
        signature_def_map = signature_def_map or {}
        self._check_signatures(signature_def_map)
        self._add_assets(assets_collection)
        self._add_main_op(main_op or legacy_init_op)
        folder = os.path.join(self._export_dir, names.VARIABLES_DIRECTORY)
        gfile.MakeDirs(folder)
        saver = self._saver(saver)
        saver.save(sess, os.path.join(folder, names.VARIABLES_FILENAME), write_meta_graph=False, write_state=False)
        self._add_graph(saver, tags, signature_def_map, clear_devices, strip_default_attrs)
        self._has_saved_variables = True

    def save(self, as_text: bool = False, experimental_image_format: bool = False,
             experimental_image_writer_options: Any = None) -> bytes:
        """Writes the file with all graphs, and returns its path."""
        if experimental_image_format and not as_text:
            raise RuntimeError('No proto_splitter is provided, cannot use experimental_image_format.')
        if not gfile.Exists(self._export_dir):
            gfile.MakeDirs(self._export_dir)
        name = names.SAVED_MODEL_FILENAME_PBTXT if as_text else names.SAVED_MODEL_FILENAME_PB
        path = os.path.join(self._export_dir, name)
        with gfile.GFile(path, 'wb') as file:
            file.write(str(self._saved_model).encode() if as_text
                       else self._saved_model.SerializeToString(deterministic=True))
        logging.info('SavedModel written to: %s', path)
        return path.encode()


def simple_save(session: Any, export_dir: Any, inputs: Any, outputs: Any, legacy_init_op: Any = None) -> None:
    """Writes the default graph for servers, with one signature."""
    signature = signatures.predict_signature_def(inputs, outputs)
    builder = SavedModelBuilder(export_dir)
    builder.add_meta_graph_and_variables(
        session, tags=[names.SERVING], signature_def_map={names.DEFAULT_SERVING_SIGNATURE_DEF_KEY: signature},
        assets_collection=scopes.get_collection(GraphKeys.ASSET_FILEPATHS), main_op=legacy_init_op, clear_devices=True)
    builder.save()


# ---- What is run when a model is loaded ----


def main_op() -> Any:
    """Returns an operation that initialises all variables and tables."""
    return order_ops.group(sets.global_variables_initializer(), sets.local_variables_initializer(),
                           lookup_ops.tables_initializer())


def main_op_with_restore(restore_op_name: Any) -> Any:
    """Returns the same, followed by another operation."""
    with scopes.control_dependencies([main_op()]):
        return order_ops.group(restore_op_name)

