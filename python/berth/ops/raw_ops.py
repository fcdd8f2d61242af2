"""raw_ops.py - tf.raw_ops: one function per op, made when first asked for."""

from __future__ import annotations

import difflib
import functools
from typing import Any

from berth import _core as core
from berth.framework import gen
from berth.framework import schema as schemas


def _make(schema: schemas.Schema) -> Any:
    def function(*values: Any, **keywords: Any) -> Any:
        if values:
            raise TypeError(f'{schema.function} only takes keyword args (possible keys: '
                            f"{schema.parameters + ['name']}). Please pass these args as kwargs instead.")
        return gen.call(schema, (), keywords)

    function.__name__ = function.__qualname__ = schema.name
    function.__doc__ = f'Makes the op {schema.name} of: {", ".join(schema.parameters)}.'
    return functools.update_wrapper(core.Quick(schema.name, function, (), None, {}, by_keyword=True), function)


def __getattr__(name: str) -> Any:
    if name.startswith('__'):
        raise AttributeError(name)
    try:
        function = _make(schemas.find(name))
    except KeyError:
        close = difflib.get_close_matches(name, schemas.names(), 1)
        hint = f' The nearest op is {close[0]}.' if close else ''
        raise AttributeError(f"module 'tensorflow.raw_ops' has no attribute {name!r}; Berth has no such op."
                             + hint) from None
    globals()[name] = function
    return function


def __dir__() -> list[str]:
    return sorted(schemas.names())
