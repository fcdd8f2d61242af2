"""estimator.py - tf.contrib.estimator: estimators that report or predict more, shorter slopes, and heads."""

from __future__ import annotations

import inspect
from typing import Any

from berth._estimator import heads
from berth._estimator.estimator import Estimator
from berth._estimator.spec import ModeKeys
from berth._layers.losses import Reduction
from berth._train.optimizer import Optimizer
from berth.ops import clip_ops, sparse_ops
from berth.ops.sparse_tensor import SparseTensor


def _around(estimator: Any, change: Any) -> Estimator:
    """Returns an estimator whose specs are changed."""
    def model_fn(features: Any, labels: Any, mode: Any, config: Any) -> Any:
        return change(estimator.model_fn(features, labels, mode, config), features, labels, mode, config)

    return Estimator(model_fn, estimator.model_dir, estimator.config)


def add_metrics(estimator: Any, metric_fn: Any) -> Estimator:
    """Returns an estimator that also reports what a function makes of features, labels, predictions and config."""
    wanted = set(inspect.signature(metric_fn).parameters)
    unknown = wanted - {'features', 'labels', 'predictions', 'config'}
    if unknown:
        raise ValueError(f'metric_fn ({metric_fn}) has following not expected args: {sorted(unknown)}')

    def change(spec: Any, features: Any, labels: Any, mode: Any, config: Any) -> Any:
        if mode != ModeKeys.EVAL:
            return spec
        given = {'features': features, 'labels': labels, 'predictions': spec.predictions, 'config': config}
        more = metric_fn(**{name: value for name, value in given.items() if name in wanted})
        return spec._replace(eval_metric_ops={**(spec.eval_metric_ops or {}), **more})

    return _around(estimator, change)


def forward_features(estimator: Any, keys: Any = None, sparse_default_values: Any = None) -> Estimator:
    """Returns an estimator whose predictions have features in them."""
    if isinstance(keys, str):
        keys = [keys]
    if keys is not None and any(not isinstance(key, str) for key in keys):
        raise ValueError(f'keys should be either a string or a list of strings. Given: {keys}')

    def change(spec: Any, features: Any, labels: Any, mode: Any, config: Any) -> Any:
        if spec.predictions is None:
            return spec
        found = dict(spec.predictions)
        for key in sorted(features) if keys is None else keys:
            if key not in features:
                raise ValueError(f'keys should be exist in features. Key "{key}" is not in features dict. features dict has '
                                 f'following keys: {sorted(features)}. Please check arguments.')
            if key in found:
                raise ValueError(f'Cannot forward feature key ({key}). Since it does exist in predictions.')
            value = features[key]
            if isinstance(value, SparseTensor):
                value = sparse_ops.to_dense(value, (sparse_default_values or {}).get(key))
            found[key] = value
        return spec._replace(predictions=found)

    return _around(estimator, change)


class TransformGradients(Optimizer):
    """An optimiser whose slopes go through a function first."""

    def __init__(self, optimizer: Any, transform_grads_fn: Any, name: Any = None) -> None:
        super().__init__(False, name or optimizer.get_name())
        self._optimizer, self._transform = optimizer, transform_grads_fn

    def compute_gradients(self, *args: Any, **kwargs: Any) -> Any:
        """Returns the slopes."""
        return self._optimizer.compute_gradients(*args, **kwargs)

    def apply_gradients(self, grads_and_vars: Any, global_step: Any = None, name: Any = None) -> Any:
        """Takes a step."""
        return self._optimizer.apply_gradients(self._transform(list(grads_and_vars)), global_step, name)

    def get_slot(self, *args: Any, **kwargs: Any) -> Any:
        """Returns what the optimiser keeps for a variable."""
        return self._optimizer.get_slot(*args, **kwargs)

    def get_slot_names(self) -> list[str]:
        """Returns the names of what it keeps."""
        return self._optimizer.get_slot_names()


def clip_gradients_by_norm(optimizer: Any, clip_norm: float) -> TransformGradients:
    """Returns an optimiser whose slopes are together no longer than |clip_norm|."""
    def clip(grads_and_vars: list[Any]) -> list[Any]:
        grads, variables = zip(*grads_and_vars)
        short, _ = clip_ops.clip_by_global_norm(list(grads), clip_norm)
        return list(zip(short, variables))

    return TransformGradients(optimizer, clip, 'ClipByNorm' + optimizer.get_name())


# ---- Heads ----


def multi_class_head(n_classes: int, weight_column: Any = None, label_vocabulary: Any = None,
                     loss_reduction: str = Reduction.SUM_OVER_BATCH_SIZE, loss_fn: Any = None,
                     name: Any = None) -> heads.Head:
    """Returns what makes classes of logits."""
    return heads.MultiClassHead(n_classes, weight_column, label_vocabulary, loss_reduction, loss_fn, name)


def binary_classification_head(weight_column: Any = None, thresholds: Any = None, label_vocabulary: Any = None,
                               loss_reduction: str = Reduction.SUM_OVER_BATCH_SIZE, loss_fn: Any = None,
                               name: Any = None) -> heads.Head:
    """Returns what makes one of two classes of logits."""
    return heads.BinaryClassHead(weight_column, thresholds, label_vocabulary, loss_reduction, loss_fn, name)


def regression_head(weight_column: Any = None, label_dimension: int = 1,
                    loss_reduction: str = Reduction.SUM_OVER_BATCH_SIZE, loss_fn: Any = None,
                    name: Any = None) -> heads.Head:
    """Returns what makes numbers of logits."""
    return heads.RegressionHead(label_dimension, weight_column, loss_reduction, loss_fn, name)
