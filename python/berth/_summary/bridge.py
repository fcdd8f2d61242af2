"""bridge - Summaries of TF1 in programs of TF2: they go to the writer of the thread, for its step."""

from __future__ import annotations

import warnings
from typing import Any, Callable

from berth._summary import recording
from berth.framework import convert, scopes
from berth.framework.collections import GraphKeys

_CANNOT = 'Cannot activate TF2 compatibility support for TF1 summary ops: '


def step() -> Any:
    """Returns the step that was set, or the global one."""
    chosen = recording.get_step()
    found = scopes.get_collection(GraphKeys.GLOBAL_STEP) if chosen is None else ()
    return found[0] if found else chosen


def is_open() -> bool:
    """True where a summary of TF1 is to be written as one of TF2; says why not where one could think so."""
    if not scopes.executing_eagerly_outside_functions():
        return False
    if recording.state.writer is None:
        warnings.warn(_CANNOT + 'default summary writer not found.', stacklevel=3)
        return False
    if step() is None:
        warnings.warn(_CANNOT + 'global step not set. To set step for summary writer, use '
                      '`tf.summary.SummaryWriter.as_default(step=_)`, `tf.summary.experimental.setstep()` or '
                      '`tf.compat.v1.train.create_globalstep()`.', stacklevel=3)
        return False
    return True


def write(function: Callable[..., Any], tag: str, **given: Any) -> Any:
    """Writes a summary under |tag|, whatever scope there is; gives what stands for none."""
    with scopes.name_scope(''):
        function(name=tag, step=step(), **given)
    return convert.constant(b'')
