"""coordinator - tf.train.Coordinator: threads that end together."""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any

from berth.base import logging, naming
from berth.framework import errors

# How often join() looks at the threads while nobody asks for an end, and while they come to it.
_LOOK_SECONDS = 1.0
_FIRST_PAUSE_SECONDS = 0.001


@naming.public('training.coordinator')
class Coordinator:
    """Tells threads when to stop, and whoever joins them what went wrong."""

    def __init__(self, clean_stop_exception_types: Any = None) -> None:
        self._clean = (errors.OutOfRangeError,) if clean_stop_exception_types is None \
            else tuple(clean_stop_exception_types)
        self._lock = threading.Lock()  # Guards what follows.
        self._stop_event = threading.Event()
        self._failure: Any = None  # What sys.exc_info() gave.
        self._joined = False
        self._threads: set[Any] = set()

    def _unclean(self, ex: Any) -> Any:
        """Returns |ex|, or None when it is a way to end well."""
        return None if isinstance(ex[1] if isinstance(ex, tuple) else ex, self._clean) else ex

    def request_stop(self, ex: Any = None) -> None:
        """Asks all threads to stop; |ex| is an exception, or what sys.exc_info() gives, for join() to raise."""
        with self._lock:
            ex = self._unclean(ex)
            if self._joined and ex is not None:
                raise ex[1] if isinstance(ex, tuple) else sys.exc_info()[1]  # type: ignore[misc]
            if self._stop_event.is_set():
                return
            if ex and self._failure is None:
                self._failure = self._report(ex)
            self._stop_event.set()

    def _report(self, ex: Any) -> Any:
        """Logs a failure and returns it as sys.exc_info() does."""
        if isinstance(ex, tuple):
            logging.info('Error reported to Coordinator: %s', str(ex[1]), exc_info=ex)
            found: Any = ex
        else:
            logging.info('Error reported to Coordinator: %s, %s', type(ex), str(ex))
            found = sys.exc_info()
        if len(found) == 3 and found[0] and found[1]:
            return found
        try:
            raise ValueError('ex must be a tuple or sys.exc_info must return the current exception: %s' % found)
        except ValueError:
            return sys.exc_info()

    def clear_stop(self) -> None:
        """Forgets that anybody asked to stop."""
        with self._lock:
            self._joined = False
            self._failure = None
            self._stop_event.clear()

    def should_stop(self) -> bool:
        """Tells whether somebody asked to stop."""
        return self._stop_event.is_set()

    @contextlib.contextmanager
    def stop_on_exception(self) -> Iterator[None]:
        """Asks to stop when the block raises, and keeps the exception for join()."""
        try:
            yield
        except:  # noqa: E722  # pylint: disable=bare-except
            self.request_stop(ex=sys.exc_info())

    def wait_for_stop(self, timeout: float | None = None) -> bool:
        """Waits until somebody asks to stop; tells whether it came to that."""
        return self._stop_event.wait(timeout)

    def register_thread(self, thread: Any) -> None:
        """Adds a thread to those that join() waits for."""
        with self._lock:
            self._threads.add(thread)

    def join(self, threads: Any = None, stop_grace_period_secs: float = 120, ignore_live_threads: bool = False) -> None:
        """Waits for the threads, and raises what one of them reported."""
        with self._lock:
            waited = list(self._threads if threads is None else self._threads.union(threads))
        while any(t.is_alive() for t in waited) and not self.wait_for_stop(_LOOK_SECONDS):
            pass
        _wait(waited, stop_grace_period_secs)
        late = [t.name for t in waited if t.is_alive()]
        with self._lock:
            self._joined = True
            self._threads = set()
            if self._failure:
                raise self._failure[1]
        if late:
            text = 'Coordinator stopped with threads still running: %s' % ' '.join(late)
            if not ignore_live_threads:
                raise RuntimeError(text)
            logging.info(text)

    @property
    def joined(self) -> bool:
        """True once all threads have been waited for."""
        return self._joined

    def raise_requested_exception(self) -> None:
        """Raises what a thread reported, if one did."""
        with self._lock:
            if self._failure:
                raise self._failure[1]


def _wait(threads: list[Any], seconds: float) -> None:
    """Waits until the threads have ended, looking less and less often."""
    end = time.monotonic() + seconds
    pause = _FIRST_PAUSE_SECONDS
    while any(t.is_alive() for t in threads) and time.monotonic() < end:
        time.sleep(max(min(pause, end - time.monotonic()), 0))
        pause *= 2


@naming.public('training.coordinator')
class LooperThread(threading.Thread):
    """A thread that does something over and over until its coordinator stops it."""

    def __init__(self, coord: Any, timer_interval_secs: float | None, target: Any = None, args: Any = None,
                 kwargs: Any = None) -> None:
        if not isinstance(coord, Coordinator):
            raise ValueError("'coord' argument must be a Coordinator: %s" % coord)
        super().__init__()
        self.daemon = True
        self._coord = coord
        self._interval = timer_interval_secs
        self._work = target
        if not target and (args or kwargs):
            raise ValueError("'args' and 'kwargs' argument require that you also pass 'target'")
        self._work_args, self._work_kwargs = args or (), kwargs or {}
        coord.register_thread(self)

    @staticmethod
    def loop(coord: Any, timer_interval_secs: float | None, target: Any, args: Any = None,
             kwargs: Any = None) -> LooperThread:
        """Starts a thread that calls |target|, every so many seconds or without a pause."""
        looper = LooperThread(coord, timer_interval_secs, target=target, args=args, kwargs=kwargs)
        looper.start()
        return looper

    def run(self) -> None:
        """Does the work until it is asked to stop."""
        with self._coord.stop_on_exception():
            self.start_loop()
            due = time.time()
            while not self._is_over(due):
                due += self._interval or 0
                self.run_loop()
            self.stop_loop()

    def _is_over(self, due: float) -> bool:
        """Waits until |due|, and tells whether it is to stop."""
        if self._interval is None:
            return self._coord.should_stop()
        return self._coord.wait_for_stop(due - time.time())

    def start_loop(self) -> None:
        """Is called before the first time."""

    def stop_loop(self) -> None:
        """Is called after the last time."""

    def run_loop(self) -> None:
        """Does the work once."""
        if self._work:
            self._work(*self._work_args, **self._work_kwargs)
