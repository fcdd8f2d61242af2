"""v2_ops.py - Functions that take other parameters in TensorFlow 2 than in 1."""

from __future__ import annotations

from typing import Any

import numpy as np

from berth.base import naming
from berth.framework import convert, dtypes, nest, scopes
from berth.ops import array_ops, entropy_ops, flow_ops, init_ops, math_ops, nn_ops, order_ops, reduce_ops
from berth.ops.signature import reordered
from berth.ops.stateless_ops import Seeded

argmax_v2 = reordered(math_ops.argmax, 'input axis output_type name')
argmin_v2 = reordered(math_ops.argmin, 'input axis output_type name')
boolean_mask_v2 = reordered(array_ops.boolean_mask, 'tensor mask axis name')
convert_to_tensor_v2 = convert.making(reordered(convert.convert_to_tensor, 'value dtype dtype_hint name'),
                                      'value dtype dtype_hint name', True)
expand_dims_v2 = reordered(array_ops.expand_dims, 'input axis name', 'axis')
gather_v2 = reordered(array_ops.gather, 'params indices validate_indices axis batch_dims name')
gather_nd_v2 = reordered(array_ops.gather_nd, 'params indices batch_dims name bad_indices_policy')
pad_v2 = reordered(array_ops.pad, 'tensor paddings mode constant_values name')
shape_v2 = reordered(array_ops.shape, 'input out_type name')
size_v2 = reordered(array_ops.size, 'input out_type name')
squeeze_v2 = reordered(array_ops.squeeze, 'input axis name')
transpose_v2 = reordered(array_ops.transpose, 'a perm conjugate name')
tuple_v2 = reordered(order_ops.tuple, 'tensors control_inputs name')
ones_like_v2 = reordered(array_ops.ones_like, 'input dtype name layout', input='tensor')
zeros_like_v2 = reordered(array_ops.zeros_like, 'input dtype name layout', input='tensor')
count_nonzero_v2 = reordered(reduce_ops.count_nonzero, 'input axis keepdims dtype name', input='input_tensor')
softmax_v2 = reordered(nn_ops.softmax, 'logits axis name')
log_softmax_v2 = reordered(nn_ops.log_softmax, 'logits axis name')
softmax_cross_entropy_with_logits_v2 = reordered(
    entropy_ops.softmax_cross_entropy_with_logits_v2, 'labels logits axis name')
in_top_k_v2 = reordered(nn_ops.in_top_k, 'targets predictions k name')
dropout_v2 = reordered(nn_ops.dropout, 'x rate noise_shape seed name', 'rate')
moments_v2 = reordered(nn_ops.moments, 'x axes shift keepdims name')

sigmoid_cross_entropy_with_logits_v2 = entropy_ops.sigmoid_cross_entropy_with_logits
sparse_softmax_cross_entropy_with_logits_v2 = entropy_ops.sparse_softmax_cross_entropy_with_logits

norm_v2 = reordered(reduce_ops.norm, 'tensor ord axis keepdims name')
reverse_sequence_v2 = reordered(array_ops.reverse_sequence, 'input seq_lengths seq_axis batch_axis name')
depth_to_space_v2 = reordered(array_ops.depth_to_space, 'input block_size data_format name')
space_to_depth_v2 = reordered(array_ops.space_to_depth, 'input block_size data_format name')


_REDUCTION = 'input_tensor axis keepdims name'
reduce_all_v2 = reordered(reduce_ops.reduce_all, _REDUCTION)
reduce_any_v2 = reordered(reduce_ops.reduce_any, _REDUCTION)
reduce_logsumexp_v2 = reordered(reduce_ops.reduce_logsumexp, _REDUCTION)
reduce_max_v2 = reordered(reduce_ops.reduce_max, _REDUCTION)
reduce_mean_v2 = reordered(reduce_ops.reduce_mean, _REDUCTION)
reduce_min_v2 = reordered(reduce_ops.reduce_min, _REDUCTION)
reduce_prod_v2 = reordered(reduce_ops.reduce_prod, _REDUCTION)
reduce_sum_v2 = reordered(reduce_ops.reduce_sum, _REDUCTION)


class _Untyped:
    """What sets the initialisers of version 2 apart: the type is an argument of the call alone."""

    def get_config(self) -> dict:
        """Returns the settings."""
        return {k: v for k, v in self.__dict__.items() if k not in ('dtype', '_verify_shape')}


def _numeric(dtype: Any) -> Any:
    """Returns |dtype|, which an initialiser can make; ValueError for others."""
    kind = dtypes.as_dtype(dtype)
    if not kind.is_numpy_compatible or kind == dtypes.string:
        raise ValueError(f'Argument `dtype` expected to be numeric or boolean. Received {kind}.')
    return kind


def _floating(dtype: Any) -> Any:
    """Returns |dtype|, of real numbers; ValueError for others."""
    kind = dtypes.as_dtype(dtype)
    if not kind.is_floating:
        raise ValueError(f'Argument `dtype` is expected to be floating point. Received: {kind}.')
    return kind


