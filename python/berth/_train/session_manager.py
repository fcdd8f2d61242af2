"""session_manager - tf.train.SessionManager: sessions whose variables have values, from a checkpoint or anew."""

from __future__ import annotations

import time
from typing import Any

from berth._train import parts
from berth.base import logging, naming
from berth.client.session import Session
from berth.framework import errors, scopes


@naming.public('training.session_manager')
class SessionManager:
    """Makes sessions and gets them ready."""

    def __init__(self, local_init_op: Any = None, ready_op: Any = None, ready_for_local_init_op: Any = None,
                 graph: Any = None, recovery_wait_secs: float = 30, local_init_run_options: Any = None,
                 local_init_feed_dict: Any = None) -> None:
        self._local_init_op, self._ready_op = local_init_op, ready_op
        self._ready_for_local_init_op = ready_for_local_init_op
        self._graph = scopes.get_default_graph() if graph is None else graph
        self._recovery_wait_secs = recovery_wait_secs
        self._local_init_run_options, self._local_init_feed_dict = local_init_run_options, local_init_feed_dict
        if ready_for_local_init_op is not None and local_init_op is None:
            raise ValueError('If you pass a ready_for_local_init_op you must also pass a local_init_op , '
                             f'ready_for_local_init_op [{ready_for_local_init_op}]')

    # ---- Sessions ----

    def prepare_session(self, master: str, init_op: Any = None, saver: Any = None, checkpoint_dir: Any = None,
                        checkpoint_filename_with_path: Any = None, wait_for_checkpoint: bool = False,
                        max_wait_secs: float = 7200, config: Any = None, init_feed_dict: Any = None,
                        init_fn: Any = None) -> Any:
        """Returns a session that is ready: restored from a checkpoint, or initialised."""
        session, is_restored = self._restore_checkpoint(master, saver, checkpoint_dir, checkpoint_filename_with_path,
                                                        wait_for_checkpoint, max_wait_secs, config)
        if not is_restored:
            if init_op is None and not init_fn and self._local_init_op is None:
                raise RuntimeError('Model is not initialized and no init_op or init_fn or local_init_op was given')
            if init_op is not None:
                session.run(init_op, feed_dict=init_feed_dict)
            if init_fn:
                init_fn(session)
        missing = self._try_run_local_init_op(session)
        if missing is not None:
            raise RuntimeError('Init operations did not make model ready for local_init.  Init op: '
                               f'{_name(init_op)}, init fn: {init_fn}, error: {missing}')
        missing = self._model_ready(session)
        if missing is not None:
            raise RuntimeError(f'Init operations did not make model ready.  Init op: {_name(init_op)}, init fn: '
                               f'{init_fn}, local_init_op: {self._local_init_op}, error: {missing}')
        return session

    def recover_session(self, master: str, saver: Any = None, checkpoint_dir: Any = None,
                        checkpoint_filename_with_path: Any = None, wait_for_checkpoint: bool = False,
                        max_wait_secs: float = 7200, config: Any = None) -> tuple[Any, bool]:
        """Returns a session, and whether a checkpoint made it ready."""
        session, is_restored = self._restore_checkpoint(master, saver, checkpoint_dir, checkpoint_filename_with_path,
                                                        wait_for_checkpoint, max_wait_secs, config)
        missing = self._try_run_local_init_op(session)
        if not is_restored:
            return session, False
        file = checkpoint_dir or checkpoint_filename_with_path
        if missing is not None:
            logging.info('Restoring model from %s did not make model ready for local init: %s', file, missing)
            return session, False
        missing = self._model_ready(session)
        if missing is not None:
            logging.info('Restoring model from %s did not make model ready: %s', file, missing)
            return session, False
        logging.info('Restored model from %s', file)
        return session, True

    def wait_for_session(self, master: str, config: Any = None, max_wait_secs: Any = float('inf')) -> Any:
        """Returns a session that somebody else has made ready."""
        limit = float('inf') if max_wait_secs is None else max_wait_secs
        begin = time.time()
        while True:
            session = Session(master, graph=self._graph, config=config)
            missing, missing_locally = None, self._try_run_local_init_op(session)
            if missing_locally is None:
                missing = self._model_ready(session)
                if missing is None:
                    return session
            _close(session)
            if max(0, limit - (time.time() - begin)) - self._recovery_wait_secs < 0:
                raise errors.DeadlineExceededError(None, None,
                                                   f'Session was not ready after waiting {int(limit)} secs.')
            logging.info('Waiting for model to be ready.  Ready_for_local_init_op:  %s, ready: %s', missing_locally,
                         missing)
            time.sleep(self._recovery_wait_secs)

    def _restore_checkpoint(self, master: str, saver: Any, folder: Any, file: Any, waits: bool, limit: float,
                            config: Any) -> tuple[Any, bool]:
        """Returns a new session, and whether a checkpoint was restored into it."""
        session = Session(master, graph=self._graph, config=config)
        if folder and file:
            raise ValueError('Can not provide both checkpoint_dir and checkpoint_filename_with_path.')
        if not saver or not (folder or file):
            return session, False
        if file:
            _restore(session, saver, file)
            return session, True
        state = self._state(folder, waits, limit)
        if state is None:
            return session, False
        _restore(session, saver, state.model_checkpoint_path)
        saver.recover_last_checkpoints(state.all_model_checkpoint_paths)
        return session, True

    def _state(self, folder: str, waits: bool, limit: float) -> Any:
        """Returns what is known of the checkpoints in |folder|, once there is one; None without."""
        waited: float = 0
        while True:
            state = parts.checkpoint_state(folder)
            if state and state.model_checkpoint_path:
                return state
            if not waits or waited >= limit:
                return None
            logging.info('Waiting for checkpoint to be available.')
            time.sleep(self._recovery_wait_secs)
            waited += self._recovery_wait_secs

    # ---- Readiness: each gives None, or a text that says what is missing ----

    def _model_ready(self, session: Any) -> Any:
        return what_is_missing(self._ready_op, session, 'Model not ready')

    def _model_ready_for_local_init(self, session: Any) -> Any:
        return what_is_missing(self._ready_for_local_init_op, session, 'Model not ready for local init')

    def _try_run_local_init_op(self, session: Any) -> Any:
        if self._local_init_op is None:
            return None
        missing = self._model_ready_for_local_init(session)
        if missing is None:
            logging.info('Running local_init_op.')
            session.run(self._local_init_op, feed_dict=self._local_init_feed_dict, options=self._local_init_run_options)
            logging.info('Done running local_init_op.')
        return missing


def what_is_missing(op: Any, session: Any, text: str) -> Any:
    """Returns what |op| finds to be missing, as a text that begins with |text| in the log; None when that is nothing."""
    if op is None:
        return None
    try:
        names = session.run(op)
    except errors.FailedPreconditionError as failure:
        if 'uninitialized' not in str(failure):
            logging.warning('%s : error [%s]', text, str(failure))
            raise
        return str(failure)
    if names is None or names.dtype == 'int32' or names.size == 0:
        return None
    return 'Variables not initialized: ' + ', '.join(name.decode('utf-8') for name in names)


def _restore(session: Any, saver: Any, path: str) -> None:
    initializers = scopes.get_collection('saved_model_initializers')
    if initializers:
        session.run(initializers)
    saver.restore(session, path)


def _name(item: Any) -> str:
    return 'None' if item is None else getattr(item, 'name', f'<no name for {type(item)}>')


def _close(session: Any) -> None:
    try:
        session.close()
    except Exception:  # noqa: BLE001  # It was of no use anyway.
        pass
