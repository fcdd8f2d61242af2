"""turns - Runs a function once for each replica, one at a time, up to where they meet.

A replica runs in a thread of its own, and only while it is its turn: until it is done, or asks for
something that all replicas do together (`merge_call`). Then the next one has its turn; when all of them
have arrived, the caller's thread does what they asked for, and they go on.

    caller     ─┐        ┌─────────┐        ┌ merge ┐        ┌──
    replica 0   └─ run ──┤         │        │       └─ run ──┤
    replica 1            └── run ──┴────────┘                └─ run ─
"""

from __future__ import annotations

import contextlib
import re
import threading
from collections.abc import Iterator
from typing import Any, Callable, Optional

from berth._autograph import options
from berth._distribute import values
from berth.framework import scopes
from berth.variables import creators
from berth.variables import scope as variable_scopes
from berth.variables.replicas import here


class _Ended(BaseException):
    """Raised in a replica whose run is given up because another one failed."""


class _Scopes:
    """What is in force in a graph while one of its builders has its turn."""

    NAMES = ('names', 'devices', 'colocation', 'controls', 'flow')

    def __init__(self, graph: Any, reuse: bool) -> None:
        self._scopes = graph._scopes
        self._kept = self._now()
        self._variables = variable_scopes.Surroundings(reuse)

    def _now(self) -> list[Any]:
        return [getattr(self._scopes, name) for name in self.NAMES]

    def exchange(self) -> None:
        """Puts what was kept in force, and keeps what was."""
        before = self._now()
        for name, value in zip(self.NAMES, self._kept):
            setattr(self._scopes, name, value)
        self._kept = before
        self._variables.exchange()


def _sharing(shared: dict[str, list[Any]], number: int) -> Callable[..., Any]:
    """Returns what makes variables in replica |number|: those of the first one are the others' as well."""
    taken: dict[str, int] = {}

    def creator(next_creator: Callable[..., Any], **kwargs: Any) -> Any:
        name = kwargs.get('name')
        key = re.sub(r'_\d$', '', re.sub(r'_\d/', '/', name or 'Variable'))
        made = shared.setdefault(key, [])
        if number == 0:
            made.append(next_creator(**kwargs))
            return made[-1]
        taken[key] = taken.get(key, 0) + 1
        if taken[key] > len(made):
            raise RuntimeError(f'Tried to create variable {name} with mismatching name on device {number}')
        return made[taken[key] - 1]

    return creator


class _Replica(threading.Thread):
    """One replica's part of a run."""

    def __init__(self, context: Any, function: Callable[..., Any], args: Any, kwargs: Any,
                 shared: dict[str, list[Any]]) -> None:
        super().__init__(daemon=True)
        self.context = context
        self._call = function, args, kwargs
        self._graphs = list(scopes.default_graphs.items)
        self._scopes = _Scopes(scopes.get_default_graph(), context.number > 0) if self._graphs else None
        self._creators = creators.stack.items + (_sharing(shared, context.number),)
        self._status = options.status()
        self._turn, self._back = threading.Semaphore(0), threading.Semaphore(0)
        self.result: Any = None
        self.error: Optional[BaseException] = None
        self.meeting: Any = None  # What it waits for the others with: (function, args, kwargs).
        self.is_done = False
        self._is_ended = False

    # ---- The caller's side ----

    def advance(self, given: Any = None) -> None:
        """Lets it run to its end or to where the replicas meet; |given| came of the last meeting."""
        self._given = given
        with self._graph_scopes():
            if self.ident is None:
                self.start()
            else:
                self._turn.release()
            self._back.acquire()  # pylint: disable=consider-using-with
        if self.error is not None:
            raise self.error

    def end(self) -> None:
        """Gives it up."""
        if self.ident is not None and not self.is_done:
            self._is_ended = True
            self._turn.release()
        if self.ident is not None:
            self.join()

    @contextlib.contextmanager
    def _graph_scopes(self) -> Iterator[None]:
        if self._scopes is None:
            yield
            return
        self._scopes.exchange()
        try:
            yield
        finally:
            self._scopes.exchange()

    # ---- The replica's side ----

    def run(self) -> None:
        """Calls the function, in the caller's surroundings."""
        function, args, kwargs = self._call
        before = scopes.default_graphs.replace(self._graphs)
        creators.stack.items = self._creators
        try:
            with options.StatusScope(self._status), self.context, scopes.device(self.context.devices[0]), \
                    self._name_scope():
                self.result = function(*args, **kwargs)
        except BaseException as error:  # pylint: disable=broad-except
            self.error = error
        finally:
            scopes.default_graphs.replace(before)
            self.is_done = True
            self._back.release()

    def _name_scope(self) -> Any:
        number = self.context.number
        return scopes.name_scope(f'replica_{number}') if number and self._graphs else contextlib.nullcontext()

    def meet(self, function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        """Waits for the other replicas, and for what |function| makes of what they hand over."""
        self.meeting = function, args, kwargs
        self._back.release()
        self._turn.acquire()  # pylint: disable=consider-using-with
        if self._is_ended:
            raise _Ended()
        self.meeting = None
        return self._given


@contextlib.contextmanager
def updating(number: int, device: str) -> Iterator[None]:
    """What is done inside changes copy |number| of variables, on |device|."""
    before, here.updating = here.updating, number
    try:
        with scopes.device(device or None), scopes.name_scope(f'update_{number}'):
            yield
    finally:
        here.updating = before


@contextlib.contextmanager
def together(strategy: Any) -> Iterator[None]:
    """What is done inside is done for all replicas of |strategy|."""
    before = here.strategy, here.replica
    here.strategy, here.replica = strategy, None
    try:
        yield
    finally:
        here.strategy, here.replica = before


def run(contexts: list[Any], function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    """Calls |function| for each of |contexts| and returns what they give, put together."""
    if len(contexts) == 1:
        with contexts[0], scopes.device(contexts[0].devices[0]):
            return function(*values.select(args, 0), **values.select(kwargs, 0))
    shared: dict[str, list[Any]] = {}
    replicas = [_Replica(context, function, values.select(args, i), values.select(kwargs, i), shared)
                for i, context in enumerate(contexts)]
    for replica in replicas:
        replica.context.thread = replica
    try:
        return _run(contexts[0].strategy, replicas)
    finally:
        for replica in replicas:
            replica.end()
            replica.context.thread = None


def _run(strategy: Any, replicas: list[_Replica]) -> Any:
    given: Any = [None] * len(replicas)
    while True:
        for replica, item in zip(replicas, given):
            replica.advance(item)
        if all(replica.is_done for replica in replicas):
            return values.regroup([replica.result for replica in replicas])
        if any(replica.is_done for replica in replicas):
            raise RuntimeError('Some replicas called merge_call() and others did not: all of them must, in the same order.')
        function = replicas[0].meeting[0]
        args = values.regroup([replica.meeting[1] for replica in replicas])
        kwargs = values.regroup([replica.meeting[2] for replica in replicas])
        with together(strategy):
            made = function(strategy, *args, **kwargs)
        given = [values.select(made, i) for i in range(len(replicas))]
