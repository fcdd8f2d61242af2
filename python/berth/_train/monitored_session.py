"""monitored_session - Sessions of training: made ready, watched by hooks, made anew when a machine is lost.

    MonitoredSession > recoverable > coordinated > hooked > Session

Each is a session that adds one thing to the one inside.
"""

from __future__ import annotations

import abc
import inspect
from typing import Any

from berth._train import hooked_session, saving_hooks
from berth._train.scaffold import Scaffold
from berth._train.session_manager import SessionManager
from berth.base import logging, naming
from berth.framework import errors, scopes
from berth.framework.collections import GraphKeys
from berth.modules import coordinator, queue_runner

_LOST = (errors.AbortedError, errors.UnavailableError)  # What a machine that is gone gives.
_ADVICE = (' This error may also occur due to a gRPC failure caused by high memory or network bandwidth usage in the '
           'parameter servers. If this error occurs repeatedly, try increasing the number of parameter servers '
           'assigned to the job. Error: %s')
_ANEW = (' This may be due to a preemption in a connected worker or parameter server. The current session will be '
         'closed and a new session will be created.' + _ADVICE)
_DEFAULT: Any = object()  # An argument that was not given.


@naming.public('training.monitored_session')
class SessionCreator(metaclass=abc.ABCMeta):
    """Makes sessions."""

    @abc.abstractmethod
    def create_session(self) -> Any:
        """Returns a session that is ready."""
        raise NotImplementedError(f'create_session is not implemented for {self}.')


class _ScaffoldCreator(SessionCreator):
    """Makes sessions of a graph that a scaffold makes ready."""

    def __init__(self, scaffold: Any, master: str, config: Any) -> None:
        self._scaffold = scaffold or Scaffold()
        self._master, self._config = master, config
        self._session_manager: Any = None

    def _get_session_manager(self) -> Any:
        if self._session_manager is None:
            scaffold = self._scaffold
            self._session_manager = SessionManager(
                local_init_op=scaffold.local_init_op, local_init_feed_dict=scaffold.local_init_feed_dict,
                ready_op=scaffold.ready_op, ready_for_local_init_op=scaffold.ready_for_local_init_op,
                graph=scopes.get_default_graph())
        return self._session_manager


@naming.public('training.monitored_session')
class ChiefSessionCreator(_ScaffoldCreator):
    """Makes sessions and initialises or restores them."""

    def __init__(self, scaffold: Any = None, master: str = '', config: Any = None, checkpoint_dir: Any = None,
                 checkpoint_filename_with_path: Any = None) -> None:
        super().__init__(scaffold, master, config)
        self._checkpoint_dir, self._checkpoint_filename_with_path = checkpoint_dir, checkpoint_filename_with_path

    def create_session(self) -> Any:
        """Returns a session that is ready."""
        scaffold = self._scaffold.finalize()
        return self._get_session_manager().prepare_session(
            self._master, saver=scaffold.saver, checkpoint_dir=self._checkpoint_dir,
            checkpoint_filename_with_path=self._checkpoint_filename_with_path, config=self._config,
            init_op=scaffold.init_op, init_feed_dict=scaffold.init_feed_dict, init_fn=scaffold.init_fn)


@naming.public('training.monitored_session')
class WorkerSessionCreator(_ScaffoldCreator):
    """Makes sessions and waits until another has initialised them."""

    def __init__(self, scaffold: Any = None, master: str = '', config: Any = None,
                 max_wait_secs: float = 30 * 60) -> None:
        super().__init__(scaffold, master, config)
        self._max_wait_secs = max_wait_secs

    def create_session(self) -> Any:
        """Returns a session that is ready."""
        self._scaffold.finalize()
        return self._get_session_manager().wait_for_session(self._master, config=self._config,
                                                            max_wait_secs=self._max_wait_secs)


