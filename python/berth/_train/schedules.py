"""schedules - Learning rates of TF1 that change with the step.

In a graph each gives a tensor; where ops run at once, a function without arguments that gives one.
"""

from __future__ import annotations

import functools
import math
from typing import Any, Callable

from berth.framework import convert, dtypes, nest, scopes
from berth.ops import array_ops, flow_ops, math_ops, random_ops


def _at(step: Any, rule: Callable[[Any], Any]) -> Any:
    """Returns the rate at |step|, or what gives it."""
    return functools.partial(rule, step) if scopes.executing_eagerly() else rule(step)


def _begin(learning_rate: Any) -> Any:
    return convert.convert_to_tensor(learning_rate, name='initial_learning_rate')


def exponential_decay(learning_rate: Any, global_step: Any, decay_steps: Any, decay_rate: Any,
                      staircase: bool = False, name: str | None = None) -> Any:
    """A rate that is multiplied by |decay_rate| every |decay_steps|."""
    def rule(step: Any) -> Any:
        with scopes.name_scope_v2(name or 'ExponentialDecay') as scope:
            first = _begin(learning_rate)
            steps, rate = math_ops.cast(decay_steps, first.dtype), math_ops.cast(decay_rate, first.dtype)
            part = math_ops.cast(step, first.dtype) / steps
            if staircase:
                part = math_ops.floor(part)
            return math_ops.multiply(first, math_ops.pow(rate, part), name=scope)
    return _at(global_step, rule)


def natural_exp_decay(learning_rate: Any, global_step: Any, decay_steps: Any, decay_rate: Any,
                      staircase: bool = False, name: str | None = None) -> Any:
    """A rate that is multiplied by e to the power of minus |decay_rate| every |decay_steps|."""
    factor = math_ops.exp(math_ops.negative(decay_rate))
    return exponential_decay(learning_rate, global_step, decay_steps, factor, staircase, name)


def piecewise_constant(x: Any, boundaries: Any, values: Any, name: str | None = None) -> Any:
    """The one of |values| whose interval of |boundaries| has |x| in it."""
    bounds = [convert.convert_to_tensor(bound) for bound in nest.flatten(boundaries)]
    rates = [convert.convert_to_tensor(value) for value in nest.flatten(values)]
    bounds = _typed_bounds(bounds, convert.convert_to_tensor(x).dtype.base_dtype)
    for rate in rates[1:]:
        if rate.dtype.base_dtype != rates[0].dtype.base_dtype:
            raise ValueError(f'Values must have elements all with the same dtype ({rates[0].dtype.base_dtype} vs '
                             f'{rate.dtype.base_dtype}).')
    if len(bounds) != len(rates) - 1:
        raise ValueError('The length of boundaries should be 1 less than the length of values')
    return _at(x, lambda step: _piece(step, bounds, rates, name))


def _typed_bounds(bounds: list[Any], dtype: Any) -> list[Any]:
    """Returns boundaries that can be compared with a step of type |dtype|."""
    for i, bound in enumerate(bounds):
        if bound.dtype.base_dtype == dtype:
            continue
        if bound.dtype.base_dtype != dtypes.int32 or dtype != dtypes.int64:
            raise ValueError(f'Boundaries ({bound.dtype.base_dtype}) must have the same dtype as x ({dtype}).')
        bounds[i] = math_ops.cast(bound, dtype)
    return bounds


def _piece(step: Any, bounds: list[Any], rates: list[Any], name: str | None) -> Any:
    with scopes.name_scope_v2(name or 'PiecewiseConstant'):
        at = convert.convert_to_tensor(step)
        bounds = [math_ops.cast(bound, at.dtype.base_dtype) for bound in bounds]
        pieces = [(at <= bounds[0], lambda: rates[0]), (at > bounds[-1], lambda: rates[-1])]
        for low, high, rate in zip(bounds[:-1], bounds[1:], rates[1:-1]):
            pieces.append(((at > low) & (at <= high), lambda rate=rate: rate))
        return flow_ops.case(pieces, lambda: rates[0], exclusive=True)


def polynomial_decay(learning_rate: Any, global_step: Any, decay_steps: Any, end_learning_rate: Any = 0.0001,
                     power: Any = 1.0, cycle: bool = False, name: str | None = None) -> Any:
    """A rate that comes down to |end_learning_rate| along a polynomial."""
    def rule(step: Any) -> Any:
        with scopes.name_scope_v2(name or 'PolynomialDecay') as scope:
            first = _begin(learning_rate)
            last, exponent, at, steps = (math_ops.cast(value, first.dtype) for value in (
                end_learning_rate, power, step, decay_steps))
            if cycle:
                rounds = array_ops.where_v2(math_ops.equal(at, 0), 1.0, math_ops.ceil(at / decay_steps))
                steps = math_ops.multiply(steps, rounds)
            else:
                at = math_ops.minimum(at, steps)
            part = math_ops.divide(at, steps)
            left = math_ops.multiply(first - last, math_ops.pow(1 - part, exponent))
            return math_ops.add(left, last, name=scope)
    return _at(global_step, rule)


