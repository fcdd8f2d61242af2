"""run_hooks - What is called around the runs of a monitored session, and what it is given."""

from __future__ import annotations

import collections
from typing import Any

from berth.base import naming


@naming.public('training.session_run_hook')
class SessionRunHook:
    """Is called when a session begins, around each run, and at the end; programs derive their own."""

    def begin(self) -> None:
        """Is called before the session is made: the graph may still grow."""

    def after_create_session(self, session: Any, coord: Any) -> None:
        """Is called once the session is made, and again each time that it is made anew."""

    def before_run(self, run_context: Any) -> Any:
        """Is called before a run; returns what to fetch and feed as well, or None."""
        return None

    def after_run(self, run_context: Any, run_values: Any) -> None:
        """Is called after a run with what was asked for."""

    def end(self, session: Any) -> None:
        """Is called at the end, unless that is an error."""


@naming.public('training.session_run_hook')
class SessionRunArgs(collections.namedtuple('SessionRunArgs', ['fetches', 'feed_dict', 'options'])):
    """What a run is to fetch and feed."""

    __slots__ = ()

    def __new__(cls, fetches: Any, feed_dict: Any = None, options: Any = None) -> 'SessionRunArgs':
        return super().__new__(cls, fetches, feed_dict, options)


@naming.public('training.session_run_hook')
class SessionRunContext:
    """What a hook knows of a run, and the way to ask for the end."""

    def __init__(self, original_args: Any, session: Any) -> None:
        self._original_args, self._session = original_args, session
        self._stop_requested = False

    @property
    def original_args(self) -> Any:
        """What the program asked to run."""
        return self._original_args

    @property
    def session(self) -> Any:
        """The session below."""
        return self._session

    @property
    def stop_requested(self) -> bool:
        """True once a hook has asked to stop."""
        return self._stop_requested

    def request_stop(self) -> None:
        """Asks that this run be the last one."""
        self._stop_requested = True


@naming.public('training.session_run_hook')
class SessionRunValues(collections.namedtuple('SessionRunValues', ['results', 'options', 'run_metadata'])):
    """What a run gave to a hook."""

    __slots__ = ()
