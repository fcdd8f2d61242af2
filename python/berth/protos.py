"""protos - ConfigProto, GraphDef and the other messages of TensorFlow, as protobuf classes.

They are made from the .proto files of `src/wire`, which are compiled to one set of
descriptors (`_protos.pb`) when the package is built. The pool they are in is Berth's own,
so that a real TensorFlow in the same process keeps its messages of the same names.
"""

from __future__ import annotations

import os
from typing import Any

_FILE = os.path.join(os.path.dirname(__file__), '_protos.pb')
_PACKAGE, _PUBLIC_PACKAGE = 'berth.wire', 'tensorflow'

_classes: dict[str, Any] = {}


def _mark_maps(message: Any) -> None:
    """Makes maps of what the .proto files write as repeated entries."""
    for nested in message.nested_type:
        _mark_maps(nested)
        if nested.name.endswith('Entry') and [f.name for f in nested.field] == ['key', 'value']:
            nested.options.map_entry = True


def _rename(message: Any) -> None:
    """Moves references to other messages into TensorFlow's package."""
    for field in message.field:
        if field.type_name.startswith('.' + _PACKAGE):
            field.type_name = f'.{_PUBLIC_PACKAGE}{field.type_name[len(_PACKAGE) + 1:]}'
    for nested in message.nested_type:
        _rename(nested)


def _ordered(files: Any) -> list[Any]:
    """Returns the files with those that others import first."""
    waiting = list(files)
    ordered: list[Any] = []
    seen: set[str] = set()
    while waiting:
        ready = [file for file in waiting if seen.issuperset(file.dependency)]
        if not ready:
            raise ImportError(f'{_FILE} lacks a file that others import; build Berth again')
        ordered += ready
        seen.update(file.name for file in ready)
        waiting = [file for file in waiting if file.name not in seen]
    return ordered


def _load() -> None:
    """Reads the descriptors and makes a class of each message."""
    from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
    from google.protobuf.internal import enum_type_wrapper

    with open(_FILE, 'rb') as file:
        files = descriptor_pb2.FileDescriptorSet.FromString(file.read())
    pool = descriptor_pool.DescriptorPool()
    found: dict[str, Any] = {}
    for proto in _ordered(files.file):
        proto.package = _PUBLIC_PACKAGE
        for message in proto.message_type:
            _mark_maps(message)
            _rename(message)
        pool.AddSerializedFile(proto.SerializeToString())
    for proto in files.file:
        for message in proto.message_type:
            descriptor = pool.FindMessageTypeByName(f'{_PUBLIC_PACKAGE}.{message.name}')
            found[message.name] = message_factory.GetMessageClass(descriptor)
        for enum in proto.enum_type:
            descriptor = pool.FindEnumTypeByName(f'{_PUBLIC_PACKAGE}.{enum.name}')
            found[enum.name] = enum_type_wrapper.EnumTypeWrapper(descriptor)
            found.update((value.name, value.number) for value in enum.value)
    _classes.update(found)


def __getattr__(name: str) -> Any:
    """Returns the class of a message, loading all of them the first time."""
    if name.startswith('__'):
        raise AttributeError(f'module {__name__!r} has no attribute {name!r}')
    if not _classes:
        _load()
    try:
        return _classes[name]
    except KeyError:
        raise AttributeError(f'module {__name__!r} has no attribute {name!r}') from None


def __dir__() -> list[str]:
    """Lists the messages."""
    if not _classes:
        _load()
    return sorted(_classes)


def to_bytes(message: Any, kind: str) -> bytes:
    """Serialises |message|, any object with SerializeToString; TypeError for others."""
    if message is None:
        return b''
    if not hasattr(message, 'SerializeToString'):
        raise TypeError(f'Argument `{kind.lower()}` must be a tf.{kind}, but got '
                        f'"{type(message)}"')
    return message.SerializeToString()
