"""optimizers.py - tf.contrib.layers.optimize_loss: the op of a training step, by the name of an optimiser."""

from __future__ import annotations

from typing import Any

from berth._contrib.learning import _with_values
from berth._summary import summary_ops
from berth._train import global_step as global_steps
from berth._train import optimizers
from berth._train.optimizer import Optimizer
from berth.framework import convert, scopes
from berth.framework.collections import GraphKeys
from berth.framework.indexed_slices import IndexedSlices
from berth.framework.node import Tensor
from berth.ops import array_ops, check_shapes, clip_ops, init_ops, order_ops, random_ops
from berth.variables import scope as variable_scope
from berth.variables import sets

OPTIMIZER_CLS_NAMES = {
    'Adagrad': optimizers.AdagradOptimizer,
    'Adam': optimizers.AdamOptimizer,
    'Ftrl': optimizers.FtrlOptimizer,
    'Momentum': optimizers.MomentumOptimizer,
    'RMSProp': optimizers.RMSPropOptimizer,
    'SGD': optimizers.GradientDescentOptimizer,
}
OPTIMIZER_SUMMARIES = ['learning_rate', 'loss', 'gradients', 'gradient_norm', 'global_gradient_norm']
_NORMS = {'global_gradient_norm', 'gradient_norm'}


def optimize_loss(loss: Any, global_step: Any, learning_rate: Any, optimizer: Any, gradient_noise_scale: Any = None,
                  gradient_multipliers: Any = None, clip_gradients: Any = None, learning_rate_decay_fn: Any = None,
                  update_ops: Any = None, variables: Any = None, name: str | None = None, summaries: Any = None,
                  colocate_gradients_with_ops: bool = False, increment_global_step: bool = True) -> Any:
    """Returns an op that takes a training step and gives the loss."""
    loss = convert.convert_to_tensor(loss)
    check_shapes.assert_scalar(loss)
    if global_step is None:
        global_step = global_steps.get_global_step()
    else:
        global_steps.assert_global_step(global_step)
    shown = _summaries(summaries)
    with variable_scope.variable_scope(name, 'OptimizeLoss', [loss, global_step]):
        updates = list(dict.fromkeys(scopes.get_collection(GraphKeys.UPDATE_OPS))) if update_ops is None else update_ops
        if updates:
            loss = order_ops.with_dependencies(list(updates), loss)
        rate = _decayed(_rate(learning_rate), learning_rate_decay_fn, global_step, shown)
        used = _optimizer(optimizer, rate)
        grads = used.compute_gradients(loss, sets.trainable_variables() if variables is None else variables,
                                       colocate_gradients_with_ops=colocate_gradients_with_ops)
        if gradient_noise_scale is not None:
            grads = [(_noisy(grad, gradient_noise_scale), variable) for grad, variable in grads]
        if gradient_multipliers is not None:
            grads = _multiplied(grads, gradient_multipliers)
        if _NORMS & shown:
            summary_ops.scalar('global_norm/gradient_norm', clip_ops.global_norm([grad for grad, _ in grads]))
        grads = _clipped(grads, clip_gradients)
        _summarize(loss, grads, shown, clip_gradients is not None)
        step = used.apply_gradients(grads, global_step if increment_global_step else None, name='train')
        return order_ops.with_dependencies([step], loss)


# ---- Rates and optimisers ----


def _rate(given: Any) -> Any:
    """Returns the learning rate: a tensor as it is, a number as a variable."""
    if given is None or isinstance(given, Tensor) and given.shape.rank == 0:
        return given
    if not isinstance(given, float):
        raise ValueError(f'Learning rate should be 0d Tensor or float. Got {given} of type {type(given)}')
    if given < 0.0:
        raise ValueError('Invalid learning_rate %s.', given)
    return variable_scope.get_variable('learning_rate', [], trainable=False,
                                       initializer=init_ops.constant_initializer(given))


