"""optimizers - The optimisers of TF1: what each keeps, and the op that does its update.

An update is one op whose inputs have names. For each optimiser a table says which of them are
variables that it keeps and which are numbers; the op's schema has their order. Attributes that
begin with one underscore are TensorFlow's: programs that derive their own use them.
"""

from __future__ import annotations

from typing import Any

from berth._train.optimizer import Optimizer
from berth.base import naming
from berth.framework import convert, gen, scopes
from berth.framework import schema as schemas
from berth.framework.indexed_slices import IndexedSlices
from berth.ops import array_ops, init_ops, math_ops, order_ops, state_ops


class TableOptimizer(Optimizer):
    """An optimiser whose update is one op."""

    OP = ''  # Apply<OP>, ResourceApply<OP>, SparseApply<OP>, ResourceSparseApply<OP>.
    GRAD = 'grad'  # The input that the slope goes into where it is whole.
    SLOTS: dict[str, str] = {}  # Inputs that are variables kept for one: the name of the slot.
    # Inputs that are numbers: their node, the attribute that the program gave, the attribute of the tensor.
    NUMBERS: dict[str, tuple[str, str, str]] = {}
    CASTS = True  # Whether numbers take the type of whole slopes.

    _flags: dict[str, Any] = {}  # Attributes of the op.

    def _create_slots(self, var_list: list[Any]) -> None:
        for variable in var_list:
            for slot in self.SLOTS.values():
                self._make_slot(variable, slot)

    def _make_slot(self, variable: Any, slot: str) -> None:
        self._zeros_slot(variable, slot, self._name)

    def _prepare(self) -> None:
        for name, given, tensor in self.NUMBERS.values():
            value = self._call_if_callable(getattr(self, given))
            setattr(self, tensor, convert.convert_to_tensor(value, name=name))

    def _input(self, name: str, var: Any, dtype: Any) -> Any:
        """Returns what goes into the input |name| of the op, of type |dtype| unless that is None."""
        if name == 'var':
            return _reference(var)
        if name in self.SLOTS:
            return _reference(self.get_slot(var, self.SLOTS[name]))
        return _cast(self._number(name), dtype)

    def _number(self, name: str) -> Any:
        return getattr(self, self.NUMBERS[name][2])

    def _call(self, prefix: str, var: Any, dtype: Any, **given: Any) -> Any:
        """Makes the op of an update."""
        op = prefix + self.OP
        inputs = {arg.name: given[arg.name] if arg.name in given else self._input(arg.name, var, dtype)
                  for arg in schemas.find(op).inputs}
        made = gen.apply(op, None, inputs, {'use_locking': self._use_locking, **self._flags})
        return made if state_ops.is_resource(var) else made.op

    def _apply_dense(self, grad: Any, var: Any) -> Any:
        return self._call('Apply', var, var.dtype.base_dtype if self.CASTS else None, **{self.GRAD: grad})

    def _resource_apply_dense(self, grad: Any, handle: Any) -> Any:
        return self._call('ResourceApply', handle, grad.dtype if self.CASTS else None, **{self.GRAD: grad})

    def _apply_sparse(self, grad: Any, var: Any) -> Any:
        dtype = var.dtype.base_dtype if self.CASTS else None
        return self._call('SparseApply', var, dtype, grad=grad.values, indices=grad.indices)

    def _resource_apply_sparse(self, grad: Any, handle: Any, indices: Any) -> Any:
        return self._call('ResourceSparseApply', handle, grad.dtype, grad=grad, indices=indices)


def _reference(variable: Any) -> Any:
    return variable.handle if state_ops.is_resource(variable) else variable._ref()


def _cast(value: Any, dtype: Any) -> Any:
    return value if dtype is None else math_ops.cast(value, dtype)


def _rate(name: str = 'learning_rate') -> tuple[str, str, str]:
    return name, f'_{name}', f'_{name}_tensor'


def _short(name: str, attribute: str) -> tuple[str, str, str]:
    return name, attribute, attribute + '_t'


