"""partial.py - Runs that are fed and fetched from in several calls."""

from __future__ import annotations

from typing import Any

from berth.client import failures
from berth.client import feeds as feeding
from berth.client.fetches import FetchPlan
from berth.framework import errors

_NO_SETUP = "Must run 'setup' before performing partial runs!"


class _State:
    """A partial run that goes on."""

    def __init__(self, run: Any, feeds: list[Any], fetches: list[Any], targets: list[Any]) -> None:
        self.run = run
        self.feeds = {t.name for t in feeds}
        self.fetches = {t.name for t in fetches}
        self.targets = targets
        self.is_broken = False


def _fail(session: Any, text: str) -> Exception:
    return failures.better(session.graph, errors.InvalidArgumentError(None, None, text))


def setup(session: Any, fetches: Any, feeds: Any) -> str:
    """Starts a run and returns its handle."""
    plan = FetchPlan(session.graph, fetches)
    listed = [] if feeds is None else feeds if isinstance(feeds, (list, tuple)) else [feeds]
    fed = [feeding.find_key(session.graph, f) for f in listed]
    if not plan.tensors and not plan.targets:
        raise _fail(session, 'Must specify at least one target to fetch or execute.')
    try:
        run = session._session.partial_setup(fed, plan.tensors, [op.node for op in plan.targets])
    except errors.OpError as error:
        raise failures.better(session.graph, error)
    number = next(session._partial_numbers)
    names = [','.join(sorted(t.name for t in group)) for group in (fed, plan.tensors, plan.targets)]
    handle = f'{names[0]}->{names[1]}/{names[2]}/1/;{number}'
    session._partials[handle] = _State(run, fed, plan.tensors, plan.targets)
    return handle


def run(session: Any, handle: str, fetches: Any, feed_dict: Any) -> Any:
    """Feeds and fetches what is given of a run that was set up."""
    state = session._partials.get(handle)
    if state is None:
        raise _fail(session, _NO_SETUP)
    if not state.is_broken:
        result = session._runner.partial(state.run, fetches, feed_dict)
        if result is not NotImplemented:
            _forget_if_done(session, handle, state)
            return result
    call, values = session._prepare(fetches, feed_dict)
    _check_names(session, state, call)
    try:
        results = state.run.run(call.fetches, list(zip(call.keys, values)))
    except errors.OpError as error:
        raise failures.better(session.graph, error)
    _forget_if_done(session, handle, state)
    return session._finish(call, values, results)


def _check_names(session: Any, state: _State, call: Any) -> None:
    """Raises for what was not set up; a run after that is a cancelled one."""
    for tensor in call.keys:
        if tensor.name not in state.feeds:
            state.is_broken = True
            raise _fail(session, f'The feed {tensor.name} was not specified in partial_run_setup.')
    for tensor in call.plan.tensors:
        if tensor.name not in state.fetches:
            state.is_broken = True
            raise _fail(session, f'The fetch {tensor.name} was not specified in partial_run_setup.')
    if state.is_broken:
        waiting = sorted(state.feeds - {t.name for t in call.keys})
        if waiting and call.plan.tensors:
            raise _fail(session, f"Fetch {waiting[0]} can't be computed from the feeds that have been fed so far.")
        name = '_recv_' + waiting[0].replace(':', '_') if waiting else '_recv'
        text = f'RecvAsync is cancelled.\n\t [[{{{{node {name}}}}}]]'
        raise failures.better(session.graph, errors.CancelledError(None, None, text))


def _forget_if_done(session: Any, handle: str, state: _State) -> None:
    """Forgets a run of which everything was fed and fetched."""
    if state.run.is_done:
        session._partials.pop(handle, None)
