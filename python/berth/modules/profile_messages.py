"""profile_messages - The messages of TF1's tf.profiler: what a profile found, and what a program adds to it."""

from __future__ import annotations

from typing import Any

from berth.base import protos

# What is counted of a node, and of it with all below it as total_*: the numbers of both fields in GraphNodeProto, and
# in MultiGraphNodeProto.
STATISTICS = {
    'run_count': (21, 22, 0, 0), 'exec_micros': (2, 6, 2, 6), 'accelerator_exec_micros': (17, 19, 12, 14),
    'cpu_exec_micros': (18, 20, 13, 15), 'requested_bytes': (3, 7, 3, 7), 'peak_bytes': (24, 27, 16, 19),
    'residual_bytes': (25, 28, 17, 20), 'output_bytes': (26, 29, 18, 21), 'parameters': (4, 8, 4, 8),
    'float_ops': (13, 14, 5, 9),
}
# Fields of each message as "name:type=number"; "*" is a list, "key>" a map, a capital the message that it is.
_MESSAGES = {
    'TensorShapeProto': '*dim:TensorShapeProto.Dim=2 unknown_rank:bool=3',
    'TensorShapeProto.Dim': 'size:int64=1 name:string=2',
    'GraphNodeProto': 'name:string=1 *devices:string=10 total_definition_count:int64=23 *shapes:TensorShapeProto=11 '
                      'int32>input_shapes:TensorShapeProto=16 *children:GraphNodeProto=12',
    'MultiGraphNodeProto': 'name:string=1 *graph_nodes:GraphNodeProto=10 *children:MultiGraphNodeProto=11',
    'AdviceProto': 'string>checkers:AdviceProto.Checker=1',
    'AdviceProto.Checker': '*reports:string=2',
    'CodeDef': '*traces:CodeDef.Trace=1',
    'CodeDef.Trace': 'file:string=1 file_id:int64=6 lineno:int32=2 function:string=3 function_id:int64=7 line:string=4 '
                     'line_id:int64=8 func_start_line:int32=5',
    'OpLogEntry': 'name:string=1 float_ops:int64=2 *types:string=3 code_def:CodeDef=4',
    'OpLogProto': '*log_entries:OpLogEntry=1 int64>id_to_string:string=2',
}
_classes: dict[str, Any] = {}


def __getattr__(name: str) -> Any:
    if name not in _MESSAGES:
        raise AttributeError(f'module {__name__!r} has no attribute {name!r}')
    if not _classes:
        _classes.update(_make())
    return _classes[name]


def _make() -> dict[str, Any]:
    """Returns the classes of messages."""
    from google.protobuf import descriptor_pb2

    package = 'tensorflow.tfprof'
    file = descriptor_pb2.FileDescriptorProto(name='berth/profile.proto', package=package, syntax='proto3')
    made: dict[str, Any] = {}
    for name, fields in _MESSAGES.items():
        outer, _, inner = name.rpartition('.')
        made[name] = made[outer].nested_type.add(name=inner) if outer else file.message_type.add(name=name)
        for text in fields.split():
            _add_field(made[name], text, f'.{package}.')
    for place, name in enumerate(('GraphNodeProto', 'MultiGraphNodeProto')):
        for statistic, numbers in STATISTICS.items():
            for prefix, number in zip(('', 'total_'), numbers[2 * place:]):
                if number:
                    _add_field(made[name], f'{prefix}{statistic}:int64={number}', '')
    return protos.classes_of(file, [name for name in _MESSAGES if '.' not in name])


def _add_field(message: Any, text: str, package: str) -> None:
    """Adds a field; one that is a map is a list of messages with a key and a value."""
    name, _, rest = text.partition(':')
    kind, _, number = rest.partition('=')
    key, is_map, name = name.rpartition('>')
    field = message.field.add(name=name.lstrip('*'), number=int(number))
    field.label = field.LABEL_REPEATED if is_map or name.startswith('*') else field.LABEL_OPTIONAL
    if is_map:
        entry = message.nested_type.add(name=''.join(part.title() for part in name.split('_')) + 'Entry')
        entry.options.map_entry = True
        _add_field(entry, f'key:{key}=1', package)
        _add_field(entry, f'value:{kind}=2', package)
        kind = f'{message.name}.{entry.name}'
    if kind[0].isupper():
        field.type, field.type_name = field.TYPE_MESSAGE, package + kind
    else:
        field.type = getattr(field, f'TYPE_{kind.upper()}')
