"""saving_hooks - Hooks that write files: checkpoints, summaries, how fast steps are, profiles."""

from __future__ import annotations

import os
from typing import Any

from berth._train import global_step as steps
from berth._train import parts
from berth._train.hooks import SecondOrStepTimer, counter_read
from berth._train.run_hooks import SessionRunArgs, SessionRunHook
from berth.base import logging, naming, protos
from berth.framework import scopes


@naming.public('training.basic_session_run_hooks')
class CheckpointSaverListener:
    """Is called around the saving of checkpoints; programs derive their own."""

    def begin(self) -> None:
        """Is called at the beginning."""

    def before_save(self, session: Any, global_step_value: int) -> None:
        """Is called before a checkpoint is saved."""

    def after_save(self, session: Any, global_step_value: int) -> Any:
        """Is called after a checkpoint is saved; returns True to stop training."""

    def end(self, session: Any, global_step_value: int) -> None:
        """Is called at the end."""


@naming.public('training.basic_session_run_hooks')
class CheckpointSaverHook(SessionRunHook):
    """Saves checkpoints."""

    def __init__(self, checkpoint_dir: str, save_secs: float | None = None, save_steps: int | None = None,
                 saver: Any = None, checkpoint_basename: str = 'model.ckpt', scaffold: Any = None,
                 listeners: Any = None, save_graph_def: bool = True) -> None:
        logging.info('Create CheckpointSaverHook.')
        if saver is not None and scaffold is not None:
            raise ValueError('You cannot provide both saver and scaffold.')
        self._saver, self._scaffold = saver, scaffold
        self._checkpoint_dir = checkpoint_dir
        self._save_path = os.path.join(checkpoint_dir, checkpoint_basename)
        self._timer = SecondOrStepTimer(every_secs=save_secs, every_steps=save_steps)
        self._listeners = listeners or []
        self._steps_per_run = 1000000
        self._save_graph_def = save_graph_def

    def _set_steps_per_run(self, steps_per_run: int) -> None:
        self._steps_per_run = steps_per_run

    def begin(self) -> None:
        """Finds the writer and the counter."""
        self._summary_writer = parts.writer_of(self._checkpoint_dir)
        self._global_step_tensor = counter_read('CheckpointSaverHook')
        for listener in self._listeners:
            listener.begin()

    def after_create_session(self, session: Any, coord: Any) -> None:
        """Writes the graph, and the first checkpoint."""
        step = session.run(self._global_step_tensor)
        graph = scopes.get_default_graph()
        if self._save_graph_def:
            steps.write_graph(graph.as_graph_def(add_shapes=True), self._checkpoint_dir, 'graph.pbtxt')
        parts.add_graphs(self._summary_writer, graph, self._get_saver())
        self._save(session, step)
        self._timer.update_last_triggered_step(step)

    def before_run(self, run_context: Any) -> Any:
        """Asks for the counter."""
        return SessionRunArgs(self._global_step_tensor)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        """Saves when it is due: the counter was read before it moved, so it is read again then."""
        if not self._timer.should_trigger_for_step(run_values.results + self._steps_per_run):
            return
        step = run_context.session.run(self._global_step_tensor)
        if self._timer.should_trigger_for_step(step):
            self._timer.update_last_triggered_step(step)
            if self._save(run_context.session, step):
                run_context.request_stop()

    def end(self, session: Any) -> None:
        """Saves for the last time."""
        step = session.run(self._global_step_tensor)
        if step != self._timer.last_triggered_step():
            self._save(session, step)
        for listener in self._listeners:
            listener.end(session, step)

    def _save(self, session: Any, step: int) -> bool:
        """Saves a checkpoint; returns whether a listener wants training to stop."""
        logging.info('Calling checkpoint listeners before saving checkpoint %d...', step)
        for listener in self._listeners:
            listener.before_save(session, step)
        logging.info('Saving checkpoints for %d into %s.', step, self._save_path)
        self._get_saver().save(session, self._save_path, global_step=step, write_meta_graph=self._save_graph_def)
        parts.log_session(self._summary_writer, 'CHECKPOINT', step, self._save_path)
        logging.info('Calling checkpoint listeners after saving checkpoint %d...', step)
        wants_end = False
        for listener in self._listeners:
            if listener.after_save(session, step):
                logging.info(f'A CheckpointSaverListener requested that training be stopped. listener: {listener}')
                wants_end = True
        return wants_end

    def _get_saver(self) -> Any:
        if self._saver is None:
            if self._scaffold is not None:
                return self._scaffold.saver
            self._saver = parts.known_saver()
        return self._saver


