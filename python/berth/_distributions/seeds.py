"""seeds.py - Seeds of a distribution's second random op, made of the first one's."""

from __future__ import annotations

import hashlib
from typing import Any


def other_seed(seed: Any, salt: str) -> Any:
    """Returns another seed, the same that TensorFlow makes of |seed| and |salt|; None of None."""
    if seed is None:
        return None
    return int(hashlib.md5(f'{seed}{salt}'.encode()).hexdigest()[:8], 16) & 0x7FFFFFFF
