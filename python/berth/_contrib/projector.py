"""projector.py - tf.contrib.tensorboard.plugins.projector: the embeddings that TensorBoard shows, in a file."""

from __future__ import annotations

import os
from typing import Any

from berth.base import protos

# Fields of each message, in the order of their numbers; "*" is a list, a capital the message that it is.
_MESSAGES = {
    'SpriteMetadata': 'image_path *single_image_dim',
    'EmbeddingInfo': 'tensor_name metadata_path bookmarks_path *tensor_shape sprite:SpriteMetadata tensor_path',
    'ProjectorConfig': 'model_checkpoint_path *embeddings:EmbeddingInfo model_checkpoint_dir',
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

    file = descriptor_pb2.FileDescriptorProto(name='projector_config.proto', package='tensorflow', syntax='proto3')
    for message, fields in _MESSAGES.items():
        made = file.message_type.add(name=message)
        for number, field in enumerate(fields.split(), 1):
            _add_field(made, field, number)
    return protos.classes_of(file, _MESSAGES)


def _add_field(message: Any, text: str, number: int) -> None:
    name, _, kind = text.lstrip('*').partition(':')
    field = message.field.add(name=name, number=number)
    field.label = field.LABEL_REPEATED if text.startswith('*') else field.LABEL_OPTIONAL
    if kind:
        field.type, field.type_name = field.TYPE_MESSAGE, f'.tensorflow.{kind}'
    else:
        field.type = field.TYPE_UINT32 if text.startswith('*') else field.TYPE_STRING


def visualize_embeddings(summary_writer: Any, config: Any) -> None:
    """Writes what TensorBoard is to show into the folder of the events; it may be named instead of its writer."""
    from google.protobuf import text_format

    folder = summary_writer if isinstance(summary_writer, (str, os.PathLike)) else summary_writer.get_logdir()
    if folder is None:
        raise ValueError('Summary writer must have a logdir')
    with open(os.path.join(os.fspath(folder), 'projector_config.pbtxt'), 'w', encoding='utf-8') as file:
        file.write(text_format.MessageToString(config))
