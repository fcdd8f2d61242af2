"""execution - Whether ops run when they are called, and what runs them then.

Whether they do is the extension's to say (`python/src/mode.c`), which tells its own
functions before every call; nothing in Python keeps a copy. A program begins as it was
written, TF2 at once and TF1 in graphs, and may switch; a thread that has a default graph
makes graphs in any case.

What runs them belongs to `eager`, an upper package, and packages import downwards only
(`tools/check_layers.py` has their order). So there are slots here, which lower packages
call and modules of `eager` fill; the module that fills one is loaded when it is first
needed. These are all the calls that go upwards.
"""

from __future__ import annotations

from berth import _core as core
from berth import _mode

TYPE_CHECKING = False  # The module typing takes longer to load than this one.
if TYPE_CHECKING:
    from typing import Any, Callable

    run_op: Callable[..., Any]
    make_constant: Callable[..., Any]
    device_scope: Callable[[Any], Any]
    make_variable: Callable[..., Any]
    new_tape: Callable[[], Any]
    tensor_class: Any

# True when ops run at once here: the program does so, and this thread builds no graph.
executing_eagerly = core.executing_eagerly
# True when ops run at once wherever no graph is being built.
is_eager = core.is_eager
# Makes ops run at once, or make graphs, from now on.
set_eager = core.set_eager
# Between these two, ops in this thread run at once whatever the program was written for.
enter_eager, leave_eager = core.enter_eager_scope, core.leave_eager_scope
# Says how many default graphs this thread is in.
set_graphs = core.set_graphs
# Between these two, calls in this thread have more to obey than their arguments and a
# device scope: a policy.
enter_scope, leave_scope = core.enter_slow_scope, core.leave_slow_scope

set_eager(not _mode.is_v1())

# Open tapes (tf.GradientTape) of all threads: few, and mostly none.
tapes: list[Any] = []


def note_variable(variable: Any) -> None:
    """Tells open tapes that |variable| is read. Asked only where there are any."""
    for tape in list(tapes):
        tape.note_variable(variable)


# ---- Slots ----

_FILLED_BY = {
    # Runs an op at once: (schema, name, inputs by argument, attributes).
    'run_op': 'berth.eager.context',
    # tf.constant where ops run at once: (value, type, shape).
    'make_constant': 'berth.eager.context',
    # tf.device where ops run at once: (name).
    'device_scope': 'berth.eager.context',
    # tf.Variable where ops run at once, and in functions: its arguments.
    'make_variable': 'berth.eager.variable',
    # tf.GradientTape: no arguments.
    'new_tape': 'berth.eager.tape',
    # The class of what eager calls return.
    'tensor_class': 'berth.eager.tensor',
}


def __getattr__(name: str) -> Any:
    """Loads the module that fills a slot which is still empty."""
    if name not in _FILLED_BY:
        raise AttributeError(f'module {__name__!r} has no attribute {name!r}')
    from importlib import import_module

    import_module(_FILLED_BY[name])
    return globals()[name]
