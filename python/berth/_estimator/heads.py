"""heads - What canned estimators make of logits: predictions, a loss, metrics, and a step of training."""

from __future__ import annotations

import inspect
from typing import Any

from berth._estimator.spec import EstimatorSpec, ModeKeys
from berth._features import dense
from berth._features.column import Builder, DenseColumn
from berth._layers import losses, metric_thresholds, metrics
from berth._layers.losses import Reduction
from berth._summary import summary_ops
from berth._train import global_step as counters
from berth.framework import convert, dtypes, scopes
from berth.framework.collections import GraphKeys
from berth.ops import (array_ops, check_ops, check_shapes, entropy_ops, flow_ops, lookup_index, math_ops, nn_ops, order_ops,
                       reduce_ops, string_ops, weight_ops)
from berth.ops.sparse_tensor import SparseTensor, convert_to_tensor_or_sparse_tensor


class Head:
    """What a canned estimator does with logits."""

    logits_dimension = 1

    def __init__(self, weight_column: Any, loss_reduction: str, loss_fn: Any = None, name: Any = None) -> None:
        if loss_reduction not in Reduction.all() or loss_reduction == Reduction.NONE:
            raise ValueError(f'Invalid loss_reduction: {loss_reduction}')
        if loss_fn:
            _check_loss_fn(loss_fn)
        self._weight_column, self._loss_reduction, self._loss_fn, self.name = weight_column, loss_reduction, loss_fn, name

    def _predictions(self, logits: Any) -> dict[str, Any]:
        raise NotImplementedError

    def _labels(self, labels: Any) -> Any:
        """Returns labels as the loss takes them."""
        raise NotImplementedError

    def _losses(self, labels: Any, logits: Any) -> Any:
        """Returns the loss of each example."""
        raise NotImplementedError

    def _metrics(self, labels: Any, found: dict[str, Any], weights: Any, unreduced: Any) -> dict[str, Any]:
        raise NotImplementedError

    def create_loss(self, features: Any, mode: Any, logits: Any, labels: Any) -> tuple[Any, Any, Any, Any]:
        """Returns the loss, that of each example, the weights, and the labels as they were taken."""
        del mode
        per_logit = isinstance(self, RegressionHead)
        labels = self._labels(_shaped_labels(labels, logits, self.logits_dimension if per_logit else 1))
        if self._loss_fn:
            each = _called(self._loss_fn, labels, logits, features, self.logits_dimension if per_logit else 1)
        else:
            each = self._losses(labels, logits)
        weights = _weights(features, self._weight_column, logits, per_logit)
        whole = losses.compute_weighted_loss(each, weights=weights, reduction=self._loss_reduction)
        return whole, each, weights, labels

    def create_estimator_spec(self, features: Any, mode: str, logits: Any, labels: Any = None, optimizer: Any = None,
                              train_op_fn: Any = None, regularization_losses: Any = None) -> EstimatorSpec:
        """Returns what an estimator does in a mode."""
        with scopes.name_scope(self.name, 'head'):
            predictions = self._predictions(logits)
            if mode == ModeKeys.PREDICT:
                return EstimatorSpec(mode, predictions=predictions)
            logits = predictions.get('logits', predictions.get('predictions'))
            loss, each, weights, used = self.create_loss(features, mode, logits, labels)
            penalty = math_ops.add_n(regularization_losses) if regularization_losses else None
            total = loss if penalty is None else math_ops.add_n([loss, penalty])
            if mode == ModeKeys.EVAL:
                found = self._metrics(used, predictions, weights, each)
                if penalty is not None:
                    found['regularization_loss'] = metrics.mean(penalty, name='regularization_loss')
                return EstimatorSpec(mode, predictions=predictions, loss=total, eval_metric_ops={
                    self._key(key): value for key, value in found.items()})
            train_op = _step(total, optimizer, train_op_fn)
            mean = None
            if self._loss_reduction == Reduction.SUM:
                mean = loss / reduce_ops.reduce_sum(weights * array_ops.ones_like(each))
        with scopes.name_scope(''):
            for key, value in (('loss', total), ('average_loss', mean), ('regularization_loss', penalty)):
                if value is not None:
                    summary_ops.scalar(self._key(key), value)
        return EstimatorSpec(mode, predictions=predictions, loss=total, train_op=train_op)

    def _key(self, key: str) -> str:
        return f'{key}/{self.name}' if self.name else key


