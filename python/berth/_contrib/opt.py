"""opt.py - tf.contrib.opt: optimisers beyond those of tf.train, and wrappers around any."""

from __future__ import annotations

import math
from typing import Any

from berth._train import optimizers
from berth._train import saver as savers
from berth._train.moving_averages import ExponentialMovingAverage
from berth._train.optimizer import Optimizer
from berth._train.optimizers import AdamOptimizer, TableOptimizer, _rate, _scatter_add
from berth.framework import convert, scopes
from berth.framework.indexed_slices import IndexedSlices
from berth.ops import array_ops, clip_ops, flow_ops, math_ops, order_ops, reduce_ops, state_ops
from berth.variables import sets

# ---- Kin of Adam ----


def _add_rows(variable: Any, indices: Any, rows: Any, use_locking: bool) -> Any:
    """Adds to rows of a variable; returns what it is then."""
    if not state_ops.is_resource(variable):
        return state_ops.scatter_add(variable, indices, rows, use_locking=use_locking)
    with scopes.control_dependencies([_scatter_add(variable, indices, rows)]):
        return variable.value()


class _Adam(AdamOptimizer):
    """Adam that treats rows in its own way."""

    def _numbers(self, dtype: Any) -> list[Any]:
        return [math_ops.cast(number, dtype) for number in (self._lr_t, self._beta1_t, self._beta2_t, self._epsilon_t)]

    def _renewed(self, kept: Any, indices: Any, made: Any) -> tuple[Any, Any]:
        """Sets rows of what is kept to what |made| makes of them; returns these rows, and what is kept then."""
        rows = array_ops.gather(kept, indices)
        new = made(rows)
        return new, _add_rows(kept, indices, new - rows, self._use_locking)


class LazyAdamOptimizer(_Adam):
    """Adam whose means change only where there are slopes."""

    def _apply_rows(self, grad: Any, var: Any, indices: Any) -> Any:
        dtype = var.dtype.base_dtype
        rate, beta1, beta2, epsilon = self._numbers(dtype)
        power1, power2 = (math_ops.cast(power, dtype) for power in self._get_beta_accumulators())
        rate = rate * math_ops.sqrt(1 - power2) / (1 - power1)
        m, all_m = self._renewed(self.get_slot(var, 'm'), indices, lambda rows: beta1 * rows + (1 - beta1) * grad)
        v, all_v = self._renewed(self.get_slot(var, 'v'), indices,
                                 lambda rows: beta2 * rows + (1 - beta2) * math_ops.square(grad))
        update = _add_rows(var, indices, -rate * m / (math_ops.sqrt(v) + epsilon), self._use_locking)
        return order_ops.group(update, all_m, all_v)


