"""loss_scale - Losses that are made larger while slopes are computed, so that small slopes are not lost."""

from __future__ import annotations

from typing import Any

from berth._train.optimizer import Optimizer
from berth.base import execution, naming
from berth.framework import convert, dtypes, nest
from berth.framework.indexed_slices import IndexedSlices
from berth.framework.trackable import Trackable
from berth.ops import flow_ops, math_ops, order_ops, reduce_ops
from berth.variables import replicas
from berth.variables.graph_variable import VariableV1


@naming.public('training.experimental.loss_scale')
class LossScale(Trackable):
    """By how much a loss is made larger."""

    _variables: tuple[Any, ...] = ()

    def __call__(self) -> Any:
        raise NotImplementedError

    def update(self, grads: Any) -> Any:
        """Returns what changes the scale, and whether these slopes are to be used."""
        raise NotImplementedError

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments that make one like it."""
        raise NotImplementedError

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        """Makes one."""
        return cls(**config)


@naming.public('training.experimental.loss_scale')
class FixedLossScale(LossScale):
    """Always the same."""

    def __init__(self, loss_scale_value: Any) -> None:
        if not isinstance(loss_scale_value, (int, float)):
            raise ValueError('loss_scale_value must be a Python int or float.')
        if loss_scale_value < 1:
            raise ValueError('loss_scale_value must be at least 1.')
        self._loss_scale_value = float(loss_scale_value)

    def __call__(self) -> Any:
        return convert.convert_to_tensor(self._loss_scale_value)

    def update(self, grads: Any) -> Any:
        """Changes nothing."""
        return order_ops.no_op(), True

    def __repr__(self) -> str:
        return f'FixedLossScale({self._loss_scale_value})'

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments that make one like it."""
        return {'loss_scale_value': self._loss_scale_value}


def _done(update: Any) -> Any:
    """Returns what a branch gives of an assignment."""
    return update if execution.executing_eagerly() else update.op


