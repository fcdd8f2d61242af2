"""canned - Estimators with models of their own: deep networks, linear models, both together, and baselines."""

from __future__ import annotations

import math
from typing import Any

from berth._estimator import heads
from berth._estimator.estimator import Estimator
from berth._estimator.heads import class_head
from berth._estimator.spec import ModeKeys
from berth._features import layers as columns_of
from berth._layers import core, normalization
from berth._layers.losses import Reduction
from berth._summary import summary_ops
from berth._train import global_step as counters
from berth._train import optimizers
from berth._train.optimizer import Optimizer
from berth.base import naming
from berth.framework import scopes
from berth.framework.collections import GraphKeys
from berth.ops import array_ops, check_ops, init_ops, math_ops, nn_ops, order_ops, state_ops
from berth.variables import scope as variable_scope

_OPTIMIZERS = {'Adagrad': optimizers.AdagradOptimizer, 'Adam': optimizers.AdamOptimizer, 'Ftrl': optimizers.FtrlOptimizer,
               'RMSProp': optimizers.RMSPropOptimizer, 'SGD': optimizers.GradientDescentOptimizer}


def _optimizer(given: Any, rate: float) -> Any:
    """Returns an optimizer by its name, by what makes it, or as it is."""
    if isinstance(given, str):
        if given not in _OPTIMIZERS:
            raise ValueError(f'Unsupported optimizer name: {given}. Supported names are: {tuple(sorted(_OPTIMIZERS))}')
        return _OPTIMIZERS[given](learning_rate=rate)
    given = given() if callable(given) else given
    if not isinstance(given, Optimizer):
        raise ValueError(f'The given object is not an Optimizer instance. Given: {given}')
    return given


def _check_features(features: Any) -> None:
    if not isinstance(features, dict):
        raise ValueError(f'features should be a dictionary of `Tensor`s. Given type: {type(features)}')


def _summarize(value: Any, tag: str) -> None:
    """Adds summaries of what a layer gives."""
    summary_ops.scalar(f'{tag}/fraction_of_zero_values', nn_ops.zero_fraction(value))
    summary_ops.histogram(f'{tag}/activation', value)


# ---- Models ----


def _dnn_logits(features: Any, columns: Any, hidden: Any, units: int, mode: str, activation: Any, dropout: Any,
                has_norm: bool) -> Any:
    """Returns the logits of a deep network; its variables are in the current scope."""
    is_training = mode == ModeKeys.TRAIN
    initializer = init_ops.glorot_uniform_initializer()
    with variable_scope.variable_scope('input_from_feature_columns'):
        net = columns_of.input_layer(features, columns)
    for i, count in enumerate(hidden):
        with variable_scope.variable_scope(f'hiddenlayer_{i}') as scope:
            layer = core.Dense(count, activation, kernel_initializer=initializer, name=scope.name, _scope=scope)
        net = layer(net)
        if dropout is not None and is_training:
            net = core.Dropout(rate=dropout)(net, training=True)
        if has_norm:
            norm = normalization.BatchNormalization(momentum=0.999, name=f'batchnorm_{i}',
                                                    _scope=f'hiddenlayer_{i}/batchnorm_{i}')
            net = norm(net, training=is_training)
        _summarize(net, scope.name)
    with variable_scope.variable_scope('logits') as scope:
        layer = core.Dense(units, None, kernel_initializer=initializer, name=scope.name, _scope=scope)
    logits = layer(net)
    _summarize(logits, scope.name)
    return logits


def _linear_logits(features: Any, columns: Any, units: int, combiner: str) -> Any:
    """Returns the logits of a linear model; its variables are in the current scope."""
    model = columns_of.LinearModel(columns, units, combiner)
    logits = model(features)
    found = dict(model.cols_to_vars)
    bias = found.pop('bias')
    if units > 1:
        summary_ops.histogram('bias', bias)
    else:
        summary_ops.scalar('bias', bias[0][0])
    weights = [variable for variables in found.values() for variable in variables]
    with scopes.name_scope('zero_fraction'):
        sizes = [float(variable.shape.num_elements()) for variable in weights]
        zeros = math_ops.add_n([nn_ops.zero_fraction(variable) * size for variable, size in zip(weights, sizes)])
        share = array_ops.identity(zeros / sum(sizes), name='zero_fraction_or_nan')
    summary_ops.scalar('fraction_of_zero_weights', share)
    return logits


