"""explain - Says why the operations of sessions are where they are, when a program ends.

`berth run --explain` asks for it.
"""

from __future__ import annotations

import atexit
import sys
from typing import Any


def at_exit(session: Any) -> None:
    """Has the placements of |session| explained when the program ends."""
    atexit.register(_report, session._session, session._graph)


def _report(session: Any, graph: Any) -> None:
    """Writes a sentence about each operation, or why there is none."""
    from berth.framework import errors

    sys.stdout.flush()
    try:
        for operation in graph.get_operations():
            print(session.explain(operation.node), file=sys.stderr)
    except errors.OpError as error:
        print(f'berth: nothing to explain: {error.message}', file=sys.stderr)