@naming.public('training.gradient_descent')
class GradientDescentOptimizer(TableOptimizer):
    """Subtracts the slope times a rate."""

    OP = 'GradientDescent'
    GRAD = 'delta'
    NUMBERS = {'alpha': _rate()}

    def __init__(self, learning_rate: Any, use_locking: bool = False, name: str = 'GradientDescent') -> None:
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._learning_rate_tensor: Any = None

    def _apply_sparse_duplicate_indices(self, grad: Any, var: Any) -> Any:
        rate = math_ops.cast(self._learning_rate_tensor, var.dtype.base_dtype)
        delta = IndexedSlices(grad.values * rate, grad.indices, grad.dense_shape)
        return var.scatter_sub(delta, use_locking=self._use_locking)

    def _resource_apply_sparse_duplicate_indices(self, grad: Any, handle: Any, indices: Any) -> Any:
        return _scatter_add(handle, indices, -grad * math_ops.cast(self._learning_rate_tensor, grad.dtype))


def _scatter_add(variable: Any, indices: Any, updates: Any) -> Any:
    """Adds to rows of a variable with a handle; returns the operation that does."""
    return gen.apply('ResourceScatterAdd', None, {
        'resource': variable.handle, 'indices': indices, 'updates': updates})


@naming.public('training.momentum')
class MomentumOptimizer(TableOptimizer):
    """Keeps going in the direction of former slopes."""

    OP = 'Momentum'
    SLOTS = {'accum': 'momentum'}
    NUMBERS = {'lr': _rate(), 'momentum': _rate('momentum')}

    def __init__(self, learning_rate: Any, momentum: Any, use_locking: bool = False, name: str = 'Momentum',
                 use_nesterov: bool = False) -> None:
        super().__init__(use_locking, name)
        self._learning_rate, self._momentum, self._use_nesterov = learning_rate, momentum, use_nesterov
        self._flags = {'use_nesterov': use_nesterov}


@naming.public('training.adagrad')
class AdagradOptimizer(TableOptimizer):
    """Rates that get smaller where slopes were large."""

    OP = 'Adagrad'
    SLOTS = {'accum': 'accumulator'}
    NUMBERS = {'lr': _rate()}

    def __init__(self, learning_rate: Any, initial_accumulator_value: float = 0.1, use_locking: bool = False,
                 name: str = 'Adagrad') -> None:
        _check_positive('initial_accumulator_value', initial_accumulator_value)
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._initial_accumulator_value = initial_accumulator_value

    def _make_slot(self, variable: Any, slot: str) -> None:
        dtype = variable.dtype.base_dtype
        if variable.shape.is_fully_defined():
            first: Any = init_ops.constant_initializer(self._initial_accumulator_value, dtype=dtype)
        else:
            def first() -> Any:
                filled = array_ops.fill(array_ops.shape(variable), self._initial_accumulator_value)
                return math_ops.cast(filled, dtype)
        self._get_or_make_slot_with_initializer(variable, first, variable.shape, dtype, slot, self._name)


def _check_positive(name: str, value: float) -> None:
    if value <= 0.0:
        raise ValueError(f'{name} must be positive: {value}')


@naming.public('training.adadelta')
class AdadeltaOptimizer(TableOptimizer):
    """Rates by a window of former slopes and updates."""

    OP = 'Adadelta'
    SLOTS = {'accum': 'accum', 'accum_update': 'accum_update'}
    NUMBERS = {'lr': _short('lr', '_lr'), 'rho': _short('rho', '_rho'), 'epsilon': _short('epsilon', '_epsilon')}

    def __init__(self, learning_rate: Any = 0.001, rho: Any = 0.95, epsilon: Any = 1e-8, use_locking: bool = False,
                 name: str = 'Adadelta') -> None:
        super().__init__(use_locking, name)
        self._lr, self._rho, self._epsilon = learning_rate, rho, epsilon


