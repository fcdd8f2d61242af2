"""layer_summaries.py - Summaries of tensors, activations and collections: tf.contrib.layers.summarize_*."""

from __future__ import annotations

import functools
import re
from typing import Any

from berth._summary import summary_ops
from berth.framework import dtypes, scopes, static_value
from berth.framework.collections import GraphKeys
from berth.ops import math_ops, reduce_ops


def _unused(tag: str) -> str:
    """Returns a tag; ValueError where a summary has it."""
    for summary in scopes.get_collection(GraphKeys.SUMMARIES):
        known = static_value.get_static_value(summary.op.inputs[0])
        if known is not None and known == tag.encode():
            raise ValueError(f'Conflict with summary tag: {tag} already exists on summary {summary}.')
    return tag


def summarize_tensor(tensor: Any, tag: Any = None) -> Any:
    """Shows a number as one, and others as a histogram."""
    tag = _unused(tag or f'{tensor.op.name}_summary')
    return (summary_ops.scalar if tensor.shape.rank == 0 else summary_ops.histogram)(tag, tensor)


def summarize_activation(op: Any) -> Any:
    """Shows values, and of some activations how many are at their ends."""
    kind, name = op.op.type, op.op.name
    before = op.op.inputs[0] if kind in ('Relu', 'Softplus', 'Relu6') else None
    if before is not None:
        share = reduce_ops.reduce_mean(math_ops.cast(math_ops.less(before, math_ops.cast(0.0, before.dtype)),
                                                     dtypes.float32))
        summary_ops.scalar(_unused(f'{name}/zeros'), share)
    if kind == 'Relu6':
        share = reduce_ops.reduce_mean(math_ops.cast(math_ops.greater(before, math_ops.cast(6.0, before.dtype)),
                                                     dtypes.float32))
        summary_ops.scalar(_unused(f'{name}/sixes'), share)
    return summary_ops.histogram(_unused(f'{name}/activation'), op)


def summarize_tensors(tensors: Any, summarizer: Any = summarize_tensor) -> list[Any]:
    """Shows several."""
    return [summarizer(tensor) for tensor in tensors]


def summarize_collection(collection: Any, name_filter: Any = None, summarizer: Any = summarize_tensor) -> list[Any]:
    """Shows those of a collection, by their names."""
    return summarize_tensors([tensor for tensor in scopes.get_collection(collection)
                              if name_filter is None or re.match(name_filter, tensor.op.name)], summarizer)


summarize_variables = functools.partial(summarize_collection, GraphKeys.GLOBAL_VARIABLES)
summarize_weights = functools.partial(summarize_collection, GraphKeys.WEIGHTS)
summarize_biases = functools.partial(summarize_collection, GraphKeys.BIASES)


def summarize_activations(name_filter: Any = None, summarizer: Any = summarize_activation) -> list[Any]:
    """Shows those of the collection of activations."""
    return summarize_collection(GraphKeys.ACTIVATIONS, name_filter, summarizer)
