"""hook - Makes `import tensorflow` mean Berth, for `berth run`."""

from __future__ import annotations

import os
import sys

from berth._start import namespaces

NAME = 'tensorflow'
_CHILD = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'child')


def install() -> None:
    """From now on `tensorflow` and what is below it are Berth's, in this process."""
    if is_installed():
        return
    if NAME in sys.modules:
        raise ImportError('TensorFlow itself is imported already; `berth run` comes too late')
    # In front, so that a TensorFlow that is installed is not found.
    sys.meta_path.insert(0, namespaces.Finder(NAME))
    namespaces.set_public_name(NAME)
    _reach_children()


def _reach_children() -> None:
    """Makes Python processes that this one starts find Berth by the same name."""
    # multiprocessing hands the path over as it is here; the folder of the script stays first.
    sys.path.insert(1, _CHILD)
    paths = os.environ.get('PYTHONPATH', '').split(os.pathsep)
    if _CHILD not in paths:
        os.environ['PYTHONPATH'] = os.pathsep.join([_CHILD] + [path for path in paths if path])


def is_installed() -> bool:
    """True once install() has been called."""
    return any(isinstance(finder, namespaces.Finder) and finder._root == NAME
               for finder in sys.meta_path)
