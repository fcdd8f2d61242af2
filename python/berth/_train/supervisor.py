"""supervisor - tf.train.Supervisor: what training was watched over by before MonitoredTrainingSession."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator
from typing import Any

from berth._train import global_step as steps
from berth._train import parts
from berth._train.saver import Saver
from berth._train.session_manager import SessionManager
from berth.base import logging, naming
from berth.framework import dtypes, errors, scopes
from berth.framework.collections import GraphKeys
from berth.modules import coordinator
from berth.ops import lookup_ops, order_ops
from berth.variables import sets

_DEFAULT = 0  # An argument that was not given, as TensorFlow writes it.


@naming.public('training.supervisor')
class Supervisor:
    """Makes sessions ready, and saves and reports in threads of its own."""

    USE_DEFAULT = _DEFAULT

    def __init__(self, graph: Any = None, ready_op: Any = _DEFAULT, ready_for_local_init_op: Any = _DEFAULT,
                 is_chief: bool = True, init_op: Any = _DEFAULT, init_feed_dict: Any = None,
                 local_init_op: Any = _DEFAULT, logdir: str | None = None, summary_op: Any = _DEFAULT,
                 saver: Any = _DEFAULT, global_step: Any = _DEFAULT, save_summaries_secs: Any = 120,
                 save_model_secs: Any = 600, recovery_wait_secs: float = 30, stop_grace_secs: float = 120,
                 checkpoint_basename: str = 'model.ckpt', session_manager: Any = None, summary_writer: Any = _DEFAULT,
                 init_fn: Any = None, local_init_run_options: Any = None) -> None:
        if scopes.executing_eagerly():
            raise RuntimeError('Supervisors are incompatible with eager execution.')
        self._graph = scopes.get_default_graph() if graph is None else graph
        with self._graph.as_default():
            self._ready_op = _found(ready_op, GraphKeys.READY_OP, sets.report_uninitialized_variables)
            self._ready_for_local_init_op = _found(ready_for_local_init_op, GraphKeys.READY_FOR_LOCAL_INIT_OP)
            self._init_op = _found(init_op, GraphKeys.INIT_OP, sets.global_variables_initializer)
            self._local_init_op = _found(local_init_op, GraphKeys.LOCAL_INIT_OP, _default_local_init_op)
            self._saver = _found(saver, GraphKeys.SAVERS, _default_saver)
            self._summary_op = _found(summary_op, GraphKeys.SUMMARY_OP, parts.merge_all)
            self._global_step = _found(global_step, GraphKeys.GLOBAL_STEP, _default_global_step)
        self._init_feed_dict, self._init_fn = init_feed_dict, init_fn
        self._is_chief, self._coord, self._stop_grace_secs = is_chief, coordinator.Coordinator(), stop_grace_secs
        self._logdir = logdir if is_chief else None
        self._save_summaries_secs = save_summaries_secs if is_chief else None
        self._save_model_secs = save_model_secs if is_chief else None
        self._save_path = os.path.join(logdir, checkpoint_basename) if is_chief and logdir else None
        self._summary_writer = self._writer(summary_writer) if is_chief else None
        self._graph_added_to_summary = False
        self._session_manager = session_manager or SessionManager(
            local_init_op=self._local_init_op, ready_op=self._ready_op,
            ready_for_local_init_op=self._ready_for_local_init_op, graph=self._graph,
            recovery_wait_secs=recovery_wait_secs, local_init_run_options=local_init_run_options)
        self._verify_setup()
        self._graph.finalize()

    is_chief = property(lambda self: self._is_chief, doc='True for the one that initialises and saves.')
    session_manager = property(lambda self: self._session_manager, doc='What makes sessions.')
    coord = property(lambda self: self._coord, doc='What ends the threads.')
    init_op = property(lambda self: self._init_op, doc='What gives variables their initial values.')
    init_feed_dict = property(lambda self: self._init_feed_dict, doc='What is fed to it.')
    ready_op = property(lambda self: self._ready_op, doc='The names of what is not ready.')
    ready_for_local_init_op = property(lambda self: self._ready_for_local_init_op,
                                       doc='The names of what is missing before local variables can be initialised.')
    summary_writer = property(lambda self: self._summary_writer, doc='What writes events.')
    summary_op = property(lambda self: self._summary_op, doc='All summaries.')
    save_summaries_secs = property(lambda self: self._save_summaries_secs, doc='Seconds between summaries.')
    global_step = property(lambda self: self._global_step, doc='The counter of steps.')
    saver = property(lambda self: self._saver, doc='What saves and restores variables.')
    save_model_secs = property(lambda self: self._save_model_secs, doc='Seconds between checkpoints.')
    save_path = property(lambda self: self._save_path, doc='Where checkpoints go.')

    def _writer(self, given: Any) -> Any:
        return parts.writer_of(self._logdir) if given is _DEFAULT else given

    def _verify_setup(self) -> None:
        if self._is_chief:
            return
        for op in self._graph.get_operations():
            if op.type in ('Variable', 'VariableV2') and not op.device:
                raise ValueError(f'When using replicas, all Variables must have their device set: {op}')

    # ---- Sessions ----

    def prepare_or_wait_for_session(self, master: str = '', config: Any = None, wait_for_checkpoint: bool = False,
                                    max_wait_secs: float = 7200, start_standard_services: bool = True) -> Any:
        """Returns a session that is ready, its threads running."""
        self._coord.clear_stop()
        if self._summary_writer:
            self._summary_writer.reopen()
        if self._is_chief:
            session = self._session_manager.prepare_session(
                master, init_op=self._init_op, saver=self._saver, checkpoint_dir=self._logdir,
                wait_for_checkpoint=wait_for_checkpoint, max_wait_secs=max_wait_secs, config=config,
                init_feed_dict=self._init_feed_dict, init_fn=self._init_fn)
            self._write_graph()
            if start_standard_services:
                logging.info('Starting standard services.')
                self.start_standard_services(session)
        else:
            session = self._session_manager.wait_for_session(master, config=config, max_wait_secs=max_wait_secs)
        if start_standard_services:
            logging.info('Starting queue runners.')
            self.start_queue_runners(session)
        return session

    @contextlib.contextmanager
    def managed_session(self, master: str = '', config: Any = None, start_standard_services: bool = True,
                        close_summary_writer: bool = True) -> Iterator[Any]:
        """A session for a with block; what is raised inside ends the threads, too."""
        session = None
        try:
            session = self.prepare_or_wait_for_session(master, config, start_standard_services=start_standard_services)
            yield session
        except Exception as failure:  # noqa: BLE001  # stop() raises it.
            self.request_stop(failure)
        finally:
            try:
                self.stop(close_summary_writer=close_summary_writer)
            finally:
                if session is not None:
                    session.close()

    def _write_graph(self) -> None:
        if self._logdir:
            steps.write_graph(self._graph.as_graph_def(add_shapes=True), self._logdir, 'graph.pbtxt')
        if self._summary_writer and not self._graph_added_to_summary:
            parts.add_graphs(self._summary_writer, self._graph, self._saver)
            self._graph_added_to_summary = True

    # ---- Threads ----

    def start_standard_services(self, sess: Any) -> Any:
        """Starts the threads that save and report."""
        if not self._is_chief:
            raise RuntimeError('Only chief supervisor can start standard services. Because only chief supervisors can '
                               'write events.')
        if not self._logdir:
            logging.warning("Standard services need a 'logdir' passed to the SessionManager")
            return None
        writer, counter = self._summary_writer, self._global_step
        if counter is not None and writer:
            parts.log_session(writer, 'START', steps.global_step(sess, counter))
        threads: list[Any] = []
        if self._save_summaries_secs and writer:
            if self._summary_op is not None:
                threads.append(SVSummaryThread(self, sess))
            if counter is not None:
                threads.append(SVStepCounterThread(self, sess))
        if self._saver and self._save_model_secs:
            threads.append(SVTimerCheckpointThread(self, sess))
        for thread in threads:
            thread.start()
        return threads

    def start_queue_runners(self, sess: Any, queue_runners: Any = None) -> list[Any]:
        """Starts the threads that fill queues."""
        if scopes.executing_eagerly():
            raise RuntimeError('Queues are not compatible with eager execution.')
        if queue_runners is None:
            queue_runners = self._graph.get_collection(GraphKeys.QUEUE_RUNNERS)
        return [thread for runner in queue_runners
                for thread in runner.create_threads(sess, coord=self._coord, daemon=True, start=True)]

    def loop(self, timer_interval_secs: Any, target: Any, args: Any = None, kwargs: Any = None) -> Any:
        """Starts a thread that calls a function every so often."""
        return coordinator.LooperThread.loop(self._coord, timer_interval_secs, target, args, kwargs)

    def stop(self, threads: Any = None, close_summary_writer: bool = True, ignore_live_threads: bool = False) -> None:
        """Ends the threads."""
        self._coord.request_stop()
        try:
            self._coord.join(threads, stop_grace_period_secs=self._stop_grace_secs,
                             ignore_live_threads=ignore_live_threads)
        finally:
            if close_summary_writer and self._summary_writer:
                parts.log_session(self._summary_writer, 'STOP')
                self._summary_writer.close()
                self._graph_added_to_summary = False

    def request_stop(self, ex: Any = None) -> None:
        """Asks the threads to stop."""
        self._coord.request_stop(ex=ex)

    def should_stop(self) -> bool:
        """True once somebody has asked to stop."""
        return self._coord.should_stop()

    def stop_on_exception(self) -> Any:
        """A with block whose exceptions end the threads."""
        return self._coord.stop_on_exception()

    def wait_for_stop(self) -> None:
        """Waits until somebody asks to stop."""
        self._coord.wait_for_stop()

    def summary_computed(self, sess: Any, summary: Any, global_step: Any = None) -> None:
        """Writes a summary."""
        if not self._summary_writer:
            raise RuntimeError('Writing a summary requires a summary writer.')
        if global_step is None and self._global_step is not None:
            global_step = steps.global_step(sess, self._global_step)
        self._summary_writer.add_summary(summary, global_step)

    PrepareSession = prepare_or_wait_for_session
    StartQueueRunners = start_queue_runners
    StartStandardServices = start_standard_services
    Stop = stop
    RequestStop = request_stop
    Loop = loop
    ShouldStop = should_stop
    StopOnException = stop_on_exception
    WaitForStop = wait_for_stop
    SummaryComputed = summary_computed


def _found(given: Any, key: str, make: Any = None) -> Any:
    """Returns what was given, or the first of a collection, or what |make| makes, which is put there."""
    if given is not _DEFAULT:
        return given
    known = scopes.get_collection(key)
    if len(known) > 1:
        logging.info('Found %d %s operations. Returning the first one.', len(known), key)
    if known:
        return known[0]
    made = None if make is None else make()
    if made is not None:
        scopes.add_to_collection(key, made)
    return made


def _default_local_init_op() -> Any:
    return order_ops.group(sets.local_variables_initializer(), lookup_ops.tables_initializer())


def _default_saver() -> Any:
    return Saver() if sets.global_variables() else None


def _default_global_step() -> Any:
    try:
        found = scopes.get_default_graph().get_tensor_by_name('global_step:0')
    except KeyError:
        return None
    if found.dtype.base_dtype in (dtypes.int32, dtypes.int64):
        return found
    logging.warning("Found 'global_step' is not an int type: %s", found.dtype)
    return None


class SVSummaryThread(coordinator.LooperThread):
    """Writes summaries."""

    def __init__(self, sv: Supervisor, sess: Any) -> None:
        super().__init__(sv.coord, sv.save_summaries_secs)
        self._sv, self._sess = sv, sess

    def run_loop(self) -> None:
        """Writes once."""
        step = None
        if self._sv.global_step is not None:
            summaries, step = self._sess.run([self._sv.summary_op, self._sv.global_step])
        else:
            summaries = self._sess.run(self._sv.summary_op)
        if self._sv.summary_writer:
            logging.info('Recording summary at step %s.', step)
            self._sv.summary_writer.add_summary(summaries, step)


class SVStepCounterThread(coordinator.LooperThread):
    """Reports how many steps there are in a second."""

    def __init__(self, sv: Supervisor, sess: Any, step_counter: Any = None) -> None:
        super().__init__(sv.coord, sv.save_summaries_secs)
        self._sv, self._sess = sv, sess
        self._step_counter = sv.global_step if step_counter is None else step_counter
        self._summary_tag = f'{self._step_counter.op.name}/sec'
        self._last_time, self._last_step = 0.0, 0

    def start_loop(self) -> None:
        """Notes where it begins."""
        self._last_time = time.time()
        self._last_step = steps.global_step(self._sess, self._step_counter)

    def run_loop(self) -> None:
        """Reports once."""
        step, now = steps.global_step(self._sess, self._step_counter), time.time()
        seconds = now - self._last_time
        rate = (step - self._last_step) / seconds if seconds > 0.0 else float('inf')
        self._last_step, self._last_time = step, now
        parts.add_number(self._sv.summary_writer, self._summary_tag, rate, step)
        logging.log_first_n(logging.INFO, '%s: %g', 10, self._summary_tag, rate)


class SVTimerCheckpointThread(coordinator.LooperThread):
    """Saves checkpoints."""

    def __init__(self, sv: Supervisor, sess: Any) -> None:
        super().__init__(sv.coord, sv.save_model_secs)
        self._sv, self._sess = sv, sess

    def run_loop(self) -> None:
        """Saves once."""
        sv = self._sv
        logging.info('Saving checkpoint to path %s', sv.save_path)
        sv.saver.save(self._sess, sv.save_path, global_step=sv.global_step)
        if sv.summary_writer and sv.global_step is not None:
            step = steps.global_step(self._sess, sv.global_step)
            parts.log_session(sv.summary_writer, 'CHECKPOINT', step, sv.save_path)


def basic_train_loop(supervisor: Any, train_step_fn: Any, args: Any = None, kwargs: Any = None,
                     master: str = '') -> None:
    """Calls a function with a session until somebody asks to stop, anew when a machine is lost."""
    is_over = False
    while not is_over:
        is_over = True
        try:
            with supervisor.managed_session(master) as session:
                while not supervisor.should_stop():
                    train_step_fn(session, *(args or ()), **(kwargs or {}))
        except errors.AbortedError:
            is_over = False
