"""saver_builder - The nodes that a Saver adds to a graph."""

from __future__ import annotations

import os
from typing import Any

from berth._train import saveables as saving
from berth.base import naming, protos
from berth.framework import gen, scopes
from berth.framework.device_spec import DeviceSpecV2
from berth.ops import array_ops, order_ops, string_ops

VERSION_2 = 2


def _constant(value: Any, name: str | None = None) -> Any:
    from berth.framework import convert

    return convert.convert_to_tensor(value, name=name)


@naming.public('training.saver')
class BaseSaverBuilder:
    """Makes the nodes that save and restore; restores each variable by an operation of its own."""

    SaveSpec = saving.SaveSpec
    SaveableObject = saving.SaveableObject
    VariableSaveable = saving._ReferenceSaveable
    ResourceVariableSaveable = saving._ResourceSaveable

    def __init__(self, write_version: int = VERSION_2) -> None:
        self._write_version = write_version

    # ---- Saving ----

    def save_op(self, filename_tensor: Any, saveables: Any) -> Any:
        """Makes the operation that saves |saveables|."""
        specs = [spec for saveable in saveables for spec in saveable.specs]
        names, slices = [spec.name for spec in specs], [spec.slice_spec for spec in specs]
        tensors = [spec.tensor for spec in specs]
        if self._write_version == VERSION_2:
            return gen.apply('SaveV2', None, {'prefix': filename_tensor, 'tensor_names': names,
                                              'shape_and_slices': slices, 'tensors': tensors})
        if self._write_version != 1:
            raise RuntimeError(f'Unexpected write_version: {self._write_version}')
        return gen.apply('SaveSlices', 'save', {'filename': filename_tensor, 'tensor_names': names,
                                                'shapes_and_slices': slices, 'data': tensors})

    def _add_save(self, filename_tensor: Any, saveables: Any) -> Any:
        return order_ops.with_dependencies([self.save_op(filename_tensor, saveables)], filename_tensor)

    def sharded_filename(self, filename_tensor: Any, shard: int, num_shards: Any) -> Any:
        """Returns the name of one part of the files."""
        return gen.apply('ShardedFilename', None, {'basename': filename_tensor, 'shard': shard,
                                                   'num_shards': num_shards})

    def _add_sharded_save(self, prefix: Any, per_device: Any) -> Any:
        """Saves the variables of each device apart, and joins the parts."""
        if self._write_version != VERSION_2:
            return self._add_sharded_save_old(prefix, per_device)
        with scopes.device('CPU'):
            suffix = array_ops.where(string_ops.regex_full_match(prefix, '^s3://.*'), _constant('.part'),
                                     _constant(os.path.normpath('_temp/part')))
            parts = gen.apply('StringJoin', None, {'inputs': [prefix, suffix]})
        count = _constant(len(per_device), 'num_shards')
        saves, prefixes = [], []
        device = ''
        for shard, (device, saveables) in enumerate(per_device):
            with scopes.device(saving.on_cpu(device)):
                prefixes.append(self.sharded_filename(parts, shard, count))
                saves.append(self._add_save(prefixes[-1], saveables))
        with scopes.control_dependencies([save.op for save in saves]), scopes.device(saving.on_cpu(device)):
            merged = gen.apply('MergeV2Checkpoints', None, {'checkpoint_prefixes': prefixes,
                                                            'destination_prefix': prefix}, {'delete_old_dirs': True})
            with scopes.control_dependencies([merged]):
                return array_ops.identity(prefix)

    def _add_sharded_save_old(self, prefix: Any, per_device: Any) -> Any:
        count = _constant(len(per_device), 'num_shards')
        saves = []
        for shard, (device, saveables) in enumerate(per_device):
            with scopes.device(device):
                saves.append(self._add_save(self.sharded_filename(prefix, shard, count), saveables))
        with scopes.control_dependencies([save.op for save in saves]):
            return gen.apply('ShardedFilespec', None, {'basename': prefix, 'num_shards': count})

    # ---- Restoring ----

    def restore_op(self, filename_tensor: Any, saveable: Any, preferred_shard: int) -> list[Any]:
        """Makes what restores the tensors of one saveable."""
        return [gen.apply('RestoreV2', None, {
            'prefix': filename_tensor, 'tensor_names': [spec.name], 'shape_and_slices': [spec.slice_spec]},
            {'dtypes': [spec.dtype.base_dtype]})[0] for spec in saveable.specs]

    def bulk_restore(self, filename_tensor: Any, saveables: Any, preferred_shard: int,
                     restore_sequentially: bool) -> list[Any]:
        """Makes what restores all tensors of |saveables|."""
        tensors: list[Any] = []
        for saveable in saveables:
            with scopes.device(saving.on_cpu(saveable.device) if saveable.device else None):
                tensors.extend(self.restore_op(filename_tensor, saveable, preferred_shard))
        return tensors

    def _add_restore(self, filename_tensor: Any, saveables: Any, restore_sequentially: bool, reshape: bool,
                     preferred_shard: int = -1, name: str = 'restore_all') -> Any:
        tensors = self.bulk_restore(filename_tensor, saveables, preferred_shard, restore_sequentially)
        assigned, place = [], 0
        for saveable in saveables:
            count = len(saveable.specs)
            shapes = [_shape(spec.tensor) for spec in saveable.specs] if reshape else None
            assigned.append(saveable.restore(tensors[place:place + count], shapes))
            place += count
        return order_ops.group(*assigned, name=name)

    def _add_sharded_restore(self, filename_tensor: Any, per_device: Any, restore_sequentially: bool,
                             reshape: bool) -> Any:
        restored = []
        for shard, (device, saveables) in enumerate(per_device):
            with scopes.device(device):
                restored.append(self._add_restore(filename_tensor, saveables, restore_sequentially, reshape, shard,
                                                  'restore_shard'))
        return order_ops.group(*restored, name='restore_all')

    # ---- All of it ----

    def build(self, names_to_saveables: Any, reshape: bool = False, sharded: bool = False, max_to_keep: int | None = 5,
              keep_checkpoint_every_n_hours: float = 10000.0, name: str | None = None,
              restore_sequentially: bool = False, filename: str = 'model') -> Any:
        """Adds the nodes, and returns a SaverDef that names them."""
        return self._build_internal(names_to_saveables, reshape, sharded, max_to_keep, keep_checkpoint_every_n_hours,
                                    name, restore_sequentially, filename)

    def _build_internal(self, names_to_saveables: Any, reshape: bool = False, sharded: bool = False,
                        max_to_keep: int | None = 5, keep_checkpoint_every_n_hours: float = 10000.0,
                        name: str | None = None, restore_sequentially: bool = False, filename: Any = 'model',
                        build_save: bool = True, build_restore: bool = True) -> Any:
        """The same; where ops run at once, it saves or restores instead."""
        eagerly = scopes.executing_eagerly()
        if not eagerly and not (build_save and build_restore):
            raise ValueError('save and restore operations need to be built together  when eager execution is not '
                             'enabled.')
        if not isinstance(names_to_saveables, dict):
            names_to_saveables = saving.by_name(names_to_saveables)
        saveables = saving.checked(names_to_saveables)
        saved = restored = None
        with scopes.name_scope(name, 'save', [] if eagerly else [saveable.op for saveable in saveables]):
            path = array_ops.placeholder_with_default(filename or 'model', shape=(), name='filename')
            path = array_ops.placeholder_with_default(path, shape=(), name='Const')
            if sharded:
                groups = _by_device(saveables)
                saved = self._add_sharded_save(path, groups) if build_save else None
                restored = self._add_sharded_restore(path, groups, restore_sequentially, reshape) \
                    if build_restore else None
            else:
                saved = self._add_save(path, saveables) if build_save else None
                restored = self._add_restore(path, saveables, restore_sequentially, reshape) if build_restore else None
        return protos.SaverDef(
            filename_tensor_name=path.numpy() if eagerly else path.name,
            save_tensor_name=saved.name if not eagerly else '' if saved is None else saved.numpy(),
            restore_op_name='' if eagerly else restored.name, max_to_keep=max_to_keep or 0, sharded=sharded,
            keep_checkpoint_every_n_hours=keep_checkpoint_every_n_hours, version=self._write_version)