@naming.public('ops.init_ops_v2', 'Zeros')
class zeros_initializer_v2(_Untyped, init_ops.Initializer):
    """Zeros."""

    def __call__(self, shape: Any, dtype: Any = dtypes.float32, **kwargs: Any) -> Any:
        return array_ops.zeros(shape, _numeric(dtype))


@naming.public('ops.init_ops_v2', 'Ones')
class ones_initializer_v2(_Untyped, init_ops.Initializer):
    """Ones."""

    def __call__(self, shape: Any, dtype: Any = dtypes.float32, **kwargs: Any) -> Any:
        return array_ops.ones(shape, _numeric(dtype))


@naming.public('ops.init_ops_v2', 'Constant')
class constant_initializer_v2(_Untyped, init_ops.Initializer):
    """One value everywhere, or values given."""

    def __init__(self, value: Any = 0, support_partition: bool = False) -> None:
        if not (np.isscalar(value) or isinstance(value, (list, tuple, np.ndarray))):
            raise TypeError(f'Invalid type for initial value: {type(value).__name__}. Expected Python scalar, list or '
                            'tuple of values, or numpy.ndarray.')
        self.value = value

    def __call__(self, shape: Any, dtype: Any = None, **kwargs: Any) -> Any:
        return convert.constant_v2(self.value, dtype, shape)


@naming.public('ops.init_ops_v2', 'RandomNormal')
class random_normal_initializer_v2(_Untyped, init_ops.Initializer):
    """Normally distributed values."""

    def __init__(self, mean: Any = 0.0, stddev: Any = 0.05, seed: int | None = None) -> None:
        self.mean, self.stddev, self.seed = mean, stddev, seed

    def __call__(self, shape: Any, dtype: Any = dtypes.float32, **kwargs: Any) -> Any:
        return Seeded(self.seed).random_normal(shape, self.mean, self.stddev, _floating(dtype))


@naming.public('ops.init_ops_v2', 'RandomUniform')
class random_uniform_initializer_v2(_Untyped, init_ops.Initializer):
    """Uniformly distributed values."""

    def __init__(self, minval: Any = -0.05, maxval: Any = 0.05, seed: int | None = None) -> None:
        self.minval, self.maxval, self.seed = minval, maxval, seed

    def __call__(self, shape: Any, dtype: Any = dtypes.float32, **kwargs: Any) -> Any:
        kind = dtypes.as_dtype(dtype)
        if not kind.is_floating and not kind.is_integer:
            raise ValueError(f'Argument `dtype` expected to be numeric or boolean. Received {kind}.')
        return Seeded(self.seed).random_uniform(shape, self.minval, self.maxval, kind)


def device_v2(device_name: Any) -> Any:
    """Returns a scope that asks for a device."""
    return scopes.device(device_name)


def cond_v2(pred: Any, true_fn: Any = None, false_fn: Any = None, name: str | None = None) -> Any:
    """Gives what |true_fn| gives where |pred| holds, and what |false_fn| gives elsewhere."""
    return flow_ops.cond(pred, true_fn, false_fn, strict=True, name=name)


def while_loop_v2(cond: Any, body: Any, loop_vars: Any,  # pylint: disable=redefined-outer-name
               shape_invariants: Any = None, parallel_iterations: int = 10, back_prop: bool = True,
               swap_memory: bool = False, maximum_iterations: Any = None, name: str | None = None) -> Any:
    """Calls |body| again and again while |cond| holds, with what it gave the last time."""
    result = flow_ops.while_loop(cond, body, loop_vars, shape_invariants, parallel_iterations, name=name,
                                 maximum_iterations=maximum_iterations, return_same_structure=True)
    if scopes.executing_eagerly():
        return result
    return nest.pack_sequence_as(loop_vars, nest.flatten(result))


# What TensorFlow's own functions are called, and where pickle finds them: "reduce_all" for reduce_all_v2.
_OWN = {
    'framework.tensor_conversion': 'convert_to_tensor_v2_with_dispatch=convert_to_tensor_v2',
    'ops.array_ops': 'boolean_mask_v2 expand_dims_v2 gather_v2 gather_nd_v2 pad_v2 shape_v2 size_v2 squeeze_v2 '
                     'transpose_v2 ones_like_v2 zeros_like_v2 reverse_sequence_v2',
    'ops.cond': 'cond_for_tf_v2=cond_v2',
    'ops.control_flow_ops': 'tuple_v2',
    'ops.linalg_ops': 'norm_v2',
    'ops.math_ops': 'argmax_v2 argmin_v2 count_nonzero_v2 reduce_all=reduce_all_v2 reduce_any=reduce_any_v2 '
                    'reduce_logsumexp=reduce_logsumexp_v2 reduce_max=reduce_max_v2 reduce_mean=reduce_mean_v2 '
                    'reduce_min=reduce_min_v2 reduce_prod=reduce_prod_v2 reduce_sum=reduce_sum_v2',
}
for _module, _words in _OWN.items():
    for _word in _words.split():
        _own, _, _name = _word.partition('=')
        naming.public(_module, _own)(globals()[_name or _own])
