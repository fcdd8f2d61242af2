"""trackable - tf.__internal__.tracking: objects that hold what checkpoints and models save.

A Trackable knows its children by names that it was told; an AutoTrackable takes its attributes for them. What is in a
checkpoint is looked up when it is written or read (`_train/objects.py`), so that nothing is wrapped meanwhile.
"""

from __future__ import annotations

import collections
import functools
import warnings
from typing import Any, Callable

from berth.base import naming
from berth.framework import scopes

TrackableReference = naming.public('trackable.base')(collections.namedtuple('TrackableReference', ['name', 'ref']))
_CHILDREN = '_self_tracked_children'


@naming.public('trackable.data_structures')
class NoDependency:
    """Says of an attribute's value that it is not saved."""

    def __init__(self, value: Any) -> None:
        self.value = value


@naming.public('trackable.base')
class Trackable:
    """A base for what can be saved, with children that are, too."""

    @property
    def _setattr_tracking(self) -> bool:
        """Whether what is set as an attribute becomes a child."""
        return self.__dict__.get('_self_setattr_tracking', True)

    @_setattr_tracking.setter
    def _setattr_tracking(self, value: bool) -> None:
        self.__dict__['_self_setattr_tracking'] = value

    def _told(self) -> dict[str, Any]:
        """Returns the children that it was told of."""
        return self.__dict__.setdefault(_CHILDREN, {})

    def _track_trackable(self, trackable: Any, name: str, overwrite: bool = False) -> Any:
        """Takes |trackable| for a child called |name|."""
        if not isinstance(trackable, Trackable):
            raise TypeError(f'Trackable._track_trackable() can only be used to track objects of type Trackable. Got type '
                            f'{type(trackable)}.')
        known = self._told()
        if name in known and known[name] is not trackable and not overwrite:
            raise ValueError(f"Called Trackable._track_trackable() with name='{name}', but a Trackable with this name is "
                             'already declared as a dependency. Names must be unique (or overwrite=True).')
        known[name] = trackable
        self._meet_restorations()
        return trackable

    def _meet_restorations(self) -> None:
        """Asks the checkpoints that wait for something here."""
        for waiting in self.__dict__.get('_restorations', ()):
            waiting.again()

    def _trackable_children(self, save_type: str = 'checkpoint', **kwargs: Any) -> dict[str, Any]:
        """Returns the children by their names."""
        return dict(self._told())

    def _lookup_dependency(self, name: str, cached_dependencies: Any = None) -> Any:
        """Returns the child called |name|, or None."""
        return (self._told() if cached_dependencies is None else cached_dependencies).get(name)

    def _no_dependency(self, value: Any) -> Any:
        """Returns |value|, which is not to become a child."""
        return value

    def _serialize_to_tensors(self) -> dict[str, Any]:
        """Returns what is saved of it, by name; those that have something say so."""
        raise NotImplementedError

    def _restore_from_tensors(self, restored_tensors: dict[str, Any]) -> Any:
        """Takes what was saved of it."""
        raise NotImplementedError


@naming.public('trackable.autotrackable')
class AutoTrackable(Trackable):
    """A base whose attributes are its children."""

    def __setattr__(self, name: str, value: Any) -> None:
        if isinstance(value, NoDependency):
            value = value.value
            self.__dict__.get(_CHILDREN, {}).pop(name, None)
        elif self.__dict__.get('_self_setattr_tracking', True) and isinstance(value, (Trackable, list, dict, tuple)):
            _note_attribute(self, name, value)
        super().__setattr__(name, value)
        if '_restorations' in self.__dict__:
            self._meet_restorations()

    def __delattr__(self, name: str) -> None:
        self.__dict__.get(_CHILDREN, {}).pop(name, None)
        super().__delattr__(name)

    def _no_dependency(self, value: Any) -> Any:
        return NoDependency(value)

    def _trackable_children(self, save_type: str = 'checkpoint', **kwargs: Any) -> dict[str, Any]:
        found = super()._trackable_children(save_type, **kwargs)
        if save_type == 'savedmodel':
            found.update(_functions_of(self))
        return found


def _functions_of(owner: Any) -> dict[str, Any]:
    """Returns the traced functions among all attributes, whoever has them; one that cannot be read is none."""
    found = {}
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        for name in dir(owner):
            try:
                value = getattr(owner, name, None)
            except Exception:  # pylint: disable=broad-except
                continue
            if getattr(type(value), '_is_traced_function', False):
                found[name] = value
    return found


def _note_attribute(owner: Any, name: str, value: Any) -> None:
    """Takes an attribute for a child: what is saved itself, and plain containers, which may hold such."""
    if isinstance(value, Trackable) or type(value) in (list, dict, tuple, collections.OrderedDict):
        owner._told()[name] = value


def no_automatic_dependency_tracking(method: Callable[..., Any]) -> Callable[..., Any]:
    """Makes a method set attributes that do not become children."""
    @functools.wraps(method)
    def quietly(self: Any, *args: Any, **kwargs: Any) -> Any:
        before = self.__dict__.get('_self_setattr_tracking', True)
        self.__dict__['_self_setattr_tracking'] = False
        try:
            return method(self, *args, **kwargs)
        finally:
            self.__dict__['_self_setattr_tracking'] = before

    return quietly


class ListWrapper(list, Trackable):
    """A list whose items are children of it."""

    def _trackable_children(self, save_type: str = 'checkpoint', **kwargs: Any) -> dict[str, Any]:
        return {str(place): item for place, item in enumerate(self)}


class DictWrapper(dict, Trackable):
    """A dict whose values are children of it."""

    def _trackable_children(self, save_type: str = 'checkpoint', **kwargs: Any) -> dict[str, Any]:
        return {str(key): value for key, value in self.items()}


naming.public('trackable.data_structures')(ListWrapper)
naming.public('trackable.data_structures', '_DictWrapper')(DictWrapper)


def wrap_or_unwrap(value: Any) -> Any:
    """Returns what is saved for |value|: a plain list or dict in a form that has children."""
    if isinstance(value, NoDependency):
        return value.value
    if type(value) in (dict, collections.OrderedDict):
        return DictWrapper(value)
    return ListWrapper(value) if type(value) is list else value


@naming.public('trackable.resource')
class TrackableResource(Trackable):
    """A base for what has a resource: one that is made when it is first asked for."""

    def __init__(self, device: str = '') -> None:
        self._resource_device = device
        self._made_handle: Any = None

    def _create_resource(self) -> Any:
        """Makes the resource and returns its handle."""
        raise NotImplementedError('TrackableResource._create_resource not implemented.')

    def _initialize(self) -> Any:
        """Gives the resource what it begins with."""

    @property
    def resource_handle(self) -> Any:
        """What leads to the resource."""
        if self._made_handle is None:
            with scopes.init_scope(), scopes.device(self._resource_device or None):
                self._made_handle = self._create_resource()
        return self._made_handle
