"""eager.py - tf.contrib.eager: what programs of TF1 that run ops at once call."""

from __future__ import annotations

import inspect
from typing import Any, Callable

from berth._data.dataset import DatasetV2
from berth.eager.tape import GradientTape
from berth.framework import convert, nest


def Iterator(dataset: DatasetV2) -> Any:  # noqa: N802
    """Returns an iterator of a dataset."""
    return iter(dataset)


# ---- Gradients of functions ----


def implicit_value_and_gradients(f: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a function that gives what |f| does, and the gradients of all variables that it reads."""
    def call(*args: Any, **kwargs: Any) -> Any:
        with GradientTape() as tape:
            value = f(*args, **kwargs)
        if value is None:
            raise ValueError('Cannot differentiate a function that returns None; did you forget to return a value from '
                             f'{getattr(f, "__name__", f)}?')
        variables = list(tape.watched_variables())
        if not variables:
            raise ValueError('No trainable variables were accessed while the function was being computed.')
        return value, list(zip(tape.gradient(value, variables), variables))

    return call


def implicit_gradients(f: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a function that gives the gradients of all variables that |f| reads, with the variables."""
    both = implicit_value_and_gradients(f)
    return lambda *args, **kwargs: both(*args, **kwargs)[1]


def _chosen(f: Callable[..., Any], params: Any, count: int) -> list[int]:
    """Returns the places of the arguments that gradients are wanted of."""
    if params is None:
        return list(range(count))
    names = list(inspect.signature(f).parameters)
    return [param if isinstance(param, int) else names.index(param) for param in params]


def value_and_gradients_function(f: Callable[..., Any], params: Any = None) -> Callable[..., Any]:
    """Returns a function that gives what |f| does, and its gradients by its arguments."""
    def call(*args: Any, dy: Any = None) -> Any:
        tensors = [nest.map_structure(convert.convert_to_tensor, arg) for arg in args]
        wanted = [tensors[place] for place in _chosen(f, params, len(args))]
        with GradientTape(watch_accessed_variables=False) as tape:
            for tensor in nest.flatten(wanted):
                tape.watch(tensor)
            value = f(*tensors)
        return value, tape.gradient(value, wanted, output_gradients=dy)

    return call


def gradients_function(f: Callable[..., Any], params: Any = None) -> Callable[..., Any]:
    """Returns a function that gives the gradients of |f| by its arguments."""
    both = value_and_gradients_function(f, params)
    return lambda *args, **kwargs: both(*args, **kwargs)[1]


# ---- Networks ----


class Network:
    """Layers that are called together, and their variables."""

    def __init__(self, name: str | None = None) -> None:
        self.name = name or type(self).__name__.lower()
        self._layers: list[Any] = []

    def track_layer(self, layer: Any) -> Any:
        """Notes a layer as one of the network's, and returns it."""
        self._layers.append(layer)
        return layer

    def call(self, *inputs: Any, **options: Any) -> Any:
        """Computes; subclasses say what."""
        raise NotImplementedError

    def __call__(self, *inputs: Any, **options: Any) -> Any:
        return self.call(*inputs, **options)

    @property
    def layers(self) -> list[Any]:
        """The layers."""
        return list(self._layers)

    @property
    def variables(self) -> list[Any]:
        """The variables of all layers."""
        return [variable for layer in self._layers for variable in layer.variables]

    @property
    def trainable_variables(self) -> list[Any]:
        """Those of them that are trained."""
        return [variable for layer in self._layers for variable in layer.trainable_variables]
