"""seeds - The seed of random ops that run at once; those of graphs begin with the graph's own."""

from __future__ import annotations

from typing import Any, Optional

from berth import _core as core
from berth.base import devices
from berth.framework import scopes

DEFAULT = 87654321  # Of the program, where only an op has a seed.
_LARGEST = 2 ** 31 - 1
_seed: Optional[int] = None
_generator: Any = None
is_deterministic = False  # Who draws must have a seed.
times_set = 0  # How often a seed was set.


def set_seed(seed: int) -> None:
    """Starts random ops anew from |seed|."""
    import random

    global _seed, _generator, times_set
    _seed, _generator = seed, random.Random(seed)
    times_set += 1
    core.set_seeding(times_set)
    devices.settings.epoch = object()  # Functions begin their sequences anew.
    if not scopes.executing_eagerly():
        scopes.get_default_graph().seed = seed


def global_seed() -> Optional[int]:
    """Returns the seed that was set, or None."""
    return _seed


def get_seed(op_seed: Optional[int]) -> tuple[int, int]:
    """Returns the two seeds of a random op; (0, 0) is any."""
    if _seed is None and op_seed is None:
        if is_deterministic:
            raise RuntimeError('Random ops require a seed to be set when determinism is enabled. Please set a seed '
                               'before running the op, e.g. by calling tf.random.set_seed(1).')
        return 0, 0
    return pair(DEFAULT if _seed is None else _seed,
                _generator.randint(0, _LARGEST) if op_seed is None else op_seed)


def pair(first: int, second: int) -> tuple[int, int]:
    """Returns two seeds as ops take them: in range, and not both 0, which would be any."""
    first, second = first % _LARGEST, second % _LARGEST
    return (0, _LARGEST) if (first, second) == (0, 0) else (first, second)
