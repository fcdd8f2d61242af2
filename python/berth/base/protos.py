"""protos - ConfigProto, GraphDef and the other messages of TensorFlow, as protobuf classes.

They are made from the .proto files of `src/wire`, which are compiled to one set of
descriptors (`_protos.pb`) when the package is built. The pool they are in is Berth's own,
so that a real TensorFlow in the same process keeps its messages of the same names.
"""

from __future__ import annotations

import os
from _thread import RLock

from berth import _mode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any, Optional

_FILE = os.path.join(os.path.dirname(os.path.dirname(__file__)), '_protos.pb')
# As long as each other: no length in the descriptors changes with the name.
_PACKAGE, _PUBLIC_PACKAGE = b'berth.wire', b'tensorflow'

# The modules of TensorFlow's that messages are in, below tensorflow.core.
_MODULES = {
    'example.example': 'Example SequenceExample',
    'example.feature': 'BytesList Feature FeatureList FeatureLists Features FloatList Int64List',
    'framework.attr_value': 'AttrValue NameAttrList',
    'framework.device_attributes': 'DeviceAttributes DeviceLocality InterconnectLink LocalLinks',
    'framework.function': 'FunctionDef FunctionDefLibrary GradientDef',
    'framework.graph': 'GraphDef',
    'framework.node_def': 'NodeDef',
    'framework.op_def': 'OpDef OpDeprecation OpList',
    'framework.step_stats': 'AllocationRecord AllocatorMemoryUsed DeviceStepStats MemoryStats NodeExecStats NodeOutput '
                            'StepStats',
    'framework.summary': 'HistogramProto Summary SummaryDescription SummaryMetadata',
    'framework.tensor': 'TensorProto VariantTensorDataProto',
    'framework.tensor_shape': 'TensorShapeProto',
    'framework.tensor_slice': 'TensorSliceProto',
    'framework.variable': 'SaveSliceInfoDef VariableAggregation VariableDef VariableSynchronization',
    'framework.versions': 'VersionDef',
    'protobuf.cluster': 'ClusterDef JobDef',
    'protobuf.config': 'CallableOptions ConfigProto GPUOptions GraphOptions OptimizerOptions RunMetadata RunOptions '
                       'SessionMetadata TensorConnection ThreadPoolOptionProto',
    'protobuf.control_flow': 'CondContextDef ControlFlowContextDef ValuesDef WhileContextDef',
    'protobuf.meta_graph': 'AssetFileDef CollectionDef MetaGraphDef SignatureDef TensorInfo',
    'protobuf.queue_runner': 'QueueRunnerDef',
    'protobuf.tensorflow_server': 'ServerDef',
    'protobuf.rewriter_config': 'AutoParallelOptions RewriterConfig ScopedAllocatorOptions',
    'protobuf.saved_model': 'SavedModel',
    'protobuf.saved_object_graph': 'SavedObjectGraph',
    'protobuf.struct': 'StructuredValue',
    'protobuf.saver': 'SaverDef',
    'protobuf.tensor_bundle': 'BundleEntryProto BundleHeaderProto',
    'protobuf.trackable_object_graph': 'RegisteredSaver TrackableObjectGraph',
    'util.event': 'Event SessionLog SourceMetadata TaggedRunMetadata',
    'util.saved_tensor_slice': 'SavedSlice SavedSliceMeta SavedTensorSliceMeta SavedTensorSlices',
}

_lock = RLock()  # Guards all that follows: threads meet messages at the same time.
_descriptors: dict[str, Any] = {}
_values: dict[str, Any] = {}  # Enumerations and their values.
_classes: dict[str, Any] = {}  # Those that were asked for: protobuf alone would forget them.


def classes_of(file: Any, names: Iterable[str]) -> dict[str, Any]:
    """Returns the classes of messages that a FileDescriptorProto describes, in a pool of their own.

    TensorFlow or TensorBoard may have messages of the same names in this process.
    """
    from google.protobuf import descriptor_pool, message_factory

    pool = descriptor_pool.DescriptorPool()
    pool.Add(file) if hasattr(pool, 'Add') else pool.AddSerializedFile(file.SerializeToString())
    return {name: message_factory.GetMessageClass(pool.FindMessageTypeByName(f'{file.package}.{name}'))
            for name in names}


