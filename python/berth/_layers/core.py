"""core.py - Layers that are products, or only change shapes: Dense, Dropout, Flatten."""

from __future__ import annotations

from typing import Any

from berth._layers import choices
from berth._layers.base import InputSpec, Layer, last_size
from berth.framework import convert, dtypes, scopes
from berth.framework.tensor_shape import TensorShape
from berth.ops import array_ops, flow_ops, init_ops, math_ops, nn_ops


def when(condition: Any, true_fn: Any, false_fn: Any) -> Any:
    """Gives one of two results: at once where it is known which."""
    known = known_truth(condition)
    if known is None:
        return flow_ops.cond(condition, true_fn, false_fn)
    return true_fn() if known else false_fn()


def known_truth(condition: Any) -> Any:
    """Returns a condition as True or False; None where it is known only while running."""
    if isinstance(condition, (bool, int)):
        return bool(condition)
    if not convert.is_tensor(condition):
        condition = convert.convert_to_tensor(condition)
    value = convert.constant_value(condition)
    return None if value is None else bool(value)


class Dense(Layer):
    """A product with a matrix, and a bias."""

    def __init__(self, units: int, activation: Any = None, use_bias: bool = True, kernel_initializer: Any = None,
                 bias_initializer: Any = init_ops.zeros_initializer(), kernel_regularizer: Any = None,
                 bias_regularizer: Any = None, activity_regularizer: Any = None, kernel_constraint: Any = None,
                 bias_constraint: Any = None, trainable: bool = True, name: Any = None, **options: Any) -> None:
        super().__init__(trainable=trainable, name=name, activity_regularizer=activity_regularizer, **options)
        self.units = int(units)
        if self.units < 0:
            raise ValueError('Received an invalid value for `units`, expected a positive integer. '
                             f'Received: units={units}')
        self.activation, self.use_bias = choices.activation(activation), use_bias
        self.kernel_initializer = choices.initializer(kernel_initializer)
        self.bias_initializer = choices.initializer(bias_initializer)
        self.kernel_regularizer, self.bias_regularizer = kernel_regularizer, bias_regularizer
        self.kernel_constraint, self.bias_constraint = kernel_constraint, bias_constraint
        self.input_spec: Any = InputSpec(min_ndim=2)
        self.kernel: Any = None
        self.bias: Any = None

    def build(self, input_shape: Any) -> None:
        """Makes the matrix and the bias."""
        kind = dtypes.as_dtype(self._dtype or dtypes.float32)
        if not (kind.is_floating or kind.is_complex):
            raise TypeError(f'A Dense layer can only be built with a floating-point dtype. Received: dtype={kind}')
        size = last_size(input_shape)
        if size is None:
            raise ValueError('The last dimension of the inputs to a Dense layer should be defined. Found None. Full '
                             f'input shape received: {TensorShape(input_shape)}')
        self.input_spec = InputSpec(min_ndim=2, axes={-1: size})
        self.kernel = self.add_weight('kernel', [size, self.units], initializer=self.kernel_initializer,
                                      regularizer=self.kernel_regularizer, constraint=self.kernel_constraint)
        if self.use_bias:
            self.bias = self.add_weight('bias', [self.units], initializer=self.bias_initializer,
                                        regularizer=self.bias_regularizer, constraint=self.bias_constraint)

    def call(self, inputs: Any) -> Any:  # type: ignore[override]
        """Multiplies the last dimension."""
        rank = inputs.shape.rank
        if rank in (2, None):
            outputs = math_ops.matmul(inputs, self.kernel)
        else:
            outputs = math_ops.tensordot(inputs, self.kernel, [[rank - 1], [0]])
            if not scopes.executing_eagerly():
                outputs.set_shape([*inputs.shape.as_list()[:-1], self.units])
        if self.use_bias:
            outputs = nn_ops.bias_add(outputs, self.bias)
        return outputs if self.activation is None else self.activation(outputs)

    def compute_output_shape(self, input_shape: Any) -> Any:
        """Returns the shape with the last size replaced."""
        return TensorShape([*TensorShape(input_shape).as_list()[:-1], self.units])


