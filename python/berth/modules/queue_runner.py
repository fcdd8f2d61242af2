"""queue_runner - tf.train.QueueRunner: threads that keep queues full."""

from __future__ import annotations

import threading
import weakref
from typing import Any

from berth.base import logging, naming, protos
from berth.client.session import BaseSession
from berth.framework import errors, scopes
from berth.framework.collections import GraphKeys


@naming.public('training.queue_runner_impl')
class QueueRunner:
    """Runs operations that fill a queue, each in a thread of its own, until the queue is closed."""

    def __init__(self, queue: Any = None, enqueue_ops: Any = None, close_op: Any = None, cancel_op: Any = None,
                 queue_closed_exception_types: Any = None, queue_runner_def: Any = None,
                 import_scope: Any = None) -> None:
        if scopes.executing_eagerly():
            raise RuntimeError('QueueRunners are not supported when eager execution is enabled. Instead, please use '
                               'tf.data to get data into your model.')
        if queue_runner_def:
            if queue or enqueue_ops:
                raise ValueError('queue_runner_def and queue are mutually exclusive.')
            queue, enqueue_ops, close_op, cancel_op, queue_closed_exception_types = \
                _from_message(queue_runner_def, import_scope)
        if not queue or not enqueue_ops:
            raise ValueError('Must provide queue and enqueue_ops.')
        self._ends = _end_types(queue_closed_exception_types)
        self._queue = queue
        self._enqueue_ops = enqueue_ops
        self._close_op = queue.close() if close_op is None else close_op
        self._cancel_op = queue.close(cancel_pending_enqueues=True) if cancel_op is None else cancel_op
        self._lock = threading.Lock()  # Guards what follows.
        self._runs: weakref.WeakKeyDictionary[Any, int] = weakref.WeakKeyDictionary()
        self._raised: list[Exception] = []

    queue = property(lambda self: self._queue, doc='The queue.')
    enqueue_ops = property(lambda self: self._enqueue_ops, doc='The operations that fill it.')
    close_op = property(lambda self: self._close_op, doc='The operation that closes it when there is no more.')
    cancel_op = property(lambda self: self._cancel_op, doc='The operation that closes it at once.')
    queue_closed_exception_types = property(lambda self: self._ends, doc='The errors that end a thread well.')
    exceptions_raised = property(lambda self: self._raised, doc='What threads without a coordinator raised.')
    name = property(lambda self: self._queue.name, doc='The name of the queue.')

    def to_proto(self, export_scope: str | None = None) -> Any:
        """Returns the names of its operations as a message; None when they are not in the scope."""
        if export_scope is not None and not self._queue.name.startswith(export_scope):
            return None
        cut = 0 if export_scope is None else len(export_scope.rstrip('/')) + 1
        codes = [errors.error_code_from_exception_type(kind) for kind in self._ends]
        return protos.QueueRunnerDef(
            queue_name=self._queue.name[cut:], enqueue_op_name=[op.name[cut:] for op in self._enqueue_ops],
            close_op_name=self._close_op.name[cut:], cancel_op_name=self._cancel_op.name[cut:],
            queue_closed_exception_types=codes)

    @staticmethod
    def from_proto(queue_runner_def: Any, import_scope: str | None = None) -> QueueRunner:
        """Makes one for nodes that are in the graph."""
        return QueueRunner(queue_runner_def=queue_runner_def, import_scope=import_scope)

    def create_threads(self, sess: Any, coord: Any = None, daemon: bool = False, start: bool = False) -> list[Any]:
        """Returns a thread for each operation, and with |coord| one that closes the queue; none while some run."""
        with self._lock:
            if self._runs.get(sess, 0) > 0:
                return []
            self._runs[sess] = len(self._enqueue_ops)
            self._raised = []
        threads = [threading.Thread(target=self._run, args=(sess, op, coord),
                                    name=f'QueueRunnerThread-{self.name}-{op.name}') for op in self._enqueue_ops]
        if coord:
            threads.append(threading.Thread(target=self._close_on_stop, args=(sess, self._cancel_op, coord),
                                            name=f'QueueRunnerThread-{self.name}-close_on_stop'))
        for thread in threads:
            if coord:
                coord.register_thread(thread)
            if daemon:
                thread.daemon = True
            if start:
                thread.start()
        return threads

    def _run(self, sess: Any, enqueue_op: Any, coord: Any = None) -> None:
        """Runs |enqueue_op| until there is no more to put in, or |coord| says so."""
        try:
            enqueue = self._enqueuer(sess, enqueue_op)
            while not (coord and coord.should_stop()):
                enqueue()
        except self._ends:
            self._end(sess, True)
        except Exception as error:
            self._end(sess, False)
            if coord:
                coord.request_stop(error)
                return
            logging.error('Exception in QueueRunner: %s', str(error))
            with self._lock:
                self._raised.append(error)
            raise
        else:
            self._end(sess, False)

    def _enqueuer(self, sess: Any, enqueue_op: Any) -> Any:
        """Returns a function that runs |enqueue_op| once."""
        return sess.make_callable(enqueue_op)

    def _end(self, sess: Any, is_done: bool) -> None:
        """Counts a thread off; the last one that has no more closes the queue."""
        with self._lock:
            self._runs[sess] -= 1
            if is_done and self._runs[sess] == 0:
                _try_run(sess, self._close_op)

    def _close_on_stop(self, sess: Any, cancel_op: Any, coord: Any) -> None:
        coord.wait_for_stop()
        _try_run(sess, cancel_op)


