"""special_ops.py - Special functions, and small ones made of others."""

from __future__ import annotations

import math
from typing import Any

from berth.framework import convert, dtypes, gen, scopes
from berth.ops import array_ops, math_ops, nn_ops, reduce_ops


def _one(op: str, name: str) -> Any:
    """Makes the function that is |op| in a scope of its own."""
    def function(x: Any, name: str | None = None) -> Any:
        with scopes.name_scope(name, function.__name__, [x]):
            return gen.apply(op, None, {'x': x})

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f'Computes {op}, element by element.'
    return function


bessel_i0 = _one('BesselI0', 'bessel_i0')
bessel_i0e = _one('BesselI0e', 'bessel_i0e')
bessel_i1 = _one('BesselI1', 'bessel_i1')
bessel_i1e = _one('BesselI1e', 'bessel_i1e')
bessel_j0 = _one('BesselJ0', 'bessel_j0')
bessel_j1 = _one('BesselJ1', 'bessel_j1')
bessel_k0 = _one('BesselK0', 'bessel_k0')
bessel_k0e = _one('BesselK0e', 'bessel_k0e')
bessel_k1 = _one('BesselK1', 'bessel_k1')
bessel_k1e = _one('BesselK1e', 'bessel_k1e')
bessel_y0 = _one('BesselY0', 'bessel_y0')
bessel_y1 = _one('BesselY1', 'bessel_y1')
dawsn = _one('Dawsn', 'dawsn')
expint = _one('Expint', 'expint')
fresnel_cos = _one('FresnelCos', 'fresnel_cos')
fresnel_sin = _one('FresnelSin', 'fresnel_sin')
spence = _one('Spence', 'spence')
erfinv = _one('Erfinv', 'erfinv')
ndtri = _one('Ndtri', 'ndtri')


def erfcinv(x: Any, name: str | None = None) -> Any:
    """Returns the inverse of erfc."""
    with scopes.name_scope(name, 'erfcinv', [x]):
        x = convert.convert_to_tensor(x, name='start')
        return -ndtri(0.5 * x) * math.sqrt(0.5)


def lbeta(x: Any, name: str | None = None) -> Any:
    """Returns the logarithm of the beta function of the last dimension."""
    with scopes.name_scope(name, 'lbeta', [x]):
        x = convert.convert_to_tensor(x, name='x')
        logs = reduce_ops.reduce_sum(math_ops.lgamma(x), axis=[-1])
        whole = math_ops.lgamma(reduce_ops.reduce_sum(x, axis=[-1]))
        return logs - whole


def xlog1py(x: Any, y: Any, name: str | None = None) -> Any:
    """Returns x log(1 + y), and 0 where x is."""
    with scopes.name_scope(name, 'xlog1py', [x]):
        return gen.apply('Xlog1py', None, {'x': x, 'y': y})


def cumulative_logsumexp(x: Any, axis: Any = 0, exclusive: bool = False, reverse: bool = False,
                         name: str | None = None) -> Any:
    """Returns the logarithms of running sums of powers."""
    with scopes.name_scope(name, 'CumulativeLogsumexp', [x]) as name:
        x = convert.convert_to_tensor(x, name='x')
        return gen.apply('CumulativeLogsumexp', name, {'x': x, 'axis': axis},
                         {'exclusive': exclusive, 'reverse': reverse})


def divide_no_nan(x: Any, y: Any, name: str | None = None) -> Any:
    """Returns quotients, and 0 where the divisor is."""
    with scopes.name_scope(name, 'div_no_nan', [x, y]) as name:
        if not hasattr(x, 'dtype') and hasattr(y, 'dtype'):
            y = convert.convert_to_tensor(y, name='y')
            x = convert.convert_to_tensor(x, dtype=y.dtype.base_dtype, name='x')
        x = convert.convert_to_tensor(x, name='x')
        y = convert.convert_to_tensor(y, dtype_hint=x.dtype.base_dtype, name='y')
        if x.dtype.base_dtype != y.dtype.base_dtype:
            raise TypeError(f'`x` and `y` must have the same dtype, got {x.dtype.base_dtype!r} != '
                            f'{y.dtype.base_dtype!r}.')
        wide = {'int8': 'float32', 'uint8': 'float32', 'int16': 'float32', 'uint16': 'float32', 'int32': 'float64',
                'uint32': 'float64', 'int64': 'float64', 'uint64': 'float64'}.get(x.dtype.name)
        if wide is not None:
            x, y = math_ops.cast(x, wide), math_ops.cast(y, wide)
        return gen.apply('DivNoNan', name, {'x': x, 'y': y})


def reciprocal_no_nan(x: Any, name: str | None = None) -> Any:
    """Returns reciprocals, and 0 of 0."""
    with scopes.name_scope(name, 'reciprocal_no_nan', [x]) as name:
        x = convert.convert_to_tensor(x, name='x')
        one = convert.constant(1, dtype=x.dtype.base_dtype, name='one')
        return gen.apply('DivNoNan', name, {'x': one, 'y': x})


def log_sigmoid(x: Any, name: str | None = None) -> Any:
    """Returns the logarithm of sigmoid."""
    with scopes.name_scope(name, 'LogSigmoid', [x]) as name:
        x = convert.convert_to_tensor(x, name='x')
        return math_ops.negative(nn_ops.softplus(-x), name=name)


