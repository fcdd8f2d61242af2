"""estimator - tf.estimator.Estimator: a model function that is trained, evaluated and asked for predictions.

Each of the three builds a graph of its own; what they have in common is the folder of checkpoints.
"""

from __future__ import annotations

import copy
import os
import tempfile
from collections.abc import Iterator
from typing import Any

from berth._estimator import calls, distributed, evaluation, export, warm_start
from berth._estimator.run_config import RunConfig
from berth._estimator.spec import ModeKeys
from berth._train import global_step as counters
from berth._train import hooks as basic_hooks
from berth._train import model_names as names
from berth._train import monitored_session, parts, saving_hooks
from berth._train.model_builder import SavedModelBuilder
from berth._train.run_hooks import SessionRunHook
from berth._train.saver import Saver
from berth._train.scaffold import Scaffold
from berth.base import logging, naming
from berth.client.session import Session
from berth.framework import errors, scopes
from berth.framework.collections import GraphKeys
from berth.framework.graph import Graph
from berth.modules import gfile


@naming.public('estimator.estimator')
class Estimator:
    """Trains, evaluates and uses the model that a function builds."""

    def __init__(self, model_fn: Any, model_dir: Any = None, config: Any = None, params: Any = None,
                 warm_start_from: Any = None) -> None:
        _check_members(self)
        self._warm_start_settings = warm_start.settings_of(warm_start_from)
        self._config = _configured(config, model_dir)
        self._model_dir = self._config.model_dir
        logging.info('Using config: %s', str(vars(self._config)))
        if model_fn is None:
            raise ValueError('model_fn must be provided to Estimator.')
        calls.check_model_fn(model_fn, params)
        self._model_fn = model_fn
        self._params = copy.deepcopy(params or {})

    @property
    def model_dir(self) -> str:
        """The folder of checkpoints."""
        return self._model_dir

    @property
    def config(self) -> Any:
        """The settings."""
        return copy.deepcopy(self._config)

    @property
    def params(self) -> Any:
        """What the model function is given as params."""
        return copy.deepcopy(self._params)

    @property
    def model_fn(self) -> Any:
        """The model function, with the params and the settings."""
        def public_model_fn(features: Any, labels: Any, mode: str, config: Any) -> Any:
            return self._call_model_fn(features, labels, mode, config)
        return public_model_fn

    def latest_checkpoint(self) -> Any:
        """Returns the path of the latest checkpoint, or None."""
        state = parts.checkpoint_state(self._model_dir)
        return state.model_checkpoint_path if state else None

    def eval_dir(self, name: str | None = None) -> str:
        """Returns the folder of what evaluation reports."""
        return os.path.join(self._model_dir, f'eval_{name}' if name else 'eval')

    def get_variable_names(self) -> list[str]:
        """Returns the names of the variables in the latest checkpoint."""
        return parts.checkpoint_names(self._checked_dir())

    def get_variable_value(self, name: str) -> Any:
        """Returns the value of a variable in the latest checkpoint."""
        return parts.checkpoint_value(self._checked_dir(), name)

    def _checked_dir(self) -> str:
        if not self.latest_checkpoint():
            raise ValueError(f"Couldn't find trained model at {self._model_dir}.")
        return self._model_dir

    # ---- Training ----

    def train(self, input_fn: Any, hooks: Any = None, steps: Any = None, max_steps: Any = None,
              saving_listeners: Any = None) -> 'Estimator':
        """Trains for some steps, up to a step, or until the input is over."""
        if steps is not None and max_steps is not None:
            raise ValueError('Can not provide both steps and max_steps.')
        for name, count in (('steps', steps), ('max_steps', max_steps)):
            if count is not None and count <= 0:
                raise ValueError(f'Must specify {name} > 0, given: {count}')
        if max_steps is not None and max_steps <= _saved_step(self._model_dir):
            logging.info('Skipping training since max_steps has already saved.')
            return self
        everything = _checked_hooks(hooks)
        if steps is not None or max_steps is not None:
            everything.append(basic_hooks.StopAtStepHook(steps, max_steps))
        loss = self._train_model(input_fn, everything, _checked_listeners(saving_listeners))
        logging.info('Loss for final step: %s.', loss)
        return self

    def _train_model(self, input_fn: Any, hooks: list[Any], listeners: tuple[Any, ...]) -> Any:
        strategy = self._config.train_distribute
        if strategy is not None and strategy.num_replicas_in_sync > 1:
            return self._train_together(strategy, input_fn, hooks, listeners)
        with Graph().as_default() as graph, graph.device(self._config.device_fn):
            scopes.set_random_seed(self._config.tf_random_seed)
            counter = counters.create_global_step(graph)
            features, labels, input_hooks = calls.call_input_fn(self, input_fn, ModeKeys.TRAIN)
            spec = self._call_model_fn(features, labels, ModeKeys.TRAIN, self._config)
            warm_start.begin(self._warm_start_settings)
            return self._run_training(graph, spec, input_hooks + hooks, counter, listeners)

    def _train_together(self, strategy: Any, input_fn: Any, hooks: list[Any], listeners: tuple[Any, ...]) -> Any:
        """Trains a model for each replica of |strategy|, which share their variables."""
        with Graph().as_default() as graph, graph.device(self._config.device_fn), strategy.scope():
            scopes.set_random_seed(self._config.tf_random_seed)
            counter = counters.create_global_step(graph)
            spec, input_hooks = distributed.spec_of(self, strategy, input_fn)
            warm_start.begin(self._warm_start_settings)
            return self._run_training(graph, spec, input_hooks + hooks, counter, listeners)

    def _run_training(self, graph: Any, spec: Any, hooks: list[Any], counter: Any, listeners: tuple[Any, ...]) -> Any:
        config = self._config
        parts.summarize_loss(spec.loss)
        graph.add_to_collection(GraphKeys.LOSSES, spec.loss)
        hooks = hooks + [basic_hooks.NanTensorHook(spec.loss)]
        if config.log_step_count_steps is not None:
            hooks.append(basic_hooks.LoggingTensorHook({'loss': spec.loss, 'step': counter},
                                                       every_n_iter=config.log_step_count_steps))
        hooks.extend(spec.training_hooks)
        if not spec.scaffold.saver and not graph.get_collection(GraphKeys.SAVERS):
            graph.add_to_collection(GraphKeys.SAVERS, Saver(
                sharded=True, max_to_keep=config.keep_checkpoint_max, defer_build=True, save_relative_paths=True,
                keep_checkpoint_every_n_hours=config.keep_checkpoint_every_n_hours))
        chief_hooks = self._saving_hooks(spec, hooks, listeners)
        with monitored_session.MonitoredTrainingSession(
                master=config.master, is_chief=config.is_chief, checkpoint_dir=self._model_dir, scaffold=spec.scaffold,
                hooks=hooks, chief_only_hooks=chief_hooks + list(spec.training_chief_hooks), save_checkpoint_secs=0,
                save_summaries_steps=config.save_summary_steps, config=config.session_config,
                max_wait_secs=config.session_creation_timeout_secs,
                log_step_count_steps=config.log_step_count_steps) as session:
            loss, is_done = None, False
            while not session.should_stop():
                _, loss = session.run([spec.train_op, spec.loss])
                is_done = True
        if not is_done:
            logging.warning('Training with estimator made no steps. Perhaps input is empty or misspecified.')
        return loss

    def _saving_hooks(self, spec: Any, hooks: list[Any], listeners: tuple[Any, ...]) -> list[Any]:
        """Returns the hook that saves checkpoints, unless there is one, and gives it the listeners."""
        config = self._config
        savers = [hook for hook in (*hooks, *spec.training_chief_hooks)
                  if isinstance(hook, saving_hooks.CheckpointSaverHook)]
        new: list[Any] = []
        if not savers and (config.save_checkpoints_secs or config.save_checkpoints_steps):
            new = savers = [saving_hooks.CheckpointSaverHook(
                self._model_dir, save_secs=config.save_checkpoints_secs, save_steps=config.save_checkpoints_steps,
                scaffold=spec.scaffold, save_graph_def=config.checkpoint_save_graph_def)]
        if listeners:
            if not savers:
                raise ValueError('There should be a CheckpointSaverHook to use saving_listeners. Please set one of the '
                                 'RunConfig.save_checkpoints_steps or RunConfig.save_checkpoints_secs.')
            savers[0]._listeners.extend(listeners)
        return new

    # ---- Evaluation ----

    def evaluate(self, input_fn: Any, steps: Any = None, hooks: Any = None, checkpoint_path: Any = None,
                 name: str | None = None) -> dict[str, Any]:
        """Returns the metrics of the model over the input, or over some steps of it."""
        everything = _checked_hooks(hooks) + evaluation.step_hooks(steps)
        checkpoint_path = checkpoint_path or self._latest('evaluate')
        with Graph().as_default() as graph, graph.device(self._config.device_fn):
            scopes.set_random_seed(self._config.tf_random_seed)
            counter = counters.create_global_step(graph)
            features, labels, input_hooks = calls.call_input_fn(self, input_fn, ModeKeys.EVAL)
            spec = self._call_model_fn(features, labels, ModeKeys.EVAL, self._config)
            updates, metrics = evaluation.metric_ops(spec, counter)
            results = evaluation.evaluate_once(
                checkpoint_path, self._config, spec.scaffold, updates, metrics,
                input_hooks + everything + list(spec.evaluation_hooks))
        evaluation.report(self.eval_dir(name), results, checkpoint_path)
        return results

    def _latest(self, purpose: str) -> Any:
        found = self.latest_checkpoint()
        if not found:
            logging.info(f'Could not find trained model in model_dir: {self._model_dir}, running initialization to '
                         f'{purpose}.')
        return found

    # ---- Prediction ----

    def predict(self, input_fn: Any, predict_keys: Any = None, hooks: Any = None, checkpoint_path: Any = None,
                yield_single_examples: bool = True) -> Iterator[Any]:
        """Yields predictions for the input, one by one or in batches."""
        everything = _checked_hooks(hooks)
        checkpoint_path = checkpoint_path or self._latest('predict')
        with Graph().as_default() as graph, graph.device(self._config.device_fn):
            scopes.set_random_seed(self._config.tf_random_seed)
            counters.create_global_step(graph)
            features, _, input_hooks = calls.call_input_fn(self, input_fn, ModeKeys.PREDICT)
            spec = self._call_model_fn(features, None, ModeKeys.PREDICT, self._config)
            wanted = _chosen(spec.predictions, predict_keys)
            creator = monitored_session.ChiefSessionCreator(
                checkpoint_filename_with_path=checkpoint_path, scaffold=spec.scaffold, master=self._config.master,
                config=self._config.session_config)
            with monitored_session.MonitoredSession(
                    creator, input_hooks + everything + list(spec.prediction_hooks)) as session:
                while not session.should_stop():
                    found = session.run(wanted)
                    yield from _single(found) if yield_single_examples else [found]

    def _call_model_fn(self, features: Any, labels: Any, mode: str, config: Any) -> Any:
        return calls.call_model_fn(self._model_fn, features, labels, mode, self.params, config)

    # ---- For servers ----

    def export_saved_model(self, export_dir_base: Any, serving_input_receiver_fn: Any, assets_extra: Any = None,
                           as_text: bool = False, checkpoint_path: Any = None,
                           experimental_mode: str = ModeKeys.PREDICT) -> bytes:
        """Writes the model for servers to a new folder of |export_dir_base|, and returns that."""
        if experimental_mode != ModeKeys.PREDICT:
            raise NotImplementedError('tf.estimator.Estimator.export_saved_model: Berth exports models for predictions '
                                      f'only, not for {experimental_mode}')
        return self._export(export_dir_base, serving_input_receiver_fn, assets_extra, as_text, checkpoint_path, True)

    def export_savedmodel(self, export_dir_base: Any, serving_input_receiver_fn: Any, assets_extra: Any = None,
                          as_text: bool = False, checkpoint_path: Any = None,
                          strip_default_attrs: bool = False) -> bytes:
        """The same under its old name."""
        return self._export(export_dir_base, serving_input_receiver_fn, assets_extra, as_text, checkpoint_path,
                            strip_default_attrs)

    def experimental_export_all_saved_models(self, export_dir_base: Any, input_receiver_fn_map: Any,
                                             assets_extra: Any = None, as_text: bool = False,
                                             checkpoint_path: Any = None) -> bytes:
        """Writes the model for predictions, the one mode that Berth exports."""
        others = [mode for mode in input_receiver_fn_map if mode != ModeKeys.PREDICT]
        if others:
            raise NotImplementedError('tf.estimator.Estimator.experimental_export_all_saved_models: Berth exports '
                                      f'models for predictions only, not for {others[0]}')
        if not input_receiver_fn_map:
            raise ValueError('No valid modes for exporting found. Got {}.'.format(input_receiver_fn_map.keys()))
        return self._export(export_dir_base, input_receiver_fn_map[ModeKeys.PREDICT], assets_extra, as_text,
                            checkpoint_path, True)

    def _export(self, base: Any, receiver_fn: Any, assets_extra: Any, as_text: bool, checkpoint_path: Any,
                strips: bool) -> bytes:
        if receiver_fn is None:
            raise ValueError('An input_receiver_fn must be defined.')
        checkpoint_path = checkpoint_path or self.latest_checkpoint()
        if not checkpoint_path:
            raise ValueError(f"Couldn't find trained model at {self._model_dir}.")
        folder = export.timestamped_dir(base)
        unfinished = os.path.join(os.path.dirname(folder), f'temp-{os.path.basename(folder)}')
        builder = SavedModelBuilder(unfinished)
        with Graph().as_default() as graph, graph.device(self._config.device_fn):
            counters.create_global_step(graph)
            scopes.set_random_seed(self._config.tf_random_seed)
            receiver = receiver_fn()
            spec = self._call_model_fn(receiver.features, None, ModeKeys.PREDICT, self._config)
            signatures = export.signatures_of(receiver, export.outputs_of(spec))
            if not signatures:
                raise ValueError('The model has no output that a server could use: none of its export_outputs fits '
                                 'what is fed')
            self._write(builder, graph, spec.scaffold, signatures, checkpoint_path, strips)
        builder.save(as_text)
        export.copy_assets(assets_extra, unfinished)
        gfile.Rename(unfinished, folder)
        return folder.encode()

    def _write(self, builder: Any, graph: Any, scaffold: Any, signatures: Any, checkpoint_path: str,
               strips: bool) -> None:
        with Session(config=self._config.session_config) as session:
            initialize = scaffold.local_init_op
            if initialize is None:
                initialize = Scaffold.default_local_init_op()
            saver = scaffold.saver or Saver(sharded=True)
            try:
                saver.restore(session, checkpoint_path)
            except errors.NotFoundError as missing:
                raise ValueError('Couldn\'t load all values of the model for predictions from the checkpoint '
                                 f'{checkpoint_path}: {missing.message}') from missing
            builder.add_meta_graph_and_variables(
                session, [names.SERVING], signatures, graph.get_collection(GraphKeys.ASSET_FILEPATHS),
                main_op=initialize, saver=saver, strip_default_attrs=strips)


