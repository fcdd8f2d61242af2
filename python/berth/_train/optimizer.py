"""optimizer - tf.train.Optimizer of TF1: what all optimisers have in common.

A program may derive its own: the methods that begin with one underscore are TensorFlow's.
"""

from __future__ import annotations

import contextlib
from typing import Any

from berth._train import replicated, slots
from berth.base import naming
from berth.framework import convert, dtypes, gen, nest, scopes
from berth.framework.collections import GraphKeys
from berth.framework.indexed_slices import IndexedSlices
from berth.framework.node import Tensor
from berth.ops import array_ops, gradients_ops, math_ops, order_ops, state_ops
from berth.variables import replicas
from berth.variables import scope as variable_scopes
from berth.variables import sets
from berth.variables.graph_variable import Variable, VariableV1


def _key(variable: Any) -> Any:
    """Returns what slots of |variable| are kept under: copies of a variable have those of the first."""
    whole = replicas.container_of(variable)
    variable = variable if whole is None else whole
    variable = getattr(variable, '_primary', variable)
    return (variable.op.graph, variable.op.name) if _is_in_graph(variable) else variable._unique_id


def _is_in_graph(variable: Any) -> bool:
    return getattr(variable, '_in_graph_mode', True)


def _check_kind(variable: Any) -> None:
    if not isinstance(variable, (Tensor, Variable)):
        raise NotImplementedError('Trying to optimize unsupported type ', variable)


def _target(variable: Any) -> Any:
    """Returns what a slope is asked for."""
    _check_kind(variable)
    return variable._ref() if hasattr(variable, '_ref') and not state_ops.is_resource(variable) else variable
