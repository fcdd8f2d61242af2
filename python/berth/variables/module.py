"""module - tf.Module: an object that knows the variables and modules in its attributes."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Mapping
from typing import Any, Callable, Optional

from berth.base import naming
from berth.framework import nest, scopes
from berth.variables.graph_variable import Variable
from berth.framework.trackable import AutoTrackable


def _snake_case(name: str) -> str:
    """Returns MyLayer as my_layer."""
    return re.sub('((?<=[a-z0-9])[A-Z]|(?!^)(?<!_)[A-Z](?=[a-z]))', r'_\1', name).lower()


@naming.public('module.module')
class Module(AutoTrackable):
    """A base for things that have variables."""

    # Attributes that are not searched for variables.
    _TF_MODULE_IGNORED_PROPERTIES = frozenset(('_name', '_scope_name', '_restorations', '_self_tracked_children'))

    def __init__(self, name: Optional[str] = None) -> None:
        name = _snake_case(type(self).__name__) if name is None else name
        if not name.isidentifier():
            raise ValueError(f"'{name}' is not a valid module name. Module names must be valid Python identifiers "
                             '(e.g. a valid class name).')
        self._name = name
        with scopes.name_scope(name) as scope:
            self._scope_name = scope

    def __setattr__(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)
        if '_restorations' in self.__dict__:  # Of checkpoints, which may have a value for it.
            self._meet_restorations()

    def _trackable_children(self, save_type: str = 'checkpoint', **kwargs: Any) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name not in ('_restorations', '_self_tracked_children')}

    @property
    def name(self) -> str:
        """Its name, as it was given or made from that of its class."""
        return self._name

    @property
    def name_scope(self) -> Any:
        """A name scope for what belongs to it."""
        return scopes.name_scope_v2(self._scope_name)

    @property
    def variables(self) -> tuple[Any, ...]:
        """The variables of it and of the modules in it."""
        return tuple(self._flatten(lambda value: isinstance(value, Variable)))

    @property
    def trainable_variables(self) -> tuple[Any, ...]:
        """Those that training changes."""
        return tuple(self._flatten(lambda value: isinstance(value, Variable) and value.trainable))

    @property
    def non_trainable_variables(self) -> tuple[Any, ...]:
        """Those that training leaves alone."""
        return tuple(self._flatten(lambda value: isinstance(value, Variable) and not value.trainable))

    @property
    def submodules(self) -> tuple['Module', ...]:
        """The modules in it, and in those."""
        return tuple(self._flatten(lambda value: isinstance(value, Module)))

    def _flatten(self, fits: Callable[[Any], bool]) -> Iterator[Any]:
        """Yields what |fits| among the attributes, those of modules in them last; nothing twice."""
        seen = {id(self)}
        waiting = [self]
        while waiting:
            inner: list[Module] = []
            for value in _values_of(waiting.pop(0)):
                if id(value) in seen:
                    continue
                seen.add(id(value))
                if fits(value):
                    yield value
                if isinstance(value, Module):
                    inner.append(value)
            waiting = inner + waiting

    @classmethod
    def with_name_scope(cls, method: Callable[..., Any]) -> Callable[..., Any]:
        """Makes a method put names into the module's scope."""
        @functools.wraps(method)
        def inside(self: Module, *args: Any, **kwargs: Any) -> Any:
            with self.name_scope:
                return method(self, *args, **kwargs)

        return inside


def _values_of(module: Module) -> Iterator[Any]:
    """Yields the atoms of a module's attributes, in the order of their names."""
    for name in sorted(vars(module)):
        if name not in module._TF_MODULE_IGNORED_PROPERTIES:
            yield from _atoms(vars(module)[name])


def _atoms(value: Any) -> Iterator[Any]:
    if isinstance(value, Mapping):
        for key in sorted(value, key=str):
            yield from _atoms(value[key])
    elif nest.is_nested(value):
        for item in value:
            yield from _atoms(item)
    else:
        yield value
