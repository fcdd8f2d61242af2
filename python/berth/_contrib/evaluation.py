"""evaluation.py - tf.contrib.training: training in a loop, and evaluations of checkpoints."""

from __future__ import annotations

import time
from typing import Any

from berth._contrib import learning
from berth._estimator.evaluation import _eval_step
from berth._train import checkpoint_reader, monitored_session, parts
from berth._train import global_step as global_steps
from berth._train import hooks as basic_hooks
from berth._train.run_hooks import SessionRunArgs, SessionRunHook
from berth.base import logging
from berth.framework import scopes
from berth.framework.collections import GraphKeys
from berth.framework.indexed_slices import IndexedSlices
from berth.ops import state_ops

_TIME = '%Y-%m-%d-%H:%M:%S'
checkpoints_iterator = checkpoint_reader.checkpoints_iterator


def wait_for_new_checkpoint(checkpoint_dir: str, last_checkpoint: Any = None, seconds_to_sleep: float = 1,
                            timeout: Any = None) -> Any:
    """Returns the path of a checkpoint that is not the last one, or None when it takes too long."""
    logging.info('Waiting for new checkpoint at %s', checkpoint_dir)
    return checkpoint_reader._wait(checkpoint_dir, last_checkpoint, seconds_to_sleep, timeout)


# ---- Training ----


def clip_gradient_norms_fn(max_norm: float) -> Any:
    """Returns a function that shortens gradients."""
    return lambda grads: learning.clip_gradient_norms(grads, max_norm)


def add_gradients_summaries(grads_and_vars: Any) -> list[Any]:
    """Shows gradients and how long they are."""
    from berth._summary import summary_ops
    from berth.ops import clip_ops

    found = []
    for grad, variable in grads_and_vars:
        if grad is None:
            logging.info('Var %s has no gradient', variable.op.name)
            continue
        values = grad.values if isinstance(grad, IndexedSlices) else grad
        found.append(summary_ops.histogram(variable.op.name + '_gradient', values))
        found.append(summary_ops.scalar(variable.op.name + '_gradient_norm', clip_ops.global_norm([values])))
    return found


class _Transformed:
    """An optimiser whose gradients go through a function first."""

    def __init__(self, optimizer: Any, transform: Any, is_shown: bool) -> None:
        self._optimizer, self._transform, self._is_shown = optimizer, transform, is_shown

    def __getattr__(self, name: str) -> Any:
        return getattr(self._optimizer, name)

    def apply_gradients(self, grads_and_vars: Any, global_step: Any = None) -> Any:
        """Takes the step."""
        if self._transform is not None:
            grads_and_vars = self._transform(grads_and_vars)
        if self._is_shown:
            with scopes.name_scope('summarize_grads'):
                add_gradients_summaries(grads_and_vars)
        return self._optimizer.apply_gradients(grads_and_vars, global_step=global_step)


def create_train_op(total_loss: Any, optimizer: Any, global_step: Any = 0, update_ops: Any = None,
                    variables_to_train: Any = None, transform_grads_fn: Any = None, summarize_gradients: bool = False,
                    gate_gradients: Any = 1, aggregation_method: Any = None, colocate_gradients_with_ops: bool = False,
                    check_numerics: bool = True) -> Any:
    """Returns an op that does what is to be updated, takes a step, and gives the loss."""
    return learning.create_train_op(
        total_loss, _Transformed(optimizer, transform_grads_fn, summarize_gradients), global_step, update_ops,
        variables_to_train, gate_gradients=gate_gradients, aggregation_method=aggregation_method,
        colocate_gradients_with_ops=colocate_gradients_with_ops, check_numerics=check_numerics)


def train(train_op: Any, logdir: Any, master: str = '', is_chief: bool = True, scaffold: Any = None, hooks: Any = None,
          chief_only_hooks: Any = None, save_checkpoint_secs: Any = 600, save_summaries_steps: Any = 100,
          config: Any = None, max_wait_secs: float = 7200, run_metadata: Any = None) -> Any:
    """Takes steps until a hook or the input ends; returns the last loss."""
    if logdir is None and is_chief and save_summaries_steps:
        raise ValueError('logdir cannot be None when save_summaries_steps is not None')
    if logdir is None and is_chief and save_checkpoint_secs:
        raise ValueError('logdir cannot be None when save_checkpoint_secs is not None')
    loss = None
    with monitored_session.MonitoredTrainingSession(
            master=master, is_chief=is_chief, checkpoint_dir=logdir, scaffold=scaffold, hooks=hooks,
            chief_only_hooks=chief_only_hooks, save_checkpoint_secs=save_checkpoint_secs,
            save_summaries_steps=save_summaries_steps, config=config, max_wait_secs=max_wait_secs) as session:
        while not session.should_stop():
            loss = session.run(train_op, run_metadata=run_metadata)
    return loss


# ---- Evaluation ----


def get_or_create_eval_step() -> Any:
    """Returns the counter of batches."""
    known = scopes.get_collection(GraphKeys.EVAL_STEP)
    if len(known) > 1:
        raise ValueError('Multiple tensors added to tf.GraphKeys.EVAL_STEP')
    return known[0] if known else _eval_step()


