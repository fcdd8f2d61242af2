"""plain_ops.py - Public functions that make one op and nothing else, made when first asked for."""

from __future__ import annotations

from typing import Any

from berth.framework import gen


def __getattr__(name: str) -> Any:
    if name.startswith('_'):
        raise AttributeError(name)
    function = globals()[name] = gen.wrapper(name)
    return function
