"""regularizers.py - Losses of weights: how large they are, by absolute values or squares."""

from __future__ import annotations

import numbers
from typing import Any

from berth.framework import convert, scopes
from berth.framework.collections import GraphKeys
from berth.ops import math_ops, nn_ops, reduce_ops


def _checked(scale: Any) -> None:
    """Raises for what is no scale."""
    if isinstance(scale, numbers.Integral):
        raise ValueError(f'scale cannot be an integer: {scale}')
    if isinstance(scale, numbers.Real) and scale < 0.0:
        raise ValueError(f'Setting a scale less than 0 on a regularizer: {scale:g}')


def l1_regularizer(scale: Any, scope: str | None = None) -> Any:
    """Returns a function that sums up absolute values."""
    _checked(scale)
    if scale == 0.0:
        return lambda _: None

    def l1(weights: Any, name: str | None = None) -> Any:
        with scopes.name_scope(scope, 'l1_regularizer', [weights]) as name:
            factor = convert.convert_to_tensor(scale, dtype=weights.dtype.base_dtype, name='scale')
            return math_ops.multiply(factor, reduce_ops.reduce_sum(math_ops.abs(weights)), name=name)

    return l1


def l2_regularizer(scale: Any, scope: str | None = None) -> Any:
    """Returns a function that sums up squares, by two."""
    _checked(scale)
    if scale == 0.0:
        return lambda _: None

    def l2(weights: Any) -> Any:
        with scopes.name_scope(scope, 'l2_regularizer', [weights]) as name:
            factor = convert.convert_to_tensor(scale, dtype=weights.dtype.base_dtype, name='scale')
            return math_ops.multiply(factor, nn_ops.l2_loss(weights), name=name)

    return l2


def l1_l2_regularizer(scale_l1: Any = 1.0, scale_l2: Any = 1.0, scope: str | None = None) -> Any:
    """Returns a function that does both."""
    _checked(scale_l1)
    _checked(scale_l2)
    scope = scope or 'l1_l2_regularizer'
    if scale_l1 == 0.0:
        return l2_regularizer(scale_l2, scope)
    if scale_l2 == 0.0:
        return l1_regularizer(scale_l1, scope)
    return sum_regularizer([l1_regularizer(scale_l1), l2_regularizer(scale_l2)], scope=scope)


def sum_regularizer(regularizer_list: Any, scope: str | None = None) -> Any:
    """Returns a function that sums up what others give."""
    given = [one for one in regularizer_list if one is not None]
    if not given:
        return None

    def summed(weights: Any) -> Any:
        with scopes.name_scope(scope, 'sum_regularizer', [weights]) as name:
            losses = [loss for loss in (one(weights) for one in given) if loss is not None]
            return math_ops.add_n(losses, name=name) if losses else None

    return summed


def apply_regularization(regularizer: Any, weights_list: Any = None) -> Any:
    """Adds the losses of weights to the collection of those, and returns their sum."""
    weights_list = weights_list or scopes.get_collection(GraphKeys.WEIGHTS)
    if not weights_list:
        raise ValueError('No weights to regularize.')
    with scopes.name_scope(None, 'get_regularization_penalty', list(weights_list)) as scope:
        losses = [regularizer(w) for w in weights_list]
        losses = [loss if loss is not None else convert.constant(0.0) for loss in losses]
        for loss in losses:
            if loss.shape.rank != 0:
                raise ValueError(f'regularizer must return a scalar Tensor instead of a Tensor with rank '
                                 f'{loss.shape.rank}.')
        total = math_ops.add_n(losses, name=scope)
        scopes.add_to_collection(GraphKeys.REGULARIZATION_LOSSES, total)
        return total