@naming.public('training.rmsprop')
class RMSPropOptimizer(TableOptimizer):
    """Slopes divided by the root of a running mean of their squares."""

    OP = 'RMSProp'
    SLOTS = {'ms': 'rms', 'mom': 'momentum'}
    NUMBERS = {'lr': _rate(), 'rho': _rate('decay'), 'momentum': _rate('momentum'), 'epsilon': _rate('epsilon')}

    def __init__(self, learning_rate: Any, decay: Any = 0.9, momentum: Any = 0.0, epsilon: Any = 1e-10,
                 use_locking: bool = False, centered: bool = False, name: str = 'RMSProp') -> None:
        super().__init__(use_locking, name)
        self._learning_rate, self._decay, self._momentum, self._epsilon = learning_rate, decay, momentum, epsilon
        self._centered = centered
        if centered:
            self.OP = 'CenteredRMSProp'
            self.SLOTS = {'ms': 'rms', 'mg': 'mg', 'mom': 'momentum'}

    def _make_slot(self, variable: Any, slot: str) -> None:
        if slot != 'rms':
            self._zeros_slot(variable, slot, self._name)
            return
        dtype = variable.dtype.base_dtype
        known = variable.shape.is_fully_defined()
        first = init_ops.ones_initializer(dtype=dtype) if known else array_ops.ones_like(variable)
        self._get_or_make_slot_with_initializer(variable, first, variable.shape, dtype, slot, self._name)


@naming.public('training.adam')
class AdamOptimizer(TableOptimizer):
    """Running means of slopes and of their squares, made up for their beginning."""

    OP = 'Adam'
    SLOTS = {'m': 'm', 'v': 'v'}
    NUMBERS = {'lr': _short('learning_rate', '_lr'), 'beta1': _short('beta1', '_beta1'),
               'beta2': _short('beta2', '_beta2'), 'epsilon': _short('epsilon', '_epsilon')}

    def __init__(self, learning_rate: Any = 0.001, beta1: Any = 0.9, beta2: Any = 0.999, epsilon: Any = 1e-8,
                 use_locking: bool = False, name: str = 'Adam',
                 use_own_namescope_for_non_slot_vars: bool = False) -> None:
        super().__init__(use_locking, name, use_own_namescope_for_non_slot_vars)
        self._lr, self._beta1, self._beta2, self._epsilon = learning_rate, beta1, beta2, epsilon
        self._lr_t: Any = None
        self._beta1_t: Any = None
        self._beta2_t: Any = None
        self._epsilon_t: Any = None

    def _create_slots(self, var_list: list[Any]) -> None:
        first = min(var_list, key=lambda variable: variable.name)
        self._create_non_slot_variable(self._beta1, 'beta1_power', first)
        self._create_non_slot_variable(self._beta2, 'beta2_power', first)
        super()._create_slots(var_list)

    def _get_beta_accumulators(self) -> tuple[Any, Any]:
        with scopes.init_scope():
            graph = None if scopes.executing_eagerly() else scopes.get_default_graph()
            return self._get_non_slot_variable('beta1_power', graph), self._get_non_slot_variable('beta2_power', graph)

    def _number(self, name: str) -> Any:
        if name in ('beta1_power', 'beta2_power'):
            return self._get_beta_accumulators()[name == 'beta2_power']
        return super()._number(name)

    def _apply_sparse(self, grad: Any, var: Any) -> Any:
        return self._apply_rows(grad.values, var, grad.indices)

    def _resource_apply_sparse(self, grad: Any, handle: Any, indices: Any) -> Any:
        return self._apply_rows(grad, handle, indices)

    def _apply_rows(self, grad: Any, var: Any, indices: Any) -> Any:
        """Changes all rows, though only some have a slope: their means go on."""
        dtype = var.dtype.base_dtype
        power1, power2 = (math_ops.cast(power, dtype) for power in self._get_beta_accumulators())
        rate, beta1, beta2, epsilon = (math_ops.cast(number, dtype) for number in (
            self._lr_t, self._beta1_t, self._beta2_t, self._epsilon_t))
        rate = rate * math_ops.sqrt(1 - power2) / (1 - power1)
        m = self._mean(self.get_slot(var, 'm'), beta1, indices, grad * (1 - beta1))
        v = self._mean(self.get_slot(var, 'v'), beta2, indices, (grad * grad) * (1 - beta2))
        root = math_ops.sqrt(v)
        update = state_ops.assign_sub(var, rate * m / (root + epsilon), use_locking=self._use_locking)
        return order_ops.group(update, m, v)

    def _mean(self, kept: Any, beta: Any, indices: Any, part: Any) -> Any:
        """Lets a running mean fade and adds |part| to some rows; returns the mean."""
        faded = state_ops.assign(kept, kept * beta, use_locking=self._use_locking)
        with scopes.control_dependencies([faded]):
            if not state_ops.is_resource(kept):
                return state_ops.scatter_add(kept, indices, part, use_locking=self._use_locking)
            with scopes.control_dependencies([_scatter_add(kept, indices, part)]):
                return kept.value()

    def _finish(self, update_ops: list[Any], name_scope: str) -> Any:
        with scopes.control_dependencies(update_ops):
            power1, power2 = self._get_beta_accumulators()
            with scopes.colocate(power1):
                update1 = power1.assign(power1 * self._beta1_t, use_locking=self._use_locking)
                update2 = power2.assign(power2 * self._beta2_t, use_locking=self._use_locking)
        return order_ops.group(*update_ops, update1, update2, name=name_scope)


