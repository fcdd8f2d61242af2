"""spec - tf.estimator.EstimatorSpec: what a model function gives, by the mode that it is called in."""

from __future__ import annotations

import collections
from typing import Any

from berth._train.run_hooks import SessionRunHook
from berth._train.scaffold import Scaffold
from berth.base import naming
from berth.framework import convert
from berth.framework.node import Operation, Tensor
from berth.framework.tensor_shape import TensorShape
from berth.ops import array_ops
from berth.variables.graph_variable import Variable


class ModeKeys:
    """What a model function is called for."""

    TRAIN = 'train'
    EVAL = 'eval'
    PREDICT = 'infer'


@naming.public('estimator.model_fn')
class EstimatorSpec(collections.namedtuple('EstimatorSpec', [
        'mode', 'predictions', 'loss', 'train_op', 'eval_metric_ops', 'export_outputs', 'training_chief_hooks',
        'training_hooks', 'scaffold', 'evaluation_hooks', 'prediction_hooks'])):
    """Operations and hooks of a model, checked."""

    __slots__ = ()

    def __new__(cls, mode: str, predictions: Any = None, loss: Any = None, train_op: Any = None,
                eval_metric_ops: Any = None, export_outputs: Any = None, training_chief_hooks: Any = None,
                training_hooks: Any = None, scaffold: Any = None, evaluation_hooks: Any = None,
                prediction_hooks: Any = None) -> 'EstimatorSpec':
        _check_train_op(train_op, mode)
        hooks = [_checked_hooks(items) for items in (
            training_chief_hooks, training_hooks, evaluation_hooks, prediction_hooks)]
        scaffold = scaffold or Scaffold()
        if not isinstance(scaffold, Scaffold):
            raise TypeError(f'scaffold must be tf.train.Scaffold. Given: {scaffold}')
        return super().__new__(
            cls, mode, _checked_predictions(predictions, mode), _checked_loss(loss, mode), train_op,
            _checked_metrics(eval_metric_ops), export_outputs, hooks[0], hooks[1], scaffold, hooks[2], hooks[3])


def _is_tensor(item: Any) -> bool:
    return isinstance(item, (Tensor, Variable)) or convert.is_tensor(item)


def _check_tensor(item: Any, name: str) -> Any:
    if not _is_tensor(item):
        raise TypeError(f'{name} must be Tensor, given: {item}')
    return item


def _check_train_op(train_op: Any, mode: str) -> None:
    if train_op is None:
        if mode == ModeKeys.TRAIN:
            raise ValueError('Missing train_op.')
    elif not isinstance(train_op, Operation) and not _is_tensor(train_op):
        raise TypeError(f'train_op must be Operation or Tensor, given: {train_op}')


def _checked_loss(loss: Any, mode: str) -> Any:
    """Returns the loss as a scalar."""
    if loss is None:
        if mode in (ModeKeys.TRAIN, ModeKeys.EVAL):
            raise ValueError('Missing loss.')
        return None
    shape = _check_tensor(loss, 'loss').shape
    if shape.num_elements() not in (None, 1):
        raise ValueError(f'Loss must be scalar, given: {loss}')
    return loss if shape.is_compatible_with(TensorShape([])) else array_ops.reshape(loss, [])


def _checked_predictions(predictions: Any, mode: str) -> Any:
    if predictions is None:
        if mode == ModeKeys.PREDICT:
            raise ValueError('Missing predictions.')
        return {}
    if isinstance(predictions, dict):
        return {key: _check_tensor(value, f'predictions[{key}]') for key, value in predictions.items()}
    return _check_tensor(predictions, 'predictions')


def _checked_metrics(metrics: Any) -> dict[str, Any]:
    if metrics is None:
        return {}
    if not isinstance(metrics, dict):
        raise TypeError(f'eval_metric_ops must be a dict, given: {metrics}')
    for key, metric in metrics.items():
        if not isinstance(metric, tuple) or len(metric) != 2:
            raise TypeError('Values of eval_metric_ops must be (metric_value, update_op) tuples, given: '
                            f'{metric} for key: {key}')
    return metrics


def _checked_hooks(hooks: Any) -> tuple[Any, ...]:
    hooks = tuple(hooks or ())
    for hook in hooks:
        if not isinstance(hook, SessionRunHook):
            raise TypeError(f'All hooks must be SessionRunHook instances, given: {hook}')
    return hooks