def _baseline_logits(features: Any, units: int, weight_column: Any) -> Any:
    """Returns the same logits for all examples."""
    skipped = getattr(weight_column, 'key', weight_column)
    sizes, checks = [], []
    for key, value in features.items():
        if key == skipped:
            continue
        sizes.append(array_ops.shape(value)[0])
        if len(sizes) > 1:
            checks.append(check_ops.assert_equal(sizes[0], sizes[-1]))
    with scopes.control_dependencies(checks), variable_scope.variable_scope('baseline'):
        bias = variable_scope.get_variable('bias', shape=[units], initializer=init_ops.zeros_initializer())
        return math_ops.multiply(bias, array_ops.ones([sizes[0], units]))


# ---- Model functions ----


def _dnn(head: Any, hidden_units: Any, feature_columns: Any, optimizer: Any, activation_fn: Any, dropout: Any,
         batch_norm: bool) -> Any:
    columns = tuple(feature_columns or [])

    def model_fn(features: Any, labels: Any, mode: str, config: Any) -> Any:
        made = _optimizer(optimizer, 0.05)
        _check_features(features)
        with variable_scope.variable_scope('dnn', values=list(features.values())):
            logits = _dnn_logits(features, columns, hidden_units, head.logits_dimension, mode, activation_fn, dropout,
                                 batch_norm)
            return head.create_estimator_spec(features, mode, logits, labels, made)

    return model_fn


def _linear(head: Any, feature_columns: Any, optimizer: Any, sparse_combiner: str) -> Any:
    columns = tuple(feature_columns or [])

    def model_fn(features: Any, labels: Any, mode: str, config: Any) -> Any:
        _check_features(features)
        made = _optimizer(optimizer or 'Ftrl', min(0.2, 1.0 / math.sqrt(len(columns))) if not optimizer else 0.2)
        with variable_scope.variable_scope('linear', values=list(features.values())):
            logits = _linear_logits(features, columns, head.logits_dimension, sparse_combiner)
            return head.create_estimator_spec(features, mode, logits, labels, made)

    return model_fn


def _baseline(head: Any, optimizer: Any, weight_column: Any = None) -> Any:
    def model_fn(features: Any, labels: Any, mode: str, config: Any) -> Any:
        logits = _baseline_logits(features, head.logits_dimension, weight_column)

        def train_op(loss: Any) -> Any:
            return _optimizer(optimizer, 0.3).minimize(loss, global_step=counters.get_global_step())

        return head.create_estimator_spec(features, mode, logits, labels, train_op_fn=train_op)

    return model_fn


def _combined(head: Any, linear_columns: Any, linear_optimizer: Any, dnn_columns: Any, dnn_optimizer: Any, hidden: Any,
              activation: Any, dropout: Any, batch_norm: bool, sparse_combiner: str) -> Any:
    linear_columns, dnn_columns = tuple(linear_columns or []), tuple(dnn_columns or [])
    if not linear_columns and not dnn_columns:
        raise ValueError('Either linear_feature_columns or dnn_feature_columns must be defined.')
    if dnn_columns and not hidden:
        raise ValueError('dnn_hidden_units must be defined when dnn_feature_columns is specified.')
    units = head.logits_dimension

    def model_fn(features: Any, labels: Any, mode: str, config: Any) -> Any:
        _check_features(features)
        parts: list[tuple[Any, Any, str]] = []  # Logits, who trains them, and the scope of the variables.
        if dnn_columns:
            made = _optimizer(dnn_optimizer, 0.001)
            with variable_scope.variable_scope('dnn', values=list(features.values())) as scope:
                logits = _dnn_logits(features, dnn_columns, hidden, units, mode, activation, dropout, batch_norm)
                parts.append((logits, made, scope.name))
        if linear_columns:
            made = _optimizer(linear_optimizer, min(0.005, 1.0 / math.sqrt(len(linear_columns))))
            with variable_scope.variable_scope('linear', values=list(features.values())) as scope:
                logits = _linear_logits(features, linear_columns, units, sparse_combiner)
                _summarize(logits, scope.name)
                parts.append((logits, made, scope.name))

        def train_op(loss: Any) -> Any:
            steps = [made.minimize(loss, var_list=scopes.get_collection(GraphKeys.TRAINABLE_VARIABLES, scope=name))
                     for _, made, name in parts]
            with scopes.control_dependencies([order_ops.group(*steps)]):
                return state_ops.assign_add(counters.get_global_step(), 1).op

        logits = parts[0][0] if len(parts) == 1 else parts[0][0] + parts[1][0]
        return head.create_estimator_spec(features, mode, logits, labels, train_op_fn=train_op)

    return model_fn