class Dropout(Layer):
    """Zeros at random, in training."""

    def __init__(self, rate: Any = 0.5, noise_shape: Any = None, seed: Any = None, name: Any = None,
                 **options: Any) -> None:
        if isinstance(rate, (int, float)) and not 0 <= rate <= 1:
            raise ValueError(f'Invalid value {rate} received for `rate`, expected a value between 0 and 1.')
        super().__init__(name=name, **options)
        self.rate, self.noise_shape, self.seed = rate, noise_shape, seed

    def call(self, inputs: Any, training: Any = False) -> Any:  # type: ignore[override]
        """Drops elements, or gives a copy."""
        def dropped() -> Any:
            return nn_ops.dropout(inputs, noise_shape=self._noise_sizes(inputs), seed=self.seed, rate=self.rate)

        return when(training, dropped, lambda: array_ops.identity(inputs))

    def _noise_sizes(self, inputs: Any) -> Any:
        """Returns the shape of what is drawn: that of the inputs where a size is not given."""
        if self.noise_shape is None:
            return None
        shape = array_ops.shape(inputs)
        return convert.convert_to_tensor([shape[i] if size is None else size
                                          for i, size in enumerate(self.noise_shape)])

    def compute_output_shape(self, input_shape: Any) -> Any:
        """Returns the shape as it is."""
        return input_shape


class Flatten(Layer):
    """All dimensions but the first in one."""

    def __init__(self, data_format: Any = None, **options: Any) -> None:
        super().__init__(**options)
        self.data_format = choices.data_format(data_format)
        self.input_spec: Any = InputSpec(min_ndim=1)

    def call(self, inputs: Any) -> Any:  # type: ignore[override]
        """Reshapes to rows."""
        rank = inputs.shape.rank
        if self.data_format == 'channels_first' and rank is not None and rank > 1:
            inputs = array_ops.transpose(inputs, [0, *range(2, rank), 1])
        sizes = inputs.shape.as_list()
        if rank == 1:
            return array_ops.expand_dims(inputs, axis=-1)
        if None not in sizes[1:]:
            width = 1
            for size in sizes[1:]:
                width *= size
            return array_ops.reshape(inputs, convert.constant([-1, width]))
        first = sizes[0] if sizes[0] is not None else array_ops.shape(inputs)[0]
        outputs = array_ops.reshape(inputs, (first, -1))
        if not scopes.executing_eagerly():
            outputs.set_shape(self.compute_output_shape(inputs.shape))
        return outputs

    def compute_output_shape(self, input_shape: Any) -> Any:
        """Returns the shape of the rows."""
        sizes = TensorShape(input_shape).as_list()
        width: Any = 1
        for size in sizes[1:]:
            width = None if None in (width, size) else width * size
        return TensorShape([sizes[0], width])


# ---- Functions ----


def dense(inputs: Any, units: int, activation: Any = None, use_bias: bool = True, kernel_initializer: Any = None,
          bias_initializer: Any = init_ops.zeros_initializer(), kernel_regularizer: Any = None,
          bias_regularizer: Any = None, activity_regularizer: Any = None, kernel_constraint: Any = None,
          bias_constraint: Any = None, trainable: bool = True, name: Any = None, reuse: Any = None) -> Any:
    """Multiplies by a matrix, and adds a bias."""
    return Dense(units, activation, use_bias, kernel_initializer, bias_initializer, kernel_regularizer,
                 bias_regularizer, activity_regularizer, kernel_constraint, bias_constraint, trainable, name,
                 _scope=name, _reuse=reuse)(inputs)


def dropout(inputs: Any, rate: Any = 0.5, noise_shape: Any = None, seed: Any = None, training: Any = False,
            name: Any = None) -> Any:
    """Zeros elements at random, in training."""
    return Dropout(rate, noise_shape, seed, name)(inputs, training=training)


def flatten(inputs: Any, name: Any = None, data_format: Any = 'channels_last') -> Any:
    """Joins all dimensions but the first."""
    return Flatten(name=name, data_format=data_format)(inputs)


def Input(*_: Any, **__: Any) -> Any:  # pylint: disable=invalid-name
    """Refuses: models of Keras are not there."""
    raise NotImplementedError('tf.layers.Input makes models of Keras, which Berth does not have: use tf.placeholder')
