"""forward - tf.autodiff.ForwardAccumulator: how results move when arguments do.

Slopes of slopes give it: what a tape computes back from a direction of the result depends on that
direction linearly, and the way back through that is the way forward.
"""

from __future__ import annotations

from typing import Any

from berth.base import naming
from berth.eager import structure
from berth.eager.tape import GradientTape
from berth.framework import convert
from berth.ops import array_ops
from berth.ops.gradients_ops import UnconnectedGradients


@naming.public('eager.forwardprop')
class ForwardAccumulator:
    """Remembers what is computed while it is open, to say how it moves with |primals| along |tangents|."""

    def __init__(self, primals: Any, tangents: Any) -> None:
        self._primals = structure.flatten(primals)
        self._tangents = [convert.convert_to_tensor(t) for t in structure.flatten(tangents)]
        if len(self._primals) != len(self._tangents):
            raise ValueError(f'Primals and tangents have different structures: {len(self._primals)} and '
                             f'{len(self._tangents)} leaves')
        for primal, tangent in zip(self._primals, self._tangents):
            if not primal.dtype.is_floating and not primal.dtype.is_complex:
                raise ValueError(f'ForwardAccumulator needs floating primals, got {primal.dtype!r}')
            if not primal.shape.is_compatible_with(tangent.shape):
                raise ValueError(f'Shapes {primal.shape} and {tangent.shape} are incompatible')
        self._tape = GradientTape(persistent=True, watch_accessed_variables=False)

    def __enter__(self) -> 'ForwardAccumulator':
        self._tape.__enter__()
        self._tape.watch(self._primals)
        return self

    def __exit__(self, *exc: Any) -> None:
        self._tape.__exit__(*exc)

    def jvp(self, primals: Any, unconnected_gradients: Any = UnconnectedGradients.NONE) -> Any:
        """Returns how |primals| move."""
        is_zero = getattr(unconnected_gradients, 'value', unconnected_gradients) == 'zero'
        moves = [self._move(value, is_zero) for value in structure.flatten(primals)]
        return structure.pack(primals, iter(moves))

    def _move(self, value: Any, is_zero: bool) -> Any:
        for primal, tangent in zip(self._primals, self._tangents):
            if value is primal:
                return tangent
        with GradientTape() as outer:
            direction = array_ops.zeros_like(value)
            outer.watch(direction)
            with self._still():
                back = self._tape.gradient(value, self._primals, direction)
        pairs = [(slope, tangent) for slope, tangent in zip(back, self._tangents) if slope is not None]
        found = outer.gradient([convert.convert_to_tensor(slope) for slope, _ in pairs], direction,
                               [tangent for _, tangent in pairs]) if pairs else None
        return array_ops.zeros_like(value) if found is None and is_zero else found

    def _still(self) -> Any:
        """Stops remembering, where it does."""
        import contextlib

        return self._tape.stop_recording() if self._tape._recording else contextlib.nullcontext()
