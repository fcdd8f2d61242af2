"""summary_ops - tf.summary of TF1: nodes that make summaries, collected in the graph."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from typing import Any, Optional

from berth._summary import bridge, plugins
from berth.base import logging, protos
from berth.framework import convert, dtypes, gen, scopes
from berth.framework.collections import GraphKeys
from berth.ops import v2_ops

_BAD = re.compile(r'[^-/\w\.]')


def _clean(name: Any) -> Any:
    """Returns |name| as tags may be; TensorFlow says where it differs."""
    if name is None:
        return None
    new = _BAD.sub('_', name).lstrip('/')
    if new != name:
        logging.info('Summary name %s is illegal; using %s instead.', name, new)
    return new


@contextlib.contextmanager
def summary_scope(name: str, family: Optional[str] = None, default_name: Optional[str] = None,
                  values: Any = None) -> Iterator[tuple[str, str]]:
    """A scope for one summary: gives its tag and the scope's name."""
    name, family = _clean(name), _clean(family)
    base = name if family is None else f'{family}/{name}'
    with scopes.name_scope(base, default_name, values) as scope:
        if family is None:
            tag = scope.rstrip('/')
        else:
            tag = f'{family}/{scope.rstrip("/")}'
        yield tag, scope


def _collect(value: Any, collections: Any, default: Any) -> None:
    for key in default if collections is None else collections:
        scopes.add_to_collection(key, value)


def _made(op: str, scope: str, inputs: dict[str, Any], attrs: dict[str, Any], collections: Any) -> Any:
    value = gen.apply(op, scope, inputs, attrs)
    _collect(value, collections, [GraphKeys.SUMMARIES])
    return value


def scalar(name: str, tensor: Any, collections: Any = None, family: Optional[str] = None) -> Any:
    """Makes a summary of one number."""
    with summary_scope(name, family, values=[tensor]) as (tag, scope):
        if bridge.is_open():
            return bridge.write(plugins.scalar, tag, data=tensor)
        return _made('ScalarSummary', scope, {'tags': tag, 'values': tensor}, {}, collections)


def histogram(name: str, values: Any, collections: Any = None, family: Optional[str] = None) -> Any:
    """Makes a summary of how numbers are spread."""
    with summary_scope(name, family, values=[values], default_name='HistogramSummary') as (tag, scope):
        if bridge.is_open():
            return bridge.write(plugins.histogram, tag, data=values)
        return _made('HistogramSummary', scope, {'tag': tag, 'values': values}, {}, collections)


def image(name: str, tensor: Any, max_outputs: int = 3, collections: Any = None, family: Optional[str] = None) -> Any:
    """Makes a summary of images."""
    with summary_scope(name, family, values=[tensor]) as (tag, scope):
        if bridge.is_open():
            return bridge.write(plugins.image, tag, data=tensor, max_outputs=max_outputs)
        return _made('ImageSummary', scope, {'tag': tag, 'tensor': tensor}, {'max_images': max_outputs}, collections)


def audio(name: str, tensor: Any, sample_rate: Any, max_outputs: int = 3, collections: Any = None,
          family: Optional[str] = None) -> Any:
    """Makes a summary of sound."""
    with summary_scope(name, family, values=[tensor]) as (tag, scope):
        if bridge.is_open():
            whole = v2_ops.expand_dims_v2(tensor, axis=2) if tensor.shape.rank == 2 else tensor
            return bridge.write(plugins.audio, tag, data=whole, sample_rate=sample_rate, max_outputs=max_outputs)
        rate = convert.convert_to_tensor(sample_rate, dtype=dtypes.float32, name='sample_rate')
        return _made('AudioSummaryV2', scope, {'tag': tag, 'tensor': tensor, 'sample_rate': rate},
                     {'max_outputs': max_outputs}, collections)


def tensor_summary(name: str, tensor: Any, summary_description: Optional[str] = None, collections: Any = None,
                   summary_metadata: Any = None, family: Optional[str] = None,
                   display_name: Optional[str] = None) -> Any:
    """Makes a summary of a tensor of any type, with what is said about it."""
    about = protos.SummaryMetadata() if summary_metadata is None else summary_metadata
    if summary_description is not None:
        about.summary_description = summary_description
    if display_name is not None:
        about.display_name = display_name
    with summary_scope(name, family, values=[tensor]) as (tag, scope):
        return _made('TensorSummaryV2', scope, {
            'tag': tag, 'tensor': tensor, 'serialized_summary_metadata': about.SerializeToString()}, {}, collections)


def text(name: str, tensor: Any, collections: Any = None) -> Any:
    """Makes a summary of texts."""
    if tensor.dtype != dtypes.string:
        raise ValueError(f'Expected tensor {tensor.name} to have dtype string, got {tensor.dtype}')
    if bridge.is_open():
        plugins.text(name, tensor, bridge.step())
        return convert.constant(b'')
    about = protos.SummaryMetadata()
    about.plugin_data.plugin_name = 'text'
    return tensor_summary(name, tensor, collections=collections, summary_metadata=about)


def merge(inputs: Any, collections: Any = None, name: Optional[str] = None) -> Any:
    """Makes one summary of several."""
    if scopes.executing_eagerly():
        raise RuntimeError('Merging tf.summary.* ops is not compatible with eager execution. Use tf.contrib.summary instead.')
    with scopes.name_scope(name, 'Merge', inputs):
        value = gen.apply('MergeSummary', None, {'inputs': [convert.convert_to_tensor(item) for item in inputs]})
        _collect(value, collections, [])
    return value


def merge_all(key: Any = GraphKeys.SUMMARIES, scope: Optional[str] = None, name: Optional[str] = None) -> Any:
    """Makes one summary of all that were collected; None where there are none."""
    if scopes.executing_eagerly():
        raise RuntimeError('Merging tf.summary.* ops is not compatible with eager execution. Use tf.contrib.summary instead.')
    found = scopes.get_collection(key, scope=scope)
    return merge(found, name=name) if found else None


def get_summary_description(node_def: Any) -> Any:
    """Returns what a node of a TensorSummary says of itself."""
    if node_def.op != 'TensorSummary':
        raise ValueError(f"Cannot get_summary_description on {node_def.op}. The node must be a TensorSummary.")
    from google.protobuf import json_format

    found = protos.SummaryDescription()
    json_format.Parse(node_def.attr['description'].s.decode(), found)
    return found


def summary_iterator(path: str) -> Iterator[Any]:
    """Gives the events of a file, one after the other."""
    from berth.modules import tf_record

    for record in tf_record.tf_record_iterator(path):
        yield protos.Event.FromString(record)