def _unpartitioned(partitioner: Any) -> None:
    if partitioner is not None:
        raise NotImplementedError('tf.estimator: Berth does not partition variables; leave the partitioner out.')


# ---- Estimators ----


@naming.public('estimator.canned.dnn')
class DNNClassifier(Estimator):
    """Learns classes with a deep network."""

    def __init__(self, hidden_units: Any, feature_columns: Any, model_dir: Any = None, n_classes: int = 2,
                 weight_column: Any = None, label_vocabulary: Any = None, optimizer: Any = 'Adagrad',
                 activation_fn: Any = nn_ops.relu, dropout: Any = None, input_layer_partitioner: Any = None,
                 config: Any = None, warm_start_from: Any = None, loss_reduction: str = Reduction.SUM,
                 batch_norm: bool = False) -> None:
        _unpartitioned(input_layer_partitioner)
        head = class_head(n_classes, weight_column, label_vocabulary, loss_reduction)
        super().__init__(_dnn(head, hidden_units, feature_columns, optimizer, activation_fn, dropout, batch_norm),
                         model_dir, config, None, warm_start_from)


@naming.public('estimator.canned.dnn')
class DNNRegressor(Estimator):
    """Learns numbers with a deep network."""

    def __init__(self, hidden_units: Any, feature_columns: Any, model_dir: Any = None, label_dimension: int = 1,
                 weight_column: Any = None, optimizer: Any = 'Adagrad', activation_fn: Any = nn_ops.relu,
                 dropout: Any = None, input_layer_partitioner: Any = None, config: Any = None, warm_start_from: Any = None,
                 loss_reduction: str = Reduction.SUM, batch_norm: bool = False) -> None:
        _unpartitioned(input_layer_partitioner)
        head = heads.RegressionHead(label_dimension, weight_column, loss_reduction)
        super().__init__(_dnn(head, hidden_units, feature_columns, optimizer, activation_fn, dropout, batch_norm),
                         model_dir, config, None, warm_start_from)


@naming.public('estimator.canned.dnn')
class DNNEstimator(Estimator):
    """Learns what a head makes of a deep network."""

    def __init__(self, head: Any, hidden_units: Any, feature_columns: Any, model_dir: Any = None,
                 optimizer: Any = 'Adagrad', activation_fn: Any = nn_ops.relu, dropout: Any = None,
                 input_layer_partitioner: Any = None, config: Any = None, warm_start_from: Any = None,
                 batch_norm: bool = False) -> None:
        _unpartitioned(input_layer_partitioner)
        super().__init__(_dnn(head, hidden_units, feature_columns, optimizer, activation_fn, dropout, batch_norm),
                         model_dir, config, None, warm_start_from)


@naming.public('estimator.canned.linear')
class LinearClassifier(Estimator):
    """Learns classes with a linear model."""

    def __init__(self, feature_columns: Any, model_dir: Any = None, n_classes: int = 2, weight_column: Any = None,
                 label_vocabulary: Any = None, optimizer: Any = 'Ftrl', config: Any = None, partitioner: Any = None,
                 warm_start_from: Any = None, loss_reduction: str = Reduction.SUM, sparse_combiner: str = 'sum') -> None:
        _unpartitioned(partitioner)
        head = class_head(n_classes, weight_column, label_vocabulary, loss_reduction)
        super().__init__(_linear(head, feature_columns, optimizer, sparse_combiner), model_dir, config, None,
                         warm_start_from)


@naming.public('estimator.canned.linear')
class LinearRegressor(Estimator):
    """Learns numbers with a linear model."""

    def __init__(self, feature_columns: Any, model_dir: Any = None, label_dimension: int = 1, weight_column: Any = None,
                 optimizer: Any = 'Ftrl', config: Any = None, partitioner: Any = None, warm_start_from: Any = None,
                 loss_reduction: str = Reduction.SUM, sparse_combiner: str = 'sum') -> None:
        _unpartitioned(partitioner)
        head = heads.RegressionHead(label_dimension, weight_column, loss_reduction)
        super().__init__(_linear(head, feature_columns, optimizer, sparse_combiner), model_dir, config, None,
                         warm_start_from)


