"""saving - Datasets in files: save() and load() in TensorFlow's format, snapshots in Berth's own.

A saved dataset is a folder: records of the tensors of elements, one after the other
(`RUN/00000000.shard/00000000.snapshot`), `snapshot.metadata`, and what elements are (`dataset_spec.pb`).
"""

from __future__ import annotations

import os
import random
import time
from typing import Any, Iterator

from berth._data import making, structure, wire
from berth.base import protos
from berth.eager.spec import TensorSpec
from berth.framework import dtypes, errors, scopes
from berth.framework.tensor_shape import TensorShape
from berth.modules import tf_record
from berth.ops import array_ops, io_ops

_SPEC, _METADATA = 'dataset_spec.pb', 'snapshot.metadata'
_AT_ONCE = 1024  # Records that are taken together.


# ---- Messages ----


def _number(field: int, value: int) -> bytes:
    return wire.varint(field << 3) + wire.varint(value)


def _bytes(field: int, value: bytes) -> bytes:
    return wire.varint(field << 3 | 2) + wire.varint(len(value)) + value


def _fields(data: bytes) -> Iterator[tuple[int, Any]]:
    """Yields the numbers of fields, and their values."""
    place = 0

    def varint() -> int:
        nonlocal place
        value = shift = 0
        while True:
            byte = data[place]
            place += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while place < len(data):
        key = varint()
        if key & 7 == 0:
            yield key >> 3, varint()
        elif key & 7 == 2:
            size = varint()
            yield key >> 3, data[place:place + size]
            place += size
        else:
            raise errors.DataLossError(None, None, 'A message of a saved dataset has a field of another kind.')


# Fields of StructuredValue and what is in it.
_TENSOR, _TUPLE, _DICT = 33, 52, 53


def _encoded(spec: Any) -> bytes:
    """Returns what elements are as a StructuredValue."""
    if isinstance(spec, TensorSpec):
        shape = spec.shape.as_proto().SerializeToString()
        return _bytes(_TENSOR, _bytes(2, shape) + _number(3, spec.dtype.as_datatype_enum))
    if isinstance(spec, dict):
        pairs = [_bytes(1, _bytes(1, key.encode()) + _bytes(2, _encoded(spec[key]))) for key in spec]
        return _bytes(_DICT, b''.join(pairs))
    if type(spec) is tuple:
        return _bytes(_TUPLE, b''.join(_bytes(1, _encoded(item)) for item in spec))
    raise NotImplementedError(f'tf.data.Dataset.save: Berth saves tensors in tuples and dicts, and no {spec}.')


def _decoded(data: bytes) -> Any:
    """Returns what a StructuredValue says."""
    for field, value in _fields(data):
        if field == _TENSOR:
            parts = dict(_fields(value))
            return TensorSpec(TensorShape(protos.TensorShapeProto.FromString(parts.get(2, b''))),
                              dtypes.as_dtype(parts[3]))
        if field == _TUPLE:
            return tuple(_decoded(item) for number, item in _fields(value) if number == 1)
        if field == _DICT:
            pairs = [dict(_fields(item)) for number, item in _fields(value) if number == 1]
            return {pair[1].decode(): _decoded(pair[2]) for pair in pairs}
        raise NotImplementedError('tf.data.Dataset.load: Berth reads datasets of tensors in tuples and dicts; give '
                                  'element_spec for others.')
    return ()


# ---- Writing ----


def _checked(compression: Any) -> str:
    if compression in (None, ''):
        return ''
    if compression == 'GZIP':
        return compression
    raise NotImplementedError(f'Berth saves datasets as they are or with GZIP, and not with {compression}.')


def save(dataset: Any, path: Any, compression: Any, shard_func: Any, checkpoint_args: Any) -> None:
    """Writes all elements of a dataset."""
    if shard_func is not None or checkpoint_args is not None:
        raise NotImplementedError('tf.data.Dataset.save: Berth writes one shard, and no checkpoints meanwhile.')
    if not scopes.executing_eagerly():
        raise NotImplementedError('tf.data.Dataset.save: Berth saves datasets where ops run at once.')
    path, spec, kind = os.fspath(path), dataset.element_spec, _checked(compression)
    message = _encoded(spec)
    run = str(random.getrandbits(64))
    folder = os.path.join(path, run, '00000000.shard')
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(path, _SPEC), 'wb') as file:
        file.write(message)
    count = _write(dataset, os.path.join(folder, '00000000.snapshot'), kind)
    types = b''.join(wire.varint(each.as_datatype_enum) for each in structure.types(spec))
    metadata = (_bytes(2, run.encode()) + _number(3, int(time.time() * 1e6)) + _number(4, 2) + _bytes(5, types)
                + _number(6, count) + _number(1000, 1))
    with open(os.path.join(path, _METADATA), 'wb') as file:
        file.write(metadata)


def _write(dataset: Any, path: str, compression: str) -> int:
    """Writes the tensors of elements; returns how many elements there were."""
    spec = dataset.element_spec

    def records(*element: Any) -> Any:
        value = element if type(spec) is tuple else element[0]
        return array_ops.stack([io_ops.serialize_tensor(part) for part in structure.to_tensors(spec, value)])

    written = 0
    with tf_record.TFRecordWriter(path, compression or None) as writer:
        for batch in dataset.map(records).unbatch().batch(_AT_ONCE).as_numpy_iterator():
            for record in batch.tolist():
                writer.write(record)
            written += len(batch)
    return written // max(1, len(structure.types(spec)))


# ---- Reading ----


def load(path: Any, spec: Any, compression: Any, reader_func: Any) -> Any:
    """Makes the dataset that was saved in a folder."""
    from berth._data import files

    path = os.fspath(path)
    try:
        with open(os.path.join(path, _METADATA), 'rb') as file:
            metadata = dict(_fields(file.read()))
        if spec is None:
            with open(os.path.join(path, _SPEC), 'rb') as file:
                spec = _decoded(file.read())
    except FileNotFoundError as error:
        raise errors.NotFoundError(None, None, f'Could not find metadata file [{error.filename}]') from None
    kind, run = _checked(compression), os.path.join(path, metadata[2].decode())
    names = [os.path.join(run, shard, name) for shard in sorted(os.listdir(run))
             for name in sorted(os.listdir(os.path.join(run, shard)))]

    def parsed(records: Any) -> Any:
        tensors = []
        for i, part in enumerate(structure.tensor_specs(spec)):
            tensor = io_ops.parse_tensor(records[i], part.dtype)
            tensor.set_shape(part.shape)
            tensors.append(tensor)
        return structure.from_tensors(spec, tensors)

    def read(name: Any) -> Any:
        records = files.TFRecordDatasetV2(name, compression_type=kind)
        return records.batch(len(structure.types(spec)), drop_remainder=True).map(parsed)

    shards = making._classes['v2'].from_tensor_slices(names)
    if reader_func is not None:
        return reader_func(shards.map(read))
    return shards.flat_map(read)


def snapshot(dataset: Any, path: Any, compression: str, reader_func: Any, shard_func: Any) -> Any:
    """Keeps the elements in a file of a folder, in Berth's own format."""
    if reader_func is not None or shard_func is not None:
        raise NotImplementedError('tf.data.Dataset.snapshot: Berth has one shard; leave reader_func and shard_func out.')
    if compression not in ('AUTO', 'GZIP', 'SNAPPY', None, ''):
        raise ValueError(f'Unsupported compression: {compression}')
    path = os.fspath(path)
    os.makedirs(path, exist_ok=True)
    return dataset.cache(os.path.join(path, 'elements'))
