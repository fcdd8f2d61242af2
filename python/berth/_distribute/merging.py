"""merging - tf.__internal__.distribute: updates of variables where replicas may have to meet first."""

from __future__ import annotations

from typing import Any, Callable

from berth._distribute import strategy as strategies
from berth.variables.replicas import has_strategy


def strategy_supports_no_merge_call() -> bool:
    """True where replicas need not meet before variables are changed: no strategy is in force."""
    return not has_strategy()


def maybe_merge_call(fn: Callable[..., Any], strategy: Any, *args: Any, **kwargs: Any) -> Any:
    """Calls fn(strategy, …): once for all replicas where they have to meet, at once elsewhere."""
    if strategy_supports_no_merge_call():
        return fn(strategy, *args, **kwargs)
    return strategies.get_replica_context().merge_call(fn, args=args, kwargs=kwargs)  # type: ignore[union-attr]
