"""retracing - The warning that a function is traced again and again."""

from __future__ import annotations

import functools
import threading
import weakref
from typing import Any

from berth.base import logging

_MOST_CALLS = 10  # So many calls are looked back at, and those since the trace before them.
_MANY = 5  # So many traces among them are too many.
_MOST_WARNINGS = 2

_detectors: Any = weakref.WeakKeyDictionary()  # By code, guarded by |_lock|.
_lock = threading.Lock()


class Detector:
    """The last calls of the functions that share one code."""

    def __init__(self) -> None:
        self.calls = 0  # Without a trace, since the last one.
        self._runs: list[int] = []  # Calls from each trace up to the next.
        self._total = 0
        self._warnings = 0

    def traced(self, python: Any) -> None:
        """Notes a call that was traced, and warns if there are many."""
        if self.calls:
            self._runs = self._runs or [0]
            self._runs[-1] += self.calls
            self._total += self.calls
            self.calls = 0
        self._runs.append(1)
        self._total += 1
        while self._total - self._runs[0] > _MOST_CALLS:
            self._total -= self._runs.pop(0)
        if len(self._runs) >= _MANY and self._warnings < _MOST_WARNINGS:
            self._warnings += 1
            logging.warning(_TEXT, len(self._runs), self._total, python)


def detector_of(python: Any) -> Detector:
    """Returns the detector of a function: those made of the same code share one."""
    while hasattr(python, '__wrapped__'):
        python = python.__wrapped__
    if isinstance(python, functools.partial):
        return Detector()
    python = getattr(getattr(python, 'function', python), '__func__', python)
    code = getattr(python, '__code__', None)
    if code is None:
        return Detector()
    with _lock:
        return _detectors.setdefault(code, Detector())


_TEXT = (
    '%d out of the last %d calls to %s triggered tf.function retracing. Tracing is expensive and the excessive number of '
    'tracings could be due to (1) creating @tf.function repeatedly in a loop, (2) passing tensors with different shapes, '
    '(3) passing Python objects instead of tensors. For (1), please define your @tf.function outside of the loop. For (2), '
    '@tf.function has reduce_retracing=True option that can avoid unnecessary retracing. For (3), please refer to '
    'https://www.tensorflow.org/guide/function#controlling_retracing and '
    'https://www.tensorflow.org/api_docs/python/tf/function for  more details.')