def _step(loss: Any, optimizer: Any, train_op_fn: Any) -> Any:
    """Returns the operation that trains, together with updates that are asked for."""
    if optimizer is not None and train_op_fn is not None:
        raise ValueError('train_op_fn and optimizer cannot both be set.')
    if optimizer is not None:
        train_op = optimizer.minimize(loss, global_step=counters.get_global_step())
    elif train_op_fn is not None:
        train_op = train_op_fn(loss)
    else:
        raise ValueError('train_op_fn and optimizer cannot both be None.')
    updates = scopes.get_collection(GraphKeys.UPDATE_OPS)
    return order_ops.group(train_op, *updates) if updates else train_op


# ---- Regression ----


class RegressionHead(Head):
    """Numbers; the loss is the mean of squares."""

    def __init__(self, label_dimension: int = 1, weight_column: Any = None, loss_reduction: str = Reduction.SUM,
                 loss_fn: Any = None, name: Any = None) -> None:
        super().__init__(weight_column, loss_reduction, loss_fn, name)
        if label_dimension < 1:
            raise ValueError(f'Invalid label_dimension {label_dimension}.')
        self.logits_dimension = label_dimension

    def _predictions(self, logits: Any) -> dict[str, Any]:
        return {'predictions': _checked_logits(logits, self.logits_dimension)}

    def _labels(self, labels: Any) -> Any:
        return math_ops.cast(labels, dtypes.float32)

    def _losses(self, labels: Any, logits: Any) -> Any:
        return losses.mean_squared_error(labels, logits, reduction=Reduction.NONE)

    def _metrics(self, labels: Any, found: dict[str, Any], weights: Any, unreduced: Any) -> dict[str, Any]:
        return {'average_loss': metrics.mean(unreduced, weights),
                'prediction/mean': _mean(found['predictions'], weights, 'prediction/mean', 'predictions'),
                'label/mean': metrics.mean(labels, weights)}


# ---- Classes ----


class _ClassHead(Head):
    """Classes, with names where there is a vocabulary."""

    _count = 2

    def __init__(self, weight_column: Any, label_vocabulary: Any, loss_reduction: str, loss_fn: Any, name: Any) -> None:
        if label_vocabulary is not None and not isinstance(label_vocabulary, (list, tuple)):
            raise ValueError(f'label_vocabulary should be a list or a tuple. Given type: {type(label_vocabulary)}')
        super().__init__(weight_column, loss_reduction, loss_fn, name)
        self._words = label_vocabulary

    def _classes(self, logits: Any, name: str) -> dict[str, Any]:
        """Returns the class of each example, and what there is to choose from."""
        ids = array_ops.expand_dims(math_ops.argmax(logits, axis=-1, name=name), axis=-1)
        if self._words:
            table = lookup_index.index_to_string_table_from_tensor(self._words, name='class_string_lookup')
            classes = table.lookup(ids)
        else:
            classes = string_ops.as_string(ids, name='str_classes')
        batch = array_ops.shape(logits)[0]
        numbers = math_ops.range(self._count)
        words = convert.convert_to_tensor(list(self._words)) if self._words else string_ops.as_string(numbers)
        return {'class_ids': ids, 'classes': classes,
                'all_class_ids': array_ops.tile(array_ops.expand_dims(numbers, 0), [batch, 1]),
                'all_classes': array_ops.tile(array_ops.expand_dims(words, 0), [batch, 1])}

    def _ids(self, labels: Any) -> Any:
        """Returns the numbers of labels by the vocabulary."""
        table = lookup_index.index_table_from_tensor(tuple(self._words), name='class_id_lookup')
        return table.lookup(labels)


