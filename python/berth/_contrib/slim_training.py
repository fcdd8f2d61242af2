"""slim_training.py - slim.learning.train and slim.evaluation: loops around an op, with what saves, reports and restores."""

from __future__ import annotations

import time
from typing import Any

from berth._contrib import evaluation as contrib_evaluation
from berth._train import global_step as global_steps
from berth._train import parts, supervisor
from berth._train import saver as savers
from berth._train.scaffold import Scaffold
from berth.base import logging
from berth.client import timeline
from berth.framework import convert, errors, scopes
from berth.ops import lookup_ops, math_ops, order_ops
from berth.variables import sets

_DEFAULT = 0  # Stands for what is not given, where None has a meaning.


def train_step(sess: Any, train_op: Any, global_step: Any, train_step_kwargs: Any) -> tuple[Any, Any]:
    """Takes a step, logs it, and returns the loss and whether to stop."""
    begin = time.time()
    options = {name: train_step_kwargs.get(name) for name in ('should_log', 'should_stop', 'should_trace')}
    if options['should_trace'] is not None and sess.run(options['should_trace']):
        loss, step = _traced_step(sess, train_op, global_step, train_step_kwargs['logdir'])
    else:
        loss, step = sess.run([train_op, global_step])
    if options['should_log'] is not None and sess.run(options['should_log']):
        logging.info('global step %d: loss = %.4f (%.3f sec/step)', step, loss, time.time() - begin)
    return loss, sess.run(options['should_stop']) if options['should_stop'] is not None else False


def _traced_step(sess: Any, train_op: Any, global_step: Any, folder: str) -> Any:
    """Takes a step, and writes what ran when."""
    import os

    from berth.base import protos

    metadata = protos.RunMetadata()
    found = sess.run([train_op, global_step], options=protos.RunOptions(trace_level=protos.RunOptions.FULL_TRACE),
                     run_metadata=metadata)
    path = os.path.join(folder, f'tf_trace-{found[1]}.json')
    logging.info('Writing trace to %s', path)
    with open(path, 'w', encoding='utf-8') as file:
        file.write(timeline.Timeline(metadata.step_stats).generate_chrome_trace_format(show_memory=True))
    return found


def train(train_op: Any, logdir: Any, train_step_fn: Any = train_step, train_step_kwargs: Any = _DEFAULT,
          log_every_n_steps: int = 1, graph: Any = None, master: str = '', is_chief: bool = True, global_step: Any = None,
          number_of_steps: Any = None, init_op: Any = _DEFAULT, init_feed_dict: Any = None, local_init_op: Any = _DEFAULT,
          init_fn: Any = None, ready_op: Any = _DEFAULT, summary_op: Any = _DEFAULT, save_summaries_secs: Any = 600,
          summary_writer: Any = _DEFAULT, startup_delay_steps: int = 0, saver: Any = None, save_interval_secs: Any = 600,
          sync_optimizer: Any = None, session_config: Any = None, session_wrapper: Any = None,
          trace_every_n_steps: Any = None, ignore_live_threads: bool = False) -> Any:
    """Takes steps until the train op, its inputs or a count say that it is over; returns the last loss."""
    if train_op is None:
        raise ValueError('train_op cannot be None.')
    if logdir is None and summary_op not in (_DEFAULT, None):
        raise ValueError('Cannot provide summary_op because logdir=None')
    if logdir is None and saver is not None:
        raise ValueError('Cannot provide saver because logdir=None')
    if logdir is None and trace_every_n_steps is not None:
        raise ValueError('Cannot provide trace_every_n_steps because logdir=None')
    if sync_optimizer is not None:
        raise NotImplementedError('slim.learning.train: Berth does not have `sync_optimizer`; tf.train.MonitoredSession '
                                  'takes the hook of a SyncReplicasOptimizer')
    if not is_chief and startup_delay_steps > 0 and number_of_steps is not None:
        startup_delay_steps = min(startup_delay_steps, number_of_steps)
    graph = graph or scopes.get_default_graph()
    with graph.as_default():
        if global_step is None:
            global_step = global_steps.get_or_create_global_step()
        saver = saver or savers.Saver()
        init_op = sets.global_variables_initializer() if init_op == _DEFAULT else init_op
        ready_op = sets.report_uninitialized_variables() if ready_op == _DEFAULT else ready_op
        if local_init_op == _DEFAULT:
            local_init_op = order_ops.group(sets.local_variables_initializer(), lookup_ops.tables_initializer())
        summary_op = parts.merge_all() if summary_op == _DEFAULT else summary_op
        if train_step_kwargs == _DEFAULT:
            train_step_kwargs = _step_arguments(global_step, number_of_steps, log_every_n_steps,
                                                trace_every_n_steps if is_chief else None, logdir)
        writer = None if logdir is None else (
            supervisor.Supervisor.USE_DEFAULT if summary_writer == _DEFAULT else summary_writer)
        watched = supervisor.Supervisor(
            graph=graph, is_chief=is_chief, logdir=logdir, init_op=init_op, init_feed_dict=init_feed_dict,
            local_init_op=local_init_op, ready_op=ready_op, summary_op=summary_op, summary_writer=writer,
            global_step=global_step, saver=saver, save_summaries_secs=save_summaries_secs,
            save_model_secs=save_interval_secs, init_fn=init_fn)
    loss, is_over = None, False
    while not is_over:
        try:
            with watched.managed_session(master, session_config, start_standard_services=False) as session:
                is_over = True
                logging.info('Starting Session.')
                session = session_wrapper(session) if session_wrapper is not None else session
                if is_chief and logdir:
                    watched.start_standard_services(session)
                elif startup_delay_steps > 0:
                    _wait_for_step(session, global_step, startup_delay_steps)
                loss = _run(watched, session, lambda: train_step_fn(session, train_op, global_step, train_step_kwargs),
                            logdir, ignore_live_threads)
        except errors.AbortedError:
            logging.info('Retrying training!')
            is_over = False
    return loss