@naming.public('training.ftrl')
class FtrlOptimizer(TableOptimizer):
    """Follow the regularised leader."""

    OP = 'Ftrl'
    SLOTS = {'accum': 'accum', 'linear': 'linear'}
    NUMBERS = {'lr': _rate(), 'l1': _rate('l1_regularization_strength'),
               'l2': _rate('adjusted_l2_regularization_strength'), 'beta': _rate('beta'),
               'l2_shrinkage': _rate('l2_shrinkage_regularization_strength'), 'lr_power': _rate('learning_rate_power')}

    def __init__(self, learning_rate: Any, learning_rate_power: Any = -0.5, initial_accumulator_value: float = 0.1,
                 l1_regularization_strength: Any = 0.0, l2_regularization_strength: Any = 0.0,
                 use_locking: bool = False, name: str = 'Ftrl', accum_name: str | None = None,
                 linear_name: str | None = None, l2_shrinkage_regularization_strength: Any = 0.0,
                 beta: Any = None) -> None:
        super().__init__(use_locking, name)
        _check_not_negative('initial_accumulator_value', initial_accumulator_value)
        if learning_rate_power > 0.0:
            raise ValueError('learning_rate_power %f needs to be negative or zero' % learning_rate_power)
        _check_not_negative('l1_regularization_strength', l1_regularization_strength)
        _check_not_negative('l2_regularization_strength', l2_regularization_strength)
        _check_not_negative('l2_shrinkage_regularization_strength', l2_shrinkage_regularization_strength)
        self._learning_rate, self._learning_rate_power = learning_rate, learning_rate_power
        self._initial_accumulator_value = initial_accumulator_value
        self._l1_regularization_strength = l1_regularization_strength
        self._l2_regularization_strength = l2_regularization_strength
        self._l2_shrinkage_regularization_strength = l2_shrinkage_regularization_strength
        self._beta = 0.0 if beta is None else beta
        self._accum_name, self._linear_name = accum_name, linear_name
        if l2_shrinkage_regularization_strength > 0.0:
            self.OP = 'FtrlV2'

    def _make_slot(self, variable: Any, slot: str) -> None:
        if slot == 'linear':
            self._zeros_slot(variable, slot, self._linear_name or self._name)
            return

        def first(shape: Any, dtype: Any = None, partition_info: Any = None) -> Any:
            return array_ops.ones(shape=shape, dtype=dtype) * self._initial_accumulator_value
        self._get_or_make_slot_with_initializer(variable, first, variable.shape, variable.dtype, slot,
                                                self._accum_name or self._name)

    @property
    def _adjusted_l2_regularization_strength(self) -> Any:
        return self._l2_regularization_strength + self._beta / (2.0 * math_ops.maximum(self._learning_rate, 1e-36))


def _check_not_negative(name: str, value: Any) -> None:
    if value < 0.0:
        raise ValueError('%s %f needs to be positive or zero' % (name, value))