@naming.public('training.saver')
class BulkSaverBuilder(BaseSaverBuilder):
    """Restores all variables by one operation, on the CPU."""

    def bulk_restore(self, filename_tensor: Any, saveables: Any, preferred_shard: int,
                     restore_sequentially: bool) -> list[Any]:
        """Makes what restores all tensors of |saveables|."""
        specs = [spec for saveable in saveables for spec in saveable.specs]
        with scopes.device('cpu:0'):
            return gen.apply('RestoreV2', None, {
                'prefix': filename_tensor, 'tensor_names': [spec.name for spec in specs],
                'shape_and_slices': [spec.slice_spec for spec in specs]},
                {'dtypes': [spec.dtype.base_dtype for spec in specs]})


def _shape(value: Any) -> Any:
    return value.shape if value.shape.is_fully_defined() else array_ops.shape(value)


def _by_device(saveables: Any) -> list[tuple[str, list[Any]]]:
    """Returns saveables by the devices that they are on, in the order of their names."""
    groups: dict[str, list[Any]] = {}
    for saveable in saveables:
        devices = {DeviceSpecV2.from_string(spec.device or '').to_string() for spec in saveable.specs}
        if len(devices) != 1:
            raise ValueError(f'All tensors of a saveable object must be on the same device: {saveable.name}')
        groups.setdefault(devices.pop(), []).append(saveable)
    return sorted(groups.items(), key=lambda item: item[0])
