"""types - tf.types.experimental: names for what functions take and are, for annotations and isinstance."""

from __future__ import annotations

from typing import Any, Union

from berth.eager.concrete import ConcreteFunction
from berth.eager.function import Function as GenericFunction
from berth.framework.node import Tensor
from berth.framework.trace_type import TypeSpec as TraceType

Callable = PolymorphicFunction = GenericFunction
__all__ = [  # noqa: F822  TensorLike is made by __getattr__.
    'Callable', 'ConcreteFunction', 'GenericFunction', 'PolymorphicFunction', 'TensorLike', 'TraceType']


def __getattr__(name: str) -> Any:
    """Makes TensorLike when it is asked for: it names classes of numpy's."""
    if name != 'TensorLike':
        raise AttributeError(f'module {__name__!r} has no attribute {name!r}')
    import numpy

    return Union[Tensor, int, float, bool, str, bytes, complex, tuple, list, numpy.ndarray, numpy.generic]