def _from_message(message: Any, import_scope: str | None) -> tuple[Any, ...]:
    """Returns the queue and the operations that a QueueRunnerDef names."""
    graph = scopes.get_default_graph()
    scope = import_scope.rstrip('/') + '/' if import_scope else ''
    ends = tuple(errors.exception_type_from_error_code(code) for code in message.queue_closed_exception_types)
    return (graph.as_graph_element(scope + message.queue_name),
            [graph.as_graph_element(scope + name) for name in message.enqueue_op_name],
            graph.as_graph_element(scope + message.close_op_name),
            graph.as_graph_element(scope + message.cancel_op_name), ends or None)


def _end_types(types: Any) -> tuple[Any, ...]:
    """Returns the errors that tell that a queue is closed."""
    if types is None:
        return (errors.OutOfRangeError,)
    if not isinstance(types, tuple) or not types or not all(issubclass(t, errors.OpError) for t in types):
        raise TypeError('queue_closed_exception_types, when provided, must be a tuple of tf.error types, but saw: '
                        f'{types}')
    return types


def _try_run(sess: Any, op: Any) -> None:
    """Closes a queue that may be closed already, in a session that may be, too."""
    try:
        sess.run(op)
    except Exception as error:
        logging.vlog(1, 'Ignored exception: %s', str(error))


def add_queue_runner(qr: QueueRunner, collection: Any = GraphKeys.QUEUE_RUNNERS) -> None:
    """Keeps |qr| for start_queue_runners()."""
    scopes.add_to_collection(collection, qr)


def start_queue_runners(sess: Any = None, coord: Any = None, daemon: bool = True, start: bool = True,
                        collection: Any = GraphKeys.QUEUE_RUNNERS) -> list[Any]:
    """Starts the threads of all queue runners of the graph, and returns them."""
    if scopes.executing_eagerly():
        raise RuntimeError('Queues are not compatible with eager execution.')
    session = scopes.get_default_session() if sess is None else sess
    if session is None:
        raise ValueError('Cannot start queue runners: No default session is registered. Use `with sess.as_default()` '
                         'or pass an explicit session to tf.start_queue_runners(sess=sess)')
    if not isinstance(session, BaseSession):
        raise TypeError(f'sess must be a `tf.Session` object. Given class: {session.__class__}')
    runners = scopes.get_collection(collection)
    if not runners:
        logging.warning('`tf.train.start_queue_runners()` was called when no queue runners were defined. You can '
                        'safely remove the call to this deprecated function.')
    with session.graph.as_default():
        return [thread for runner in scopes.get_collection(collection)
                for thread in runner.create_threads(session, coord=coord, daemon=daemon, start=start)]
