"""rooms - Folders of the package that are called as namespaces of TensorFlow are.

`tf.train` is the namespace. What is imported from berth.train comes from the folder, or else from the namespace.
"""

from __future__ import annotations

import os
import sys
import types

from berth import _mode

TYPE_CHECKING = False  # The module typing would take half the time of importing this.
if TYPE_CHECKING:
    from typing import Any

_ROOMS = frozenset(('contrib', 'data', 'distribute', 'estimator', 'layers', 'summary', 'train'))


class Package(types.ModuleType):
    """The package itself: the import statement does not put a room over a namespace."""

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in _ROOMS or value is not sys.modules.get(f'berth.{name}'):
            super().__setattr__(name, value)
        elif '__getattr__' not in vars(value):
            value.__getattr__ = lambda attribute: _from_room(value, name, attribute)


def _from_room(room: types.ModuleType, path: str, name: str) -> Any:
    """Returns what a program imports from a room that only the namespace has."""
    if name[0] == '_' or os.path.exists(os.path.join(room.__path__[0], name + '.py')):
        raise AttributeError(f'module {room.__name__!r} has no attribute {name!r}')
    from berth._start import namespaces

    return namespaces.find(_mode.mode(), path, name)
