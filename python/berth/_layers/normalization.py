"""normalization.py - Batch normalisation: inputs brought to mean 0 and variance 1, then to learned ones."""

from __future__ import annotations

from typing import Any

from berth._layers import choices
from berth._layers.base import InputSpec, Layer
from berth._layers.core import known_truth, when
from berth.framework import convert, dtypes, scopes
from berth.framework.tensor_shape import TensorShape
from berth.ops import array_ops, init_ops, math_ops, nn_ops, pool_ops, state_ops

_ZEROS, _ONES = init_ops.zeros_initializer(), init_ops.ones_initializer()
_LAYOUTS = {(4, 1): 'NCHW', (4, 3): 'NHWC', (5, 1): 'NCDHW', (5, 4): 'NDHWC'}


def assign_moving_average(variable: Any, value: Any, momentum: Any) -> Any:
    """Moves |variable| towards |value|, and returns the op that does."""
    with scopes.name_scope('AssignMovingAvg') as scope, scopes.colocate(variable):
        decay = convert.convert_to_tensor(1.0 - momentum, name='decay')
        if decay.dtype != variable.dtype.base_dtype:
            decay = math_ops.cast(decay, variable.dtype.base_dtype)
        step = (variable - math_ops.cast(value, variable.dtype.base_dtype)) * decay
        return state_ops.assign_sub(variable, step, name=scope)


