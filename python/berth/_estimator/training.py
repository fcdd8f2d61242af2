"""training - tf.estimator.train_and_evaluate: training, and an evaluation after checkpoints, on this machine."""

from __future__ import annotations

import collections
import os
from typing import Any

from berth._estimator import exporter
from berth._estimator.estimator import Estimator
from berth._train.hooks import SecondOrStepTimer
from berth._train.run_hooks import SessionRunHook
from berth._train.saving_hooks import CheckpointSaverListener
from berth.base import logging, naming


def _check_positive(name: str, value: Any) -> None:
    if value is not None and value <= 0:
        raise ValueError(f'Must specify {name} > 0, given: {value}')


def _check_input_fn(input_fn: Any) -> None:
    if not callable(input_fn):
        raise TypeError(f'`input_fn` must be callable, given: {input_fn}')


def _checked_hooks(hooks: Any) -> tuple[Any, ...]:
    found = tuple(hooks or ())
    for hook in found:
        if not isinstance(hook, SessionRunHook):
            raise TypeError(f'All hooks must be `SessionRunHook` instances, given: {hook}')
    return found


@naming.public('estimator.training')
class TrainSpec(collections.namedtuple('TrainSpec', ['input_fn', 'max_steps', 'hooks', 'saving_listeners'])):
    """How to train."""

    __slots__ = ()

    def __new__(cls, input_fn: Any, max_steps: Any = None, hooks: Any = None,
                saving_listeners: Any = None) -> 'TrainSpec':
        _check_input_fn(input_fn)
        _check_positive('max_steps', max_steps)
        return super().__new__(cls, input_fn, max_steps, _checked_hooks(hooks), tuple(saving_listeners or ()))


@naming.public('estimator.training')
class EvalSpec(collections.namedtuple('EvalSpec', [
        'input_fn', 'steps', 'name', 'hooks', 'exporters', 'start_delay_secs', 'throttle_secs'])):
    """How to evaluate."""

    __slots__ = ()

    def __new__(cls, input_fn: Any, steps: Any = 100, name: Any = None, hooks: Any = None, exporters: Any = None,
                start_delay_secs: float = 120, throttle_secs: float = 600) -> 'EvalSpec':
        _check_input_fn(input_fn)
        _check_positive('steps', steps)
        if name is not None and not isinstance(name, str):
            raise TypeError(f'`name` must be string, given: {name}')
        chosen = exporter.checked(exporters)
        for label, seconds in (('start_delay_secs', start_delay_secs), ('throttle_secs', throttle_secs)):
            if seconds < 0:
                raise ValueError(f'Must specify {label} >= 0, given: {seconds}')
        return super().__new__(cls, input_fn, steps, name, _checked_hooks(hooks), chosen, start_delay_secs,
                               throttle_secs)


class _EvaluationListener(CheckpointSaverListener):
    """Evaluates after checkpoints, not more often than every so many seconds."""

    def __init__(self, estimator: Any, spec: Any, max_steps: Any) -> None:
        self._estimator, self._spec, self._max_steps = estimator, spec, max_steps
        self._is_first = True
        self.result: Any = None
        self.exported: list[Any] = []

    def begin(self) -> None:
        """Starts the clock."""
        self._timer = SecondOrStepTimer(every_secs=self._spec.throttle_secs)

    def after_save(self, session: Any, global_step_value: int) -> Any:
        """Evaluates, except for the checkpoint of a model that is not trained yet."""
        if self._is_first:
            self._is_first = False
        elif self._timer.should_trigger_for_step(global_step_value):
            self._evaluate(global_step_value)
        else:
            logging.info(f'Skip the current checkpoint eval due to throttle secs ({self._spec.throttle_secs} secs).')

    def end(self, session: Any, global_step_value: int) -> None:
        """Evaluates the last step, unless that was done."""
        if global_step_value != self._timer.last_triggered_step():
            self._evaluate(global_step_value)

    def _evaluate(self, step: int) -> None:
        self._timer.update_last_triggered_step(step)
        spec = self._spec
        self.result = self._estimator.evaluate(spec.input_fn, steps=spec.steps, name=spec.name, hooks=spec.hooks)
        self._export()

    def _export(self) -> None:
        """Has the exporters write the model that was evaluated."""
        path = self._estimator.latest_checkpoint()
        is_last = bool(self._max_steps and self.result['global_step'] >= self._max_steps)
        base = os.path.join(self._estimator.model_dir, 'export')
        self.exported = [writer.export(estimator=self._estimator, export_path=os.path.join(base, writer.name),
                                       checkpoint_path=path, eval_result=self.result, is_the_final_export=is_last)
                         for writer in self._spec.exporters]


def train_and_evaluate(estimator: Any, train_spec: Any, eval_spec: Any) -> tuple[Any, list[Any]]:
    """Trains and evaluates; returns the metrics of the last evaluation, and what was exported."""
    if not isinstance(estimator, Estimator):
        raise TypeError(f'`estimator` must have type `tf.estimator.Estimator`, given {type(estimator)}')
    if not isinstance(train_spec, TrainSpec):
        raise TypeError(f'`train_spec` must have type `tf.estimator.TrainSpec`, given {type(train_spec)}')
    if not isinstance(eval_spec, EvalSpec):
        raise TypeError(f'`eval_spec` must have type `tf.estimator.EvalSpec`, given {type(eval_spec)}')
    config = estimator.config
    logging.info('Not using Distribute Coordinator.')
    logging.info('Running training and evaluation locally (non-distributed).')
    logging.info('Start train and evaluate loop. The evaluate will happen after every checkpoint. Checkpoint frequency '
                 f'is determined based on RunConfig arguments: save_checkpoints_steps {config.save_checkpoints_steps} '
                 f'or save_checkpoints_secs {config.save_checkpoints_secs}.')
    listener = _EvaluationListener(estimator, eval_spec, train_spec.max_steps)
    estimator.train(train_spec.input_fn, hooks=list(train_spec.hooks), max_steps=train_spec.max_steps,
                    saving_listeners=(*train_spec.saving_listeners, listener))
    return listener.result, listener.exported
