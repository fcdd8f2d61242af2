"""learn.py - tf.contrib.learn: estimators that are fitted to arrays, over those of tf.estimator.

A model function of that time returns (predictions, loss, op of a step) whatever it is asked for, and is given
placeholders for labels where there are none. Arrays go to feature columns of the name ''.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

import numpy as np

from berth._estimator import canned, inputs
from berth._estimator import estimator as later
from berth._estimator.spec import EstimatorSpec
from berth._features import dense
from berth._layers.losses import Reduction
from berth.framework import convert
from berth.ops import array_ops, nn_ops

_ARRAY = ''  # The feature that an array is.


class ModeKeys:
    """What a model function is asked for."""

    TRAIN, EVAL, INFER = 'train', 'eval', 'infer'


class ModelFnOps:
    """What a model function returns."""

    def __init__(self, mode: str, predictions: Any = None, loss: Any = None, train_op: Any = None,
                 eval_metric_ops: Any = None, **others: Any) -> None:
        self.mode, self.predictions, self.loss, self.train_op = mode, predictions, loss, train_op
        self.eval_metric_ops = eval_metric_ops or {}
        self.others = others


class MetricSpec:
    """A metric, and what of predictions and labels it is of."""

    def __init__(self, metric_fn: Any, prediction_key: Any = None, label_key: Any = None, weight_key: Any = None) -> None:
        self.metric_fn = metric_fn
        self.prediction_key, self.label_key, self.weight_key = prediction_key, label_key, weight_key

    def create_metric_ops(self, features: Any, labels: Any, predictions: Any) -> Any:
        """Returns the metric of these."""
        def chosen(values: Any, key: Any) -> Any:
            if not isinstance(values, dict):
                return values
            return values[key] if key is not None else next(iter(values.values()))

        arguments = chosen(predictions, self.prediction_key), chosen(labels, self.label_key)
        if self.weight_key is None:
            return self.metric_fn(*arguments)
        return self.metric_fn(*arguments, weights=features[self.weight_key])


class PredictionKey:
    """Names of what models predict."""

    CLASSES, PROBABILITIES, LOGITS, LOGISTIC, SCORES = 'classes', 'probabilities', 'logits', 'logistic', 'scores'


# ---- Arrays ----


def _input_fn(x: Any, y: Any, input_fn: Any, batch_size: Any, epochs: Any, shuffle: bool) -> Any:
    """Returns the function that gives batches: the given one, or one over arrays."""
    if input_fn is not None:
        if x is not None or y is not None:
            raise ValueError('Can not provide both input_fn and x or y.')
        return input_fn
    if x is None:
        raise ValueError('Either x or input_fn must be provided.')
    features = x if isinstance(x, dict) else {_ARRAY: _array(x)}
    count = len(next(iter(features.values())))
    return inputs.numpy_input_fn(features, None if y is None else _array(y), batch_size=batch_size or max(count, 1),
                                 num_epochs=epochs, shuffle=shuffle)


def _array(values: Any) -> Any:
    """Returns values as an array; what has twice the usual width is as wide as the rest."""
    found = np.asarray(values)
    return found.astype(np.float32) if found.dtype == np.float64 else found


class BaseEstimator:
    """What all estimators have: they are fitted, evaluated, and asked."""

    _estimator: Any
    _output: Any = None  # Which prediction predict() gives, where it gives one.

    @property
    def model_dir(self) -> str:
        """The folder of checkpoints."""
        return self._estimator.model_dir

    @property
    def config(self) -> Any:
        """The settings."""
        return self._estimator.config

    def get_variable_names(self) -> list[str]:
        """Returns the names of all variables of the model."""
        return self._estimator.get_variable_names()

    def get_variable_value(self, name: str) -> Any:
        """Returns what a variable was saved with."""
        return self._estimator.get_variable_value(name)

    def fit(self, x: Any = None, y: Any = None, input_fn: Any = None, steps: Any = None, batch_size: Any = None,
            monitors: Any = None, max_steps: Any = None) -> Any:
        """Trains by so many steps more, or until there are as many as |max_steps|."""
        self._estimator.train(_input_fn(x, y, input_fn, batch_size, None, True), monitors, steps, max_steps)
        return self

    partial_fit = fit

    def evaluate(self, x: Any = None, y: Any = None, input_fn: Any = None, feed_fn: Any = None, batch_size: Any = None,
                 steps: Any = None, metrics: Any = None, name: str | None = None, checkpoint_path: Any = None,
                 hooks: Any = None, log_progress: bool = True) -> Any:
        """Returns the loss and other metrics of some batches."""
        if feed_fn is not None:
            raise NotImplementedError('tf.contrib.learn: Berth does not have `feed_fn`; give an input_fn')
        given = _input_fn(x, y, input_fn, batch_size, 1, False)
        return self._evaluating(metrics).evaluate(given, steps, hooks, checkpoint_path, name)

    def _evaluating(self, metrics: Any) -> Any:
        if metrics:
            raise NotImplementedError(f'tf.contrib.learn.{type(self).__name__}: Berth does not add `metrics` to it')
        return self._estimator

    def predict(self, x: Any = None, input_fn: Any = None, batch_size: Any = None, outputs: Any = None,
                as_iterable: bool = True) -> Any:
        """Returns what the model says of each row."""
        return self._predicted(x, input_fn, batch_size, outputs, as_iterable, self._output)

    def _predicted(self, x: Any, input_fn: Any, batch_size: Any, outputs: Any, as_iterable: bool, key: Any) -> Any:
        given = _input_fn(x, None, input_fn, batch_size, 1, False)
        rows = self._estimator.predict(given)
        rows = (row if key is None else _one(row, key) for row in rows)
        if outputs is not None:
            rows = ({name: row[name] for name in outputs} for row in rows)
        return rows if as_iterable else _together(rows)


def _one(row: dict[str, Any], key: str) -> Any:
    """Returns one prediction of a row; the number of a class by itself."""
    value = row[key]
    return value[0] if value.shape == (1,) else value


def _together(rows: Iterator[Any]) -> Any:
    """Returns rows as one array, or as one for each name."""
    found = list(rows)
    if found and isinstance(found[0], dict):
        return {name: np.array([row[name] for row in found]) for name in found[0]}
    return np.array(found)


# ---- Models of programs ----


class Estimator(BaseEstimator):
    """Fits the model that a function builds."""

    def __init__(self, model_fn: Any = None, model_dir: Any = None, config: Any = None, params: Any = None,
                 feature_engineering_fn: Any = None) -> None:
        if feature_engineering_fn is not None:
            raise NotImplementedError('tf.contrib.learn.Estimator: Berth does not have `feature_engineering_fn`')
        self._function, self._labels, self._metrics = model_fn, None, {}
        self._estimator = later.Estimator(self._model, model_dir, config, params)

    def _evaluating(self, metrics: Any) -> Any:
        self._metrics = metrics or {}
        return self._estimator

    def _model(self, features: Any, labels: Any, mode: str, params: Any, config: Any) -> Any:
        """Calls the model function, and returns what tf.estimator wants."""
        if isinstance(features, dict) and set(features) == {_ARRAY}:
            features = features[_ARRAY]
        if convert.is_tensor(labels):
            self._labels = labels.dtype, [None, *labels.shape.as_list()[1:]] if labels.shape.rank else None
        elif labels is None and self._labels is not None:
            labels = array_ops.placeholder(*self._labels)
        found = self._called(features, labels, mode, params, config)
        if isinstance(found, EstimatorSpec):
            return found
        if not isinstance(found, ModelFnOps):
            found = ModelFnOps(mode, *_three(found))
        if mode == ModeKeys.INFER:
            return EstimatorSpec(mode, predictions=found.predictions)
        metrics = {**found.eval_metric_ops, **{
            name: _metric(each, features, labels, found.predictions) for name, each in self._metrics.items()}}
        return EstimatorSpec(mode, predictions=found.predictions, loss=found.loss, train_op=found.train_op,
                             eval_metric_ops=metrics if mode == ModeKeys.EVAL else None)

    def _called(self, features: Any, labels: Any, mode: str, params: Any, config: Any) -> Any:
        wanted = inspect.signature(self._function).parameters
        others = {'mode': mode, 'params': params, 'config': config, 'model_dir': self.model_dir}
        return self._function(features, labels, **{name: others[name] for name in others if name in wanted})


def _three(found: Any) -> Any:
    if not isinstance(found, (tuple, list)) or len(found) != 3:
        raise ValueError(f'Unrecognized value returned by model_fn, please return ModelFnOps. Received: {found}')
    return found


def _metric(given: Any, features: Any, labels: Any, predictions: Any) -> Any:
    """Returns the ops of a metric that is a MetricSpec, or a function of predictions and labels."""
    if isinstance(given, MetricSpec):
        return given.create_metric_ops(features, labels, predictions)
    return given(predictions, labels)


class SKCompat:
    """An estimator that is used as those of scikit-learn are."""

    def __init__(self, estimator: Any) -> None:
        self._estimator = estimator

    def fit(self, x: Any, y: Any, batch_size: int = 128, steps: Any = None, max_steps: Any = None,
            monitors: Any = None) -> 'SKCompat':
        """Trains."""
        self._estimator.fit(x, y, steps=steps, batch_size=batch_size, monitors=monitors, max_steps=max_steps)
        return self

    def score(self, x: Any, y: Any, batch_size: int = 128, steps: Any = None, metrics: Any = None,
              name: str | None = None) -> Any:
        """Returns the loss and other metrics."""
        return self._estimator.evaluate(x, y, batch_size=batch_size, steps=steps, metrics=metrics, name=name)

    def predict(self, x: Any, batch_size: int = 128, outputs: Any = None) -> Any:
        """Returns what the model says of all rows."""
        return self._estimator.predict(x, batch_size=batch_size, outputs=outputs, as_iterable=False)


# ---- Models that are there ----


class _Classifier(BaseEstimator):
    _output = 'class_ids'

    def predict_classes(self, x: Any = None, input_fn: Any = None, batch_size: Any = None,
                        as_iterable: bool = True) -> Any:
        """Returns the class of each row."""
        return self.predict(x, input_fn, batch_size, None, as_iterable)

    def predict_proba(self, x: Any = None, input_fn: Any = None, batch_size: Any = None,
                      as_iterable: bool = True) -> Any:
        """Returns how likely each class is, for each row."""
        return self._predicted(x, input_fn, batch_size, None, as_iterable, 'probabilities')


class _Regressor(BaseEstimator):
    _output = 'predictions'

    def predict_scores(self, x: Any = None, input_fn: Any = None, batch_size: Any = None,
                       as_iterable: bool = True) -> Any:
        """Returns the number that is predicted for each row."""
        return self.predict(x, input_fn, batch_size, None, as_iterable)


class DNNClassifier(_Classifier):
    """Learns classes with a deep network."""

    def __init__(self, hidden_units: Any, feature_columns: Any, model_dir: Any = None, n_classes: int = 2,
                 weight_column_name: Any = None, optimizer: Any = None, activation_fn: Any = nn_ops.relu,
                 dropout: Any = None, config: Any = None) -> None:
        self._estimator = canned.DNNClassifier(
            hidden_units, feature_columns, model_dir, n_classes, weight_column_name, None, optimizer or 'Adagrad',
            activation_fn, dropout, None, config, loss_reduction=Reduction.SUM_OVER_BATCH_SIZE)


class DNNRegressor(_Regressor):
    """Learns numbers with a deep network."""

    def __init__(self, hidden_units: Any, feature_columns: Any, model_dir: Any = None, weight_column_name: Any = None,
                 optimizer: Any = None, activation_fn: Any = nn_ops.relu, dropout: Any = None, config: Any = None,
                 label_dimension: int = 1) -> None:
        self._estimator = canned.DNNRegressor(
            hidden_units, feature_columns, model_dir, label_dimension, weight_column_name, optimizer or 'Adagrad',
            activation_fn, dropout, None, config, loss_reduction=Reduction.SUM_OVER_BATCH_SIZE)


class LinearClassifier(_Classifier):
    """Learns classes with a linear model."""

    def __init__(self, feature_columns: Any, model_dir: Any = None, n_classes: int = 2, weight_column_name: Any = None,
                 optimizer: Any = None, config: Any = None) -> None:
        self._estimator = canned.LinearClassifier(
            feature_columns, model_dir, n_classes, weight_column_name, None, optimizer or 'Ftrl', config,
            loss_reduction=Reduction.SUM_OVER_BATCH_SIZE)


class LinearRegressor(_Regressor):
    """Learns numbers with a linear model."""

    def __init__(self, feature_columns: Any, model_dir: Any = None, weight_column_name: Any = None,
                 optimizer: Any = None, config: Any = None, label_dimension: int = 1) -> None:
        self._estimator = canned.LinearRegressor(
            feature_columns, model_dir, label_dimension, weight_column_name, optimizer or 'Ftrl', config,
            loss_reduction=Reduction.SUM_OVER_BATCH_SIZE)


class DNNLinearCombinedClassifier(_Classifier):
    """Learns classes with a deep network and a linear model together."""

    def __init__(self, model_dir: Any = None, n_classes: int = 2, weight_column_name: Any = None,
                 linear_feature_columns: Any = None, linear_optimizer: Any = None, dnn_feature_columns: Any = None,
                 dnn_optimizer: Any = None, dnn_hidden_units: Any = None, dnn_activation_fn: Any = nn_ops.relu,
                 dnn_dropout: Any = None, config: Any = None, fix_global_step_increment_bug: bool = True) -> None:
        self._estimator = canned.DNNLinearCombinedClassifier(
            model_dir, linear_feature_columns, linear_optimizer or 'Ftrl', dnn_feature_columns,
            dnn_optimizer or 'Adagrad', dnn_hidden_units, dnn_activation_fn, dnn_dropout, n_classes,
            weight_column_name, config=config, loss_reduction=Reduction.SUM_OVER_BATCH_SIZE)


# ---- Columns ----


def real_valued_column(column_name: str, dimension: int = 1, default_value: Any = None, dtype: Any = 'float32',
                       normalizer: Any = None) -> Any:
    """Makes a column of numbers."""
    return dense.numeric_column(column_name, (dimension,), default_value, dtype, normalizer)


def infer_real_valued_columns_from_input(x: Any) -> list[Any]:
    """Returns the column of all numbers in the rows of an array."""
    sizes = np.asarray(x).shape[1:]
    return [dense.numeric_column(_ARRAY, sizes or (1,))]