class BatchNormalization(Layer):
    """Normalises over all dimensions but |axis|."""

    def __init__(self, axis: Any = -1, momentum: Any = 0.99, epsilon: float = 1e-3, center: bool = True,
                 scale: bool = True, beta_initializer: Any = _ZEROS, gamma_initializer: Any = _ONES,
                 moving_mean_initializer: Any = _ZEROS, moving_variance_initializer: Any = _ONES,
                 beta_regularizer: Any = None, gamma_regularizer: Any = None, beta_constraint: Any = None,
                 gamma_constraint: Any = None, renorm: bool = False, renorm_clipping: Any = None,
                 renorm_momentum: Any = 0.99, fused: Any = None, trainable: bool = True,
                 virtual_batch_size: Any = None, adjustment: Any = None, name: Any = None, **options: Any) -> None:
        super().__init__(trainable=trainable, name=name, **options)
        for what, given in (('renorm', renorm), ('virtual_batch_size', virtual_batch_size),
                            ('adjustment', adjustment)):
            if given:
                raise NotImplementedError(f'tf.layers.batch_normalization: Berth does not have `{what}`')
        if not isinstance(axis, (int, list, tuple)):
            raise TypeError("Expected an int or a list/tuple of ints for the argument 'axis', but received: "
                            f'{axis!r}')
        self.axis: Any = axis
        self.momentum, self.epsilon, self.center, self.scale = momentum, epsilon, center, scale
        self._starts = [choices.initializer(one) for one in (
            gamma_initializer, beta_initializer, moving_mean_initializer, moving_variance_initializer)]
        self._regularizers = gamma_regularizer, beta_regularizer
        self._constraints = gamma_constraint, beta_constraint
        self.fused: Any = True if fused is None else fused
        self.gamma: Any = None
        self.beta: Any = None
        self.moving_mean: Any = None
        self.moving_variance: Any = None

    def build(self, input_shape: Any) -> None:
        """Makes scale and offset, and the means of means and variances."""
        shape = TensorShape(input_shape)
        if shape.rank is None:
            raise ValueError('Input has undefined rank.')
        given = [self.axis] if isinstance(self.axis, int) else list(self.axis)
        self.axis = [axis + shape.rank if axis < 0 else axis for axis in given]
        for axis in self.axis:
            if not 0 <= axis < shape.rank:
                raise ValueError(f'Invalid value for `axis` argument. Expected 0 <= axis < inputs.rank (with '
                                 f'inputs.rank={shape.rank}). Received: axis={tuple(self.axis)}')
        self._data_format = _LAYOUTS.get((shape.rank, self.axis[0])) if len(self.axis) == 1 else None
        kind = dtypes.as_dtype(self._dtype or dtypes.float32)
        self._kind = dtypes.float32 if kind in (dtypes.float16, dtypes.bfloat16) else kind
        self.fused = bool(self.fused and self._data_format and self._kind == dtypes.float32)
        sizes = {axis: shape.as_list()[axis] for axis in self.axis}
        if None in sizes.values():
            raise ValueError(f'Input has undefined `axis` dimension. Received input with shape {tuple(shape)} and '
                             f'axis={tuple(self.axis)}')
        self.input_spec = InputSpec(ndim=shape.rank, axes=sizes)
        self._sizes = list(sizes.values()) if len(sizes) == 1 else [sizes.get(i, 1) for i in range(shape.rank)]
        self._make_variables()

    def _make_variables(self) -> None:
        for place, (name, is_wanted) in enumerate((('gamma', self.scale), ('beta', self.center))):
            if is_wanted:
                setattr(self, name, self.add_weight(
                    name, self._sizes, self._kind, self._starts[place], self._regularizers[place],
                    constraint=self._constraints[place]))
        self.moving_mean = self.add_weight('moving_mean', self._sizes, self._kind, self._starts[2], trainable=False)
        self.moving_variance = self.add_weight('moving_variance', self._sizes, self._kind, self._starts[3],
                                               trainable=False)

    def call(self, inputs: Any, training: Any = False) -> Any:  # type: ignore[override]
        """Normalises by the batch in training, and else by what was learned."""
        if self.fused:
            return self._fused(inputs, training)
        kind = inputs.dtype.base_dtype
        if kind in (dtypes.float16, dtypes.bfloat16):
            inputs = math_ops.cast(inputs, dtypes.float32)
        rank = inputs.shape.rank
        axes = [i for i in range(rank) if i not in self.axis]
        scale, offset = self._spread(self.gamma, inputs, axes), self._spread(self.beta, inputs, axes)
        if known_truth(training) is False:
            mean, variance = self.moving_mean, self.moving_variance
        else:
            mean, variance = self._moments(inputs, axes, training)
        mean, variance = math_ops.cast(mean, inputs.dtype), math_ops.cast(variance, inputs.dtype)
        offset = None if offset is None else math_ops.cast(offset, inputs.dtype)
        scale = None if scale is None else math_ops.cast(scale, inputs.dtype)
        outputs = nn_ops.batch_normalization(inputs, self._spread(mean, inputs, axes),
                                             self._spread(variance, inputs, axes), offset, scale, self.epsilon)
        outputs = math_ops.cast(outputs, kind)
        if not scopes.executing_eagerly():
            outputs.set_shape(inputs.shape)
        return outputs

    def _spread(self, value: Any, inputs: Any, axes: list[int]) -> Any:
        """Returns |value| in a shape that meets the right dimension."""
        rank = inputs.shape.rank
        if value is None or value.shape.rank == rank or axes == list(range(rank - 1)):
            return value
        sizes = [1] * rank
        sizes[self.axis[0]] = inputs.shape.as_list()[self.axis[0]]
        return array_ops.reshape(value, sizes)

    def _moments(self, inputs: Any, axes: list[int], training: Any) -> tuple[Any, Any]:
        """Returns mean and variance, and adds the ops that keep their means."""
        mean, variance = nn_ops.moments(math_ops.cast(inputs, self._kind), axes, keep_dims=len(self.axis) > 1)
        now = mean, variance
        mean = when(training, lambda: now[0], lambda: convert.convert_to_tensor(self.moving_mean))
        variance = when(training, lambda: now[1], lambda: convert.convert_to_tensor(self.moving_variance))
        for variable, value in ((self.moving_mean, mean), (self.moving_variance, variance)):
            self.add_update(when(training, lambda v=variable, x=value: assign_moving_average(v, x, self.momentum),
                                 lambda v=variable: v))
        return mean, variance

    def _fused(self, inputs: Any, training: Any) -> Any:
        """Normalises by one op."""
        offset = self.beta if self.center else convert.constant(0.0, dtype=self._kind, shape=self._sizes)
        scale = self.gamma if self.scale else convert.constant(1.0, dtype=self._kind, shape=self._sizes)

        def normalised(is_training: bool) -> Any:
            return pool_ops.fused_batch_norm(
                inputs, scale, offset, mean=self.moving_mean, variance=self.moving_variance, epsilon=self.epsilon,
                is_training=is_training, data_format=self._data_format)

        output, mean, variance = when(training, lambda: normalised(True), lambda: normalised(False))
        known = known_truth(training)
        if known is not False:
            momentum = (convert.convert_to_tensor(self.momentum) if known else
                        when(training, lambda: self.momentum, lambda: 1.0))
            self.add_update(assign_moving_average(self.moving_mean, mean, momentum))
            self.add_update(assign_moving_average(self.moving_variance, variance, momentum))
        return output

    def compute_output_shape(self, input_shape: Any) -> Any:
        """Returns the shape as it is."""
        return input_shape


def batch_normalization(inputs: Any, axis: Any = -1, momentum: Any = 0.99, epsilon: float = 1e-3, center: bool = True,
                        scale: bool = True, beta_initializer: Any = _ZEROS, gamma_initializer: Any = _ONES,
                        moving_mean_initializer: Any = _ZEROS, moving_variance_initializer: Any = _ONES,
                        beta_regularizer: Any = None, gamma_regularizer: Any = None, beta_constraint: Any = None,
                        gamma_constraint: Any = None, training: Any = False, trainable: bool = True, name: Any = None,
                        reuse: Any = None, renorm: bool = False, renorm_clipping: Any = None,
                        renorm_momentum: Any = 0.99, fused: Any = None, virtual_batch_size: Any = None,
                        adjustment: Any = None) -> Any:
    """Normalises over all dimensions but |axis|."""
    layer = BatchNormalization(
        axis, momentum, epsilon, center, scale, beta_initializer, gamma_initializer, moving_mean_initializer,
        moving_variance_initializer, beta_regularizer, gamma_regularizer, beta_constraint, gamma_constraint, renorm,
        renorm_clipping, renorm_momentum, fused, trainable, virtual_batch_size, adjustment, name, _reuse=reuse,
        _scope=name)
    return layer(inputs, training=training)
