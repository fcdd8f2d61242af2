"""hooks - Hooks that look at runs: they log, stop, wait, feed and check.

Those that write files are in `saving_hooks`.
"""

from __future__ import annotations

import time
from typing import Any

from berth._train import global_step as steps
from berth._train.run_hooks import SessionRunArgs, SessionRunHook
from berth.base import logging, naming
from berth.framework import errors, scopes

_WAIT_SECONDS = 0.5  # Between looks at a counter that others move.


@naming.public('training.basic_session_run_hooks')
class SecondOrStepTimer:
    """Says when something is due: every so many seconds, or steps."""

    def __init__(self, every_secs: float | None = None, every_steps: int | None = None) -> None:
        self.reset()
        self._every_secs, self._every_steps = every_secs, every_steps
        if every_secs is None and every_steps is None:
            raise ValueError('Either every_secs or every_steps should be provided.')
        if every_secs is not None and every_steps is not None:
            raise ValueError('Can not provide both every_secs and every_steps.')

    def reset(self) -> None:
        """Forgets when it was due last."""
        self._last_triggered_step: Any = None
        self._last_triggered_time: Any = None

    def should_trigger_for_step(self, step: int) -> bool:
        """True when it is due at |step|."""
        if self._last_triggered_step is None:
            return True
        if self._last_triggered_step == step:
            return False
        if self._every_secs is not None and time.time() >= self._last_triggered_time + self._every_secs:
            return True
        return self._every_steps is not None and step >= self._last_triggered_step + self._every_steps

    def update_last_triggered_step(self, step: int) -> tuple[Any, Any]:
        """Notes that it was done at |step|; returns the seconds and the steps since the last time."""
        now = time.time()
        elapsed = (None, None)
        if self._last_triggered_time is not None:
            elapsed = now - self._last_triggered_time, step - self._last_triggered_step
        self._last_triggered_time, self._last_triggered_step = now, step
        return elapsed

    def last_triggered_step(self) -> Any:
        """Returns the step at which it was done last, or None."""
        return self._last_triggered_step


class NeverTriggerTimer:
    """Is never due."""

    def reset(self) -> None:
        """Does nothing."""

    def should_trigger_for_step(self, step: int) -> bool:
        """False."""
        return False

    def update_last_triggered_step(self, step: int) -> tuple[Any, Any]:
        """Returns that nothing is known."""
        return None, None

    def last_triggered_step(self) -> Any:
        """None."""


def counter_read(hook: str) -> Any:
    """Returns the tensor of the counter of steps, which |hook| needs."""
    found = steps.get_or_create_global_step_read()
    if found is None:
        raise RuntimeError(f'Global step should be created to use {hook}.')
    return found


@naming.public('training.basic_session_run_hooks')
class LoggingTensorHook(SessionRunHook):
    """Logs values of tensors."""

    def __init__(self, tensors: Any, every_n_iter: int | None = None, every_n_secs: float | None = None,
                 at_end: bool = False, formatter: Any = None) -> None:
        only_at_end = at_end and every_n_iter is None and every_n_secs is None
        if not only_at_end and (every_n_iter is None) == (every_n_secs is None):
            raise ValueError('either at_end and/or exactly one of every_n_iter and every_n_secs must be provided.')
        if every_n_iter is not None and every_n_iter <= 0:
            raise ValueError(f'invalid every_n_iter={every_n_iter}.')
        self._tag_order = sorted(tensors) if isinstance(tensors, dict) else tensors
        self._tensors = tensors if isinstance(tensors, dict) else {item: item for item in tensors}
        self._formatter = formatter
        self._timer: Any = NeverTriggerTimer() if only_at_end else SecondOrStepTimer(every_n_secs, every_n_iter)
        self._log_at_end = at_end

    def begin(self) -> None:
        """Finds the tensors."""
        self._timer.reset()
        self._iter_count = 0
        self._current_tensors = {tag: _element(tensor) for tag, tensor in self._tensors.items()}

    def before_run(self, run_context: Any) -> Any:
        """Asks for the tensors when they are due."""
        self._should_trigger = self._timer.should_trigger_for_step(self._iter_count)
        return SessionRunArgs(self._current_tensors) if self._should_trigger else None

    def after_run(self, run_context: Any, run_values: Any) -> None:
        """Logs them."""
        if self._should_trigger:
            self._log_tensors(run_values.results)
        self._iter_count += 1

    def end(self, session: Any) -> None:
        """Logs them for the last time, if asked to."""
        if self._log_at_end:
            self._log_tensors(session.run(self._current_tensors))

    def _log_tensors(self, tensor_values: dict[Any, Any]) -> None:
        import numpy

        seconds, _ = self._timer.update_last_triggered_step(self._iter_count)
        with numpy.printoptions(suppress=True):
            if self._formatter:
                logging.info(self._formatter(tensor_values))
                return
            text = ', '.join(f'{tag} = {tensor_values[tag]!s}' for tag in self._tag_order)
            logging.info('%s', text) if seconds is None else logging.info('%s (%.3f sec)', text, seconds)


def _element(item: Any) -> Any:
    """Returns what |item|, a name or a tensor, is in the default graph."""
    graph = scopes.get_default_graph()
    if not isinstance(item, str):
        if getattr(item, 'graph', None) is not graph:
            raise ValueError(f'Passed {item} should have graph attribute that is equal to current graph {graph}.')
        return item
    if ':' in item:
        return graph.as_graph_element(item)
    found = graph.as_graph_element(item + ':0')
    try:
        graph.as_graph_element(item + ':1')
    except (KeyError, ValueError):
        return found
    raise ValueError(f'Name {item} is ambiguous, as this `Operation` has multiple outputs (at least 2).')