class MultiClassHead(_ClassHead):
    """One class of several, by softmax."""

    def __init__(self, n_classes: int, weight_column: Any = None, label_vocabulary: Any = None,
                 loss_reduction: str = Reduction.SUM, loss_fn: Any = None, name: Any = None) -> None:
        if n_classes is None:
            raise ValueError('n_classes cannot be None')
        if n_classes <= 2:
            raise ValueError(f'n_classes must be > 2: {n_classes}.')
        super().__init__(weight_column, label_vocabulary, loss_reduction, loss_fn, name)
        self._count = self.logits_dimension = n_classes

    def _predictions(self, logits: Any) -> dict[str, Any]:
        logits = _checked_logits(logits, self._count)
        with scopes.name_scope(None, 'predictions', (logits,)):
            classes = self._classes(logits, 'class_ids')
            return {'logits': logits, 'probabilities': nn_ops.softmax(logits, name='probabilities'), **classes}

    def _labels(self, labels: Any) -> Any:
        if self._words is None:
            if not labels.dtype.is_integer:
                raise ValueError(f'Labels dtype should be integer. Instead got {labels.dtype}.')
            return _in_range(labels, self._count)
        if labels.dtype != dtypes.string:
            raise ValueError(f'Labels dtype should be string if there is a vocabulary. Instead got {labels.dtype}')
        return _in_range(self._ids(labels), self._count)

    def _losses(self, labels: Any, logits: Any) -> Any:
        each = losses.sparse_softmax_cross_entropy(labels, logits, reduction=Reduction.NONE)
        return array_ops.expand_dims(each, axis=-1)

    def _metrics(self, labels: Any, found: dict[str, Any], weights: Any, unreduced: Any) -> dict[str, Any]:
        with scopes.name_scope(None, 'metrics'):
            return {'average_loss': metrics.mean(unreduced, weights, name='average_loss'),
                    'accuracy': metrics.accuracy(labels, found['class_ids'], weights, name='accuracy')}


class BinaryClassHead(_ClassHead):
    """One class of two, by a sigmoid."""

    def __init__(self, weight_column: Any = None, thresholds: Any = None, label_vocabulary: Any = None,
                 loss_reduction: str = Reduction.SUM, loss_fn: Any = None, name: Any = None) -> None:
        self._thresholds = tuple(thresholds or ())
        for threshold in self._thresholds:
            if not 0.0 < threshold < 1.0:
                raise ValueError(f'thresholds not in (0, 1): {(self._thresholds,)}.')
        super().__init__(weight_column, label_vocabulary, loss_reduction, loss_fn, name)

    def _predictions(self, logits: Any) -> dict[str, Any]:
        with scopes.name_scope(None, 'predictions', (logits,)):
            logits = _checked_logits(logits, 1)
            logistic = math_ops.sigmoid(logits, name='logistic')
            both = array_ops.concat((array_ops.zeros_like(logits), logits), axis=-1, name='two_class_logits')
            probabilities = nn_ops.softmax(both, name='probabilities')
            return {'logits': logits, 'logistic': logistic, 'probabilities': probabilities,
                    **self._classes(both, 'class_ids')}

    def _labels(self, labels: Any) -> Any:
        if self._words is not None:
            labels = self._ids(labels)
        return _in_range(math_ops.cast(labels, dtypes.float32), 2)

    def _losses(self, labels: Any, logits: Any) -> Any:
        return entropy_ops.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits)

    def _metrics(self, labels: Any, found: dict[str, Any], weights: Any, unreduced: Any) -> dict[str, Any]:
        ids, logistic = found['class_ids'], found['logistic']
        with scopes.name_scope(None, 'metrics'):
            share = _mean(labels, weights, 'label/mean', 'labels')
            made = {'average_loss': metrics.mean(unreduced, weights, name='average_loss'),
                    'accuracy': metrics.accuracy(labels, ids, weights, name='accuracy'),
                    'precision': metrics.precision(labels, ids, weights, name='precision'),
                    'recall': metrics.recall(labels, ids, weights, name='recall'),
                    'prediction/mean': _mean(logistic, weights, 'prediction/mean', 'predictions'),
                    'label/mean': share,
                    'accuracy_baseline': _baseline(share),
                    'auc': _auc(labels, logistic, weights, 'ROC', 'auc'),
                    'auc_precision_recall': _auc(labels, logistic, weights, 'PR', 'auc_precision_recall')}
            for threshold in self._thresholds:
                made.update(_at_threshold(labels, logistic, weights, threshold))
            return made


def class_head(n_classes: int, weight_column: Any, label_vocabulary: Any, loss_reduction: str) -> Head:
    """Returns the head for two classes, or for more."""
    if n_classes == 2:
        return BinaryClassHead(weight_column, None, label_vocabulary, loss_reduction)
    return MultiClassHead(n_classes, weight_column, label_vocabulary, loss_reduction)


