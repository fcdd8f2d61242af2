"""replicated - Optimisers of TF1 under a strategy: slopes of all replicas are summed, and every copy is changed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from berth.framework import indexed_slices, scopes
from berth.framework.collections import GraphKeys
from berth.framework.node import Operation
from berth.ops import order_ops, state_ops
from berth.variables.replicas import here


def scaled(loss: Any) -> Any:
    """Returns a replica's part of the mean loss, where an estimator wants that and the loss is no sum."""
    graph = scopes.get_default_graph()
    if not getattr(here.strategy, '_scale_loss_for_estimator', False) or getattr(graph, '_last_loss_reduction', '') in (
            'weighted_sum', 'sum'):
        return loss
    graph._is_loss_scaled = True
    return loss * (1.0 / here.strategy.num_replicas_in_sync)


def apply(optimizer: Any, grads_and_vars: Any, global_step: Any, name: str | None) -> Any:
    """Changes variables together with the other replicas of the strategy."""
    if here.replica is None:
        raise RuntimeError('Use `_distributed_apply()` instead of `apply_gradients()` in a cross-replica context.')
    pairs = tuple(grads_and_vars)
    kept = tuple((slope, variable) for slope, variable in pairs if slope is not None)
    if not kept:
        raise ValueError(f'No gradients provided for any variable: {[str(v) for _, v in pairs]}.')
    return here.replica.merge_call(
        lambda strategy, *args: optimizer._distributed_apply(strategy, *args), args=(kept, global_step, name))


def apply_together(optimizer: Any, strategy: Any, pairs: Sequence[Any], global_step: Any, name: str | None) -> Any:
    """Changes all copies of variables by the sums of slopes."""
    slopes = strategy.extended.batch_reduce_to('SUM', pairs)
    variables = [variable for _, variable in pairs]
    with scopes.init_scope():
        optimizer._create_slots(variables)

    def change(copy: Any, slope: Any) -> Any:
        with scopes.name_scope('update_' + copy.name.split(':')[0]):
            return optimizer._update(slope_of(slope), copy)

    def finish(done: list[Any]) -> Any:
        return optimizer._finish(done, 'update')

    with scopes.name_scope(name, optimizer._name) as scope:
        optimizer._prepare()
        done = [update for slope, variable in zip(slopes, variables)
                for update in strategy.extended.update(variable, change, args=(slope,), group=False)]
        places = strategy.extended.non_slot_devices(variables)
        finished = strategy.extended.update_non_slot(places, finish, args=(done,), group=False)
        if global_step is None:
            update = order_ops.group(*[item for item in finished if item is not None], name=scope)
        else:
            with scopes.control_dependencies([item for item in finished if item is not None]):
                update = strategy.extended.update(global_step, state_ops.assign_add, args=(1,), kwargs={'name': scope})
        return noted(update)


def slope_of(slope: Any) -> Any:
    """Returns |slope| as a tensor or as rows of one; None stays None."""
    if slope is None:
        return None
    try:
        return indexed_slices.convert_to_tensor_or_indexed_slices(slope)
    except TypeError:
        raise TypeError(f'Gradient must be convertible to a Tensor or IndexedSlices, or None: {slope}') from None


def noted(update: Any) -> Any:
    """Adds the operation of an update to the collection of the graph."""
    if scopes.executing_eagerly():
        return update
    operation = update if isinstance(update, Operation) else update.op
    known = scopes.get_collection_ref(GraphKeys.TRAIN_OP)
    if operation not in known:
        known.append(operation)
    return operation