def sobol_sample(dim: Any, num_results: Any, skip: Any = 0, dtype: Any = dtypes.float32,
                 name: str | None = None) -> Any:
    """Returns points of Sobol's sequence, a row each."""
    with scopes.name_scope(name, 'sobol', [dim, num_results, skip]):
        inputs = {'dim': dim, 'num_results': num_results, 'skip': skip}
        return gen.apply('SobolSample', None, inputs, {'dtype': dtype})


def polyval(coeffs: Any, x: Any, name: str | None = None) -> Any:
    """Returns the value of a polynomial, its highest coefficient first."""
    if not isinstance(coeffs, list):
        raise ValueError(f'Argument coeffs must be list type. Received type {type(coeffs)}.')
    with scopes.name_scope(name, 'polyval', [*coeffs, x]) as name:
        x = convert.convert_to_tensor(x, name='x')
        if not coeffs:
            return array_ops.zeros_like(x, name=name)
        parts = [convert.convert_to_tensor(c, name=f'coeff_{i}') for i, c in enumerate(coeffs)]
        value = parts[0]
        for part in parts[1:]:
            value = part + value * x
        return value


# ---- Losses and activations ----


def check_shapes(a: Any, b: Any, names: str) -> None:
    """Raises ValueError unless both may have one shape; |names| are theirs in the message."""
    if not a.shape.is_compatible_with(b.shape):
        raise ValueError(f'{names} must have the same shape, received ({a.shape} vs {b.shape}).')


def weighted_cross_entropy_with_logits_v2(labels: Any, logits: Any, pos_weight: Any, name: str | None = None) -> Any:
    """Returns the cross entropy of logits and independent labels, in which true ones weigh more."""
    with scopes.name_scope(name, 'logistic_loss', [logits, labels]) as name:
        logits = convert.convert_to_tensor(logits, name='logits')
        labels = convert.convert_to_tensor(labels, name='labels')
        check_shapes(logits, labels, '`logits` and `labels`')
        weight = 1 + (pos_weight - 1) * labels
        return math_ops.add((1 - labels) * logits, weight * (
            math_ops.log1p(math_ops.exp(-math_ops.abs(logits))) + nn_ops.relu(-logits)), name=name)


def weighted_cross_entropy_with_logits(labels: Any = None, logits: Any = None, pos_weight: Any = None,
                                       name: str | None = None, targets: Any = None) -> Any:
    """Returns the cross entropy of logits and independent labels, in which true ones weigh more."""
    labels = targets if labels is None else labels
    return weighted_cross_entropy_with_logits_v2(labels, logits, pos_weight, name)


def log_poisson_loss(targets: Any, log_input: Any, compute_full_loss: bool = False, name: str | None = None) -> Any:
    """Returns the loss of counts that are Poisson's."""
    with scopes.name_scope(name, 'log_poisson_loss', [log_input, targets]):
        log_input = convert.convert_to_tensor(log_input, name='log_input')
        targets = convert.convert_to_tensor(targets, name='targets')
        check_shapes(log_input, targets, '`log_input` and `targets`')
        loss = math_ops.exp(log_input) - log_input * targets
        if not compute_full_loss:
            return loss
        half = convert.constant(0.5, dtype=targets.dtype)
        turn = convert.constant(2 * math.pi, dtype=targets.dtype)
        stirling = targets * math_ops.log(targets) - targets + half * math_ops.log(turn * targets)
        zeros = array_ops.zeros_like(targets, dtype=targets.dtype)
        ones = array_ops.ones_like(targets, dtype=targets.dtype)
        is_small = math_ops.logical_and(targets >= zeros, targets <= ones)
        return loss + array_ops.where(is_small, zeros, stirling)


def silu(features: Any, beta: Any = 1.0) -> Any:
    """Returns features times their sigmoid."""
    features = convert.convert_to_tensor(features, name='features')
    beta = math_ops.cast(convert.convert_to_tensor(beta, name='beta'), features.dtype)
    return features * math_ops.sigmoid(beta * features)


def gelu(features: Any, approximate: bool = False, name: str | None = None) -> Any:
    """Returns features times how much of a normal distribution lies below them."""
    with scopes.name_scope(name, 'Gelu', [features]):
        features = convert.convert_to_tensor(features, name='features')
        if not features.dtype.is_floating:
            raise ValueError('`features.dtype` must be a floating point tensor.'
                             f'Received:features.dtype={features.dtype}')
        if not approximate:
            root = math_ops.cast(0.7071067811865476, features.dtype)
            return 0.5 * features * math_ops.erfc(-features * root)
        cube = math_ops.cast(0.044715, features.dtype) * math_ops.pow(features, 3)
        return 0.5 * features * (1.0 + math_ops.tanh(0.7978845608028654 * (features + cube)))


def crelu(features: Any, name: str | None = None, axis: int = -1) -> Any:
    """Returns the positive parts of features and of what is opposite."""
    with scopes.name_scope(name, 'CRelu', [features]) as name:
        features = convert.convert_to_tensor(features, name='features')
        return nn_ops.relu(array_ops.concat([features, -features], axis, name=name))


def crelu_v2(features: Any, axis: int = -1, name: str | None = None) -> Any:
    """Returns the positive parts of features and of what is opposite."""
    return crelu(features, name, axis)
