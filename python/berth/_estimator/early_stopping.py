"""early_stopping - Hooks that look at how a model does while it is trained: they end the training, or evaluate it."""

from __future__ import annotations

import collections
import glob
import operator
import os
from typing import Any, Callable

from berth._estimator import calls, evaluation
from berth._estimator.spec import ModeKeys
from berth._summary import summary_ops
from berth._train import global_step as counters
from berth._train import hooks as basic_hooks
from berth._train.run_hooks import SessionRunArgs, SessionRunHook
from berth._train.scaffold import Scaffold
from berth.base import logging
from berth.framework import dtypes
from berth.framework.collections import GraphKeys
from berth.framework.graph import Graph
from berth.ops import array_ops, init_ops, state_ops
from berth.variables import scope as variable_scopes


def read_eval_metrics(eval_dir: str) -> dict[int, dict[str, float]]:
    """Returns what evaluations reported into a folder: by steps, the values of metrics."""
    found: dict[int, dict[str, float]] = collections.defaultdict(dict)
    for path in sorted(glob.glob(os.path.join(eval_dir, '*.tfevents.*'))):
        for event in summary_ops.summary_iterator(path):
            if event.HasField('summary'):
                values = {value.tag: value.simple_value for value in event.summary.value if value.HasField('simple_value')}
                if values:
                    found[event.step].update(values)
    return collections.OrderedDict(sorted(found.items()))


# ---- Ending a training ----


def make_early_stopping_hook(estimator: Any, should_stop_fn: Callable[[], bool], run_every_secs: Any = 60,
                             run_every_steps: Any = None) -> SessionRunHook:
    """Returns a hook that asks a function every so often whether to stop, and tells all workers."""
    if not callable(should_stop_fn):
        raise TypeError('`should_stop_fn` must be callable')
    if run_every_secs is not None and run_every_steps is not None:
        raise ValueError('Only one of `run_every_secs` and `run_every_steps` must be set.')
    if estimator.config.is_chief:
        return _StopOnPredicateHook(should_stop_fn, run_every_secs, run_every_steps)
    return _CheckForStoppingHook()


def stop_if_higher_hook(estimator: Any, metric_name: str, threshold: float, eval_dir: Any = None, min_steps: int = 0,
                        run_every_secs: Any = 60, run_every_steps: Any = None) -> SessionRunHook:
    """Returns a hook that stops once a metric is higher than a number."""
    return _at_threshold(estimator, metric_name, threshold, operator.gt, 'above', eval_dir, min_steps, run_every_secs,
                         run_every_steps)


def stop_if_lower_hook(estimator: Any, metric_name: str, threshold: float, eval_dir: Any = None, min_steps: int = 0,
                       run_every_secs: Any = 60, run_every_steps: Any = None) -> SessionRunHook:
    """Returns a hook that stops once a metric is lower than a number."""
    return _at_threshold(estimator, metric_name, threshold, operator.lt, 'below', eval_dir, min_steps, run_every_secs,
                         run_every_steps)


def stop_if_no_increase_hook(estimator: Any, metric_name: str, max_steps_without_increase: int, eval_dir: Any = None,
                             min_steps: int = 0, run_every_secs: Any = 60, run_every_steps: Any = None) -> SessionRunHook:
    """Returns a hook that stops once a metric has not been higher than ever for so many steps."""
    return _without(estimator, metric_name, max_steps_without_increase, operator.gt, 'increase', eval_dir, min_steps,
                    run_every_secs, run_every_steps)


def stop_if_no_decrease_hook(estimator: Any, metric_name: str, max_steps_without_decrease: int, eval_dir: Any = None,
                             min_steps: int = 0, run_every_secs: Any = 60, run_every_steps: Any = None) -> SessionRunHook:
    """Returns a hook that stops once a metric has not been lower than ever for so many steps."""
    return _without(estimator, metric_name, max_steps_without_decrease, operator.lt, 'decrease', eval_dir, min_steps,
                    run_every_secs, run_every_steps)


def _at_threshold(estimator: Any, metric: str, threshold: float, is_beyond: Any, word: str, eval_dir: Any, min_steps: int,
                  secs: Any, steps: Any) -> SessionRunHook:
    folder = eval_dir or estimator.eval_dir()

    def should_stop() -> bool:
        for step, metrics in read_eval_metrics(folder).items():
            if step >= min_steps and is_beyond(metrics[metric], threshold):
                logging.info('At step %s, metric "%s" has value %s which is %s the configured threshold (%s) for early '
                             'stopping.', step, metric, metrics[metric], word, threshold)
                return True
        return False

    return make_early_stopping_hook(estimator, should_stop, secs, steps)


def _without(estimator: Any, metric: str, most: int, is_better: Any, word: str, eval_dir: Any, min_steps: int, secs: Any,
             steps: Any) -> SessionRunHook:
    folder = eval_dir or estimator.eval_dir()

    def should_stop() -> bool:
        best: Any = None
        best_step = 0
        for step, metrics in read_eval_metrics(folder).items():
            if step < min_steps:
                continue
            if best is None or is_better(metrics[metric], best):
                best, best_step = metrics[metric], step
            if step - best_step >= most:
                logging.info('No %s in metric "%s" for %s steps, which is greater than or equal to max steps (%s) '
                             'configured for early stopping.', word, metric, step - best_step, most)
                return True
        return False

    return make_early_stopping_hook(estimator, should_stop, secs, steps)