@naming.public('training.basic_session_run_hooks')
class StopAtStepHook(SessionRunHook):
    """Stops after a number of steps, or at a step."""

    def __init__(self, num_steps: int | None = None, last_step: int | None = None) -> None:
        if num_steps is None and last_step is None:
            raise ValueError('One of num_steps or last_step must be specified.')
        if num_steps is not None and last_step is not None:
            raise ValueError('Only one of num_steps or last_step can be specified.')
        self._num_steps, self._last_step = num_steps, last_step

    def begin(self) -> None:
        """Finds the counter."""
        self._global_step_tensor = counter_read('StopAtStepHook')

    def after_create_session(self, session: Any, coord: Any) -> None:
        """Settles the last step."""
        if self._last_step is None:
            self._last_step = session.run(self._global_step_tensor) + self._num_steps

    def before_run(self, run_context: Any) -> Any:
        """Asks for the counter."""
        return SessionRunArgs(self._global_step_tensor)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        """Stops at the last step: the counter was read before it moved, so it is read again near the end."""
        if run_values.results + 1 >= self._last_step:
            if run_context.session.run(self._global_step_tensor) >= self._last_step:
                run_context.request_stop()


@naming.public('training.basic_session_run_hooks')
class NanLossDuringTrainingError(RuntimeError):
    """A loss became no number."""

    def __str__(self) -> str:
        return 'NaN loss during training.'


@naming.public('training.basic_session_run_hooks')
class NanTensorHook(SessionRunHook):
    """Stops when a loss becomes no number."""

    def __init__(self, loss_tensor: Any, fail_on_nan_loss: bool = True) -> None:
        self._loss_tensor, self._fail_on_nan_loss = loss_tensor, fail_on_nan_loss

    def before_run(self, run_context: Any) -> Any:
        """Asks for the loss."""
        return SessionRunArgs(self._loss_tensor)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        """Raises, or asks to stop."""
        import numpy

        if not numpy.isnan(run_values.results):
            return
        text = 'Model diverged with loss = NaN.'
        if self._fail_on_nan_loss:
            logging.error(text)
            raise NanLossDuringTrainingError
        logging.warning(text)
        run_context.request_stop()


@naming.public('training.basic_session_run_hooks')
class GlobalStepWaiterHook(SessionRunHook):
    """Waits with the first run until others have come to a step."""

    def __init__(self, wait_until_step: int) -> None:
        self._wait_until_step = wait_until_step

    def begin(self) -> None:
        """Finds the counter."""
        self._worker_is_started = False
        self._global_step_tensor = counter_read('_GlobalStepWaiterHook')

    def before_run(self, run_context: Any) -> Any:
        """Waits, once."""
        if not self._worker_is_started and self._wait_until_step > 0:
            self._wait(run_context.session)
        self._worker_is_started = True
        return None

    def _wait(self, session: Any) -> None:
        text = 'Waiting for global step %d before starting training.'
        logging.info(text, self._wait_until_step)
        told = 0
        while True:
            step = session.run(self._global_step_tensor)
            if step >= self._wait_until_step:
                return
            if step - told > 1000:
                logging.info(text + ' Current step is %d.', self._wait_until_step, step)
                told = step
            time.sleep(_WAIT_SECONDS)


_FINAL_TEXT = (
    'An OutOfRangeError or StopIteration exception is raised by the code in FinalOpsHook. This typically means '
    'the Ops running by the FinalOpsHook have a dependency back to some input source, which should not happen. '
    'For example, for metrics in tf.estimator.Estimator, all metrics functions return two Ops: `value_op` and  '
    '`update_op`. Estimator.evaluate calls the `update_op` for each batch of the data in input source and, once '
    'it is exhausted, it call the `value_op` to get the metric values. The `value_op` here should have '
    'dependency back to variables reading only, rather than reading another batch from input. Otherwise, the '
    '`value_op`, executed by `FinalOpsHook`, triggers another data reading, which ends '
    'OutOfRangeError/StopIteration. Please fix that.')


@naming.public('training.basic_session_run_hooks')
class FinalOpsHook(SessionRunHook):
    """Runs something at the end."""

    def __init__(self, final_ops: Any, final_ops_feed_dict: Any = None) -> None:
        self._final_ops, self._final_ops_feed_dict = final_ops, final_ops_feed_dict
        self._final_ops_values: Any = None

    @property
    def final_ops_values(self) -> Any:
        """What it gave, or None."""
        return self._final_ops_values

    def end(self, session: Any) -> None:
        """Runs it."""
        if self._final_ops is None:
            return
        try:
            self._final_ops_values = session.run(self._final_ops, feed_dict=self._final_ops_feed_dict)
        except (errors.OutOfRangeError, StopIteration):
            logging.warning(_FINAL_TEXT)
            raise


@naming.public('training.basic_session_run_hooks')
class FeedFnHook(SessionRunHook):
    """Feeds what a function gives."""

    def __init__(self, feed_fn: Any) -> None:
        self.feed_fn = feed_fn

    def before_run(self, run_context: Any) -> Any:
        """Feeds."""
        return SessionRunArgs(fetches=None, feed_dict=self.feed_fn())
