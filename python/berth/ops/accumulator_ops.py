"""accumulator_ops - Accumulators: sums of gradients that several workers bring, and one takes."""

from __future__ import annotations

from typing import Any

from berth.base import naming
from berth.framework import convert, dtypes, gen, scopes
from berth.framework.indexed_slices import IndexedSlices
from berth.framework.tensor_shape import TensorShape
from berth.ops import math_ops


def _step(value: Any) -> Any:
    return math_ops.cast(convert.convert_to_tensor(value), dtypes.int64)


@naming.public('ops.data_flow_ops')
class ConditionalAccumulatorBase:
    """What accumulators of dense and of sparse gradients have in common."""

    _KIND = 'ResourceAccumulator'  # The ops that it is used by begin so.

    def __init__(self, dtype: Any, shape: Any, accumulator_ref: Any) -> None:
        self._dtype, self._shape = dtype, TensorShape(shape)
        self._accumulator_ref = accumulator_ref
        self._name = '' if scopes.executing_eagerly() else accumulator_ref.op.name.split('/')[-1]

    accumulator_ref = property(lambda self: self._accumulator_ref, doc='The tensor that stands for it.')
    name = property(lambda self: self._name, doc='The name of its node, without scopes.')
    dtype = property(lambda self: self._dtype, doc='The type of gradients.')

    def num_accumulated(self, name: str | None = None) -> Any:
        """Returns how many gradients there are."""
        name = f'{self._name}_NumAccumulated' if name is None else name
        return gen.apply(self._KIND + 'NumAccumulated', name, {'handle': self._accumulator_ref})

    def set_global_step(self, new_global_step: Any, name: str | None = None) -> Any:
        """Sets the step; gradients of earlier ones are dropped."""
        return gen.apply(self._KIND + 'SetGlobalStep', name, {'handle': self._accumulator_ref,
                                                              'new_global_step': _step(new_global_step)})


def _made(op: str, dtype: Any, shape: Any, shared_name: str | None, name: str, reduction_type: str) -> Any:
    return gen.apply(op, name, {}, {'dtype': dtype, 'shape': shape, 'shared_name': shared_name or '', 'container': '',
                                    'reduction_type': reduction_type})


@naming.public('ops.data_flow_ops')
class ConditionalAccumulator(ConditionalAccumulatorBase):
    """Sums dense gradients."""

    def __init__(self, dtype: Any, shape: Any = None, shared_name: str | None = None,
                 name: str = 'conditional_accumulator', reduction_type: str = 'MEAN') -> None:
        super().__init__(dtype, shape, _made('ResourceConditionalAccumulator', dtype, TensorShape(shape), shared_name,
                                             name, reduction_type))

    def apply_grad(self, grad: Any, local_step: Any = 0, name: str | None = None) -> Any:
        """Adds a gradient, unless it is of a step that is over."""
        grad = convert.convert_to_tensor(grad, self._dtype)
        grad.shape.assert_is_compatible_with(self._shape)
        return gen.apply('ResourceAccumulatorApplyGradient', name, {
            'handle': self._accumulator_ref, 'local_step': _step(local_step), 'gradient': grad})

    def take_grad(self, num_required: Any, name: str | None = None) -> Any:
        """Waits for enough gradients, and returns their average."""
        found = gen.apply('ResourceAccumulatorTakeGradient', name, {
            'handle': self._accumulator_ref, 'num_required': num_required}, {'dtype': self._dtype})
        found.set_shape(self._shape)
        return found


@naming.public('ops.data_flow_ops')
class SparseConditionalAccumulator(ConditionalAccumulatorBase):
    """Sums gradients of which there are some rows."""

    _KIND = 'Accumulator'

    def __init__(self, dtype: Any, shape: Any = None, shared_name: str | None = None,
                 name: str = 'sparse_conditional_accumulator', reduction_type: str = 'MEAN') -> None:
        super().__init__(dtype, shape, _made('SparseConditionalAccumulator', dtype, TensorShape(shape), shared_name,
                                             name, reduction_type))

    def apply_indexed_slices_grad(self, grad: Any, local_step: Any = 0, name: str | None = None) -> Any:
        """Adds the rows of IndexedSlices, unless they are of a step that is over."""
        return self.apply_grad(grad.indices, grad.values, grad.dense_shape, local_step, name)

    def apply_grad(self, grad_indices: Any, grad_values: Any, grad_shape: Any = None, local_step: Any = 0,
                   name: str | None = None) -> Any:
        """Adds rows, unless they are of a step that is over."""
        step = _step(local_step)
        indices = math_ops.cast(grad_indices, dtypes.int64)
        shape = math_ops.cast([] if grad_shape is None else grad_shape, dtypes.int64)
        return gen.apply('SparseAccumulatorApplyGradient', name, {
            'handle': self._accumulator_ref, 'local_step': step, 'gradient_indices': indices,
            'gradient_values': grad_values, 'gradient_shape': shape}, {'has_known_shape': grad_shape is not None})

    def take_grad(self, num_required: Any, name: str | None = None) -> Any:
        """Waits for enough gradients, and returns the indices, values and shape of their average."""
        return gen.apply('SparseAccumulatorTakeGradient', name, {
            'handle': self._accumulator_ref, 'num_required': num_required}, {'dtype': self._dtype})

    def take_indexed_slices_grad(self, num_required: Any, name: str | None = None) -> IndexedSlices:
        """Waits for enough gradients, and returns their average."""
        found = self.take_grad(num_required, name)
        return IndexedSlices(indices=found.indices, values=found.values, dense_shape=found.shape)