class NadamOptimizer(_Adam):
    """Adam that looks one step ahead."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._flags = {'use_nesterov': True}

    def _apply_rows(self, grad: Any, var: Any, indices: Any) -> Any:
        dtype = var.dtype.base_dtype
        rate, beta1, beta2, epsilon = self._numbers(dtype)
        power1, power2 = (math_ops.cast(power, dtype) for power in self._get_beta_accumulators())
        rate = rate * math_ops.sqrt(1 - power2) / (1 - power1)
        scaled = grad * (1 - beta1)
        m = self._mean(self.get_slot(var, 'm'), beta1, indices, scaled)
        v = self._mean(self.get_slot(var, 'v'), beta2, indices, (grad * grad) * (1 - beta2))
        ahead = scaled + beta1 * array_ops.gather(m, indices)
        step = rate * ahead / (math_ops.sqrt(array_ops.gather(v, indices)) + epsilon)
        return order_ops.group(_add_rows(var, indices, -step, self._use_locking), m, v)


class AdaMaxOptimizer(_Adam):
    """Adam by the largest slopes instead of their squares."""

    OP = 'AdaMax'

    def __init__(self, learning_rate: Any = 0.001, beta1: Any = 0.9, beta2: Any = 0.999, epsilon: Any = 1e-8,
                 use_locking: bool = False, name: str = 'AdaMax') -> None:
        super().__init__(learning_rate, beta1, beta2, epsilon, use_locking, name)

    def _create_slots(self, var_list: list[Any]) -> None:
        self._create_non_slot_variable(self._beta1, 'beta1_power', min(var_list, key=lambda variable: variable.name))
        TableOptimizer._create_slots(self, var_list)

    def _power(self) -> Any:
        with scopes.init_scope():
            graph = None if scopes.executing_eagerly() else scopes.get_default_graph()
            return self._get_non_slot_variable('beta1_power', graph)

    def _number(self, name: str) -> Any:
        return self._power() if name == 'beta1_power' else super()._number(name)

    def _apply_rows(self, grad: Any, var: Any, indices: Any) -> Any:
        rate, beta1, beta2, epsilon = self._numbers(var.dtype.base_dtype)
        m, all_m = self._renewed(self.get_slot(var, 'm'), indices, lambda rows: beta1 * rows + (1 - beta1) * grad)
        v, all_v = self._renewed(self.get_slot(var, 'v'), indices,
                                 lambda rows: math_ops.maximum(beta2 * rows, math_ops.abs(grad)))
        rate = -rate / (1 - math_ops.cast(self._power(), var.dtype.base_dtype))
        return order_ops.group(_add_rows(var, indices, rate * m / (v + epsilon), self._use_locking), all_m, all_v)

    def _finish(self, update_ops: list[Any], name_scope: str) -> Any:
        with scopes.control_dependencies(update_ops):
            power = self._power()
            with scopes.colocate(power):
                update = power.assign(power * self._beta1_t, use_locking=self._use_locking)
        return order_ops.group(*update_ops, update, name=name_scope)


# ---- By signs ----


class _SignOptimizer(TableOptimizer):
    """Steps that are larger where a slope has the sign of the mean of those before it."""

    SLOTS = {'m': 'm'}

    def __init__(self, learning_rate: Any, beta: Any, sign_decay_fn: Any, use_locking: bool, name: str) -> None:
        super().__init__(use_locking, name)
        self._learning_rate, self._beta, self._sign_decay_fn = learning_rate, beta, sign_decay_fn
        self._sign_decay: Any = 1.0

    def apply_gradients(self, grads_and_vars: Any, global_step: Any = None, name: Any = None) -> Any:
        """Takes a step."""
        if self._sign_decay_fn is not None:
            self._sign_decay = self._sign_decay_fn(global_step)
        return super().apply_gradients(grads_and_vars, global_step, name)

    def _factor(self, agreement: Any) -> Any:
        raise NotImplementedError()

    def _apply_sparse(self, grad: Any, var: Any) -> Any:
        return self._apply_rows(grad.values, var, grad.indices)

    def _resource_apply_sparse(self, grad: Any, handle: Any, indices: Any) -> Any:
        return self._apply_rows(grad, handle, indices)

    def _apply_rows(self, grad: Any, var: Any, indices: Any) -> Any:
        dtype = var.dtype.base_dtype
        rate, beta, decay = (math_ops.cast(self._number(name), dtype) for name in ('lr', 'beta', 'sign_decay'))
        m = AdamOptimizer._mean(self, self.get_slot(var, 'm'), beta, indices, grad * (1 - beta))  # type: ignore[arg-type]
        agreement = math_ops.sign(grad) * math_ops.sign(array_ops.gather(m, indices))
        step = rate * self._factor(decay * agreement) * grad
        return order_ops.group(_add_rows(var, indices, -step, self._use_locking), m)


class PowerSignOptimizer(_SignOptimizer):
    """Steps times a power of whether signs agree."""

    OP = 'PowerSign'
    NUMBERS = {'lr': _rate(), 'logbase': _rate('logbase'), 'sign_decay': ('sign_decay', '_sign_decay', '_sign_decay_t'),
               'beta': _rate('beta')}

    def __init__(self, learning_rate: Any = 0.1, base: float = math.e, beta: Any = 0.9, sign_decay_fn: Any = None,
                 use_locking: bool = False, name: str = 'PowerSignOptimizer') -> None:
        super().__init__(learning_rate, beta, sign_decay_fn, use_locking, name)
        self._logbase = math.log(base)

    def _factor(self, agreement: Any) -> Any:
        return math_ops.exp(math_ops.cast(self._number('logbase'), agreement.dtype) * agreement)


class AddSignOptimizer(_SignOptimizer):
    """Steps times a number and whether signs agree."""

    OP = 'AddSign'
    NUMBERS = {'lr': _rate(), 'alpha': _rate('alpha'), 'sign_decay': ('sign_decay', '_sign_decay', '_sign_decay_t'),
               'beta': _rate('beta')}

    def __init__(self, learning_rate: Any = 0.1, alpha: Any = 1.0, beta: Any = 0.9, sign_decay_fn: Any = None,
                 use_locking: bool = False, name: str = 'AddSignOptimizer') -> None:
        super().__init__(learning_rate, beta, sign_decay_fn, use_locking, name)
        self._alpha = alpha

    def _factor(self, agreement: Any) -> Any:
        return math_ops.cast(self._number('alpha'), agreement.dtype) + agreement


def get_linear_decay_fn(decay_steps: int, decay_start_step: int = 0) -> Any:
    """Returns a function of the step that goes from 1 down to 0."""
    def decay(global_step: Any) -> Any:
        if global_step is None:
            raise ValueError('global_step is required for linear_decay.')
        step = math_ops.cast(global_step, 'float32')
        passed = math_ops.maximum(0.0, math_ops.minimum(step, float(decay_steps)) - decay_start_step)
        return 1.0 - passed / float(decay_steps - decay_start_step)

    return decay


# ---- Weights that decay ----


class DecoupledWeightDecayExtension:
    """Makes variables smaller in each step, whatever their slopes are."""

    _weight_decay_tensor: Any = None

    def __init__(self, weight_decay: Any, **kwargs: Any) -> None:
        self._decayed: Any = None
        self._weight_decay = weight_decay
        super().__init__(**kwargs)

    def minimize(self, loss: Any, global_step: Any = None, var_list: Any = None, gate_gradients: int = 1,
                 aggregation_method: Any = None, colocate_gradients_with_ops: bool = False, name: Any = None,
                 grad_loss: Any = None, decay_var_list: Any = None) -> Any:
        """Takes a step down a loss; |decay_var_list| are the variables that get smaller, all where it is None."""
        self._decayed = None if decay_var_list is None else {id(variable) for variable in decay_var_list}
        return super().minimize(loss, global_step, var_list, gate_gradients,  # type: ignore[misc]
                                aggregation_method, colocate_gradients_with_ops, name, grad_loss)

    def apply_gradients(self, grads_and_vars: Any, global_step: Any = None, name: Any = None,
                        decay_var_list: Any = None) -> Any:
        """Takes a step."""
        if decay_var_list is not None:
            self._decayed = {id(variable) for variable in decay_var_list}
        return super().apply_gradients(grads_and_vars, global_step, name)  # type: ignore[misc]

    def _prepare(self) -> None:
        given = self._weight_decay() if callable(self._weight_decay) else self._weight_decay
        self._weight_decay_tensor = convert.convert_to_tensor(given, name='weight_decay')
        super()._prepare()  # type: ignore[misc]

    def _smaller(self, variable: Any) -> list[Any]:
        """Makes a variable smaller; returns what does."""
        if self._decayed is not None and id(variable) not in self._decayed:
            return []
        value = variable.read_value()
        return [state_ops.assign_sub(variable, math_ops.cast(self._weight_decay_tensor, value.dtype) * value,
                                     use_locking=self._use_locking)]  # type: ignore[attr-defined]

    def _apply_dense(self, grad: Any, var: Any) -> Any:
        with scopes.control_dependencies(self._smaller(var)):
            return super()._apply_dense(grad, var)  # type: ignore[misc]

    def _resource_apply_dense(self, grad: Any, handle: Any) -> Any:
        with scopes.control_dependencies(self._smaller(handle)):
            return super()._resource_apply_dense(grad, handle)  # type: ignore[misc]

    def _apply_sparse_duplicate_indices(self, grad: Any, var: Any) -> Any:
        with scopes.control_dependencies(self._smaller(var)):
            return super()._apply_sparse_duplicate_indices(grad, var)  # type: ignore[misc]

    def _resource_apply_sparse_duplicate_indices(self, grad: Any, handle: Any, indices: Any) -> Any:
        with scopes.control_dependencies(self._smaller(handle)):
            return super()._resource_apply_sparse_duplicate_indices(grad, handle, indices)  # type: ignore[misc]


def extend_with_decoupled_weight_decay(base_optimizer: Any) -> Any:
    """Returns a class of optimisers whose variables also get smaller; its first argument says by how much."""
    class OptimizerWithDecoupledWeightDecay(DecoupledWeightDecayExtension, base_optimizer):
        """An optimiser whose variables get smaller in each step."""

        def __init__(self, weight_decay: Any, *args: Any, **kwargs: Any) -> None:
            self._decayed = None
            self._weight_decay = weight_decay
            base_optimizer.__init__(self, *args, **kwargs)

    return OptimizerWithDecoupledWeightDecay


class MomentumWOptimizer(DecoupledWeightDecayExtension, optimizers.MomentumOptimizer):
    """Momentum with weights that decay."""

    def __init__(self, weight_decay: Any, learning_rate: Any, momentum: Any, use_locking: bool = False,
                 name: str = 'MomentumW', use_nesterov: bool = False) -> None:
        super().__init__(weight_decay, learning_rate=learning_rate, momentum=momentum, use_locking=use_locking,
                         name=name, use_nesterov=use_nesterov)


class AdamWOptimizer(DecoupledWeightDecayExtension, AdamOptimizer):
    """Adam with weights that decay."""

    def __init__(self, weight_decay: Any, learning_rate: Any = 0.001, beta1: Any = 0.9, beta2: Any = 0.999,
                 epsilon: Any = 1e-8, use_locking: bool = False, name: str = 'AdamW') -> None:
        super().__init__(weight_decay, learning_rate=learning_rate, beta1=beta1, beta2=beta2, epsilon=epsilon,
                         use_locking=use_locking, name=name)


# ---- Around other optimisers ----


class MovingAverageOptimizer(Optimizer):
    """Keeps running means of the variables that another optimiser changes."""

    def __init__(self, opt: Any, average_decay: float = 0.9999, num_updates: Any = None,
                 sequential_update: bool = True) -> None:
        self._optimizer = opt
        self._ema = ExponentialMovingAverage(average_decay, num_updates=num_updates)
        self._names: Any = None
        self._is_after = sequential_update

    def compute_gradients(self, *args: Any, **kwargs: Any) -> Any:
        """Returns the slopes."""
        return self._optimizer.compute_gradients(*args, **kwargs)

    def apply_gradients(self, grads_and_vars: Any, global_step: Any = None, name: Any = None) -> Any:
        """Takes a step, and moves the means."""
        step = self._optimizer.apply_gradients(grads_and_vars, global_step=global_step, name=name)
        variables = [variable for grad, variable in grads_and_vars if grad is not None]
        self._names = {variable.op.name: self._ema.average_name(variable) for variable in variables}
        if not self._is_after:
            return order_ops.group(step, self._ema.apply(variables), name='train_with_avg')
        with scopes.control_dependencies([step]):
            return order_ops.group(self._ema.apply(variables), name='train_with_avg')

    def swapping_saver(self, var_list: Any = None, name: str = 'swapping_saver', **kwargs: Any) -> Any:
        """Returns a saver that writes the means as the variables, and the other way around."""
        if self._names is None:
            raise RuntimeError('Must call apply_gradients or minimize before creating the swapping_saver')
        known = {variable.op.name: variable for variable in (
            sets.global_variables() if var_list is None else var_list)}
        found = dict(known)
        for variable, average in self._names.items():
            if variable in known:
                if average not in known:
                    raise ValueError(f'Average variable {average} for {variable} is not in the list of variables')
                found[average], found[variable] = known[variable], known[average]
        return savers.Saver(found, name=name, **kwargs)

    def get_slot(self, var: Any, name: str) -> Any:
        """Returns what the optimiser keeps for a variable."""
        return self._optimizer.get_slot(var, name)

    def get_slot_names(self) -> list[str]:
        """Returns the names of what it keeps."""
        return self._optimizer.get_slot_names()

    def variables(self) -> list[Any]:
        """Returns all that it keeps."""
        return self._optimizer.variables()


class MultitaskOptimizerWrapper:
    """Leaves variables and what is kept for them alone where all of a slope is zero."""

    def __init__(self, opt: Any) -> None:
        if not isinstance(opt, Optimizer):
            raise TypeError('Supplied optimizer must be an instance of tf.train.Optimizer')
        self._opt = opt
        for name in ('_apply_dense', '_resource_apply_dense', '_apply_sparse_duplicate_indices',
                     '_resource_apply_sparse_duplicate_indices'):
            setattr(opt, name, self._only_if_any(getattr(opt, name)))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._opt, name)

    @staticmethod
    def _only_if_any(function: Any) -> Any:
        def update(grad: Any, *others: Any) -> Any:
            values = grad.values if isinstance(grad, IndexedSlices) else grad
            is_zero = math_ops.equal(reduce_ops.count_nonzero(values), 0)
            return flow_ops.cond(is_zero, order_ops.no_op, lambda: order_ops.group(function(grad, *others)))

        return update


def clip_gradients_by_global_norm(gradients_variables: Any, clip_norm: float = 20.0) -> list[tuple[Any, Any]]:
    """Returns slopes that are together no longer than |clip_norm|."""
    grads, variables = zip(*gradients_variables)
    short, _ = clip_ops.clip_by_global_norm(list(grads), clip_norm)
    return list(zip(short, variables))
