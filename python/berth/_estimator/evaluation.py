"""evaluation - Runs metrics over an input, from a checkpoint, and reports them."""

from __future__ import annotations

import time
from typing import Any

from berth._layers import metrics as metric_ops_of
from berth._train import hooks as basic_hooks
from berth._train import monitored_session, parts
from berth._train.run_hooks import SessionRunArgs, SessionRunHook
from berth.base import logging
from berth.framework import dtypes
from berth.framework.collections import GraphKeys
from berth.framework.graph import Graph
from berth.ops import init_ops, order_ops, state_ops
from berth.variables import scope as variable_scope

_EVAL_STEP = 'eval_step'
_TIME = '%Y-%m-%dT%H:%M:%S'


def metric_ops(spec: Any, counter: Any) -> tuple[Any, dict[str, Any]]:
    """Returns the operation that updates all metrics, and their values by name."""
    for name in ('loss', GraphKeys.GLOBAL_STEP):
        if name in spec.eval_metric_ops:
            quoted = f'"{name}"' if name == 'loss' else f'`{name}`'
            raise ValueError(f'Metric with name {quoted} is not allowed, because Estimator already defines a default '
                             'metric with the same name.')
    metrics = {**spec.eval_metric_ops, 'loss': metric_ops_of.mean(spec.loss)}
    names = sorted(metrics)
    updates = [metrics[name][1] for name in names]
    values = {name: metrics[name][0] for name in names}
    return order_ops.group(*updates), {**values, GraphKeys.GLOBAL_STEP: counter}


def step_hooks(steps: Any) -> list[Any]:
    """Returns the hooks that stop after |steps|; None is without end."""
    if steps is None:
        return []
    if steps <= 0:
        raise ValueError(f'Must specify steps > 0, given: {steps}')
    return [_StopAfterNEvalsHook(steps)]


def _eval_step() -> Any:
    """Makes the counter of batches."""
    return variable_scope.get_variable(
        _EVAL_STEP, shape=[], dtype=dtypes.int64, initializer=init_ops.zeros_initializer(), trainable=False,
        collections=[GraphKeys.LOCAL_VARIABLES, GraphKeys.EVAL_STEP])


class _StopAfterNEvalsHook(SessionRunHook):
    """Stops after so many batches, and says how far it is."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._every = max(1, count // 10) if count > 10 else 1

    def set_counter(self, counted: Any) -> None:
        """Says which tensor counts."""
        self._counted = counted

    def before_run(self, run_context: Any) -> Any:
        """Asks for the count."""
        return SessionRunArgs({'evals_completed': self._counted})

    def after_run(self, run_context: Any, run_values: Any) -> None:
        """Stops."""
        done = int(run_values.results['evals_completed'])
        if done % self._every == 0 or done == self._count:
            logging.info('Evaluation [%d/%d]', done, self._count)
        if done >= self._count:
            run_context.request_stop()


def evaluate_once(path: Any, config: Any, scaffold: Any, updates: Any, values: Any, hooks: list[Any]) -> dict[str, Any]:
    """Returns the values after the updates of all batches."""
    counted = state_ops.assign_add(_eval_step(), 1, use_locking=True)
    for hook in hooks:
        if isinstance(hook, _StopAfterNEvalsHook):
            hook.set_counter(counted)
    begin = time.time()
    logging.info('Starting evaluation at ' + time.strftime(_TIME, time.localtime()))
    creator = monitored_session.ChiefSessionCreator(
        scaffold, checkpoint_filename_with_path=path, master=config.evaluation_master, config=config.session_config)
    final = basic_hooks.FinalOpsHook(values)
    with monitored_session.MonitoredSession(creator, hooks + [final]) as session:
        while not session.should_stop():
            session.run([updates, counted])
    logging.info('Inference Time : {:0.5f}s'.format(time.time() - begin))
    logging.info('Finished evaluation at ' + time.strftime(_TIME, time.localtime()))
    return final.final_ops_values


def report(folder: str, results: dict[str, Any], path: Any) -> None:
    """Logs the results, and writes them down for TensorBoard."""
    step = int(results[GraphKeys.GLOBAL_STEP])
    text = ', '.join(f'{key} = {value!s}' for key, value in sorted(results.items()) if not isinstance(value, bytes))
    logging.info('Saving dict for global step %d: %s', step, text)
    with Graph().as_default():  # TF1's writers are for graphs, in programs of TF2 as well.
        writer = parts.writer_of(folder)
    for key, value in results.items():
        if key != GraphKeys.GLOBAL_STEP and getattr(value, 'shape', None) == ():
            parts.add_number(writer, key, float(value), step)
    if writer is not None:
        writer.flush()
    if path:
        logging.info("Saving 'checkpoint_path' summary for global step %d: %s", step, path)
