"""writer_cache - One FileWriter for each folder."""

from __future__ import annotations

import threading

from berth._summary.writer import FileWriter
from berth.base import naming
from berth.framework import scopes


@naming.public('summary.writer.writer_cache')
class FileWriterCache:
    """Keeps writers by their folders."""

    _cache: dict[str, FileWriter] = {}
    _lock = threading.RLock()

    @staticmethod
    def clear() -> None:
        """Closes and forgets all writers."""
        with FileWriterCache._lock:
            for item in FileWriterCache._cache.values():
                item.close()
            FileWriterCache._cache = {}

    @staticmethod
    def get(logdir: str) -> FileWriter:
        """Returns the writer of a folder."""
        with FileWriterCache._lock:
            if logdir not in FileWriterCache._cache:
                FileWriterCache._cache[logdir] = FileWriter(logdir, graph=scopes.get_default_graph())
            return FileWriterCache._cache[logdir]
