"""meta_graph - Graphs in files with what belongs to them: collections, savers, the version."""

from __future__ import annotations

import re
from typing import Any, Callable

from berth._train.checkpoint_state import write_whole
from berth.base import logging, protos
from berth.framework import importer, schema, scopes, version
from berth.framework.collections import GraphKeys
from berth.framework.graph_members import attr_value
from berth.modules import gfile
from berth.modules.queue_runner import QueueRunner
from berth.variables.graph_variable import Variable

GRAPHS_ONLY = ('Exporting/importing meta graphs is not supported when eager execution is enabled. No graph exists when '
               'eager execution is enabled.')

# By the key of a collection: the message of its elements, and how they become one and are made of it.
_registered: dict[str, tuple[str, Callable[..., Any], Callable[..., Any]]] = {}


def register(key: str, message: str, to_proto: Callable[..., Any], from_proto: Callable[..., Any]) -> None:
    """Says that the elements of a collection are kept as messages."""
    _registered[key] = (message, to_proto, from_proto)


for _key in (GraphKeys.GLOBAL_VARIABLES, GraphKeys.TRAINABLE_VARIABLES, GraphKeys.MOVING_AVERAGE_VARIABLES,
             GraphKeys.LOCAL_VARIABLES, GraphKeys.MODEL_VARIABLES, GraphKeys.GLOBAL_STEP,
             GraphKeys.METRIC_VARIABLES):
    register(_key, 'VariableDef', lambda item, scope: item.to_proto(export_scope=scope), Variable.from_proto)
register(GraphKeys.QUEUE_RUNNERS, 'QueueRunnerDef', lambda item, scope: item.to_proto(export_scope=scope),
         QueueRunner.from_proto)


# ---- Names ----


def with_scope(name: str, scope: str | None) -> str:
    """Returns the name of a node inside a scope."""
    if not scope:
        return name
    scope = scope[:-1] if scope.endswith('/') else scope
    return re.sub(r'([\^]|loc:@|^)(.*)', rf'\1{scope}/\2', name, count=1)


def without_scope(name: str, scope: str | None) -> str:
    """Returns the name of a node as it is inside a scope."""
    if not scope:
        return name
    scope = scope[:-1] if scope.endswith('/') else scope
    return re.sub(rf'([\^]|loc:@|^){re.escape(scope)}[\/]+(.*)', r'\1\2', name, count=1)


# ---- To messages ----


def _kind(item: Any) -> str:
    """Returns the field of a CollectionDef that elements like |item| go to."""
    if isinstance(item, (str, bytes)):
        return 'bytes_list'
    if isinstance(item, protos.Any):
        return 'any_list'
    if isinstance(item, bool) or isinstance(item, int):
        return 'int64_list'
    return 'float_list' if isinstance(item, float) else 'node_list'


def _fill(definition: Any, key: str, items: Any, scope: str | None) -> None:
    if key in _registered:
        made = [_registered[key][1](item, scope) for item in items]
        definition.bytes_list.value.extend(each.SerializeToString() for each in made if each is not None)
        return
    kind = _kind(items[0])
    values = getattr(definition, kind).value
    for item in items:
        if kind == 'node_list':
            if not scope or item.name.startswith(scope):
                values.append(without_scope(item.name, scope))
        elif kind == 'any_list':
            values.add().CopyFrom(item)
        else:
            values.append(item.encode() if isinstance(item, str) else item)


def _add_collection(message: Any, graph: Any, key: Any, scope: str | None) -> None:
    items = graph.get_collection(key)
    if not isinstance(key, str) or not items:
        if not isinstance(key, str):
            logging.warning('Only collections with string type keys will be serialized. This key has %s', type(key))
        return
    definition = protos.CollectionDef()
    try:
        _fill(definition, key, items, scope)
    except Exception as error:  # noqa: BLE001  pylint: disable=broad-except
        logging.warning("Issue encountered when serializing %s.\nType is unsupported, or the types of the items don't "
                        'match field type in CollectionDef. Note this is a warning and probably safe to ignore.\n%s',
                        key, str(error))
        return
    message.collection_def[key].CopyFrom(definition)


def _in_scope(definition: Any, scope: str) -> Any:
    """Returns the nodes of a scope, under the names they have in it."""
    made = protos.GraphDef()
    made.versions.CopyFrom(definition.versions)
    made.library.CopyFrom(definition.library)
    prefix = scope if scope.endswith('/') else scope + '/'
    for node in definition.node:
        if not node.name.startswith(prefix):
            continue
        copy = made.node.add()
        copy.CopyFrom(node)
        copy.name = without_scope(node.name, scope)
        outside = [name for name in node.input if not name.lstrip('^').startswith(prefix)]
        if outside:
            raise ValueError(f'{node.name} in the scope {scope} has inputs from outside of it: {outside}')
        copy.input[:] = [without_scope(name, scope) for name in node.input]
        if '_class' in copy.attr:
            classes = copy.attr['_class'].list.s
            classes[:] = [without_scope(name.decode(), scope).encode() for name in classes]
    return made


