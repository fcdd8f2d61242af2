"""sysconfig - tf.sysconfig: where the library is that this process uses."""

from __future__ import annotations

import os

_NO_HEADERS = ('the Python package has no headers; those of the C API are installed with the library '
               '(cmake --install, then pkg-config --cflags berth)')


def _library() -> str:
    """Returns the path of the library, as the system has loaded it."""
    from berth import _core  # noqa: F401  Loads the library.

    with open('/proc/self/maps') as file:
        paths = [line.split()[-1] for line in file]
    return next((path for path in paths if os.path.basename(path).startswith('libberth.so')), _core.__file__)


def get_lib() -> str:
    """Returns the folder of the library."""
    return os.path.dirname(_library())


def get_link_flags() -> list[str]:
    """Returns what a linker needs to use the library."""
    return ['-L' + get_lib(), '-l:' + os.path.basename(_library())]


def get_include() -> str:
    """Refuses: the package has no headers."""
    raise NotImplementedError(f'tf.sysconfig.get_include: {_NO_HEADERS}')


def get_compile_flags() -> list[str]:
    """Refuses: the package has no headers."""
    raise NotImplementedError(f'tf.sysconfig.get_compile_flags: {_NO_HEADERS}')
