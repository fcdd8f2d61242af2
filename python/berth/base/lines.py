"""lines - Whether eager calls note the lines of the program that make them, for reports of memory.

What graphs hold is known by the names of nodes, which know where they were made (`framework.node_lines`).
Eager calls have no nodes: their lines are noted as they are made, if the history of memory is kept or
`BERTH_MEMORY_LINES` is set.
"""

from __future__ import annotations

import os

from berth import _core

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep


def keep(enable: bool) -> None:
    """Lets eager calls note their lines."""
    _core.keep_lines(_PACKAGE if enable or _is_asked_for('BERTH_MEMORY_LINES') else None)


def begin() -> None:
    """Does what the environment says."""
    if _is_asked_for('BERTH_MEMORY_LINES') or _is_asked_for('BERTH_MEMORY_HISTORY'):
        keep(True)


def _is_asked_for(name: str) -> bool:
    return os.environ.get(name, '0') not in ('', '0')
