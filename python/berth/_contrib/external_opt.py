"""external_opt.py - Optimisers outside of the graph, such as SciPy's: they see a loss as a function of one vector."""

from __future__ import annotations

from typing import Any

from berth.base import logging
from berth.framework import scopes
from berth.ops import array_ops, gradients_ops, state_ops
from berth.variables import sets


class ExternalOptimizerInterface:
    """Hands a loss and its slopes to something else, and its results to the variables."""

    def __init__(self, loss: Any, var_list: Any = None, equalities: Any = None, inequalities: Any = None,
                 var_to_bounds: Any = None, **optimizer_kwargs: Any) -> None:
        self._loss, self._equalities, self._inequalities = loss, list(equalities or []), list(inequalities or [])
        self._vars = sets.trainable_variables() if var_list is None else list(var_list)
        self.optimizer_kwargs = optimizer_kwargs
        self._ends = [0]
        for variable in self._vars:
            self._ends.append(self._ends[-1] + variable.shape.num_elements())
        self._packed_bounds = self._bounds(var_to_bounds) if var_to_bounds is not None else None
        self._loss_grads = self._slope(loss)
        self._equality_grads = [self._slope(each) for each in self._equalities]
        self._inequality_grads = [self._slope(each) for each in self._inequalities]
        self._vector = self._joined(self._vars)
        self._fed = [array_ops.placeholder(variable.dtype.base_dtype, variable.shape) for variable in self._vars]
        self._sets = [state_ops.assign(variable, fed) for variable, fed in zip(self._vars, self._fed)]

    def _bounds(self, given: dict[Any, Any]) -> list[tuple[float, float]]:
        """Returns the lowest and the highest value of each number."""
        import numpy as np

        left_out = set(map(id, given)) - set(map(id, self._vars))
        if left_out:
            raise ValueError('var_to_bounds has variables that are not optimized')
        by_id = {id(variable): bounds for variable, bounds in given.items()}
        found: list[tuple[float, float]] = []
        for variable in self._vars:
            shape = variable.shape.as_list()
            low, high = by_id.get(id(variable), (-np.inf, np.inf))
            found += zip(np.broadcast_to(low, shape).flat, np.broadcast_to(high, shape).flat)
        return found

    @staticmethod
    def _joined(tensors: list[Any]) -> Any:
        return array_ops.concat([array_ops.reshape(each, [-1]) for each in tensors], 0)

    def _slope(self, value: Any) -> Any:
        slopes = gradients_ops.gradients(value, self._vars)
        return self._joined([array_ops.zeros_like(variable) if slope is None else slope
                             for slope, variable in zip(slopes, self._vars)])

    def _parts(self, vector: Any) -> dict[Any, Any]:
        """Returns what to feed so that variables get what is in a vector."""
        return {fed: vector[start:end].reshape(variable.shape.as_list())
                for variable, fed, start, end in zip(self._vars, self._fed, self._ends, self._ends[1:])}

    def minimize(self, session: Any = None, feed_dict: Any = None, fetches: Any = None, step_callback: Any = None,
                 loss_callback: Any = None, **run_kwargs: Any) -> None:
        """Sets the variables to where the loss is least."""
        session = session or scopes.get_default_session()
        feed_dict, fetches = feed_dict or {}, fetches or []
        loss_callback = loss_callback or (lambda *values: None)
        step_callback = step_callback or (lambda vector: None)

        def function(tensors: list[Any], callback: Any, extra: Any) -> Any:
            def value_of(vector: Any) -> Any:
                session.run(self._sets, self._parts(vector))
                found, more = session.run([tensors, extra], feed_dict, **run_kwargs)
                callback(*more)
                return found
            return value_of

        def constraint(tensor: Any) -> tuple[Any, Any]:
            both = function([tensor], lambda: None, [])
            return (lambda vector: both(vector)[0]), None

        values = [constraint(each)[0] for each in [*self._equalities, *self._inequalities]]
        slopes = [constraint(each)[0] for each in [*self._equality_grads, *self._inequality_grads]]
        count = len(self._equalities)
        result = self._minimize(
            initial_val=session.run(self._vector),
            loss_grad_func=function([self._loss, self._loss_grads], loss_callback, fetches),
            equality_funcs=values[:count], equality_grad_funcs=slopes[:count], inequality_funcs=values[count:],
            inequality_grad_funcs=slopes[count:], packed_bounds=self._packed_bounds, step_callback=step_callback,
            optimizer_kwargs=self.optimizer_kwargs)
        session.run(self._sets, self._parts(result))

    def _minimize(self, initial_val: Any, loss_grad_func: Any, equality_funcs: Any, equality_grad_funcs: Any,
                  inequality_funcs: Any, inequality_grad_funcs: Any, packed_bounds: Any, step_callback: Any,
                  optimizer_kwargs: Any) -> Any:
        """Returns the vector at which a loss is least."""
        raise NotImplementedError('To use ExternalOptimizerInterface, subclass from it and implement the _minimize() '
                                  'method.')


class ScipyOptimizerInterface(ExternalOptimizerInterface):
    """Lets scipy.optimize.minimize do it."""

    _DEFAULT_METHOD = 'L-BFGS-B'

    def _minimize(self, initial_val: Any, loss_grad_func: Any, equality_funcs: Any, equality_grad_funcs: Any,
                  inequality_funcs: Any, inequality_grad_funcs: Any, packed_bounds: Any, step_callback: Any,
                  optimizer_kwargs: Any) -> Any:
        try:
            import scipy.optimize
        except ImportError as error:
            raise ImportError('tf.contrib.opt.ScipyOptimizerInterface needs the package scipy, which is not installed'
                              ) from error

        def in_doubles(vector: Any) -> Any:
            loss, slope = loss_grad_func(vector)
            return loss, slope.astype('float64')

        constraints = [{'type': kind, 'fun': value, 'jac': slope} for kind, values, slopes in (
            ('eq', equality_funcs, equality_grad_funcs), ('ineq', inequality_funcs, inequality_grad_funcs))
            for value, slope in zip(values, slopes)]
        options = dict(optimizer_kwargs)
        method = options.pop('method', 'SLSQP' if constraints else self._DEFAULT_METHOD)
        arguments: dict[str, Any] = {'jac': True, 'callback': step_callback, 'method': method,
                                     'constraints': constraints, 'bounds': packed_bounds}
        for name in arguments:
            if name in options:
                raise ValueError(f'Optimizer keyword arg {name!r} is set automatically and cannot be injected manually')
        result = scipy.optimize.minimize(in_doubles, initial_val, **arguments, **options)
        logging.info('Optimization terminated with:\n  Message: %s\n  Objective function value: %f\n'
                     '  Number of iterations: %d\n  Number of functions evaluations: %d',
                     result.message, result.fun, result.nit, result.nfev)
        return result.x
