"""logging - tf.logging: messages of programs, on Python's logger "tensorflow"."""

from __future__ import annotations

import logging as _logging
import sys
import threading as _threading
from logging import DEBUG, ERROR, FATAL, INFO, WARN
from typing import Any

_NAMES = {FATAL: 'FATAL', ERROR: 'ERROR', WARN: 'WARN', INFO: 'INFO', DEBUG: 'DEBUG'}
_lock = _threading.Lock()
_logger: Any = None
_counts: dict[Any, int] = {}
_told: set = set()


def get_logger() -> Any:
    """Returns the logger, made when first asked for."""
    global _logger
    with _lock:
        if _logger is None:
            logger = _logging.getLogger('tensorflow')
            logger.setLevel(WARN)
            if not _logging.getLogger().handlers and not logger.handlers:
                handler = _logging.StreamHandler(sys.stderr)
                handler.setFormatter(_logging.Formatter(_logging.BASIC_FORMAT))
                logger.addHandler(handler)
                logger.propagate = False
            _logger = logger
    return _logger


def log(level: int, msg: Any, *args: Any, **kwargs: Any) -> None:
    """Logs a message of some level."""
    get_logger().log(level, msg, *args, **kwargs)


def debug(msg: Any, *args: Any, **kwargs: Any) -> None:
    """Logs what helps to find a fault."""
    get_logger().debug(msg, *args, **kwargs)


def info(msg: Any, *args: Any, **kwargs: Any) -> None:
    """Logs a piece of information."""
    get_logger().info(msg, *args, **kwargs)


def warning(msg: Any, *args: Any, **kwargs: Any) -> None:
    """Logs a warning."""
    get_logger().warning(msg, *args, **kwargs)


warn = warning


def error(msg: Any, *args: Any, **kwargs: Any) -> None:
    """Logs an error."""
    get_logger().error(msg, *args, **kwargs)


def fatal(msg: Any, *args: Any, **kwargs: Any) -> None:
    """Logs a fatal error; the program goes on."""
    get_logger().fatal(msg, *args, **kwargs)


def log_if(level: int, msg: Any, condition: Any, *args: Any) -> None:
    """Logs if |condition| holds."""
    if condition:
        log(level, msg, *args)


def log_first_n(level: int, msg: Any, n: int, *args: Any) -> None:
    """Logs the first |n| times that this line is reached."""
    count = _count()
    log_if(level, msg, count < n, *args)


def log_every_n(level: int, msg: Any, n: int, *args: Any) -> None:
    """Logs every |n|th time that this line is reached."""
    count = _count()
    log_if(level, msg, not count % n, *args)


def _count() -> int:
    """Returns how often the caller's caller was here before."""
    frame = sys._getframe(2)
    key = frame.f_code.co_filename, frame.f_lineno
    _counts[key] = _counts.get(key, -1) + 1
    return _counts[key]


def vlog(level: int, msg: Any, *args: Any, **kwargs: Any) -> None:
    """Logs with one of the numbers of levels."""
    log(level, msg, *args, **kwargs)


def flush() -> None:
    """Does nothing: messages are not held back."""


def get_verbosity() -> int:
    """Returns the lowest level that is logged."""
    return get_logger().getEffectiveLevel()


def set_verbosity(v: int) -> None:
    """Sets the lowest level that is logged."""
    get_logger().setLevel(v)


def TaskLevelStatusMessage(msg: Any) -> None:
    """Logs a message as an error, as TensorFlow does."""
    error(msg)


def deprecated(name: str, module: str, instructions: str, depth: int = 2, when: str = 'in a future version') -> None:
    """Warns, once, that a function will go."""
    switch = sys.modules.get('berth.modules.deprecation')
    if name in _told or switch is not None and not switch._PRINT_DEPRECATION_WARNINGS:
        return
    _told.add(name)
    frame = sys._getframe(depth)
    warning('From %s:%d: %s (from %s) is deprecated and will be removed %s.\n'
            'Instructions for updating:\n%s', frame.f_code.co_filename, frame.f_lineno, name,
            module, when, instructions)


def forget_deprecated(name: str) -> None:
    """Makes the next warning about a function come again."""
    _told.discard(name)


def runtime_line(severity: str, file: str, line: int, text: str) -> None:
    """Writes a line of the runtime's log: I, W or E, unless the environment drops those."""
    import os
    import time

    if 'IWE'.index(severity) < int(os.environ.get('TF_CPP_MIN_LOG_LEVEL') or 0):
        return
    sys.stderr.flush()
    thread = _threading.get_native_id()
    os.write(2, f'{severity}0000 00:00:{time.time():.6f} {thread:7d} {file}:{line}] {text}\n'.encode())


def __dir__() -> list[str]:
    """Lists what TensorFlow has here."""
    return ['DEBUG', 'ERROR', 'FATAL', 'INFO', 'TaskLevelStatusMessage', 'WARN', 'debug', 'error', 'fatal', 'flush',
            'get_verbosity', 'info', 'log', 'log_every_n', 'log_first_n', 'log_if', 'set_verbosity', 'vlog', 'warn',
            'warning']
