"""keras_package - tf.keras: the package keras, where it is installed.

Since version 2.16 TensorFlow has no Keras of its own: tf.keras, and tf.losses and its kin, are names of that package,
which is loaded when they are first used. It imports `tensorflow` in its turn, and that is to be Berth.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys

from berth import _mode, _start

TYPE_CHECKING = False  # The module typing would take half the time of importing this.
if TYPE_CHECKING:
    from typing import Any, Optional

_PACKAGE = 'keras._tf_keras.keras'  # What tf.keras has: Keras, and a few names of its past.


def is_there() -> bool:
    """True where the package is installed."""
    if sys.modules.get('keras') is not None:
        return True
    return importlib.util.find_spec('keras') is not None


def find(path: str) -> Optional[Any]:
    """Returns the module, or what is in it, that |path| means, such as "keras.layers"; None where there is none."""
    if problem():
        return None
    _start.stand_for_tensorflow()
    name = _PACKAGE + path[len('keras'):] if path.partition('.')[0] == 'keras' else f'{_PACKAGE}.{path}'
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is None or not name.startswith(error.name):
            raise
    parent, _, last = name.rpartition('.')
    try:
        return getattr(importlib.import_module(parent), last, None)
    except ModuleNotFoundError:
        return None


def problem() -> str:
    """Returns why the package is not what tf.keras means here; nothing where it is."""
    if os.environ.get('TF_USE_LEGACY_KERAS') in ('true', 'True', '1'):
        return 'would come from the package tf_keras, for which TF_USE_LEGACY_KERAS asks, and which does not run on Berth'
    if _mode.mode() == 1:
        return f'comes from the package keras, which has no support for TF1, and this program runs as TF1 ({_mode.reason()})'
    if not is_there():
        return 'comes from the package keras, which is not installed: `pip install keras` does that'
    version = _version()
    if version and version.partition('.')[0] != '3':
        return f'comes from the package keras, of which Berth runs version 3, and not {version}'
    return ''


def _version() -> str:
    """Returns the version that is installed, without loading it."""
    loaded = getattr(sys.modules.get('keras'), '__version__', None)
    if loaded is not None:
        return str(loaded)
    from importlib import metadata

    try:
        return metadata.version('keras')
    except metadata.PackageNotFoundError:
        return ''
