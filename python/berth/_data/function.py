"""function - The functions that datasets call, traced for their elements.

A trace becomes a function of the graph that is built, or one that the eager runtime knows as
long as somebody may make a dataset with it.
"""

from __future__ import annotations

import itertools
import weakref
from typing import Any, Callable

from berth import _core as core
from berth._data import structure
from berth.eager import function as functions
from berth.eager.function_parts import add_parts, keep, parts_of
from berth.eager.context import settings
from berth.eager.func_graph import FuncGraph
from berth.framework import convert, scopes
from berth.ops import array_ops

_numbers = itertools.count(1)


def _label(python: Callable[..., Any]) -> str:
    """Returns what names of functions call |python|."""
    name = getattr(python, '__name__', None) or getattr(getattr(python, 'func', None), '__name__', None)
    name = name or type(python).__name__
    return ''.join(c for c in name if c not in "<>\\' ")


def root_of(graph: Any) -> Any:
    """Returns the graph of the program around functions that are traced; None: ops run at once."""
    while isinstance(graph, FuncGraph):
        graph = graph.outer_graph
    return graph


class StructuredFunction:
    """A function of elements, traced."""

    def __init__(self, python: Callable[..., Any], transformation: str, spec: Any) -> None:
        self.spec = spec
        label = transformation.replace('.', '_')[:-2]
        graph = FuncGraph(f'{label}_{_label(python)}')
        self.graph = graph
        outer = None if scopes.executing_eagerly() else scopes.get_default_graph()
        graph.outer_graph = outer
        if outer is not None:
            graph.seed = outer.seed
        graph.data_functions = []  # type: ignore[attr-defined]
        self._trace(python, transformation)
        self.name = f'__inference_{graph.name}_{next(_numbers)}'
        self._add(outer)

    def _trace(self, python: Callable[..., Any], transformation: str) -> None:
        graph = self.graph
        with graph.as_default():
            parts = structure.tensor_specs(self.spec)
            graph.inputs = [array_ops.placeholder(part.dtype, part.shape, name='args_0' if i == 0 else f'args_{i}')
                            for i, part in enumerate(parts)]
            value = structure.from_tensors(self.spec, graph.inputs)
            args = value if type(value) is tuple else (value,)
            result = functions._AutoGraph(True, None).call(python, args, {})
            if isinstance(result, list):
                result = tuple(result)
            result = structure.each(_plain, result)
            try:
                self.output_spec = structure.spec_of(result)
            except (TypeError, ValueError) as error:
                raise TypeError(f'Unsupported return value from function passed to {transformation}: {result}.') from error
            graph.outputs = [array_ops.identity(tensor) for tensor in structure.to_tensors(self.output_spec, result)]
            graph.finish()
        graph.inputs = graph.inputs + [inside for _, inside in graph.captures]

    @property
    def captured(self) -> list[Any]:
        """The tensors from outside that it takes besides an element."""
        return [outside for outside, inside in self.graph.captures if inside.op.type != 'Const']

    def _add(self, outer: Any) -> None:
        """Adds the function to those of the program."""
        self.parts = parts_of(self.name, self.graph)
        root = root_of(outer)
        if isinstance(outer, FuncGraph):
            keep(outer, self)
        if root is not None:
            add_parts(root._core, self.parts)
            return
        self._library = core.Graph()
        add_parts(self._library, self.parts)
        handle = settings.handle()
        handle.add_function(self.name, self._library)
        weakref.finalize(self, handle.remove_function, self.name)


def _plain(leaf: Any) -> Any:
    """Returns a variable as the tensor it holds."""
    if hasattr(leaf, '_element_type') or not (hasattr(leaf, 'read_value') or isinstance(leaf, (list, int, float, bool))):
        return leaf
    return convert.convert_to_tensor(leaf)