@naming.public('training.basic_session_run_hooks')
class StepCounterHook(SessionRunHook):
    """Logs how many steps there are in a second."""

    def __init__(self, every_n_steps: int | None = 100, every_n_secs: float | None = None,
                 output_dir: str | None = None, summary_writer: Any = None) -> None:
        if (every_n_steps is None) == (every_n_secs is None):
            raise ValueError('exactly one of every_n_steps and every_n_secs should be provided.')
        self._timer = SecondOrStepTimer(every_steps=every_n_steps, every_secs=every_n_secs)
        self._summary_writer, self._output_dir = summary_writer, output_dir
        self._last_global_step: Any = None
        self._steps_per_run = 1

    def _set_steps_per_run(self, steps_per_run: int) -> None:
        self._steps_per_run = steps_per_run

    def begin(self) -> None:
        """Finds the writer and the counter."""
        if self._summary_writer is None:
            self._summary_writer = parts.writer_of(self._output_dir)
        self._global_step_tensor = counter_read('StepCounterHook')
        self._summary_tag = steps.get_global_step().op.name + '/sec'

    def before_run(self, run_context: Any) -> Any:
        """Asks for the counter."""
        return SessionRunArgs(self._global_step_tensor)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        """Logs when it is due."""
        stale = run_values.results
        if self._timer.should_trigger_for_step(stale + self._steps_per_run):
            step = run_context.session.run(self._global_step_tensor)
            if self._timer.should_trigger_for_step(step):
                seconds, count = self._timer.update_last_triggered_step(step)
                if seconds is not None:
                    self._log_and_record(count, seconds, step)
        if stale == self._last_global_step:
            logging.log_first_n(
                logging.WARN, 'It seems that global step (tf.train.get_global_step) has not been increased. Current '
                'value (could be stable): %s vs previous value: %s. You could increase the global step by passing '
                'tf.train.get_global_step() to Optimizer.apply_gradients or Optimizer.minimize.', 5, stale,
                self._last_global_step)
        self._last_global_step = stale

    def _log_and_record(self, elapsed_steps: int, elapsed_time: float, global_step: int) -> None:
        rate = elapsed_steps / elapsed_time
        parts.add_number(self._summary_writer, self._summary_tag, rate, global_step)
        logging.info('%s: %g', self._summary_tag, rate)


@naming.public('training.basic_session_run_hooks')
class SummarySaverHook(SessionRunHook):
    """Writes summaries."""

    def __init__(self, save_steps: int | None = None, save_secs: float | None = None, output_dir: str | None = None,
                 summary_writer: Any = None, scaffold: Any = None, summary_op: Any = None) -> None:
        if (scaffold is None) == (summary_op is None):
            raise ValueError('Exactly one of scaffold or summary_op must be provided.')
        self._summary_op, self._scaffold = summary_op, scaffold
        self._summary_writer, self._output_dir = summary_writer, output_dir
        self._timer = SecondOrStepTimer(every_secs=save_secs, every_steps=save_steps)

    def begin(self) -> None:
        """Finds the writer and the counter."""
        if self._summary_writer is None:
            self._summary_writer = parts.writer_of(self._output_dir)
        self._next_step: Any = None
        self._global_step_tensor = counter_read('SummarySaverHook')

    def before_run(self, run_context: Any) -> Any:
        """Asks for the summaries when they are due."""
        self._request_summary = self._next_step is None or self._timer.should_trigger_for_step(self._next_step)
        requests = {'global_step': self._global_step_tensor}
        summaries = self._get_summary_op() if self._request_summary else None
        if summaries is not None:
            requests['summary'] = summaries
        return SessionRunArgs(requests)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        """Writes them."""
        if not self._summary_writer:
            return
        step = run_values.results['global_step'] + 1
        if self._request_summary:
            step = run_context.session.run(self._global_step_tensor)
        if self._next_step is None:
            parts.log_session(self._summary_writer, 'START', step)
        if self._request_summary:
            self._timer.update_last_triggered_step(step)
            for summary in run_values.results.get('summary', ()):
                self._summary_writer.add_summary(summary, step)
        self._next_step = step + 1

    def end(self, session: Any = None) -> None:
        """Makes sure that all is in the file."""
        if self._summary_writer:
            self._summary_writer.flush()

    def _get_summary_op(self) -> Any:
        found = self._summary_op if self._summary_op is not None else self._scaffold.summary_op
        return found if found is None or isinstance(found, list) else [found]


@naming.public('training.basic_session_run_hooks')
class ProfilerHook(SessionRunHook):
    """Writes what was done when in a step, for the trace viewer of Chrome."""

    def __init__(self, save_steps: int | None = None, save_secs: float | None = None, output_dir: str = '',
                 show_dataflow: bool = True, show_memory: bool = False) -> None:
        self._output_file = os.path.join(output_dir, 'timeline-{}.json')
        self._file_writer = parts.writer_of(output_dir)
        self._show_dataflow, self._show_memory = show_dataflow, show_memory
        self._timer = SecondOrStepTimer(every_secs=save_secs, every_steps=save_steps)

    def begin(self) -> None:
        """Finds the counter."""
        self._next_step: Any = None
        self._global_step_tensor = counter_read('ProfilerHook')

    def before_run(self, run_context: Any) -> Any:
        """Asks for a profile when it is due."""
        self._request_summary = self._next_step is not None and self._timer.should_trigger_for_step(self._next_step)
        options = protos.RunOptions(trace_level=protos.RunOptions.FULL_TRACE) if self._request_summary else None
        return SessionRunArgs({'global_step': self._global_step_tensor}, options=options)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        """Writes it."""
        stale = run_values.results['global_step']
        if self._next_step is None:
            self._timer.update_last_triggered_step(stale)
        step = stale + 1
        if self._request_summary:
            step = run_context.session.run(self._global_step_tensor)
            self._timer.update_last_triggered_step(step)
            self._save(step, self._output_file.format(step), run_values.run_metadata.step_stats)
            if self._file_writer is not None:
                self._file_writer.add_run_metadata(run_values.run_metadata, f'step_{step}')
        self._next_step = step + 1

    def _save(self, step: int, save_path: str, step_stats: Any) -> None:
        from berth.client.timeline import Timeline

        logging.info("Saving timeline for %d into '%s'.", step, save_path)
        text = Timeline(step_stats).generate_chrome_trace_format(show_dataflow=self._show_dataflow,
                                                                 show_memory=self._show_memory)
        with open(save_path, 'w', encoding='utf-8') as file:
            file.write(text)
