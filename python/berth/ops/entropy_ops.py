"""entropy_ops.py - Cross entropies of logits and labels."""

from __future__ import annotations

import math
from typing import Any

from berth.framework import convert, dtypes, gen, scopes
from berth.ops import array_ops, check_ops, math_ops

_HALVES = (dtypes.float16, dtypes.bfloat16)


def sparse_softmax_cross_entropy_with_logits(labels: Any = None, logits: Any = None,
                                             name: str | None = None) -> Any:
    """Returns the cross entropy of logits and numbered classes."""
    _check_given(labels, logits)
    op = 'SparseSoftmaxCrossEntropyWithLogits'
    with scopes.name_scope(name, op, [labels, logits]):
        labels = convert.convert_to_tensor(labels)
        logits = convert.convert_to_tensor(logits)
        precise = math_ops.cast(logits, dtypes.float32) if logits.dtype == dtypes.float16 else logits
        known = labels.shape
        dims = array_ops.shape(labels)
        is_known = _check_classes(known, logits)
        if logits.shape.rank == 2:
            cost = gen.apply(op, name, {'features': precise, 'labels': labels})[0]
            return math_ops.cast(cost, logits.dtype)
        checks = [] if is_known else [check_ops.assert_equal(array_ops.shape(labels), array_ops.shape(logits)[:-1])]
        with scopes.control_dependencies(checks):
            classes = array_ops.shape(logits)[array_ops.rank(logits) - 1]
            rows = array_ops.reshape(precise, [-1, classes])
            cost = gen.apply(op, name, {'features': rows, 'labels': array_ops.reshape(labels, [-1])})[0]
            cost = array_ops.reshape(cost, dims)
            if not scopes.executing_eagerly():
                cost.set_shape(known)
            return math_ops.cast(cost, logits.dtype)


def _check_classes(labels: Any, logits: Any) -> bool:
    """Raises ValueError unless there is one class for each row of logits; returns whether that is known."""
    shape = logits.shape
    if shape.rank == 0:
        raise ValueError(f'`logits` cannot be a scalar. Received logits={logits}`')
    if shape.rank is not None and labels.rank is not None and labels.rank != shape.rank - 1:
        raise ValueError('`labels.shape.rank` must equal `logits.shape.rank - 1`. Received: labels.shape='
                         f'{labels} of rank {labels.rank} and logits.shape={shape} of rank {shape.rank}')
    is_known = labels.is_fully_defined() and shape.rank is not None and shape[:-1].is_fully_defined()
    if is_known and labels != shape[:-1]:
        raise ValueError('`labels.shape` must equal `logits.shape` except for the last dimension. Received: '
                         f'labels.shape={labels} and logits.shape={shape}')
    return is_known


def _check_given(labels: Any, logits: Any) -> None:
    if labels is None or logits is None:
        raise ValueError(f'Both `labels` and `logits` must be provided. Received: labels={labels}, logits={logits}')


def sigmoid_cross_entropy_with_logits(labels: Any = None, logits: Any = None,
                                      name: str | None = None) -> Any:
    """Returns the cross entropy of logits and independent labels."""
    _check_given(labels, logits)
    with scopes.name_scope(name, 'logistic_loss', [logits, labels]) as name:
        logits = convert.convert_to_tensor(logits, name='logits')
        labels = convert.convert_to_tensor(labels, name='labels')
        if not labels.shape.is_compatible_with(logits.shape):
            raise ValueError('`logits` and `labels` must have the same shape, received '
                             f'({logits.shape} vs {labels.shape}).')
        zeros = array_ops.zeros_like(logits, dtype=logits.dtype.base_dtype)
        positive = logits >= zeros
        relu_logits = array_ops.where(positive, logits, zeros)
        negative = array_ops.where(positive, -logits, logits)
        return math_ops.add(relu_logits - logits * labels, math_ops.log1p(math_ops.exp(negative)), name=name)


def softmax_cross_entropy_with_logits_v2(labels: Any = None, logits: Any = None, axis: Any = None,
                                         name: str | None = None, dim: Any = None) -> Any:
    """Returns the cross entropy of logits and probabilities."""
    axis = dim if axis is None else axis
    return _softmax_loss(labels, logits, -1 if axis is None else axis, name)


def softmax_cross_entropy_with_logits(labels: Any = None, logits: Any = None, dim: int = -1,
                                      name: str | None = None, axis: Any = None) -> Any:
    """Returns the cross entropy of logits and probabilities; labels get no gradient."""
    _check_given(labels, logits)
    with scopes.name_scope(name, 'softmax_cross_entropy_with_logits_sg', [logits, labels]) as name:
        labels = array_ops.stop_gradient(labels, name='labels_stop_gradient')
    return _softmax_loss(labels, logits, dim if axis is None else axis, name)


def _softmax_loss(labels: Any, logits: Any, axis: int, name: Any) -> Any:
    with scopes.name_scope(name, 'softmax_cross_entropy_with_logits', [logits, labels]) as name:
        logits = convert.convert_to_tensor(logits, name='logits')
        labels = convert.convert_to_tensor(labels, name='labels')
        precise = math_ops.cast(logits, dtypes.float32) if logits.dtype in _HALVES else logits
        labels = math_ops.cast(labels, precise.dtype)
        rank = array_ops.rank(precise)
        if axis != -1:
            precise, labels = _with_last(precise, axis, rank), _with_last(labels, axis, rank)
        shape = array_ops.shape(precise)
        rows, wanted = _flatten_outer(precise), _flatten_outer(labels)
        cost = gen.apply('SoftmaxCrossEntropyWithLogits', name, {'features': rows, 'labels': wanted})[0]
        cost = array_ops.reshape(cost, array_ops.slice(shape, [0], [math_ops.subtract(rank, 1)]))
        if logits.shape.rank is not None and not scopes.executing_eagerly():
            sizes = logits.shape.as_list()
            del sizes[axis]
            cost.set_shape(sizes)
        return math_ops.cast(cost, logits.dtype)


def _with_last(x: Any, axis: int, rank: Any) -> Any:
    """Returns |x| with an axis moved behind all others."""
    order = [math_ops.range(axis), math_ops.range(axis + 1, rank), [axis]]
    return array_ops.transpose(x, array_ops.concat(order, 0))


def _flatten_outer(x: Any) -> Any:
    """Joins all dimensions but the last."""
    rank = array_ops.rank(x)
    last = array_ops.slice(array_ops.shape(x), [math_ops.subtract(rank, 1)], [1])
    rows = array_ops.reshape(x, array_ops.concat([[-1], last], 0))
    sizes = x.shape.as_list() if x.shape.rank is not None and not scopes.executing_eagerly() else [None, None]
    if None not in sizes[:-1]:
        rows.set_shape([math.prod(sizes[:-1]), sizes[-1]])
    return rows
