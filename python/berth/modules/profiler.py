"""profiler - tf.profiler.experimental: what runs of sessions and functions take, node by node.

TensorFlow writes what its collectors saw, for TensorBoard's profile plugin. Here a file for trace viewers is written
in the same place. Functions that run while this goes on are prepared anew, so that every node is a step of its own;
ops that are called one by one are not in it.
"""

from __future__ import annotations

import collections
import functools
import os
import threading
import time
from typing import Any, Callable, Optional

from berth.base import logging, naming, recording
from berth.eager import context
from berth.framework import errors
from berth.modules import trace_file

_lock = threading.Lock()
_folder: Optional[str] = None  # Where the profile that is being made goes.


@naming.public('profiler.profiler_v2')
class ProfilerOptions(collections.namedtuple(
        'ProfilerOptions', ['host_tracer_level', 'python_tracer_level', 'device_tracer_level', 'delay_ms'])):
    """How much is looked at. Everything that Berth records is recorded at each level."""

    def __new__(cls, host_tracer_level: int = 2, python_tracer_level: int = 0, device_tracer_level: int = 1,
                delay_ms: Optional[int] = None) -> Any:
        return super().__new__(cls, host_tracer_level, python_tracer_level, device_tracer_level, delay_ms)


def _record(into: Optional[recording.Recorder]) -> None:
    """Has runs recorded from now on, or not; functions are prepared for either."""
    recording.recorder = into
    context.settings.epoch = object()


def start(logdir: Any, options: Any = None) -> None:
    """Begins a profile, which stop() writes below |logdir|."""
    global _folder
    with _lock:
        if recording.recorder is not None:
            raise errors.AlreadyExistsError(None, None, 'Another profiler is running.')
        _folder = os.fspath(logdir)
        _record(recording.Recorder())


def stop(save: bool = True) -> None:
    """Ends the profile, and writes it unless |save| is false."""
    global _folder
    with _lock:
        recorder, folder = recording.recorder, _folder
        if recorder is None or folder is None:
            raise errors.UnavailableError(None, None, 'Cannot export profiling results. No profiler is running.')
        _folder = None
        _record(None)
    if save:
        trace_file.write_profile(recorder, folder)


def warmup() -> None:
    """Does what the first profile would have to do: nothing here."""


@naming.public('profiler.profiler_v2')
class Profile:
    """A profile of what is done inside a with block."""

    def __init__(self, logdir: Any, options: Any = None) -> None:
        self._logdir = logdir
        self._options = options

    def __enter__(self) -> None:
        start(self._logdir, self._options)

    def __exit__(self, *_: Any) -> None:
        stop()


@naming.public('profiler.trace')
class Trace:
    """Names what is done inside a with block, as a step of training, in profiles."""

    def __init__(self, name: str, **kwargs: Any) -> None:
        self._name, self._about = name, kwargs
        self._span: Optional[recording.Span] = None

    def __enter__(self) -> Trace:
        if recording.recorder is not None:
            self._span = recording.Span(self._name, time.time_ns(), self._about)
        return self

    def set_metadata(self, **kwargs: Any) -> None:
        """Adds what is known only now."""
        self._about.update(kwargs)

    def __exit__(self, *_: Any) -> None:
        span, self._span = self._span, None
        recorder = recording.recorder
        if span is not None and recorder is not None:
            recorder.note(span)


def trace_wrapper(trace_name: Any, **trace_kwargs: Any) -> Callable[..., Any]:
    """Names all that a function does in profiles; a decorator, with the function or with a name for it."""
    def wrap(function: Callable[..., Any]) -> Callable[..., Any]:
        name = trace_name if isinstance(trace_name, str) else getattr(function, '__name__', 'function')

        @functools.wraps(function)
        def traced(*args: Any, **kwargs: Any) -> Any:
            with Trace(name, **trace_kwargs):
                return function(*args, **kwargs)

        return traced

    return wrap if isinstance(trace_name, str) else wrap(trace_name)


def trace_program(path: str) -> None:
    """Has everything recorded until the program ends, and then written to |path|."""
    import atexit

    recorder = recording.Recorder()
    _record(recorder)

    def end() -> None:
        if recording.recorder is recorder:
            _record(None)
        try:
            trace_file.write(path, trace_file.text_of(recorder))
        except OSError as error:
            logging.runtime_line('E', 'trace_file', 0, f'cannot write the trace {path}: {error.strerror}')

    atexit.register(end)
