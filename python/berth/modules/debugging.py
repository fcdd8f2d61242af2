"""debugging - tf.debugging: settings of the search for faults."""

from __future__ import annotations

_is_filtering = True


def is_traceback_filtering_enabled() -> bool:
    """Returns whether the library's own calls may be left out of tracebacks."""
    return _is_filtering


def enable_traceback_filtering() -> None:
    """Allows to leave the library's own calls out of tracebacks; Berth shows its few in any case."""
    global _is_filtering
    _is_filtering = True


def disable_traceback_filtering() -> None:
    """Asks for the library's own calls in tracebacks, where Berth always has them."""
    global _is_filtering
    _is_filtering = False


def enable_check_numerics(stack_height_limit: int = 30, path_length_limit: int = 50) -> None:
    """Looks at every result of this thread for infinities and what is no number."""
    from berth.eager import context

    context.check_numerics(True)


def disable_check_numerics() -> None:
    """Leaves results unchecked again."""
    from berth.eager import context

    context.check_numerics(False)