def _decayed(rate: Any, function: Any, global_step: Any, shown: set[str]) -> Any:
    """Returns the rate of this step."""
    if rate is None or function is None:
        return rate
    if global_step is None:
        raise ValueError('global_step is required for learning_rate_decay_fn.')
    rate = function(rate, global_step)
    if 'learning_rate' in shown:
        summary_ops.scalar('learning_rate', rate)
    return rate


def _optimizer(given: Any, rate: Any) -> Any:
    """Returns an optimiser that is given by its name, its class, a function, or itself."""
    if isinstance(given, Optimizer):
        return given
    is_class = isinstance(given, type) and issubclass(given, Optimizer)
    if isinstance(given, str) or is_class:
        if rate is None:
            raise ValueError('Learning rate is None, but should be specified if optimizer is '
                             f'{"class" if is_class else "string"} ({given}).')
        if isinstance(given, str) and given not in OPTIMIZER_CLS_NAMES:
            raise ValueError(f'Optimizer name should be one of [{", ".join(OPTIMIZER_CLS_NAMES)}], you provided '
                             f'{given}.')
        return (given if is_class else OPTIMIZER_CLS_NAMES[given])(learning_rate=rate)
    if not callable(given):
        raise ValueError('Unrecognized optimizer: should be string, subclass of Optimizer, instance of subclass of '
                         f'Optimizer or function with one argument. Got {given}.')
    made = given() if rate is None else given(rate)
    if not isinstance(made, Optimizer):
        raise ValueError(f'Unrecognized optimizer: function should return subclass of Optimizer. Got {made}.')
    return made


# ---- Gradients ----


def _noisy(grad: Any, scale: Any) -> Any:
    if grad is None:
        return None
    shape = grad.dense_shape if isinstance(grad, IndexedSlices) else array_ops.shape(grad)
    return grad + random_ops.truncated_normal(shape) * scale


def _multiplied(grads: Any, factors: dict[Any, Any]) -> list[Any]:
    """Returns gradients times what is given for their variables or the names of these."""
    found = []
    for grad, variable in grads:
        key = variable if variable in factors else variable.name
        if grad is not None and key in factors:
            grad = _with_values(grad, lambda x, by=convert.constant(factors[key], dtype='float32'): x * by)
        found.append((grad, variable))
    if not found:
        raise ValueError('Empty list of (gradient, var) pairs encountered. This is most likely to be caused by an '
                         'improper value of gradient_multipliers.')
    return found


def _clipped(grads: Any, clip: Any) -> Any:
    """Returns gradients that are together no longer than a number, or what a function makes of them."""
    if isinstance(clip, float):
        short, _ = clip_ops.clip_by_global_norm([grad for grad, _ in grads], clip)
        return list(zip(short, [variable for _, variable in grads]))
    if callable(clip):
        return clip(grads)
    if clip is not None:
        raise ValueError(f'Unknown type {type(clip)} for clip_gradients')
    return grads


# ---- Summaries ----


def _summaries(given: Any) -> set[str]:
    for each in given or ():
        if each not in OPTIMIZER_SUMMARIES:
            raise ValueError(f'Summaries should be one of [{", ".join(OPTIMIZER_SUMMARIES)}], you provided {each}.')
    return {'loss', 'learning_rate', 'global_gradient_norm'} if given is None else set(given)


def _summarize(loss: Any, grads: Any, shown: set[str], is_clipped: bool) -> None:
    """Makes summaries of the loss and of each gradient."""
    if 'loss' in shown:
        summary_ops.scalar('loss', loss)
    for grad, variable in grads:
        values = grad.values if isinstance(grad, IndexedSlices) else grad
        if values is None:
            continue
        label = variable.name.replace(':', '_')
        if 'gradients' in shown:
            summary_ops.histogram(f'gradients/{label}', values)
        if 'gradient_norm' in shown:
            summary_ops.scalar(f'gradient_norm/{label}', clip_ops.global_norm([values]))
    if is_clipped and _NORMS & shown:
        summary_ops.scalar('global_norm/clipped_gradient_norm', clip_ops.global_norm([grad for grad, _ in grads]))
