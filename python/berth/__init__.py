"""Berth: TensorFlow programs, TF1 and TF2, on a small runtime.

    import berth as tf

Nothing heavy is loaded before it is used: every name is looked up in one table
(`_start.namespaces`) when it is first asked for.
"""

from __future__ import annotations

from berth import _mode, _start

TYPE_CHECKING = False  # The module typing would take half the time of importing this.
if TYPE_CHECKING:
    from typing import Any, Optional

__version__ = '2.21.0'  # What programs compare: the TensorFlow that this is compatible with.
release = '0.1.0'  # Berth's own version.

# Folders of the package that are no names of TensorFlow: the import statement
# asks for them here first, and looking for what comes nearest takes milliseconds.
_PARTS = frozenset(('base', 'client', 'eager', 'framework', 'modules', 'ops', 'variables'))

_found: list[str] = []  # Names that were looked up.

_start.settle_running()
_start.install_finder()


def mode(value: Optional[int] = None) -> int:
    """Returns 1 or 2: TF1 or TF2. Given one of these, makes the program one of that mode first."""
    if value is not None and value != _mode.mode():
        _mode.set_mode(value)
        while _found:
            globals().pop(_found.pop(), None)
        namespaces = _start.loaded_namespaces()
        if namespaces is not None:
            namespaces.forget()
        from berth.base import execution

        execution.set_eager(value == 2)
    return _mode.mode()


def __getattr__(name: str) -> Any:
    """Looks |name| up in the table, once."""
    if name[0] == '_' and name != '__internal__' or name in _PARTS:
        raise AttributeError(f'module {__name__!r} has no attribute {name!r}')
    from berth._start import namespaces

    value = namespaces.find(_mode.mode(), '', name)
    globals()[name] = value
    _found.append(name)
    return value


def __dir__() -> list[str]:
    """Lists what there is in this mode."""
    from berth._start import namespaces

    return namespaces.names(_mode.mode(), '')
