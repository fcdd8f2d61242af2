"""learning.py - slim.learning: the op of a training step."""

from __future__ import annotations

from typing import Any

from berth._train import global_step as global_steps
from berth.framework import scopes
from berth.framework.collections import GraphKeys
from berth.framework.indexed_slices import IndexedSlices
from berth.ops import array_ops, math_ops, order_ops
from berth.variables import sets

_USE_GLOBAL_STEP = 0


def clip_gradient_norms(gradients_to_variables: Any, max_norm: float) -> list[tuple[Any, Any]]:
    """Returns gradients no longer than |max_norm|, each by itself."""
    return [(_with_values(grad, lambda x: math_ops.clip_by_norm(x, max_norm)), variable)
            for grad, variable in gradients_to_variables]


def multiply_gradients(grads_and_vars: Any, gradient_multipliers: dict[Any, Any]) -> list[tuple[Any, Any]]:
    """Returns gradients times what is given for their variables."""
    if not gradient_multipliers:
        raise ValueError('`gradient_multipliers` is empty.')
    found = []
    for grad, variable in grads_and_vars:
        key = variable if variable in gradient_multipliers else variable.op.name
        if key in gradient_multipliers:
            if grad is None:
                raise ValueError('Requested multiple of `None` gradient.')
            factor = gradient_multipliers[key]
            grad = _with_values(grad, lambda x, by=factor: x * by)
        found.append((grad, variable))
    return found


def _with_values(grad: Any, function: Any) -> Any:
    """Returns a gradient with its values changed."""
    if grad is None:
        return None
    if isinstance(grad, IndexedSlices):
        return IndexedSlices(function(grad.values), grad.indices, grad.dense_shape)
    return function(grad)


def create_train_op(total_loss: Any, optimizer: Any, global_step: Any = _USE_GLOBAL_STEP, update_ops: Any = None,
                    variables_to_train: Any = None, clip_gradient_norm: float = 0, summarize_gradients: bool = False,
                    gate_gradients: Any = 1, aggregation_method: Any = None,
                    colocate_gradients_with_ops: bool = False, gradient_multipliers: Any = None,
                    check_numerics: bool = True) -> Any:
    """Returns an op that does what is to be updated, takes a step, and gives the loss."""
    if global_step is _USE_GLOBAL_STEP:
        global_step = global_steps.get_or_create_global_step()
    updates = list(scopes.get_collection(GraphKeys.UPDATE_OPS) if update_ops is None else update_ops)
    if updates:
        with scopes.control_dependencies(updates):
            barrier = order_ops.no_op(name='update_barrier')
        total_loss = order_ops.with_dependencies([barrier], total_loss)
    variables = sets.trainable_variables() if variables_to_train is None else variables_to_train
    grads = optimizer.compute_gradients(total_loss, variables, gate_gradients=gate_gradients,
                                        aggregation_method=aggregation_method,
                                        colocate_gradients_with_ops=colocate_gradients_with_ops)
    if gradient_multipliers:
        grads = multiply_gradients(grads, gradient_multipliers)
    if clip_gradient_norm > 0:
        grads = clip_gradient_norms(grads, clip_gradient_norm)
    if summarize_gradients:
        from berth._contrib import evaluation

        with scopes.name_scope('summarize_grads'):
            evaluation.add_gradients_summaries(grads)
    step = optimizer.apply_gradients(grads, global_step=global_step)
    with scopes.name_scope('train_op'):
        if check_numerics:
            total_loss = array_ops.check_numerics(total_loss, 'LossTensor is inf or nan')
        op = order_ops.with_dependencies([step], total_loss)
    if not any(op is other for other in scopes.get_collection(GraphKeys.TRAIN_OP)):
        scopes.add_to_collection(GraphKeys.TRAIN_OP, op)
    return op