def _new_pool() -> Any:
    """Returns an empty pool of descriptors."""
    module = _c_module()
    if module is not None:
        return module.DescriptorPool()
    from google.protobuf import descriptor_pool

    return descriptor_pool.DescriptorPool()


def _c_module() -> Any:
    """Returns the part of protobuf that is in C, or None.

    The public modules around it load protobuf's messages in Python and its text format
    first, which takes three times as long as all that is needed here.
    """
    from google.protobuf.internal import api_implementation

    module = getattr(api_implementation, '_c_module', None)
    return module if hasattr(module, 'MessageMeta') else None


def _class_of(descriptor: Any) -> Any:
    """Returns the class of a message, made when it is first asked for."""
    if _c_module() is None:
        from google.protobuf import message_factory

        return message_factory.GetMessageClass(descriptor)
    from google.protobuf.message import Message
    from google.protobuf.pyext import cpp_message

    made = getattr(descriptor, '_concrete_class', None)
    if made is None:
        made = cpp_message.GeneratedProtocolMessageType(
            descriptor.name, (Message,), {'DESCRIPTOR': descriptor, '__module__': _module_of(descriptor)})
        for field in descriptor.fields:
            if field.message_type is not None:
                _class_of(field.message_type)
    return made


def _module_of(descriptor: Any) -> Optional[str]:
    """Returns the module of TensorFlow's that a message is in, where the program knows that name."""
    if not _mode.is_tensorflow():
        return None
    while descriptor.containing_type is not None:
        descriptor = descriptor.containing_type
    for module, names in _MODULES.items():
        if descriptor.name in names.split():
            return f'tensorflow.core.{module}_pb2'
    return None


def _files(data: bytes) -> Iterator[bytes]:
    """Splits a FileDescriptorSet into its files, those that others import first."""
    at = 0
    while at < len(data):
        size = shift = 0
        more = True
        while more:  # A length of seven bits a byte, behind the tag of the field.
            at += 1
            size |= (data[at] & 127) << shift
            shift += 7
            more = data[at] > 127
        at += 1 + size
        yield data[at - size:at]


def _load() -> None:
    """Reads the descriptors of all messages, once."""
    with _lock:
        if not _descriptors:
            _read()


def _read() -> None:
    from google.protobuf.internal import enum_type_wrapper

    with open(_FILE, 'rb') as file:
        data = file.read().replace(_PACKAGE, _PUBLIC_PACKAGE)
    pool = _new_pool()
    messages: dict[str, Any] = {}
    for part in _files(data):
        found = pool.AddSerializedFile(part)
        messages.update(found.message_types_by_name)
        for name, enum in found.enum_types_by_name.items():
            _values[name] = enum_type_wrapper.EnumTypeWrapper(enum)
            _values.update((value.name, value.number) for value in enum.values)
    _descriptors.update(messages)  # Last: that they are there says that all is.


def _message(name: str) -> Any:
    """Returns the class of a message; other threads get the same one."""
    with _lock:
        if name not in _classes:
            _classes[name] = _class_of(_descriptors[name])
        return _classes[name]


def __getattr__(name: str) -> Any:
    """Returns the class of a message, reading the descriptors the first time."""
    if not name.startswith('__'):
        if name in _classes:
            return _classes[name]
        if not _descriptors:
            _load()
        if name in _values:
            return _values[name]
        if name in _descriptors:
            return _message(name)
    raise AttributeError(f'module {__name__!r} has no attribute {name!r}')


def __dir__() -> list[str]:
    """Lists the messages."""
    if not _descriptors:
        _load()
    return sorted([*_descriptors, *_values])


def to_bytes(message: Any, kind: str) -> bytes:
    """Serialises |message|, any object with SerializeToString; TypeError for others."""
    if message is None:
        return b''
    if not hasattr(message, 'SerializeToString'):
        raise TypeError(f'Argument `{kind.lower()}` must be a tf.{kind}, but got '
                        f'"{type(message)}"')
    return message.SerializeToString()