class _CoordinatedCreator(SessionCreator):
    """Makes sessions with threads and hooks."""

    def __init__(self, session_creator: Any, hooks: list[Any], stop_grace_period_secs: float) -> None:
        self._session_creator, self._hooks = session_creator, hooks
        self._stop_grace_period_secs = stop_grace_period_secs
        self.coord: Any = None
        self.tf_sess: Any = None

    def create_session(self) -> Any:
        """Returns a session that is ready, its threads running."""
        self.tf_sess = self._session_creator.create_session()
        self.coord = coordinator.Coordinator(clean_stop_exception_types=[])
        if scopes.get_collection(GraphKeys.QUEUE_RUNNERS):
            queue_runner.start_queue_runners(sess=self.tf_sess, coord=self.coord)
        for hook in self._hooks:
            hook.after_create_session(self.tf_sess, self.coord)
        return hooked_session.CoordinatedSession(hooked_session.HookedSession(self.tf_sess, self._hooks), self.coord,
                                                 self._stop_grace_period_secs)


class _RecoverableSession(hooked_session.WrappedSession):
    """A session that is made anew when a machine is lost."""

    def __init__(self, creator: Any) -> None:
        self._creator = creator
        super().__init__(self._made())

    def _made(self) -> Any:
        while True:
            try:
                return self._creator.create_session()
            except _LOST as failure:
                logging.info('An error was raised while a session was being created. This may be due to a preemption '
                             'of a connected worker or parameter server. A new session will be created.' + _ADVICE,
                             failure)

    def _check_stop(self) -> bool:
        try:
            return self._sess._check_stop() if self._sess else True
        except _LOST as failure:
            logging.info('An error was raised while considering whether the session is complete.' + _ANEW, failure)
            self.close()
            self._sess = self._made()
            return False
        except Exception:  # noqa: BLE001  # The next run raises it.
            return True

    def run(self, *args: Any, **kwargs: Any) -> Any:
        """Runs, again if need be."""
        return self._until_done(lambda: self._sess.run(*args, **kwargs))

    def run_step_fn(self, step_fn: Any, raw_session: Any, run_with_hooks: Any) -> Any:
        """Calls the function, again if need be."""
        return self._until_done(lambda: self._sess.run_step_fn(step_fn, raw_session, self._sess.run))

    def _until_done(self, work: Any) -> Any:
        while True:
            try:
                if not self._sess:
                    self._sess = self._made()
                return work()
            except _LOST as failure:
                logging.info('An error was raised.' + _ANEW, failure)
                self.close()
                self._sess = None


class _MonitoredSession:
    """A session with hooks."""

    StepContext = hooked_session.StepContext

    def __init__(self, session_creator: Any, hooks: Any, should_recover: bool, stop_grace_period_secs: float) -> None:
        self._graph_was_finalized = scopes.get_default_graph().finalized
        self._hooks = hooks or []
        for hook in self._hooks:
            hook.begin()
        self._coordinated_creator = _CoordinatedCreator(session_creator or ChiefSessionCreator(), self._hooks,
                                                        stop_grace_period_secs)
        creator = self._coordinated_creator
        self._sess: Any = _RecoverableSession(creator) if should_recover else creator.create_session()

    @property
    def graph(self) -> Any:
        """The graph that was launched; None after the end."""
        session = self._tf_sess()
        return None if session is None else session.graph

    def run(self, fetches: Any, feed_dict: Any = None, options: Any = None, run_metadata: Any = None) -> Any:
        """Runs what Session.run() would, with the hooks around it."""
        return self._sess.run(fetches, feed_dict=feed_dict, options=options, run_metadata=run_metadata)

    def run_step_fn(self, step_fn: Any) -> Any:
        """Calls a function with a context whose session has no hooks."""
        names = tuple(inspect.signature(step_fn).parameters)
        names = ('self', *names) if inspect.ismethod(step_fn) else names
        if names not in (('step_context',), ('self', 'step_context')):
            raise ValueError('`step_fn` may either have one `step_context` argument, or `self` and `step_context` '
                             f"arguments if it's an instance method. Got {names} instead.")
        return self._sess.run_step_fn(step_fn, self._tf_sess(), run_with_hooks=None)

    def should_stop(self) -> bool:
        """True once somebody has asked to stop."""
        return self._sess is None or self._sess.should_stop()

    def close(self) -> None:
        """Ends it, the hooks first."""
        self._close_internal()

    def __enter__(self) -> Any:
        return self

    def __exit__(self, exception_type: Any, exception_value: Any, traceback: Any) -> bool:
        if exception_type in (errors.OutOfRangeError, StopIteration):
            exception_type = None
        self._close_internal(exception_type)
        return exception_type is None

    def _close_internal(self, exception_type: Any = None) -> None:
        try:
            if not exception_type:
                for hook in self._hooks:
                    hook.end(self._tf_sess())
        finally:
            try:
                if self._sess is None:
                    raise RuntimeError('Session is already closed.')
                self._sess.close()
            finally:
                self._sess = None
                self._coordinated_creator.tf_sess = None
                self._coordinated_creator.coord = None
                if not self._graph_was_finalized:
                    scopes.get_default_graph()._unsafe_unfinalize()

    def _is_closed(self) -> bool:
        return self._tf_sess() is None

    def _tf_sess(self) -> Any:
        return self._coordinated_creator.tf_sess