def _check_members(estimator: Any) -> None:
    """Raises for a derived class that changes what it is given."""
    allowed = {'model_fn', '_call_model_fn', '_model_dir', 'export_savedmodel', 'export_saved_model',
               'experimental_export_all_saved_models'}
    for kind in type(estimator).__mro__:
        if kind is Estimator:
            return
        changed = [name for name in vars(kind) if name in vars(Estimator) and not name.startswith('__')
                   and name not in allowed]
        if changed:
            raise ValueError(f'Subclasses of Estimator cannot override members of Estimator. {kind} does override '
                             f'{changed[0]}')


def _configured(config: Any, model_dir: Any) -> Any:
    """Returns the settings, with the folder in them."""
    if config is None:
        config = RunConfig()
        logging.info('Using default config.')
    elif not isinstance(config, RunConfig):
        raise ValueError(f'config must be an instance of `RunConfig`, but provided {config}.')
    if model_dir and config.model_dir and os.fspath(model_dir) != config.model_dir:
        raise ValueError('`model_dir` are set both in constructor and `RunConfig`, but with different values. In '
                         f"constructor: '{model_dir}', in `RunConfig`: '{config.model_dir}' ")
    model_dir = os.fspath(model_dir) if model_dir else config.model_dir
    if not model_dir:
        model_dir = tempfile.mkdtemp()
        logging.warning('Using temporary folder as model directory: %s', model_dir)
    return config.replace(model_dir=model_dir)