def _strip_defaults(message: Any) -> None:
    """Leaves attributes out whose values are what older readers would take them for."""
    for node in [*message.graph_def.node, *(n for f in message.graph_def.library.function for n in f.node_def)]:
        known = schema.find(node.op)
        for attr in known.attrs.values() if known else ():
            if attr.has_default and attr.name in node.attr and attr_value(node.attr[attr.name]) == attr.default:
                del node.attr[attr.name]
    message.meta_info_def.stripped_default_attrs = True


def export_meta_graph(filename: str | None = None, meta_info_def: Any = None, graph_def: Any = None,
                      saver_def: Any = None, collection_list: Any = None, as_text: bool = False, graph: Any = None,
                      export_scope: str | None = None, clear_devices: bool = False,
                      clear_extraneous_savers: bool = False, strip_default_attrs: bool = False,
                      save_debug_info: bool = False, **kwargs: Any) -> Any:
    """Returns a graph as a MetaGraphDef, and writes it to a file."""
    if scopes.executing_eagerly() and not (graph_def is not None and graph is not None):
        raise RuntimeError(GRAPHS_ONLY)
    if save_debug_info:
        raise NotImplementedError('tf.train.export_meta_graph: Berth does not have save_debug_info yet')
    graph = graph or scopes.get_default_graph()
    message = protos.MetaGraphDef()
    if meta_info_def is not None:
        message.meta_info_def.CopyFrom(meta_info_def)
    message.meta_info_def.tensorflow_version = version.VERSION
    message.meta_info_def.tensorflow_git_version = version.GIT_VERSION
    definition = graph.as_graph_def(add_shapes=True) if graph_def is None else graph_def
    message.graph_def.MergeFrom(_in_scope(definition, export_scope) if export_scope else definition)
    if clear_devices:
        for node in message.graph_def.node:
            node.device = ''
    if strip_default_attrs:
        _strip_defaults(message)
    if saver_def is not None:
        message.saver_def.MergeFrom(saver_def)
    for key in graph.get_all_collection_keys() if collection_list is None else collection_list:
        if not (clear_extraneous_savers and key == GraphKeys.SAVERS):
            _add_collection(message, graph, key, export_scope)
    if filename is not None:
        write(message, filename, as_text)
    return message


def write(message: Any, filename: str, as_text: bool) -> None:
    """Writes a message, as bytes or as text."""
    from google.protobuf import text_format

    write_whole(filename, text_format.MessageToString(message).encode() if as_text
                else message.SerializeToString(deterministic=True))


# ---- From messages ----


def read(source: Any) -> Any:
    """Returns the MetaGraphDef that |source| is, or that the file has, as bytes or as text."""
    if hasattr(source, 'SerializeToString'):
        return source if isinstance(source, protos.MetaGraphDef) else \
            protos.MetaGraphDef.FromString(source.SerializeToString())
    from google.protobuf import text_format
    from google.protobuf.message import DecodeError

    if not gfile.Exists(source):
        raise OSError(f'File does not exist. Received: {source}.')
    with gfile.GFile(source, 'rb') as file:
        data = file.read()
    try:
        return protos.MetaGraphDef.FromString(data)
    except DecodeError:
        pass
    try:
        return text_format.Merge(data.decode(), protos.MetaGraphDef())
    except (text_format.ParseError, UnicodeDecodeError) as error:
        raise OSError(f'Cannot parse file {source}: {error}.') from error


def _values(key: str, definition: Any, graph: Any, scope: str | None) -> list[Any]:
    """Returns the elements of a collection."""
    kind = definition.WhichOneof('kind')
    if kind is None:
        logging.error('Cannot identify data type for collection %s. Skipping.', key)
        return []
    values = getattr(definition, kind).value
    if key in _registered and kind == 'bytes_list':
        message, _, from_proto = _registered[key]
        made = [getattr(protos, message).FromString(value) for value in values]
        return [from_proto(each, import_scope=scope) for each in made]
    if kind == 'node_list':
        return [graph.as_graph_element(with_scope(value, scope)) for value in values]
    if kind == 'int64_list':
        return [int(value) for value in values]
    if kind == 'bytes_list' and scope:
        return [with_scope(value.decode(), scope) for value in values]
    return list(values)


def add_scoped(message: Any, clear_devices: bool = False, import_scope: str | None = None,
               input_map: Any = None, **kwargs: Any) -> dict[str, Any]:
    """Adds the nodes and collections of |message|; returns its variables by their names in it."""
    graph = scopes.get_default_graph()
    definition = message.graph_def
    if clear_devices:
        definition = protos.GraphDef.FromString(definition.SerializeToString())
        for node in definition.node:
            node.device = ''
    scope = import_scope
    if scope:
        with scopes.name_scope(scope) as unique:
            scope = unique[:-1]
    importer.import_graph_def(definition, input_map=input_map, name=scope + '/' if scope else '')
    variables: dict[str, Any] = {}
    for key in sorted(message.collection_def):
        items = _values(key, message.collection_def[key], graph, scope)
        if key in (GraphKeys.GLOBAL_VARIABLES, GraphKeys.TRAINABLE_VARIABLES):
            items = [variables.setdefault(without_scope(item.name, scope), item) for item in items]
        for item in items:
            graph.add_to_collection(key, item)
    return {name: variable for name, variable in variables.items()}