@naming.public('training.proximal_gradient_descent')
class ProximalGradientDescentOptimizer(TableOptimizer):
    """Gradient descent with penalties on size."""

    OP = 'ProximalGradientDescent'
    GRAD = 'delta'
    NUMBERS = {'alpha': _rate(), 'l1': _rate('l1_regularization_strength'), 'l2': _rate('l2_regularization_strength')}
    CASTS = False

    def __init__(self, learning_rate: Any, l1_regularization_strength: Any = 0.0,
                 l2_regularization_strength: Any = 0.0, use_locking: bool = False,
                 name: str = 'ProximalGradientDescent') -> None:
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._l1_regularization_strength = l1_regularization_strength
        self._l2_regularization_strength = l2_regularization_strength


@naming.public('training.proximal_adagrad')
class ProximalAdagradOptimizer(TableOptimizer):
    """Adagrad with penalties on size."""

    OP = 'ProximalAdagrad'
    SLOTS = {'accum': 'accumulator'}
    NUMBERS = {'lr': _rate(), 'l1': _rate('l1_regularization_strength'), 'l2': _rate('l2_regularization_strength')}
    CASTS = False

    def __init__(self, learning_rate: Any, initial_accumulator_value: float = 0.1,
                 l1_regularization_strength: Any = 0.0, l2_regularization_strength: Any = 0.0,
                 use_locking: bool = False, name: str = 'ProximalAdagrad') -> None:
        _check_positive('initial_accumulator_value', initial_accumulator_value)
        super().__init__(use_locking, name)
        self._learning_rate, self._initial_accumulator_value = learning_rate, initial_accumulator_value
        self._l1_regularization_strength = l1_regularization_strength
        self._l2_regularization_strength = l2_regularization_strength

    def _make_slot(self, variable: Any, slot: str) -> None:
        with scopes.colocate(variable):
            value = _filled(self._initial_accumulator_value, variable)
        self._get_or_make_slot(variable, value, slot, self._name)


def _filled(value: float, variable: Any) -> Any:
    """Returns a tensor like |variable| that is |value| everywhere."""
    return convert.constant(value, shape=variable.shape, dtype=variable.dtype.base_dtype)


@naming.public('training.adagrad_da')
class AdagradDAOptimizer(TableOptimizer):
    """Adagrad by dual averaging."""

    OP = 'AdagradDA'
    SLOTS = {'gradient_accumulator': 'gradient_accumulator',
             'gradient_squared_accumulator': 'gradient_squared_accumulator'}
    NUMBERS = {'lr': _rate()}

    def __init__(self, learning_rate: Any, global_step: Any, initial_gradient_squared_accumulator_value: float = 0.1,
                 l1_regularization_strength: float = 0.0, l2_regularization_strength: float = 0.0,
                 use_locking: bool = False, name: str = 'AdagradDA') -> None:
        _check_positive('initial_gradient_squared_accumulator_value', initial_gradient_squared_accumulator_value)
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._initial_gradient_squared_accumulator_value = initial_gradient_squared_accumulator_value
        self._l1_regularization_strength = l1_regularization_strength
        self._l2_regularization_strength = l2_regularization_strength
        self._global_step = global_step
        self._global_step_on_worker: Any = None

    def _create_slots(self, var_list: list[Any]) -> None:
        for variable in var_list:
            with scopes.colocate(variable):
                zeros = _filled(0.0, variable)
                squares = _filled(self._initial_gradient_squared_accumulator_value, variable)
            self._get_or_make_slot(variable, zeros, 'gradient_accumulator', self._name)
            self._get_or_make_slot(variable, squares, 'gradient_squared_accumulator', self._name)

    def _prepare(self) -> None:
        super()._prepare()
        with scopes.colocate(self._learning_rate_tensor):
            self._global_step_on_worker = array_ops.identity(self._global_step) + 1

    def _call(self, prefix: str, var: Any, dtype: Any, **given: Any) -> Any:
        with scopes.device(var.device):
            step = array_ops.identity(self._global_step_on_worker)
        return super()._call(prefix, var, dtype, global_step=step, **given)

    def _number(self, name: str) -> Any:
        if name in ('l1', 'l2'):
            return self._l1_regularization_strength if name == 'l1' else self._l2_regularization_strength
        return super()._number(name)