def inverse_time_decay(learning_rate: Any, global_step: Any, decay_steps: Any, decay_rate: Any,
                       staircase: bool = False, name: str | None = None) -> Any:
    """A rate that is divided by a number that grows with the step."""
    def rule(step: Any) -> Any:
        with scopes.name_scope_v2(name or 'InverseTimeDecay') as scope:
            first = _begin(learning_rate)
            steps, rate = math_ops.cast(decay_steps, first.dtype), math_ops.cast(decay_rate, first.dtype)
            part = math_ops.cast(step, first.dtype) / steps
            if staircase:
                part = math_ops.floor(part)
            one = math_ops.cast(convert.constant(1), first.dtype)
            return math_ops.divide(first, math_ops.add(one, math_ops.multiply(rate, part)), name=scope)
    return _at(global_step, rule)


def _wave(part: Any, height: Any = 0.5) -> Any:
    """Returns how high the cosine stands after |part| of half a turn."""
    return height * (1.0 + math_ops.cos(convert.constant(math.pi) * part))


def cosine_decay(learning_rate: Any, global_step: Any, decay_steps: Any, alpha: Any = 0.0,
                 name: str | None = None) -> Any:
    """A rate that comes down along half a turn of the cosine."""
    def rule(step: Any) -> Any:
        with scopes.name_scope_v2(name or 'CosineDecay'):
            first = _begin(learning_rate)
            steps = math_ops.cast(decay_steps, first.dtype)
            at = math_ops.minimum(math_ops.cast(step, first.dtype), steps)
            return math_ops.multiply(first, (1 - alpha) * _wave(at / steps) + alpha)
    return _at(global_step, rule)


def cosine_decay_restarts(learning_rate: Any, global_step: Any, first_decay_steps: Any, t_mul: Any = 2.0,
                          m_mul: Any = 1.0, alpha: Any = 0.0, name: str | None = None) -> Any:
    """Half turns of the cosine one after another, each |t_mul| times as long and |m_mul| times as high."""
    def rule(step: Any) -> Any:
        with scopes.name_scope_v2(name or 'SGDRDecay') as scope:
            first = _begin(learning_rate)
            steps, least, longer, higher, at = (math_ops.cast(value, first.dtype) for value in (
                first_decay_steps, alpha, t_mul, m_mul, step))
            part = at / steps
            number, part = flow_ops.cond(math_ops.equal(longer, 1.0), lambda: _even_round(part),
                                         lambda: _longer_round(part, longer))
            wave = _wave(part, 0.5 * higher ** number)
            return math_ops.multiply(first, (1 - least) * wave + least, name=scope)
    return _at(global_step, rule)


def _even_round(part: Any) -> tuple[Any, Any]:
    """Returns which round it is, and how much of it is over."""
    number = math_ops.floor(part)
    return number, part - number


def _longer_round(part: Any, longer: Any) -> tuple[Any, Any]:
    """The same where each round is |longer| times as long as the one before."""
    number = math_ops.floor(math_ops.log(1.0 - part * (1.0 - longer)) / math_ops.log(longer))
    before = (1.0 - longer ** number) / (1.0 - longer)
    return number, (part - before) / longer ** number


def linear_cosine_decay(learning_rate: Any, global_step: Any, decay_steps: Any, num_periods: Any = 0.5,
                        alpha: Any = 0.0, beta: Any = 0.001, name: str | None = None) -> Any:
    """A line that comes down, times a cosine."""
    def rule(step: Any) -> Any:
        with scopes.name_scope_v2(name or 'LinearCosineDecay') as scope:
            first = _begin(learning_rate)
            steps, turns, more, least, at = (math_ops.cast(value, first.dtype) for value in (
                decay_steps, num_periods, alpha, beta, step))
            at = math_ops.minimum(at, steps)
            line = (steps - at) / steps
            part = at / steps
            wave = _wave(2.0 * turns * part)
            return math_ops.multiply(first, (more + line) * wave + least, name=scope)
    return _at(global_step, rule)


def noisy_linear_cosine_decay(learning_rate: Any, global_step: Any, decay_steps: Any, initial_variance: Any = 1.0,
                              variance_decay: Any = 0.55, num_periods: Any = 0.5, alpha: Any = 0.0,
                              beta: Any = 0.001, name: str | None = None) -> Any:
    """The same with noise on the line, which gets less."""
    def rule(step: Any) -> Any:
        with scopes.name_scope_v2(name or 'NoisyLinearCosineDecay') as scope:
            first = _begin(learning_rate)
            steps, variance, calm, turns, more, least, at = (math_ops.cast(value, first.dtype) for value in (
                decay_steps, initial_variance, variance_decay, num_periods, alpha, beta, step))
            at = math_ops.minimum(at, steps)
            line = (steps - at) / steps
            spread = math_ops.sqrt(variance / math_ops.pow(1.0 + at, calm))
            line = line + random_ops.random_normal(line.shape, stddev=spread)
            part = at / steps
            wave = _wave(2.0 * turns * part)
            return math_ops.multiply(first, (more + line) * wave + least, name=scope)
    return _at(global_step, rule)