def _stop_variable() -> Any:
    """Returns the variable through which the chief tells others to stop."""
    with variable_scopes.variable_scope('signal_early_stopping', reuse=variable_scopes.AUTO_REUSE):
        return variable_scopes.get_variable('STOP', shape=[], dtype=dtypes.bool,
                                            initializer=init_ops.constant_initializer(False), trainable=False,
                                            collections=[GraphKeys.GLOBAL_VARIABLES])


class _StopOnPredicateHook(SessionRunHook):
    """Asks a function, and stops."""

    def __init__(self, should_stop_fn: Callable[[], bool], run_every_secs: Any, run_every_steps: Any) -> None:
        self._should_stop_fn = should_stop_fn
        self._timer = basic_hooks.SecondOrStepTimer(every_secs=run_every_secs, every_steps=run_every_steps)
        self._counter: Any = None
        self._stop_op: Any = None

    def begin(self) -> None:
        """Makes the variable."""
        self._counter = counters.get_global_step()
        self._stop_op = state_ops.assign(_stop_variable(), True)

    def before_run(self, run_context: Any) -> Any:
        """Asks for the step."""
        return SessionRunArgs(self._counter)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        """Asks the function."""
        step = run_values.results
        if self._timer.should_trigger_for_step(step):
            self._timer.update_last_triggered_step(step)
            if self._should_stop_fn():
                logging.info('Requesting early stopping at global step %d', step)
                run_context.session.run(self._stop_op)
                run_context.request_stop()


class _CheckForStoppingHook(SessionRunHook):
    """Stops when the chief has said so."""

    def begin(self) -> None:
        """Makes the variable."""
        self._stop_var = _stop_variable()

    def before_run(self, run_context: Any) -> Any:
        """Asks for it."""
        return SessionRunArgs(self._stop_var)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        """Stops."""
        if run_values.results:
            logging.info('Early stopping requested, suspending training.')
            run_context.request_stop()


# ---- Evaluations ----


class InMemoryEvaluatorHook(SessionRunHook):
    """Evaluates a model every so many steps with the variables as they are, without checkpoints."""

    def __init__(self, estimator: Any, input_fn: Any, steps: Any = None, hooks: Any = None, name: Any = None,
                 every_n_iter: int = 100) -> None:
        if every_n_iter is None or every_n_iter <= 0:
            raise ValueError(f'invalid every_n_iter={every_n_iter}.')
        if estimator.config.num_ps_replicas > 0 or estimator.config.num_worker_replicas > 1:
            raise ValueError('InMemoryEvaluator supports only single machine (aka Local) setting.')
        self._estimator, self._input_fn, self._steps, self._name = estimator, input_fn, steps, name
        self._hooks = list(hooks or [])
        self._timer = basic_hooks.SecondOrStepTimer(every_steps=every_n_iter)
        self._count = 0
        self._variables: list[Any] = []

    def begin(self) -> None:
        """Notes the variables."""
        from berth.variables import sets

        self._timer.reset()
        self._count = 0
        self._variables = sets.global_variables()

    def after_create_session(self, session: Any, coord: Any) -> None:
        """Evaluates what training begins with."""
        self._evaluate(session)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        """Evaluates when it is due."""
        self._count += 1
        if self._timer.should_trigger_for_step(self._count):
            self._evaluate(run_context.session)

    def end(self, session: Any) -> None:
        """Evaluates what training ends with."""
        self._evaluate(session)

    def _evaluate(self, session: Any) -> None:
        estimator = self._estimator
        values = dict(zip([variable.op.name for variable in self._variables], session.run(self._variables)))
        with Graph().as_default() as graph:
            counter = counters.create_global_step(graph)
            features, labels, input_hooks = calls.call_input_fn(estimator, self._input_fn, ModeKeys.EVAL)
            spec = estimator._call_model_fn(features, labels, ModeKeys.EVAL, estimator.config)
            updates, metrics = evaluation.metric_ops(spec, counter)
            results = evaluation.evaluate_once(
                None, estimator.config, _with_values(spec.scaffold, graph, values), updates, metrics,
                [*input_hooks, *self._hooks, *evaluation.step_hooks(self._steps), *spec.evaluation_hooks])
        evaluation.report(estimator.eval_dir(self._name), results, None)
        self._timer.update_last_triggered_step(self._count)


def _with_values(scaffold: Any, graph: Any, values: dict[str, Any]) -> Scaffold:
    """Returns a scaffold that also sets variables to what those of another graph are."""
    feed, updates = {}, []
    for variable in graph.get_collection(GraphKeys.GLOBAL_VARIABLES):
        if variable.op.name in values:
            given = array_ops.placeholder(variable.dtype.base_dtype, variable.shape)
            feed[given] = values[variable.op.name]
            updates.append(state_ops.assign(variable, given))
    return Scaffold(copy_from_scaffold=scaffold, init_fn=lambda _, session: session.run(updates, feed))