@naming.public('training.experimental.loss_scale')
class DynamicLossScale(LossScale):
    """Grows while all slopes are finite, and shrinks when one is not."""

    def __init__(self, initial_loss_scale: Any = 2 ** 15, increment_period: Any = 2000, multiplier: Any = 2.) -> None:
        self._initial_loss_scale, self._increment_period = float(initial_loss_scale), int(increment_period)
        self._multiplier = float(multiplier)
        self._current_loss_scale = VariableV1(self._initial_loss_scale, name='current_loss_scale', dtype=dtypes.float32,
                                              trainable=False, use_resource=True)
        self._num_good_steps = VariableV1(0, name='good_steps', dtype=dtypes.int64, trainable=False, use_resource=True)
        self.current_loss_scale, self.good_steps = self._current_loss_scale, self._num_good_steps
        self._variables = self._current_loss_scale, self._num_good_steps

    initial_loss_scale = property(lambda self: self._initial_loss_scale, doc='Where it begins.')
    increment_period = property(lambda self: self._increment_period, doc='After how many good steps it grows.')
    multiplier = property(lambda self: self._multiplier, doc='By how much it grows or shrinks.')

    def __call__(self) -> Any:
        return convert.convert_to_tensor(self._current_loss_scale)

    def update(self, grads: Any) -> Any:
        """Changes the scale by whether slopes are finite."""
        if replicas.has_strategy():
            raise NotImplementedError('tf.train.experimental.DynamicLossScale: Berth does not have it under a strategy')
        values = [each.values if isinstance(each, IndexedSlices) else each for each in nest.flatten(grads)]
        is_finite = reduce_ops.reduce_all([reduce_ops.reduce_all(math_ops.is_finite(each))
                                           for each in values if each is not None])
        scale, steps = self._current_loss_scale, self._num_good_steps

        def grow() -> Any:
            larger = scale * self._multiplier
            change = flow_ops.cond(math_ops.is_finite(larger), lambda: _done(scale.assign(larger)), order_ops.no_op)
            return order_ops.group(change, steps.assign(0))

        def go_on() -> Any:
            return flow_ops.cond(steps + 1 >= self._increment_period, grow, lambda: _done(steps.assign_add(1)))

        def shrink() -> Any:
            smaller = math_ops.maximum(scale / self._multiplier, 1)
            return order_ops.group(steps.assign(0), scale.assign(smaller))

        return flow_ops.cond(is_finite, go_on, shrink), is_finite

    def __repr__(self) -> str:
        now = (f'current_loss_scale={self._current_loss_scale.numpy()}, num_good_steps={self._num_good_steps.numpy()}, '
               if execution.executing_eagerly() else '')
        return (f'DynamicLossScale({now}initial_loss_scale={self.initial_loss_scale}, '
                f'increment_period={self.increment_period}, multiplier={self.multiplier})')

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments that make one like it."""
        return {'initial_loss_scale': self.initial_loss_scale, 'increment_period': self.increment_period,
                'multiplier': self.multiplier}


def _found(given: Any) -> LossScale:
    if isinstance(given, (int, float)):
        return FixedLossScale(given)
    if given == 'dynamic':
        return DynamicLossScale()
    if given is None:
        raise ValueError('loss_scale cannot be None')
    if not isinstance(given, LossScale):
        raise ValueError(f'Could not interpret loss scale identifier: {given}')
    return given


@naming.public('training.experimental.loss_scale_optimizer')
class MixedPrecisionLossScaleOptimizer(Optimizer):
    """Makes a loss larger for another optimiser, and its slopes smaller again."""

    def __init__(self, opt: Any, loss_scale: Any) -> None:
        if not isinstance(opt, Optimizer):
            raise ValueError('"opt" must be an instance of Optimizer, but got: %s' % type(opt))
        super().__init__(opt._use_locking, opt.get_name())
        self._optimizer, self._loss_scale = opt, _found(loss_scale)

    def compute_gradients(self, loss: Any, var_list: Any = None, *args: Any, **kwargs: Any) -> Any:
        """Returns the slopes of a loss."""
        scale = self._loss_scale()

        def scaled(value: Any) -> Any:
            return value * math_ops.cast(scale, value.dtype)

        pairs = self._optimizer.compute_gradients((lambda: scaled(loss())) if callable(loss) else scaled(loss), var_list,
                                                  *args, **kwargs)
        back = 1 / self._loss_scale()

        def unscaled(grad: Any) -> Any:
            if isinstance(grad, IndexedSlices):
                return IndexedSlices(grad.values * back, grad.indices, grad.dense_shape)
            return None if grad is None else grad * back

        return [(unscaled(grad), variable) for grad, variable in pairs]

    def apply_gradients(self, grads_and_vars: Any, global_step: Any = None, name: Any = None) -> Any:
        """Takes a step, unless a slope is not finite."""
        if not isinstance(self._loss_scale, DynamicLossScale):
            return self._optimizer.apply_gradients(grads_and_vars, global_step, name)
        pairs = tuple(grads_and_vars)
        name = self.get_name() if name is None else name
        update, is_finite = self._loss_scale.update([grad for grad, _ in pairs])

        def step() -> Any:
            return order_ops.group(self._optimizer.apply_gradients(pairs, global_step, name + '-wrapped'))

        return order_ops.group(flow_ops.cond(is_finite, step, order_ops.no_op), update, name=name)

    def variables(self) -> list[Any]:
        """Returns all variables that are kept."""
        return self._optimizer.variables() + list(self._loss_scale._variables)


def enable_mixed_precision_graph_rewrite(opt: Any, loss_scale: Any = 'dynamic') -> Any:
    """Would compute in smaller numbers."""
    raise NotImplementedError('enable_mixed_precision_graph_rewrite: Berth does not rewrite graphs for smaller numbers; '
                              'cast tensors to tf.float16 and use tf.train.experimental.MixedPrecisionLossScaleOptimizer, '
                              'or leave the call out: results are those of float32')


def disable_mixed_precision_graph_rewrite() -> None:
    """Leaves graphs as they are, which they are."""
