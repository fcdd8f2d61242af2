"""gan_losses.py - tf.contrib.gan.losses.wargs: losses of two networks against each other, by what the second one says."""

from __future__ import annotations

from typing import Any

from berth._layers import losses
from berth._layers.losses import Reduction
from berth._summary import summary_ops
from berth.framework import scopes
from berth.framework.collections import GraphKeys
from berth.ops import array_ops, gradients_ops, math_ops, random_ops, reduce_ops
from berth.variables import scope as variable_scopes

_SUM = Reduction.SUM_BY_NONZERO_WEIGHTS


def _shown(loss: Any, name: str, add_summaries: bool) -> Any:
    if add_summaries:
        summary_ops.scalar(name, loss)
    return loss


def wasserstein_generator_loss(discriminator_gen_outputs: Any, weights: Any = 1.0, scope: Any = None,
                               loss_collection: Any = GraphKeys.LOSSES, reduction: str = _SUM,
                               add_summaries: bool = False) -> Any:
    """Returns how little the judge likes what is made."""
    with scopes.name_scope(scope, 'generator_wasserstein_loss', [discriminator_gen_outputs, weights]) as opened:
        found = losses.compute_weighted_loss(-discriminator_gen_outputs, weights, opened, loss_collection, reduction)
        return _shown(found, 'generator_wass_loss', add_summaries)


def wasserstein_discriminator_loss(discriminator_real_outputs: Any, discriminator_gen_outputs: Any,
                                   real_weights: Any = 1.0, generated_weights: Any = 1.0, scope: Any = None,
                                   loss_collection: Any = GraphKeys.LOSSES, reduction: str = _SUM,
                                   add_summaries: bool = False) -> Any:
    """Returns how much more the judge likes what is made than data."""
    with scopes.name_scope(scope, 'discriminator_wasserstein_loss', [discriminator_real_outputs,
                                                                      discriminator_gen_outputs]) as opened:
        made = losses.compute_weighted_loss(discriminator_gen_outputs, generated_weights, opened, None, reduction)
        real = losses.compute_weighted_loss(discriminator_real_outputs, real_weights, opened, None, reduction)
        return _shown(_collected(made - real, loss_collection), 'discriminator_gen_wass_loss', add_summaries)


def _collected(loss: Any, collection: Any) -> Any:
    if collection:
        scopes.add_to_collection(collection, loss)
    return loss


def _entropy(label: float, logits: Any, weights: Any, smoothing: float, scope: Any, reduction: str) -> Any:
    labels = array_ops.ones_like(logits) if label else array_ops.zeros_like(logits)
    return losses.sigmoid_cross_entropy(labels, logits, weights, smoothing, scope, None, reduction)


def modified_discriminator_loss(discriminator_real_outputs: Any, discriminator_gen_outputs: Any,
                                label_smoothing: float = 0.25, real_weights: Any = 1.0, generated_weights: Any = 1.0,
                                scope: Any = None, loss_collection: Any = GraphKeys.LOSSES, reduction: str = _SUM,
                                add_summaries: bool = False) -> Any:
    """Returns how wrong the judge is."""
    with scopes.name_scope(scope, 'discriminator_minimax_loss', [discriminator_real_outputs,
                                                                 discriminator_gen_outputs]) as opened:
        real = _entropy(1, discriminator_real_outputs, real_weights, label_smoothing, opened, reduction)
        made = _entropy(0, discriminator_gen_outputs, generated_weights, 0, opened, reduction)
        return _shown(_collected(real + made, loss_collection), 'discriminator_minimax_loss', add_summaries)


minimax_discriminator_loss = modified_discriminator_loss


def minimax_generator_loss(discriminator_gen_outputs: Any, label_smoothing: float = 0.0, weights: Any = 1.0,
                           scope: Any = None, loss_collection: Any = GraphKeys.LOSSES, reduction: str = _SUM,
                           add_summaries: bool = False) -> Any:
    """Returns how right the judge is about what is made."""
    del label_smoothing  # Of labels that are zero nothing is smoothed here.
    with scopes.name_scope(scope, 'generator_minimax_loss', [discriminator_gen_outputs]) as opened:
        found = -_entropy(0, discriminator_gen_outputs, weights, 0, opened, reduction)
        return _shown(_collected(found, loss_collection), 'generator_minimax_loss', add_summaries)