# ---- Metrics ----


def _like(weights: Any, values: Any) -> Any:
    return None if weights is None else weight_ops.broadcast_weights(weights, values)


def _mean(values: Any, weights: Any, name: str, label: str) -> Any:
    with scopes.name_scope(name, None, (values,)) as scope:
        values = math_ops.cast(values, dtypes.float32, name=label)
        return metrics.mean(values, _like(weights, values), name=scope)


def _auc(labels: Any, predictions: Any, weights: Any, curve: str, name: str) -> Any:
    with scopes.name_scope(name, None, (predictions, labels)) as scope:
        predictions = math_ops.cast(predictions, dtypes.float32, name='predictions')
        return metric_thresholds.auc(labels, predictions, _like(weights, predictions), curve=curve, name=scope)


def _baseline(share: tuple[Any, Any]) -> tuple[Any, Any]:
    """Returns how often who always says the same is right."""
    with scopes.name_scope(None, 'accuracy_baseline'):
        value, update = share
        return (math_ops.maximum(value, 1.0 - value, name='value'),
                math_ops.maximum(update, 1 - update, name='update_op'))


def _at_threshold(labels: Any, predictions: Any, weights: Any, threshold: float) -> dict[str, Any]:
    """Returns what comes of another threshold than a half."""
    made: dict[str, Any] = {}
    key = f'accuracy/positive_threshold_{threshold:g}'
    with scopes.name_scope(key) as scope:
        chosen = math_ops.to_float(math_ops.greater_equal(predictions, threshold))
        made[key] = metrics.accuracy(labels, chosen, weights, name=scope)
    for word, metric in (('precision', metric_thresholds.precision_at_thresholds),
                         ('recall', metric_thresholds.recall_at_thresholds)):
        key = f'{word}/positive_threshold_{threshold:g}'
        with scopes.name_scope(key) as scope:
            value, update = metric(labels, predictions, (threshold,), weights, name=scope)
            made[key] = array_ops.squeeze(value), array_ops.squeeze(update)
    return made


# ---- What is given ----


def _check_loss_fn(loss_fn: Any) -> None:
    names = list(inspect.signature(loss_fn).parameters)
    for needed in ('labels', 'logits'):
        if needed not in names:
            raise ValueError(f'loss_fn must contain argument: {needed}. Given arguments: {tuple(names)}')
    others = sorted(set(names) - {'labels', 'logits', 'features'})
    if others:
        raise ValueError(f'loss_fn has unexpected args: {others}')


def _called(loss_fn: Any, labels: Any, logits: Any, features: Any, size: int) -> Any:
    """Returns the loss of each example by a function of the program's."""
    more = {'features': features} if 'features' in inspect.signature(loss_fn).parameters else {}
    with scopes.name_scope(None, 'call_loss_fn'):
        each = loss_fn(labels=labels, logits=logits, **more)
        shape = array_ops.shape(logits, name='logits_shape')
        wanted = array_ops.concat([shape[:-1], [size]], axis=0, name='expected_loss_shape')
        found = array_ops.shape(each, name='loss_shape')
        check = flow_ops.Assert(reduce_ops.reduce_all(math_ops.equal(found, wanted)), [
            f'loss_fn must return Tensor of shape [D0, D1, ... DN, {size}]. ', 'logits_shape: ', shape, 'loss_shape: ',
            found], name='check_loss_shape')
        with scopes.control_dependencies([check]):
            return array_ops.identity(each)


def _checked_logits(logits: Any, size: int) -> Any:
    with scopes.name_scope(None, 'logits', (logits,)) as scope:
        logits = math_ops.cast(logits, dtypes.float32)
        shape = array_ops.shape(logits)
        rank = check_shapes.assert_rank_at_least(logits, 2, data=[shape],
                                                 message='logits shape must be [D0, D1, ... DN, logits_dimension]')
        with scopes.control_dependencies([rank]):
            known = logits.shape.as_list() if logits.shape.rank is not None else [None]
            if known[-1] is not None:
                if known[-1] != size:
                    raise ValueError(f'logits shape must be [D0, D1, ... DN, logits_dimension={size}], got {logits.shape}.')
                return logits
            check = check_ops.assert_equal(size, shape[-1], data=[shape], message=(
                f'logits shape must be [D0, D1, ... DN, logits_dimension={size}]'))
            with scopes.control_dependencies([check]):
                return array_ops.identity(logits, name=scope)


