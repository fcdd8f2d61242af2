"""variables.py - Variables of models: made, found by scope, and set from values or checkpoints."""

from __future__ import annotations

import re
from typing import Any

from berth._contrib.arguments import add_arg_scope
from berth._train import checkpoint_reader
from berth._train import global_step as global_steps
from berth.framework import scopes
from berth.framework.collections import GraphKeys
from berth.ops import array_ops, order_ops, state_ops
from berth.variables import scope as variable_scopes

get_global_step = global_steps.get_global_step
get_or_create_global_step = global_steps.get_or_create_global_step
create_global_step = global_steps.create_global_step
assert_global_step = global_steps.assert_global_step


@add_arg_scope
def variable(name: str, shape: Any = None, dtype: Any = None, initializer: Any = None, regularizer: Any = None,
             trainable: bool = True, collections: Any = None, caching_device: Any = None, device: Any = None,
             partitioner: Any = None, custom_getter: Any = None, use_resource: Any = None) -> Any:
    """Returns a variable: a new one, or one that is shared."""
    keys = list(collections if collections is not None else [GraphKeys.GLOBAL_VARIABLES])
    keys = list(dict.fromkeys(keys))
    getter = variable_scopes.get_variable if custom_getter is None else custom_getter
    with scopes.device(device or ''):
        return getter(name, shape=shape, dtype=dtype, initializer=initializer, regularizer=regularizer,
                      trainable=trainable, collections=keys, caching_device=caching_device, partitioner=partitioner,
                      use_resource=use_resource)


@add_arg_scope
def model_variable(name: str, shape: Any = None, dtype: Any = None, initializer: Any = None, regularizer: Any = None,
                   trainable: bool = True, collections: Any = None, caching_device: Any = None, device: Any = None,
                   partitioner: Any = None, custom_getter: Any = None, use_resource: Any = None) -> Any:
    """Returns a variable that belongs to the model."""
    keys = list(collections or []) + [GraphKeys.GLOBAL_VARIABLES, GraphKeys.MODEL_VARIABLES]
    return variable(name, shape, dtype, initializer, regularizer, trainable, keys, caching_device, device,
                    partitioner, custom_getter, use_resource)


def add_model_variable(var: Any) -> None:
    """Adds a variable to those of the model."""
    if not any(var is other for other in scopes.get_collection(GraphKeys.MODEL_VARIABLES)):
        scopes.add_to_collection(GraphKeys.MODEL_VARIABLES, var)


def get_variables(scope: Any = None, suffix: Any = None, collection: Any = GraphKeys.GLOBAL_VARIABLES) -> list[Any]:
    """Returns the variables of a collection, by scope and by how their names end."""
    if isinstance(scope, variable_scopes.VariableScope):
        scope = scope.name
    if suffix is not None:
        suffix = suffix if ':' in suffix else suffix + ':'
        scope = (scope or '') + '.*' + suffix
    return scopes.get_collection(collection, scope)


def get_model_variables(scope: Any = None, suffix: Any = None) -> list[Any]:
    """Returns the variables of the model."""
    return get_variables(scope, suffix, GraphKeys.MODEL_VARIABLES)


def get_local_variables(scope: Any = None, suffix: Any = None) -> list[Any]:
    """Returns the local variables."""
    return get_variables(scope, suffix, GraphKeys.LOCAL_VARIABLES)


def get_trainable_variables(scope: Any = None, suffix: Any = None) -> list[Any]:
    """Returns the variables that are trained."""
    return get_variables(scope, suffix, GraphKeys.TRAINABLE_VARIABLES)


def get_variables_to_restore(include: Any = None, exclude: Any = None) -> list[Any]:
    """Returns variables of the scopes |include| without those of |exclude|."""
    wanted = get_variables() if include is None else [v for scope in include for v in get_variables(scope)]
    left_out = {id(v) for scope in exclude or [] for v in get_variables(scope)}
    return [v for v in wanted if id(v) not in left_out]


def get_variables_by_suffix(suffix: str, scope: Any = None) -> list[Any]:
    """Returns the variables whose names end so."""
    return get_variables(scope=scope, suffix=suffix)


def get_variables_by_name(given_name: str, scope: Any = None) -> list[Any]:
    """Returns the variables of that name, in whatever scope."""
    return get_variables(scope=scope, suffix='/' + given_name + ':|^' + given_name + ':')


def get_unique_variable(var_op_name: str) -> Any:
    """Returns the one variable of that name."""
    found = scopes.get_collection(GraphKeys.GLOBAL_VARIABLES, var_op_name)
    found = [v for v in found if v.op.name == var_op_name] or found
    if not found:
        raise ValueError(f'Couldn\'t find variable {var_op_name}')
    if len(found) > 1:
        raise ValueError(f'Variable {var_op_name} does not uniquely identify a variable')
    return found[0]


def assign_from_values(var_names_to_values: dict[str, Any]) -> tuple[Any, dict[Any, Any]]:
    """Returns an op that sets variables, and what to feed it."""
    feed: dict[Any, Any] = {}
    updates = []
    for name, value in var_names_to_values.items():
        target = get_unique_variable(name)
        given = array_ops.placeholder(target.dtype.base_dtype, shape=target.shape)
        updates.append(state_ops.assign(target, given))
        feed[given] = value.reshape(target.shape.as_list()) if hasattr(value, 'reshape') else value
    return order_ops.group(*updates), feed


def assign_from_values_fn(var_names_to_values: dict[str, Any]) -> Any:
    """Returns a function that sets variables in a session."""
    update, feed = assign_from_values(var_names_to_values)
    return lambda session: session.run(update, feed)


def assign_from_checkpoint(model_path: str, var_list: Any, ignore_missing_vars: bool = False) -> tuple[Any, Any]:
    """Returns an op that sets variables to what a checkpoint has, and what to feed it."""
    reader = checkpoint_reader.NewCheckpointReader(model_path)
    named = var_list if isinstance(var_list, dict) else {v.op.name: v for v in var_list}
    values = {}
    for name, target in named.items():
        if reader.has_tensor(name):
            values[target.op.name] = reader.get_tensor(name)
        elif not ignore_missing_vars:
            raise ValueError(f'Checkpoint is missing variable [{name}]')
    return assign_from_values(values)


def assign_from_checkpoint_fn(model_path: str, var_list: Any, ignore_missing_vars: bool = False) -> Any:
    """Returns a function that sets variables in a session to what a checkpoint has."""
    update, feed = assign_from_checkpoint(model_path, var_list, ignore_missing_vars)
    return lambda session: session.run(update, feed)


def filter_variables(var_list: Any, include_patterns: Any = None, exclude_patterns: Any = None,
                     reg_search: bool = True) -> list[Any]:
    """Returns variables by patterns of their names."""
    match = re.search if reg_search else re.match
    found = list(var_list)
    if include_patterns:
        found = [v for v in found if any(match(p, v.op.name) for p in include_patterns)]
    return [v for v in found if not any(match(p, v.op.name) for p in exclude_patterns or ())]
