"""_hook - Makes `import tensorflow` mean Berth, for `berth run`."""

from __future__ import annotations

import sys

from berth import _namespaces

NAME = 'tensorflow'


def install() -> None:
    """From now on `tensorflow` and what is below it are Berth's, in this process."""
    if is_installed():
        return
    if NAME in sys.modules:
        raise ImportError('TensorFlow itself is imported already; `berth run` comes too late')
    # In front, so that a TensorFlow that is installed is not found.
    sys.meta_path.insert(0, _namespaces.Finder(NAME))
    _namespaces.set_public_name(NAME)


def is_installed() -> bool:
    """True once install() has been called."""
    return any(isinstance(finder, _namespaces.Finder) and finder._root == NAME
               for finder in sys.meta_path)