def modified_generator_loss(discriminator_gen_outputs: Any, label_smoothing: float = 0.0, weights: Any = 1.0,
                            scope: Any = None, loss_collection: Any = GraphKeys.LOSSES, reduction: str = _SUM,
                            add_summaries: bool = False) -> Any:
    """Returns how far the judge is from taking what is made for data."""
    with scopes.name_scope(scope, 'generator_modified_loss', [discriminator_gen_outputs]) as opened:
        found = _entropy(1, discriminator_gen_outputs, weights, label_smoothing, opened, reduction)
        return _shown(_collected(found, loss_collection), 'generator_modified_loss', add_summaries)


def least_squares_generator_loss(discriminator_gen_outputs: Any, real_label: float = 1, weights: Any = 1.0,
                                 scope: Any = None, loss_collection: Any = GraphKeys.LOSSES, reduction: str = _SUM,
                                 add_summaries: bool = False) -> Any:
    """Returns half of the squares of how far what is made is from data."""
    with scopes.name_scope(scope, 'lsq_generator_loss', [discriminator_gen_outputs]) as opened:
        each = math_ops.squared_difference(discriminator_gen_outputs, real_label) / 2.0
        found = losses.compute_weighted_loss(each, weights, opened, loss_collection, reduction)
        return _shown(found, 'generator_lsq_loss', add_summaries)


def least_squares_discriminator_loss(discriminator_real_outputs: Any, discriminator_gen_outputs: Any,
                                     real_label: float = 1, fake_label: float = 0, real_weights: Any = 1.0,
                                     generated_weights: Any = 1.0, scope: Any = None,
                                     loss_collection: Any = GraphKeys.LOSSES, reduction: str = _SUM,
                                     add_summaries: bool = False) -> Any:
    """Returns half of the squares of how far the judge is off."""
    with scopes.name_scope(scope, 'lsq_discriminator_loss', [discriminator_gen_outputs]) as opened:
        parts = [losses.compute_weighted_loss(math_ops.squared_difference(outputs, label) / 2.0, weights, opened, None,
                                              reduction)
                 for outputs, label, weights in ((discriminator_real_outputs, real_label, real_weights),
                                                 (discriminator_gen_outputs, fake_label, generated_weights))]
        return _shown(_collected(parts[0] + parts[1], loss_collection), 'discriminator_lsq_loss', add_summaries)


def wasserstein_gradient_penalty(real_data: Any, generated_data: Any, generator_inputs: Any, discriminator_fn: Any,
                     discriminator_scope: Any, epsilon: float = 1e-10, target: float = 1.0, one_sided: bool = False,
                     weights: Any = 1.0, scope: Any = None, loss_collection: Any = GraphKeys.LOSSES,
                     reduction: str = _SUM, add_summaries: bool = False) -> Any:
    """Returns how far the slopes of the judge between data and what is made are from a length."""
    with scopes.name_scope(scope, 'wasserstein_gradient_penalty', [real_data, generated_data]) as opened:
        apart = generated_data - real_data
        rank = apart.shape.rank
        share = random_ops.random_uniform([array_ops.shape(apart)[0], *[1] * (rank - 1)], dtype=apart.dtype)
        between = real_data + share * apart
        with scopes.name_scope(''), variable_scopes.variable_scope(discriminator_scope, reuse=True):
            judged = discriminator_fn(between, generator_inputs)
        slopes = gradients_ops.gradients(judged, between)[0]
        length = math_ops.sqrt(reduce_ops.reduce_sum(math_ops.square(slopes), list(range(1, rank))) + epsilon)
        off = length / target - 1.0
        off = math_ops.maximum(off, 0.0) if one_sided else off
        found = losses.compute_weighted_loss(math_ops.square(off), weights, opened, loss_collection, reduction)
        return _shown(found, 'gradient_penalty_loss', add_summaries)