@naming.public('training.optimizer')
class Optimizer:
    """Computes gradients and changes variables by them."""

    GATE_NONE = 0
    GATE_OP = 1
    GATE_GRAPH = 2

    def __init__(self, use_locking: bool, name: str, use_own_namescope_for_non_slot_vars: bool = False) -> None:
        if not name:
            raise ValueError('Must specify the optimizer name')
        self._use_locking = use_locking
        self._name = name
        self._slots: dict[str, dict[Any, Any]] = {}
        self._non_slot_dict: dict[Any, Any] = {}
        self._non_slot_scope: Any = None
        if use_own_namescope_for_non_slot_vars:
            with variable_scopes.variable_scope(None, name) as self._non_slot_scope:
                pass

    def get_name(self) -> str:
        """Its name."""
        return self._name

    # ---- Gradients ----

    def minimize(self, loss: Any, global_step: Any = None, var_list: Any = None, gate_gradients: int = GATE_OP,
                 aggregation_method: Any = None, colocate_gradients_with_ops: bool = False,
                 name: str | None = None, grad_loss: Any = None) -> Any:
        """Changes variables so that |loss| gets smaller."""
        pairs = self.compute_gradients(loss, var_list, gate_gradients, aggregation_method,
                                       colocate_gradients_with_ops, grad_loss)
        if all(slope is None for slope, _ in pairs):
            raise ValueError('No gradients provided for any variable, check your graph for ops that do not support '
                             f'gradients, between variables {[str(v) for _, v in pairs]} and loss {loss}.')
        return self.apply_gradients(pairs, global_step=global_step, name=name)

    def compute_gradients(self, loss: Any, var_list: Any = None, gate_gradients: int = GATE_OP,
                          aggregation_method: Any = None, colocate_gradients_with_ops: bool = False,
                          grad_loss: Any = None) -> list[Any]:
        """Returns pairs of a slope of |loss| and the variable it is by."""
        if callable(loss):
            return self._by_tape(loss, var_list, grad_loss)
        if scopes.executing_eagerly():
            raise RuntimeError('`loss` passed to Optimizer.compute_gradients should be a function when eager execution '
                               'is enabled.')
        if gate_gradients not in (self.GATE_NONE, self.GATE_OP, self.GATE_GRAPH):
            raise ValueError('gate_gradients must be one of: Optimizer.GATE_NONE, Optimizer.GATE_OP, '
                             f'Optimizer.GATE_GRAPH.  Not {gate_gradients}')
        self._assert_valid_dtypes([loss])
        if grad_loss is not None:
            self._assert_valid_dtypes([grad_loss])
        variables = self._chosen(var_list)
        targets = [_target(variable) for variable in variables]
        if not variables:
            raise ValueError('No variables to optimize.')
        found = gradients_ops.gradients(
            replicated.scaled(loss), targets, grad_ys=grad_loss, gate_gradients=gate_gradients == self.GATE_OP,
            aggregation_method=aggregation_method, colocate_gradients_with_ops=colocate_gradients_with_ops)
        if gate_gradients == self.GATE_GRAPH:
            found = order_ops.tuple(found)
        pairs = list(zip(found, variables))
        self._assert_valid_dtypes([v for slope, v in pairs if slope is not None and v.dtype != dtypes.resource])
        return pairs

    def _chosen(self, var_list: Any) -> list[Any]:
        if var_list is None:
            return sets.trainable_variables() + scopes.get_collection(GraphKeys.TRAINABLE_RESOURCE_VARIABLES)
        return list(nest.flatten(var_list))

    def _by_tape(self, loss: Any, var_list: Any, grad_loss: Any) -> list[Any]:
        from berth.eager.tape import GradientTape

        with GradientTape() as tape:
            if var_list is not None:
                tape.watch(var_list)
            value = loss()
        variables = tape.watched_variables() if var_list is None else var_list
        with scopes.control_dependencies([value]):
            found = tape.gradient(value, variables, grad_loss)
        return list(zip(found, variables))

    # ---- Updates ----

    def apply_gradients(self, grads_and_vars: Any, global_step: Any = None, name: str | None = None,
                        skip_gradients_aggregation: bool = False) -> Any:
        """Changes variables by slopes; returns the operation that does."""
        if replicas.has_strategy() and not skip_gradients_aggregation:
            return replicated.apply(self, grads_and_vars, global_step, name)
        pairs = tuple(grads_and_vars)
        if not pairs:
            raise ValueError('No variables provided.')
        pairs = tuple((replicated.slope_of(slope), variable) for slope, variable in pairs)
        for _, variable in pairs:
            _check_kind(variable)
        variables = [variable for slope, variable in pairs if slope is not None]
        if not variables:
            raise ValueError(f'No gradients provided for any variable: {[str(v) for _, v in pairs]}.')
        with scopes.init_scope():
            self._create_slots(variables)
        with scopes.name_scope(name, self._name) as scope:
            self._prepare()
            done = [self._update_one(slope, variable) for slope, variable in pairs if slope is not None]
            if global_step is None:
                update = self._finish(done, scope)
            else:
                with scopes.control_dependencies([self._finish(done, 'update')]), scopes.colocate(global_step):
                    update = _count(global_step, scope)
            return replicated.noted(update)

    def _distributed_apply(self, distribution: Any, grads_and_vars: Any, global_step: Any = None,
                           name: str | None = None) -> Any:
        """Changes variables of a strategy by the sums of what its replicas have found."""
        return replicated.apply_together(self, distribution, grads_and_vars, global_step, name)

    def _update_one(self, slope: Any, variable: Any) -> Any:
        label = variable.op.name if _is_in_graph(variable) else ''
        with scopes.name_scope('update_' + label), scopes.colocate(variable):
            if isinstance(variable, Tensor) and not isinstance(variable, Variable):
                raise NotImplementedError('Trying to update a Tensor ', variable)
            return self._update(slope, variable)

    def _update(self, slope: Any, variable: Any) -> Any:
        """Changes |variable| by a slope, whatever both are."""
        if isinstance(slope, IndexedSlices):
            if variable.constraint is not None:
                raise RuntimeError('Cannot use a constraint function on a sparse variable.')
            if state_ops.is_resource(variable):
                return self._resource_apply_sparse_duplicate_indices(slope.values, variable, slope.indices)
            return self._apply_sparse_duplicate_indices(slope, variable)
        apply = self._resource_apply_dense if state_ops.is_resource(variable) else self._apply_dense
        update = apply(slope, variable)
        if variable.constraint is None:
            return update
        with scopes.control_dependencies([update]):
            return variable.assign(variable.constraint(variable))

    # ---- Slots ----

    def get_slot(self, var: Any, name: str) -> Any:
        """Returns the variable that the optimiser keeps for |var|, or None."""
        return self._slots.get(name, {}).get(_key(var))

    def get_slot_names(self) -> list[str]:
        """Returns the names of the kinds of variables that it keeps."""
        return sorted(self._slots)

    def variables(self) -> list[Any]:
        """Returns all variables that it keeps, in the default graph."""
        kept = list(self._non_slot_variables()) + [v for named in self._slots.values() for v in named.values()]
        if not scopes.executing_eagerly():
            graph = scopes.get_default_graph()
            kept = [v for v in kept if not _is_in_graph(v) or v.op.graph is graph]
        return sorted(kept, key=lambda v: v.name)

    def _slot_dict(self, slot_name: str) -> dict[Any, Any]:
        return self._slots.setdefault(slot_name, {})

    def _get_or_make_slot(self, var: Any, val: Any, slot_name: str, op_name: str) -> Any:
        named = self._slot_dict(slot_name)
        if _key(var) not in named:
            named[_key(var)] = slots.create_slot(var, val, op_name)
            self._tell()
        return named[_key(var)]

    def _get_or_make_slot_with_initializer(self, var: Any, initializer: Any, shape: Any, dtype: Any, slot_name: str,
                                           op_name: str) -> Any:
        named = self._slot_dict(slot_name)
        if _key(var) not in named:
            named[_key(var)] = slots.create_slot_with_initializer(var, initializer, shape, dtype, op_name)
            self._tell()
        return named[_key(var)]

    def _zeros_slot(self, var: Any, slot_name: str, op_name: str) -> Any:
        named = self._slot_dict(slot_name)
        if _key(var) not in named:
            named[_key(var)] = slots.create_zeros_slot(var, op_name)
            self._tell()
        return named[_key(var)]

    def _create_non_slot_variable(self, initial_value: Any, name: str, colocate_with: Any) -> Any:
        """Returns a variable that belongs to no other, which is made if it is not there."""
        key = name, colocate_with.graph if _is_in_graph(colocate_with) else None
        if key not in self._non_slot_dict:
            is_everywhere = hasattr(colocate_with, '_distribute_strategy')
            with contextlib.nullcontext() if is_everywhere else scopes.colocate(colocate_with):
                self._non_slot_dict[key] = self._non_slot(initial_value, name, state_ops.is_resource(colocate_with))
            self._tell()
        return self._non_slot_dict[key]

    def _tell(self) -> None:
        """Tells checkpoints that are being restored of a variable that has been made."""
        for waiting in self.__dict__.get('_restorations', ()):
            waiting.again()

    def _non_slot(self, initial_value: Any, name: str, is_resource: bool) -> Any:
        if self._non_slot_scope is None:
            return VariableV1(initial_value, name=name, trainable=False, use_resource=is_resource)
        with scopes.name_scope(''), variable_scopes.variable_scope(self._non_slot_scope):
            return variable_scopes.get_variable(name, initializer=initial_value, trainable=False,
                                                use_resource=is_resource)

    def _get_non_slot_variable(self, name: str, graph: Any = None) -> Any:
        return self._non_slot_dict.get((name, graph))

    def _non_slot_variables(self) -> Any:
        return self._non_slot_dict.values()

    # ---- What optimisers say ----

    def _create_slots(self, var_list: list[Any]) -> None:
        """Makes the variables that are kept for |var_list|."""

    def _prepare(self) -> None:
        """Makes the tensors that updates need."""

    def _apply_dense(self, grad: Any, var: Any) -> Any:
        raise NotImplementedError()

    def _resource_apply_dense(self, grad: Any, handle: Any) -> Any:
        raise NotImplementedError()

    def _apply_sparse(self, grad: Any, var: Any) -> Any:
        raise NotImplementedError()

    def _resource_apply_sparse(self, grad: Any, handle: Any, indices: Any) -> Any:
        raise NotImplementedError()

    def _apply_sparse_duplicate_indices(self, grad: Any, var: Any) -> Any:
        values, indices = _summed(grad.values, grad.indices)
        return self._apply_sparse(IndexedSlices(values, indices, grad.dense_shape), var)

    def _resource_apply_sparse_duplicate_indices(self, grad: Any, handle: Any, indices: Any) -> Any:
        values, indices = _summed(grad, indices)
        return self._resource_apply_sparse(values, handle, indices)

    def _finish(self, update_ops: list[Any], name_scope: str) -> Any:
        return order_ops.group(*update_ops, name=name_scope)

    def _valid_dtypes(self) -> set:
        return {dtypes.float16, dtypes.bfloat16, dtypes.float32, dtypes.float64}

    def _assert_valid_dtypes(self, tensors: list[Any]) -> None:
        valid = self._valid_dtypes()
        for tensor in tensors:
            if tensor.dtype.base_dtype not in valid:
                raise ValueError(f'Invalid type {tensor.dtype.base_dtype!r} for {tensor.name}, expected: '
                                 f'{list(valid)}.')

    def _call_if_callable(self, param: Any) -> Any:
        return param() if callable(param) else param


def _summed(values: Any, indices: Any) -> tuple[Any, Any]:
    """Sums the rows that belong to one index."""
    unique, positions = array_ops.unique(indices)
    return math_ops.unsorted_segment_sum(values, positions, array_ops.shape(unique)[0]), unique


def _count(global_step: Any, scope: str) -> Any:
    """Adds one to the global step."""
    if state_ops.is_resource(global_step):
        return gen.apply('AssignAddVariableOp', scope, {
            'resource': global_step.handle, 'value': convert.convert_to_tensor(1, dtype=global_step.dtype)})
    return state_ops.assign_add(global_step, 1, name=scope)