@naming.public('training.monitored_session')
class MonitoredSession(_MonitoredSession):
    """A session with hooks that is made anew when a machine is lost."""

    def __init__(self, session_creator: Any = None, hooks: Any = None, stop_grace_period_secs: float = 120) -> None:
        super().__init__(session_creator, hooks, True, stop_grace_period_secs)


@naming.public('training.monitored_session')
class SingularMonitoredSession(_MonitoredSession):
    """A session with hooks that lives once."""

    def __init__(self, hooks: Any = None, scaffold: Any = None, master: str = '', config: Any = None,
                 checkpoint_dir: Any = None, stop_grace_period_secs: float = 120,
                 checkpoint_filename_with_path: Any = None) -> None:
        creator = ChiefSessionCreator(scaffold, master, config, checkpoint_dir, checkpoint_filename_with_path)
        super().__init__(creator, hooks, False, stop_grace_period_secs)

    def raw_session(self) -> Any:
        """Returns the session without hooks."""
        return self._tf_sess()


def _one_of(steps: Any, seconds: Any, usual: tuple[Any, Any]) -> tuple[Any, Any]:
    """Returns what was given of two ways to count, or the usual ones."""
    if steps is _DEFAULT and seconds is _DEFAULT:
        return usual
    return None if steps is _DEFAULT else steps, None if seconds is _DEFAULT else seconds


def _is_asked(*numbers: Any) -> bool:
    return any(number and number > 0 for number in numbers)


def MonitoredTrainingSession(  # pylint: disable=invalid-name
        master: str = '', is_chief: bool = True, checkpoint_dir: Any = None, scaffold: Any = None, hooks: Any = None,
        chief_only_hooks: Any = None, save_checkpoint_secs: Any = _DEFAULT, save_summaries_steps: Any = _DEFAULT,
        save_summaries_secs: Any = _DEFAULT, config: Any = None, stop_grace_period_secs: float = 120,
        log_step_count_steps: Any = 100, max_wait_secs: float = 7200, save_checkpoint_steps: Any = _DEFAULT,
        summary_dir: Any = None, save_graph_def: bool = True) -> MonitoredSession:
    """Makes a session for training, with the hooks that save and report."""
    summary_steps, summary_secs = _one_of(save_summaries_steps, save_summaries_secs, (100, None))
    checkpoint_steps, checkpoint_secs = _one_of(save_checkpoint_steps, save_checkpoint_secs, (None, 600))
    scaffold = scaffold or Scaffold()
    if not is_chief:
        worker = WorkerSessionCreator(scaffold, master, config, max_wait_secs)
        return MonitoredSession(worker, hooks or [], stop_grace_period_secs)
    chief = ChiefSessionCreator(scaffold, master, config, checkpoint_dir)
    everything = list(chief_only_hooks or [])
    summary_dir = summary_dir or checkpoint_dir
    if summary_dir and _is_asked(log_step_count_steps):
        everything.append(saving_hooks.StepCounterHook(output_dir=summary_dir, every_n_steps=log_step_count_steps))
    if summary_dir and _is_asked(summary_steps, summary_secs):
        everything.append(saving_hooks.SummarySaverHook(scaffold=scaffold, save_steps=summary_steps,
                                                        save_secs=summary_secs, output_dir=summary_dir))
    if checkpoint_dir and _is_asked(checkpoint_steps, checkpoint_secs):
        everything.append(saving_hooks.CheckpointSaverHook(
            checkpoint_dir, save_steps=checkpoint_steps, save_secs=checkpoint_secs, scaffold=scaffold,
            save_graph_def=save_graph_def))
    return MonitoredSession(chief, everything + list(hooks or []), stop_grace_period_secs)