@naming.public('estimator.canned.linear')
class LinearEstimator(Estimator):
    """Learns what a head makes of a linear model."""

    def __init__(self, head: Any, feature_columns: Any, model_dir: Any = None, optimizer: Any = 'Ftrl',
                 config: Any = None, partitioner: Any = None, sparse_combiner: str = 'sum',
                 warm_start_from: Any = None) -> None:
        _unpartitioned(partitioner)
        super().__init__(_linear(head, feature_columns, optimizer, sparse_combiner), model_dir, config, None,
                         warm_start_from)


@naming.public('estimator.canned.dnn_linear_combined')
class DNNLinearCombinedClassifier(Estimator):
    """Learns classes with a deep network and a linear model together."""

    def __init__(self, model_dir: Any = None, linear_feature_columns: Any = None, linear_optimizer: Any = 'Ftrl',
                 dnn_feature_columns: Any = None, dnn_optimizer: Any = 'Adagrad', dnn_hidden_units: Any = None,
                 dnn_activation_fn: Any = nn_ops.relu, dnn_dropout: Any = None, n_classes: int = 2,
                 weight_column: Any = None, label_vocabulary: Any = None, input_layer_partitioner: Any = None,
                 config: Any = None, warm_start_from: Any = None, loss_reduction: str = Reduction.SUM,
                 batch_norm: bool = False, linear_sparse_combiner: str = 'sum') -> None:
        _unpartitioned(input_layer_partitioner)
        head = class_head(n_classes, weight_column, label_vocabulary, loss_reduction)
        super().__init__(_combined(head, linear_feature_columns, linear_optimizer, dnn_feature_columns, dnn_optimizer,
                                   dnn_hidden_units, dnn_activation_fn, dnn_dropout, batch_norm, linear_sparse_combiner),
                         model_dir, config, None, warm_start_from)


@naming.public('estimator.canned.dnn_linear_combined')
class DNNLinearCombinedRegressor(Estimator):
    """Learns numbers with a deep network and a linear model together."""

    def __init__(self, model_dir: Any = None, linear_feature_columns: Any = None, linear_optimizer: Any = 'Ftrl',
                 dnn_feature_columns: Any = None, dnn_optimizer: Any = 'Adagrad', dnn_hidden_units: Any = None,
                 dnn_activation_fn: Any = nn_ops.relu, dnn_dropout: Any = None, label_dimension: int = 1,
                 weight_column: Any = None, input_layer_partitioner: Any = None, config: Any = None,
                 warm_start_from: Any = None, loss_reduction: str = Reduction.SUM, batch_norm: bool = False,
                 linear_sparse_combiner: str = 'sum') -> None:
        _unpartitioned(input_layer_partitioner)
        head = heads.RegressionHead(label_dimension, weight_column, loss_reduction)
        super().__init__(_combined(head, linear_feature_columns, linear_optimizer, dnn_feature_columns, dnn_optimizer,
                                   dnn_hidden_units, dnn_activation_fn, dnn_dropout, batch_norm, linear_sparse_combiner),
                         model_dir, config, None, warm_start_from)


@naming.public('estimator.canned.baseline')
class BaselineClassifier(Estimator):
    """Learns how frequent classes are."""

    def __init__(self, model_dir: Any = None, n_classes: int = 2, weight_column: Any = None, label_vocabulary: Any = None,
                 optimizer: Any = 'Ftrl', config: Any = None, loss_reduction: str = Reduction.SUM) -> None:
        head = class_head(n_classes, weight_column, label_vocabulary, loss_reduction)
        super().__init__(_baseline(head, optimizer, weight_column), model_dir, config)


@naming.public('estimator.canned.baseline')
class BaselineRegressor(Estimator):
    """Learns the mean of numbers."""

    def __init__(self, model_dir: Any = None, label_dimension: int = 1, weight_column: Any = None,
                 optimizer: Any = 'Ftrl', config: Any = None, loss_reduction: str = Reduction.SUM) -> None:
        head = heads.RegressionHead(label_dimension, weight_column, loss_reduction)
        super().__init__(_baseline(head, optimizer), model_dir, config)
