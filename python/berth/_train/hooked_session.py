"""hooked_session - Sessions around a session: one that calls hooks, one that ends threads."""

from __future__ import annotations

from typing import Any

from berth._train.run_hooks import SessionRunArgs, SessionRunContext, SessionRunValues
from berth.base import logging, protos
from berth.framework import errors

_LOST = (errors.AbortedError, errors.UnavailableError)


class StepContext:
    """What the function of run_step_fn() is given."""

    def __init__(self, session: Any, run_with_hooks_fn: Any) -> None:
        self._session, self._run_with_hooks_fn = session, run_with_hooks_fn

    @property
    def session(self) -> Any:
        """The session without hooks."""
        return self._session

    def run_with_hooks(self, *args: Any, **kwargs: Any) -> Any:
        """Runs with hooks."""
        return self._run_with_hooks_fn(*args, **kwargs)

    def request_stop(self) -> None:
        """Ends the loop."""
        raise StopIteration('step_fn has requested the iterations to stop.')


class WrappedSession:
    """A session around a session."""

    def __init__(self, sess: Any) -> None:
        self._sess = sess
        self._wrapped_is_stoppable = isinstance(sess, WrappedSession)

    @property
    def graph(self) -> Any:
        """The graph that was launched."""
        return self._sess.graph

    @property
    def sess_str(self) -> Any:
        """What the session is called."""
        return self._sess.sess_str

    def should_stop(self) -> bool:
        """True when it, or one inside, has been asked to stop."""
        if self._check_stop():
            return True
        if self._sess:
            return self._wrapped_is_stoppable and self._sess.should_stop()
        return True

    def _check_stop(self) -> bool:
        return False

    def close(self) -> None:
        """Ends the session inside."""
        if not self._sess:
            return
        try:
            self._sess.close()
        except _LOST as failure:
            logging.error('An error occurred when attempting to close the session. This may be due to a preemption in '
                          'a connected worker or parameter server. Error: %s', failure)
        finally:
            self._sess = None

    def run(self, *args: Any, **kwargs: Any) -> Any:
        """Runs in the session inside."""
        return self._sess.run(*args, **kwargs)

    def run_step_fn(self, step_fn: Any, raw_session: Any, run_with_hooks: Any) -> Any:
        """Calls the function."""
        return step_fn(StepContext(raw_session, run_with_hooks or self.run))


class CoordinatedSession(WrappedSession):
    """A session that ends with its threads, and raises what they report."""

    def __init__(self, sess: Any, coord: Any, stop_grace_period_secs: float = 120) -> None:
        super().__init__(sess)
        self._coord, self._stop_grace_period_secs = coord, stop_grace_period_secs

    def _check_stop(self) -> bool:
        self._coord.raise_requested_exception()
        return self._coord.should_stop()

    def close(self) -> None:
        """Ends the threads, then the session."""
        self._coord.request_stop()
        try:
            self._coord.join(stop_grace_period_secs=self._stop_grace_period_secs, ignore_live_threads=True)
        finally:
            try:
                super().close()
            except Exception:  # noqa: BLE001  # What join() raises says more.
                pass

    def run(self, *args: Any, **kwargs: Any) -> Any:
        """Runs; where a thread has failed, and with it the run, the failure of the thread is raised."""
        try:
            return self._sess.run(*args, **kwargs)
        except _LOST:
            raise
        except Exception as failure:
            try:
                self._coord.raise_requested_exception()
            except _LOST:
                raise
            except Exception:
                raise failure from None
            raise


class HookedSession(WrappedSession):
    """A session that calls hooks around its runs."""

    def __init__(self, sess: Any, hooks: list[Any]) -> None:
        super().__init__(sess)
        self._hooks = hooks
        self._should_stop = False

    def _check_stop(self) -> bool:
        return self._should_stop

    def run(self, fetches: Any, feed_dict: Any = None, options: Any = None, run_metadata: Any = None) -> Any:
        """Runs what the program and the hooks ask for, at once."""
        if self.should_stop():
            raise RuntimeError('Run called even after should_stop requested.')
        context = SessionRunContext(SessionRunArgs(fetches, feed_dict), self._sess)
        asked = [(hook, hook.before_run(context)) for hook in self._hooks]
        wanted = {hook: request.fetches for hook, request in asked
                  if request is not None and request.fetches is not None}
        feeds = _merged_feeds(feed_dict, [request.feed_dict for _, request in asked if request and request.feed_dict])
        options = _merged_options(options, [request.options for _, request in asked if request and request.options])
        if run_metadata is None and options is not None:
            run_metadata = protos.RunMetadata()
        results, own = self._run_both(fetches, wanted, feeds, options, run_metadata)
        if self._hooks:
            options = options or protos.RunOptions()
            run_metadata = run_metadata or protos.RunMetadata()
        for hook in self._hooks:
            hook.after_run(context, SessionRunValues(results.get(hook), options, run_metadata))
        self._should_stop = self._should_stop or context.stop_requested
        return own

    def _run_both(self, fetches: Any, wanted: dict[Any, Any], feeds: Any, options: Any, run_metadata: Any) -> Any:
        """Returns what hooks, and what the program get of one run."""
        if not wanted:
            return {}, self._sess.run(fetches, feed_dict=feeds, options=options, run_metadata=run_metadata)
        found = self._sess.run({'caller': fetches, **wanted}, feed_dict=feeds, options=options,
                               run_metadata=run_metadata)
        return found, found['caller']


def _merged_feeds(own: Any, others: list[Any]) -> Any:
    """Returns all feeds; one tensor is fed by one only."""
    if not others:
        return own
    feeds: dict[Any, Any] = {}
    for other in others:
        _check_apart(feeds, other, 'Same tensor is fed by two hooks.')
        feeds.update(other)
    if own:
        _check_apart(own, feeds, 'Same tensor is fed by a SessionRunHook and user.')
        feeds.update(own)
    return feeds


def _check_apart(first: Any, second: Any, text: str) -> None:
    both = set(first) & set(second)
    if both:
        raise RuntimeError(f'{text} Conflict(s): {list(both)}')


def _merged_options(own: Any, others: list[Any]) -> Any:
    """Returns options that give everybody at least what was asked for; None when nothing was."""
    if not others:
        return own
    merged = own or protos.RunOptions()
    for other in others:
        merged.trace_level = max(merged.trace_level, other.trace_level)
        merged.timeout_in_ms = max(merged.timeout_in_ms, other.timeout_in_ms)
        merged.inter_op_thread_pool = max(merged.inter_op_thread_pool, other.inter_op_thread_pool)
        merged.output_partition_graphs = max(merged.output_partition_graphs, other.output_partition_graphs)
        merged.report_tensor_allocations_upon_oom |= other.report_tensor_allocations_upon_oom
    return merged
