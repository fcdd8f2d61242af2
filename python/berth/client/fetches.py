"""fetches.py - What a run is asked for: nested fetches to a flat list and back."""

from __future__ import annotations

import collections.abc
from typing import Any, Callable

from berth.framework.composite import Composite
from berth.framework.node import Operation, Tensor

Pick = Callable[[list[Any]], Any]


class FetchPlan:
    """The tensors and operations to run, and how results are put together again."""

    def __init__(self, graph: Any, fetches: Any) -> None:
        self._graph = graph
        self.tensors: list[Tensor] = []
        self.targets: list[Operation] = []
        self._places: dict = {}
        self.pick: Pick = self._plan(fetches)

    def _plan(self, fetch: Any) -> Pick:
        """Returns a function that picks the result of |fetch| out of all results."""
        if fetch is None:
            raise TypeError(f'Argument `fetch` = {fetch} has invalid type "{type(fetch).__name__}". Cannot be None')
        if isinstance(fetch, (list, tuple)):
            return self._plan_sequence(fetch)
        if isinstance(fetch, collections.abc.Mapping):
            return self._plan_mapping(fetch)
        if isinstance(fetch, Composite):
            picks = [self._plan_one(part) for part in fetch._parts()]
            return lambda results: fetch._fetched([pick(results) for pick in picks])
        return self._plan_one(fetch)

    def _plan_sequence(self, fetch: Any) -> Pick:
        picks = [self._plan(item) for item in fetch]
        kind = type(fetch)
        if issubclass(kind, list):
            return lambda results: [pick(results) for pick in picks]
        if kind is tuple:
            return lambda results: tuple(pick(results) for pick in picks)
        return lambda results: kind(*[pick(results) for pick in picks])

    def _plan_mapping(self, fetch: Any) -> Pick:
        picks = [(key, self._plan(value)) for key, value in fetch.items()]
        kind = type(fetch)

        def build(results: list[Any]) -> Any:
            if issubclass(kind, collections.defaultdict):
                return collections.defaultdict(fetch.default_factory, ((k, pick(results)) for k, pick in picks))
            return kind((k, pick(results)) for k, pick in picks)

        return build

    def _plan_one(self, fetch: Any) -> Pick:
        element = self._element(fetch)
        self._graph.check_fetchable(element)
        if isinstance(element, Operation):
            self.targets.append(element)
            return lambda results: None
        place = self._places.get(element)
        if place is None:
            place = self._places[element] = len(self.tensors)
            self.tensors.append(element)
        return lambda results: results[place]

    def _element(self, fetch: Any) -> Any:
        try:
            return self._graph.as_graph_element(fetch)
        except TypeError as error:
            raise TypeError(f'Argument `fetch` = {fetch} has invalid type "{type(fetch).__name__}" must be a string '
                            f'or Tensor. ({error})') from None
        except ValueError as error:
            raise ValueError(f'Argument `fetch` = {fetch} cannot be interpreted as a Tensor. ({error})') from None
        except KeyError as error:
            raise ValueError(f'Argument `fetch` = {fetch} cannot be interpreted as a Tensor. ({error})') from None