def _saved_step(model_dir: str) -> int:
    """Returns the step of the latest checkpoint, 0 without one."""
    state = parts.checkpoint_state(model_dir)
    return int(parts.checkpoint_value(model_dir, GraphKeys.GLOBAL_STEP)) if state else 0


def _checked_hooks(hooks: Any) -> list[Any]:
    found = list(hooks or [])
    for hook in found:
        if not isinstance(hook, SessionRunHook):
            raise TypeError(f'Hooks must be a SessionRunHook, given: {hook}')
    return found


def _checked_listeners(listeners: Any) -> tuple[Any, ...]:
    found = tuple(listeners or ())
    for listener in found:
        if not isinstance(listener, saving_hooks.CheckpointSaverListener):
            raise TypeError(f'saving_listeners must be a list of CheckpointSaverListener, given: {listener}')
    return found


def _chosen(predictions: Any, keys: Any) -> Any:
    """Returns the predictions called as |keys| say."""
    if not keys:
        return predictions
    if not isinstance(predictions, dict):
        raise ValueError('predict_keys argument is not valid in case of non-dict predictions.')
    found = {key: value for key, value in predictions.items() if key in keys}
    if not found:
        raise ValueError(f'Expected to run at least one output from {predictions.keys()}, provided {keys}.')
    return found


def _single(found: Any) -> Iterator[Any]:
    """Yields the rows of a batch."""
    if not isinstance(found, dict):
        yield from found
        return
    size = None
    for key, value in found.items():
        size = value.shape[0] if size is None else size
        if value.shape[0] != size:
            raise ValueError(f'Batch length of predictions should be same. {key} has different batch length than '
                             'others.')
    for i in range(size or 0):
        yield {key: value[i] for key, value in found.items()}
