"""distributed - Training under a strategy: a model for each replica, which takes batches of its own.

    input_fn ──> one iterator ─┬─ batch ──> model of replica 0 ─┐
                               └─ batch ──> model of replica 1 ─┴─ slopes summed, every copy of a variable changed
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from berth._estimator import calls
from berth._estimator.spec import ModeKeys
from berth.framework import scopes
from berth.variables.replicas import here


@contextlib.contextmanager
def _losses_are_means(strategy: Any) -> Iterator[None]:
    """Optimisers divide losses by the number of replicas inside, unless these are sums."""
    strategy._scale_loss_for_estimator = True
    try:
        yield
    finally:
        strategy._scale_loss_for_estimator = False


def spec_of(estimator: Any, strategy: Any, input_fn: Any) -> tuple[Any, list[Any]]:
    """Builds the models of all replicas; returns what they are together, and the hooks that the input needs."""
    batches, hooks = calls.batches_of(estimator, input_fn, strategy.num_replicas_in_sync)
    found: list[Any] = []

    def build() -> Any:
        features, labels = batches[here.replica.number]
        found.append(estimator._call_model_fn(features, labels, ModeKeys.TRAIN, estimator._config))
        return found[-1].loss, found[-1].train_op

    with _losses_are_means(strategy):
        loss, update = strategy.extended.call_for_each_replica(build)
    return _together(strategy, found, loss, update), hooks


def _together(strategy: Any, found: list[Any], loss: Any, update: Any) -> Any:
    """Returns the spec of all replicas: the first one's, with everybody's loss, updates and hooks."""
    is_scaled = getattr(scopes.get_default_graph(), '_is_loss_scaled', False)
    return found[0]._replace(
        loss=strategy.reduce('MEAN' if is_scaled else 'SUM', loss), train_op=strategy.group(update),
        training_hooks=_all(found, 'training_hooks'), training_chief_hooks=_all(found, 'training_chief_hooks'))


def _all(found: list[Any], name: str) -> tuple[Any, ...]:
    """Returns the hooks of all replicas, each once."""
    return tuple({id(hook): hook for spec in found for hook in getattr(spec, name)}.values())
