"""raw_ops.py - tf.raw_ops: one function per op, made when first asked for."""

from __future__ import annotations

import difflib
import functools

from berth import _core as core
from berth.framework import errors, gen, scopes
from berth.framework import schema as schemas

TYPE_CHECKING = False  # Any is the name of an op, too.
if TYPE_CHECKING:
    from typing import Any


# Arguments that functions call otherwise than the op does.
_AXES = {'axis': 'reduction_indices'}
_RENAMED = {**{op: _AXES for op in ('All', 'Any', 'EuclideanNorm', 'Max', 'Mean', 'Min', 'Prod', 'Sum')},
            'ExpandDims': {'axis': 'dim'}, 'Select': {'x': 't', 'y': 'e'}, 'Split': {'axis': 'split_dim'},
            'SplitV': {'axis': 'split_dim'}, 'Squeeze': {'axis': 'squeeze_dims'}, 'Where': {'condition': 'input'}}


# Ops that layers of Keras try on cards, and do without where there is no kernel: they look for a NotFoundError.
_TRIED = frozenset(('CudnnRNN', 'CudnnRNNV2', 'CudnnRNNV3'))


def _check_tried(name: str) -> None:
    """Raises, at once and in functions, for an op whose kernel is tried for; graphs may have it."""
    if scopes.executing_eagerly() or getattr(scopes.get_default_graph(), 'building_function', False):
        raise errors.NotFoundError(None, None, f"No OpKernel was registered to support Op '{name}': Berth has no kernel for it")


def _make(schema: schemas.Schema) -> Any:
    renamed = _RENAMED.get(schema.name, {})
    shown = {old: new for new, old in renamed.items()}

    def function(*values: Any, **keywords: Any) -> Any:
        if values:
            keys = [shown.get(parameter, parameter) for parameter in schema.parameters]
            raise TypeError(f'{schema.function} only takes keyword args (possible keys: '
                            f"{keys + ['name']}). Please pass these args as kwargs instead.")
        if schema.name in _TRIED:
            _check_tried(schema.name)
        return gen.call(schema, (), {renamed.get(key, key): value for key, value in keywords.items()})

    function.__name__ = function.__qualname__ = schema.name
    function.__doc__ = f'Makes the op {schema.name} of: {", ".join(schema.parameters)}.'
    if schema.name in _TRIED:
        return function
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
