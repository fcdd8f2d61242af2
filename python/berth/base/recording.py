"""recording - Who is told of every run, with the time of every node: tf.profiler, `berth run --trace`.

Sessions and functions look at |recorder| before each run. As long as it is None, which is nearly always, that is all.
"""

from __future__ import annotations

import threading
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Optional

TRACED = b'\x08\x03'  # RunOptions(trace_level=FULL_TRACE), as bytes.
_MOST_BYTES = 256 << 20  # Of what runs tell about themselves; what comes then is counted, not kept.

recorder: Optional[Recorder] = None


class Span:
    """Something that a thread did: a run, or what a program says about itself."""

    def __init__(self, name: str, begin: int, about: dict[str, Any]) -> None:
        self.name, self.begin, self.about = name, begin, about
        self.end = begin
        self.thread = threading.get_native_id()
        self.metadata = b''  # Of a run: a RunMetadata message.
        # Of a run: finds the operation of the program that a node stands for, by its name.
        self.find: Callable[[str], Any] = _nothing


def _nothing(_: str) -> None:
    return None


class Recorder:
    """Collects what threads do. Thread-safe."""

    def __init__(self) -> None:
        self.begin = time.time_ns()
        self.spans: list[Span] = []
        self.dropped = 0  # Runs whose nodes are not kept.
        self._size = 0
        self._lock = threading.Lock()

    def note(self, span: Span) -> None:
        """Adds |span|, which ends now."""
        span.end = time.time_ns()
        with self._lock:
            self._size += len(span.metadata)
            if self._size > _MOST_BYTES:
                self.dropped += span.metadata != b''
                span.metadata, span.find = b'', _nothing
            self.spans.append(span)

    def run(self, session: Any, name: str, find: Callable[[str], Any], options: bytes,
            *call: Any) -> tuple[list[Any], bytes]:
        """Runs |call|, fetches, targets and feeds, with serialised |options| in |session|, and notes it as |name|."""
        span = Span(name, time.time_ns(), {})
        try:
            span.find = find
            results, metadata = session.run_with(options, *call)
            span.metadata = metadata
            return results, metadata
        finally:
            self.note(span)
