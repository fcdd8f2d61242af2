"""threads - Threads whose failures fail a test, and streams that are listened to."""

from __future__ import annotations

import contextlib
import os
import tempfile
import threading
from collections.abc import Iterator
from typing import Any, Callable


class CheckedThread:
    """A thread whose failure fails the test when it is joined."""

    def __init__(self, test: Any, target: Callable[..., Any], args: Any = None, kwargs: Any = None) -> None:
        self._test, self._target = test, target
        self._args, self._kwargs = args or (), kwargs or {}
        self._thread = threading.Thread(target=self._run)
        self._error: Any = None

    def _run(self) -> None:
        try:
            self._target(*self._args, **self._kwargs)
        except Exception as error:  # pylint: disable=broad-except
            self._error = error

    def start(self) -> None:
        """Starts it."""
        self._thread.start()

    def join(self) -> None:
        """Waits for it, and fails the test if it failed."""
        self._thread.join()
        if self._error is not None:
            self._test.fail(f'Error in checkedThread: {self._error}')

    def is_alive(self) -> bool:
        """Returns whether it is running."""
        return self._thread.is_alive()


class CapturedWrites:
    """What was written to a stream."""

    def __init__(self, path: str) -> None:
        self._path = path

    def contents(self) -> str:
        """Returns what was written so far."""
        with open(self._path, errors='replace') as file:
            return file.read()


@contextlib.contextmanager
def captured(stream: Any, prefix: str) -> Iterator[CapturedWrites]:
    """Sends what is written to the file behind |stream| elsewhere inside a with block."""
    target, path = tempfile.mkstemp(prefix=os.path.basename(prefix), dir=os.path.dirname(prefix))
    number = stream.fileno()
    stream.flush()
    kept = os.dup(number)
    os.dup2(target, number)
    try:
        yield CapturedWrites(path)
    finally:
        stream.flush()
        os.dup2(kept, number)
        os.close(kept)
        os.close(target)
