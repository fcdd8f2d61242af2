"""explain - Says why the operations of functions are where they are, when a program ends.

`berth run --explain` asks for it; of sessions `client/explain.py` does so.
"""

from __future__ import annotations

import atexit
import sys
from typing import Any


def at_exit(session: Any, lowered: Any, function: str) -> None:
    """Has the placements of |function|, lowered for |session|, explained when the program ends."""
    atexit.register(_report, session, lowered.core.node_count, lowered.core, lowered.sources, function)


def _report(session: Any, count: int, graph: Any, sources: dict[str, Any], function: str) -> None:
    """Writes a sentence about each node, and where it was made."""
    from berth.framework import errors, node_lines

    sys.stdout.flush()
    try:
        for node in range(count):
            source = sources.get(graph.node_name(node))
            line = node_lines.of_op(source)
            place = f' (made in {node_lines.maker_of(source)}, {line})' if line else ''
            print(f'{function}: {session.explain(node)}{place}', file=sys.stderr)
    except errors.OpError as error:
        print(f'berth: nothing to explain in {function}: {error.message}', file=sys.stderr)
