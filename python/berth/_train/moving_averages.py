"""moving_averages - tf.train.ExponentialMovingAverage, and averages that one op updates."""

from __future__ import annotations

from typing import Any

from berth._train import slots
from berth.base import naming
from berth.framework import convert, dtypes, scopes
from berth.framework.collections import GraphKeys
from berth.framework.node import Tensor
from berth.ops import flow_ops, init_ops, math_ops, order_ops, state_ops
from berth.variables import scope as variable_scopes
from berth.variables import sets
from berth.variables.graph_variable import Variable


def assign_moving_average(variable: Any, value: Any, decay: Any, zero_debias: bool = True,
                          name: str | None = None) -> Any:
    """Moves |variable| towards |value|, the less the nearer |decay| is to 1."""
    with scopes.name_scope(name, 'AssignMovingAvg', [variable, value, decay]) as scope:
        share = convert.convert_to_tensor(1.0 - decay, name='decay')
        if share.dtype != variable.dtype.base_dtype:
            share = math_ops.cast(share, variable.dtype.base_dtype)
        if zero_debias:
            return _from_zero(variable, value, share)
        return state_ops.assign_sub(variable, (variable - value) * share, name=scope)


def _from_zero(average: Any, value: Any, share: Any) -> Any:
    """Moves an average that began at zero, and makes up for that."""
    with variable_scopes.variable_scope(average.name[:-len(':0')], values=[average, value, share]):
        with scopes.colocate(average):
            biased = variable_scopes.get_variable(
                _unused('biased'), initializer=init_ops.zeros_initializer(), shape=average.shape,
                dtype=average.dtype, trainable=False)
            count = variable_scopes.get_variable(
                _unused('local_step'), shape=[], dtype=average.dtype, initializer=init_ops.zeros_initializer(),
                trainable=False)
    moved = state_ops.assign_sub(biased, (biased - value) * share)
    counted = count.assign_add(1)
    factor = 1 - math_ops.pow(1.0 - share, counted)
    return state_ops.assign(average, moved / factor, name=scopes.get_current_name_scope() + '/')


def _unused(name: str) -> str:
    """Returns |name|, with a number if the variable scope has a variable that is called so."""
    scope = variable_scopes.get_variable_scope()
    known = [] if scope.reuse else [variable._shared_name for variable in scope.global_variables()]
    if f'{scope.name}/{name}' not in known:
        return name
    number = 1
    while f'{scope.name}/{name}_{number}' in known:
        number += 1
    return f'{name}_{number}'


def weighted_moving_average(value: Any, decay: Any, weight: Any, truediv: bool = True, collections: Any = None,
                            name: str | None = None) -> Any:
    """Returns the moving average of values that have weights."""
    collections = [GraphKeys.GLOBAL_VARIABLES] if collections is None else collections
    with variable_scopes.variable_scope(name, 'WeightedMovingAvg', [value, weight, decay]) as scope:
        both = _zeros('value_x_weight', value, collections)
        weights = _zeros('weight', weight, collections)
        numerator = assign_moving_average(both, value * weight, decay, zero_debias=False)
        denominator = assign_moving_average(weights, weight, decay, zero_debias=False)
        divide = math_ops.truediv if truediv else math_ops.divide
        return divide(numerator, denominator, name=scope.name)


def _zeros(name: str, like: Any, collections: Any) -> Any:
    return variable_scopes.get_variable(name, shape=like.shape, dtype=like.dtype, trainable=False,
                                        initializer=init_ops.zeros_initializer(), collections=collections)


@naming.public('training.moving_averages')
class ExponentialMovingAverage:
    """Keeps moving averages of variables."""

    def __init__(self, decay: Any, num_updates: Any = None, zero_debias: bool = False,
                 name: str = 'ExponentialMovingAverage') -> None:
        self._decay, self._num_updates, self._zero_debias, self._name = decay, num_updates, zero_debias, name
        self._averages: dict[Any, Any] = {}

    @property
    def name(self) -> str:
        """Its name."""
        return self._name

    def apply(self, var_list: Any = None) -> Any:
        """Makes the averages that are not there, and returns the operation that moves them."""
        variables = sets.trainable_variables() if var_list is None else list(var_list)
        _check_kinds(variables)
        from_zero = set()
        for variable in variables:
            if variable.dtype.base_dtype not in (dtypes.bfloat16, dtypes.float16, dtypes.float32, dtypes.float64):
                raise TypeError(f'The variables must be half, float, or double: {variable.name}')
            if variable.ref() not in self._averages:
                self._averages[variable.ref()] = average = self._made(variable)
                if self._zero_debias and not isinstance(variable, Variable):
                    from_zero.add(average.ref())
        with scopes.name_scope(self._name) as scope:
            decay = self._decay_tensor()
            updates = [assign_moving_average(average, variable, decay, average.ref() in from_zero)
                       for variable in variables for average in (self._averages[variable.ref()],)]
            return order_ops.group(*updates, name=scope)

    def _made(self, variable: Any) -> Any:
        with scopes.init_scope():
            if not isinstance(variable, Variable):
                return slots.create_zeros_slot(
                    variable, self._name,
                    colocate_with_primary=variable.op.type in ('Variable', 'VariableV2', 'VarHandleOp'))
            with scopes.device(variable.device):
                first = flow_ops.cond(state_ops.is_variable_initialized(variable), variable.read_value,
                                      lambda: variable.initial_value)
            average = slots.create_slot(variable, first, self._name)
            scopes.add_to_collection(GraphKeys.MOVING_AVERAGE_VARIABLES, variable)
            return average

    def _decay_tensor(self) -> Any:
        decay = convert.convert_to_tensor(self._decay, dtype=dtypes.float32, name='decay')
        if self._num_updates is None:
            return decay
        count = math_ops.cast(self._num_updates, dtypes.float32, name='num_updates')
        return math_ops.minimum(decay, (1.0 + count) / (10.0 + count))

    def average(self, var: Any) -> Any:
        """Returns the variable that holds the average of |var|, or None."""
        return self._averages.get(var.ref())

    def average_name(self, var: Any) -> str:
        """Returns the name of the average of |var|, which need not be there."""
        if var.ref() in self._averages:
            return self._averages[var.ref()].name[:-len(':0')]
        name = f"{var.name[:-len(':0')]}/{self._name}"
        return scopes.get_default_graph().unique_name(name, mark_as_used=False)

    def variables_to_restore(self, moving_avg_variables: Any = None) -> dict[str, Any]:
        """Returns variables by the names that a Saver is to look for: of averages where there are some."""
        averaged = moving_avg_variables
        if averaged is None:
            averaged = sets.trainable_variables() + sets.moving_average_variables()
        averaged = [reference.deref() for reference in dict.fromkeys(variable.ref() for variable in averaged)]
        found = {self.average_name(variable): variable for variable in averaged}
        names = {variable.name for variable in averaged}
        for variable in sets.global_variables():
            if variable.name not in names and variable.op.name not in found:
                found[variable.op.name] = variable
        return found


def _check_kinds(variables: list[Any]) -> None:
    if scopes.executing_eagerly_outside_functions() and any(
            isinstance(item, Tensor) and not isinstance(item, Variable) for item in variables):
        raise TypeError('tf.train.ExponentialMovingAverage does not support non-Variable tensors when eager execution '
                        'is enabled.')