def _shaped_labels(labels: Any, logits: Any, size: int) -> Any:
    """Returns labels with the dimensions of logits."""
    if labels is None:
        raise ValueError('You must provide a labels Tensor. Given: None. Suggested troubleshooting steps: Check that your '
                         'data contain your label feature. Check that your input_fn properly parses and returns labels.')
    with scopes.name_scope(None, 'labels', (labels, logits)) as scope:
        labels = convert_to_tensor_or_sparse_tensor(labels)
        if isinstance(labels, SparseTensor):
            raise ValueError(f'SparseTensor labels are not supported. labels must be a Tensor of shape [D0, D1, ..., DN, '
                             f'{size}], e.g. [batch_size, {size}]. Suggested Fix (1): Check the label feature in your data. '
                             f'Each example must contain {size} value(s). If not, your choice of label was probably '
                             'incorrect. Suggested Fix (2): In your input_fn, use tf.sparse_tensor_to_dense() to turn labels '
                             'into a Tensor.')
        if labels.shape.rank is not None and logits.shape.rank is not None and labels.shape.rank == logits.shape.rank - 1:
            labels = array_ops.expand_dims(labels, -1)
        shape, wanted = array_ops.shape(labels), array_ops.shape(logits)
        message = (f'labels shape must be [D0, D1, ... DN, {size}]. Suggested Fix: check your n_classes argument to the '
                   'estimator and/or the shape of your label.')
        with scopes.control_dependencies([check_shapes.assert_rank_at_least(labels, 2, message=message)]):
            last = labels.shape.as_list()[-1] if labels.shape.rank is not None else None
            if last is not None and last != size:
                raise ValueError(f'Mismatched label shape. Expected labels dimension={size}.  Received {last}. Suggested '
                                 'Fix:If your classifier expects one-hot encoding label,check your n_classes argument to '
                                 'the estimator and/or the shape of your label. Otherwise, check the shape of your label.')
            wanted = array_ops.concat([wanted[:-1], [size]], axis=0)
            check = check_ops.assert_equal(wanted, shape, message=message, data=[
                'expected_labels_shape: ', wanted, 'labels_shape: ', shape])
            with scopes.control_dependencies([check]):
                return array_ops.identity(labels, name=scope)


def _in_range(labels: Any, count: int) -> Any:
    """Returns labels that are numbers of classes."""
    with scopes.name_scope(None, 'assert_range', (labels,)):
        most = check_ops.assert_less_equal(labels, convert.convert_to_tensor(count - 1, dtype=labels.dtype),
                                           message='Labels must <= n_classes - 1')
        least = check_ops.assert_non_negative(labels, message='Labels must >= 0')
        with scopes.control_dependencies((most, least)):
            return array_ops.identity(labels)


def _weights(features: Any, column: Any, logits: Any, per_logit: bool) -> Any:
    """Returns the weight of each example, or of each of its logits."""
    if column is None:
        return 1.0
    forms = '[D0, D1, ... DN], [D0, D1, ... DN, 1] or [D0, D1, ... DN, logits_dimension]' if per_logit else (
        '[D0, D1, ... DN] or [D0, D1, ... DN, 1]')
    with scopes.name_scope(None, 'weights') as scope:
        if isinstance(column, str):
            column = dense.numeric_column(column, shape=(1,))
        if not isinstance(column, DenseColumn):
            raise TypeError(f'Weight column must be either a string or _DenseColumn. Given type: {type(column)}.')
        weights = math_ops.cast(column.dense(Builder(features), None, False), dtypes.float32, name='weights')
        found = array_ops.shape(weights, name='weights_shape')
        shape = array_ops.shape(logits, name='logits_shape')
        data = ['logits_shape: ', shape, 'weights_shape: ', found]
        wanted = array_ops.concat([shape[:-1], [1]], axis=0)
        fits = reduce_ops.reduce_all(math_ops.equal(wanted, found))
        if per_logit:
            fits = math_ops.logical_or(fits, reduce_ops.reduce_all(math_ops.equal(shape, found)))
        check = flow_ops.Assert(fits, [f'weights shape must be {forms}', *data])
        with scopes.control_dependencies([check]):
            return array_ops.identity(weights, name=scope)