def _step_arguments(global_step: Any, count: Any, every: int, trace_every: Any, logdir: Any) -> dict[str, Any]:
    """Returns the tensors that say of a step what is to be done with it."""
    with scopes.name_scope('train_step'):
        found = {'should_stop': convert.constant(False) if count is None else math_ops.greater_equal(global_step, count)}
        if every > 0:
            found['should_log'] = math_ops.equal(math_ops.mod(global_step, every), 0)
        if trace_every is not None:
            found['should_trace'] = math_ops.equal(math_ops.mod(global_step, trace_every), 0)
            found['logdir'] = logdir
    return found


def _wait_for_step(session: Any, global_step: Any, step: int) -> None:
    while session.run(global_step) < step:
        logging.info('Waiting for step %d before starting.', step)
        time.sleep(1)


def _run(watched: Any, session: Any, step: Any, logdir: Any, ignore_live_threads: bool) -> Any:
    """Takes steps until it is over, and saves."""
    threads = watched.start_queue_runners(session)
    logging.info('Starting Queues.')
    loss = None
    try:
        while not watched.should_stop():
            loss, is_last = step()
            if is_last:
                logging.info('Stopping Training.')
                watched.request_stop()
                break
    except errors.OutOfRangeError as error:
        logging.info('Caught OutOfRangeError. Stopping Training. %s', error)
    if logdir and watched.is_chief:
        try:
            # The thread that saves ends first: its checkpoint must not take the place of this one.
            watched.stop(threads, close_summary_writer=False, ignore_live_threads=ignore_live_threads)
        finally:
            logging.info('Finished training! Saving model to disk.')
            watched.saver.save(session, watched.save_path, global_step=watched.global_step)
    return loss


# ---- Evaluation ----


def _hooks_and_scaffold(logdir: Any, num_evals: int, initial_op: Any, initial_feed: Any, final_feed: Any, summary_op: Any,
                        summary_feed: Any, variables: Any, hooks: Any) -> tuple[list[Any], Any]:
    """Returns what ends an evaluation and reports it, and what restores variables for it."""
    summary_op = parts.merge_all() if summary_op == _DEFAULT else summary_op
    all_hooks = [contrib_evaluation.StopAfterNEvalsHook(num_evals), *(hooks or [])]
    if summary_op is not None:
        all_hooks.append(contrib_evaluation.SummaryAtEndHook(log_dir=logdir, summary_op=summary_op, feed_dict=summary_feed))
    saver = savers.Saver(variables) if variables is not None else None
    return all_hooks, Scaffold(init_op=initial_op, init_feed_dict=initial_feed, saver=saver)


def evaluate_once(master: str, checkpoint_path: str, logdir: Any, num_evals: int = 1, initial_op: Any = None,
                  initial_op_feed_dict: Any = None, eval_op: Any = None, eval_op_feed_dict: Any = None,
                  final_op: Any = None, final_op_feed_dict: Any = None, summary_op: Any = _DEFAULT,
                  summary_op_feed_dict: Any = None, variables_to_restore: Any = None, session_config: Any = None,
                  hooks: Any = None) -> Any:
    """Runs |eval_op| so often with the variables of a checkpoint; returns what |final_op| gives after that."""
    all_hooks, scaffold = _hooks_and_scaffold(logdir, num_evals, initial_op, initial_op_feed_dict, final_op_feed_dict,
                                              summary_op, summary_op_feed_dict, variables_to_restore, hooks)
    return contrib_evaluation.evaluate_once(
        checkpoint_path, master, scaffold, eval_op, eval_op_feed_dict, final_op, final_op_feed_dict, all_hooks,
        session_config)


def evaluation_loop(master: str, checkpoint_dir: str, logdir: Any, num_evals: int = 1, initial_op: Any = None,
                    initial_op_feed_dict: Any = None, init_fn: Any = None, eval_op: Any = None,
                    eval_op_feed_dict: Any = None, final_op: Any = None, final_op_feed_dict: Any = None,
                    summary_op: Any = _DEFAULT, summary_op_feed_dict: Any = None, variables_to_restore: Any = None,
                    eval_interval_secs: float = 60, max_number_of_evaluations: Any = None, session_config: Any = None,
                    timeout: Any = None, timeout_fn: Any = None, hooks: Any = None) -> Any:
    """Does that with each new checkpoint; returns what the last one gave."""
    if init_fn is not None:
        raise NotImplementedError('slim.evaluation.evaluation_loop: Berth does not have `init_fn`')
    all_hooks, scaffold = _hooks_and_scaffold(logdir, num_evals, initial_op, initial_op_feed_dict, final_op_feed_dict,
                                              summary_op, summary_op_feed_dict, variables_to_restore, hooks)
    return contrib_evaluation.evaluate_repeatedly(
        checkpoint_dir, master, scaffold, eval_op, eval_op_feed_dict, final_op, final_op_feed_dict, eval_interval_secs,
        all_hooks, session_config, max_number_of_evaluations, timeout, timeout_fn)