class StopAfterNEvalsHook(SessionRunHook):
    """Stops after so many batches, and says how far it is."""

    def __init__(self, num_evals: Any, log_progress: bool = True) -> None:
        self._count, self._is_logged = num_evals, log_progress
        self._every = 1 if not num_evals or num_evals < 20 else num_evals // 10
        self._counted: Any = None

    def before_run(self, run_context: Any) -> Any:
        """Asks for the count."""
        return SessionRunArgs({'evals_completed': self._counted})

    def after_run(self, run_context: Any, run_values: Any) -> None:
        """Stops."""
        done = int(run_values.results['evals_completed'])
        if self._is_logged and (done % self._every == 0 or done == self._count):
            logging.info('Evaluation [%d/%d]' if self._count else 'Evaluation [%d]',
                         *((done, self._count) if self._count else (done,)))
        if self._count is not None and done >= self._count:
            run_context.request_stop()


class SummaryAtEndHook(SessionRunHook):
    """Writes summaries down at the end."""

    def __init__(self, log_dir: Any = None, summary_writer: Any = None, summary_op: Any = None,
                 feed_dict: Any = None) -> None:
        if not log_dir and summary_writer is None:
            raise ValueError('log_dir and summary_writer cannot both be None.')
        self._folder, self._writer, self._op, self._feed = log_dir, summary_writer, summary_op, feed_dict
        self._step: Any = None

    def begin(self) -> None:
        """Finds the summaries and the counter of steps."""
        self._op = parts.merge_all() if self._op is None else self._op
        self._step = global_steps.get_or_create_global_step()

    def after_create_session(self, session: Any, coord: Any) -> None:
        """Opens the file."""
        if self._writer is None and self._folder:
            self._writer = parts.writer_of(self._folder)

    def end(self, session: Any) -> None:
        """Writes."""
        if self._op is not None:
            step, summary = session.run([self._step, self._op], self._feed)
            self._writer.add_summary(summary, step)
            self._writer.flush()


def _with_count(eval_ops: Any, counted: Any) -> Any:
    """Returns what is run for each batch, with the count."""
    if isinstance(eval_ops, dict):
        return {**eval_ops, 'update_eval_step': counted}
    return [*eval_ops, counted] if isinstance(eval_ops, (list, tuple)) else [eval_ops, counted]


def _prepared(eval_ops: Any, final_ops: Any, final_feed: Any, hooks: Any) -> tuple[Any, list[Any], Any]:
    """Returns what is run for each batch, the hooks, and that of them which has the results."""
    counter = get_or_create_eval_step()
    hooks = list(hooks or [])
    counted = state_ops.assign_add(counter, 1) if eval_ops is not None else counter
    for hook in hooks:
        if isinstance(hook, StopAfterNEvalsHook):
            hook._counted = counted
    final = basic_hooks.FinalOpsHook(final_ops, final_feed)
    return None if eval_ops is None else _with_count(eval_ops, counted), [*hooks, final], final


def _evaluate(path: str, master: str, scaffold: Any, eval_ops: Any, feed_dict: Any, hooks: list[Any], final: Any,
              config: Any) -> Any:
    logging.info('Starting evaluation at ' + time.strftime(_TIME, time.gmtime()))
    creator = monitored_session.ChiefSessionCreator(scaffold, checkpoint_filename_with_path=path, master=master,
                                                    config=config)
    with monitored_session.MonitoredSession(creator, hooks) as session:
        if eval_ops is not None:
            while not session.should_stop():
                session.run(eval_ops, feed_dict)
    logging.info('Finished evaluation at ' + time.strftime(_TIME, time.gmtime()))
    return final.final_ops_values


def evaluate_once(checkpoint_path: str, master: str = '', scaffold: Any = None, eval_ops: Any = None,
                  feed_dict: Any = None, final_ops: Any = None, final_ops_feed_dict: Any = None, hooks: Any = None,
                  config: Any = None) -> Any:
    """Runs |eval_ops| with the variables of a checkpoint until a hook stops that; returns what |final_ops| gives."""
    eval_ops, hooks, final = _prepared(eval_ops, final_ops, final_ops_feed_dict, hooks)
    return _evaluate(checkpoint_path, master, scaffold, eval_ops, feed_dict, hooks, final, config)


def evaluate_repeatedly(checkpoint_dir: str, master: str = '', scaffold: Any = None, eval_ops: Any = None,
                        feed_dict: Any = None, final_ops: Any = None, final_ops_feed_dict: Any = None,
                        eval_interval_secs: float = 60, hooks: Any = None, config: Any = None,
                        max_number_of_evaluations: Any = None, timeout: Any = None, timeout_fn: Any = None) -> Any:
    """Does that with each new checkpoint; returns what the last one gave."""
    eval_ops, hooks, final = _prepared(eval_ops, final_ops, final_ops_feed_dict, hooks)
    found = None
    for count, path in enumerate(checkpoints_iterator(checkpoint_dir, eval_interval_secs, timeout, timeout_fn), 1):
        found = _evaluate(path, master, scaffold, eval_ops, feed_dict, hooks, final, config)
        if max_number_of_evaluations is not None and count >= max_number_of_evaluations:
            break
    return found
