"""sets - The variables of a graph, by collection, and what initialises them."""

from __future__ import annotations

from typing import Any

from berth.framework import convert, dtypes, gen, scopes
from berth.framework.collections import GraphKeys
from berth.ops import array_ops, state_ops


def _collection(key: str) -> Any:
    def function(scope: str | None = None) -> list[Any]:
        return scopes.get_collection(key, scope)

    function.__doc__ = f'Returns the variables in the collection {key!r}.'
    return function


global_variables = _collection(GraphKeys.GLOBAL_VARIABLES)
local_variables = _collection(GraphKeys.LOCAL_VARIABLES)
model_variables = _collection(GraphKeys.MODEL_VARIABLES)
trainable_variables = _collection(GraphKeys.TRAINABLE_VARIABLES)
moving_average_variables = _collection(GraphKeys.MOVING_AVERAGE_VARIABLES)


def all_variables() -> list[Any]:
    """Returns the global variables; the older name."""
    return global_variables()


def variables_initializer(var_list: Any, name: str = 'init') -> Any:
    """Returns an operation that initialises a list of variables."""
    from berth.ops import order_ops

    if var_list and not scopes.executing_eagerly():
        return order_ops.group(*[v.initializer for v in var_list], name=name)
    return order_ops.no_op(name=name)


def global_variables_initializer() -> Any:
    """Returns an operation that initialises all global variables."""
    return variables_initializer(global_variables())


initialize_all_variables = global_variables_initializer
initialize_variables = variables_initializer


def local_variables_initializer() -> Any:
    """Returns an operation that initialises all local variables."""
    return variables_initializer(local_variables())


initialize_local_variables = local_variables_initializer


def assert_variables_initialized(var_list: Any = None) -> Any:
    """Returns a tensor that can be computed only when all variables have a value; the older way to ask."""
    variables = global_variables() + local_variables() if var_list is None else var_list
    ranks = []
    for variable in variables:
        with scopes.colocate(variable.op):
            ranks.append(gen.apply('Rank', None, {'input': variable}))
    if not ranks:
        return None
    return ranks[0] if len(ranks) == 1 else array_ops.stack(ranks)


def report_uninitialized_variables(var_list: Any = None, name: str = 'report_uninitialized_variables') -> Any:
    """Returns the names of variables without a value."""
    from berth.ops import math_ops

    if var_list is None:
        var_list = global_variables() + local_variables()
    with scopes.name_scope(name):
        if not var_list:
            return convert.constant([], dtype=dtypes.string)
        flags = [state_ops.is_variable_initialized(v) for v in var_list]
        with scopes.device('/cpu:0'):
            missing = math_ops.logical_not(array_ops.stack(flags))
            names = convert.constant([v.op.name for v in var_list], dtype=dtypes.string)
            return array_ops.boolean_mask(names, missing)


def is_variable_initialized(variable: Any) -> Any:
    """Tells whether a variable has a value."""
    return state_ops.is_variable_initialized(variable)
