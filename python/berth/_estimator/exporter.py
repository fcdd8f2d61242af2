"""exporter - tf.estimator's exporters: when train_and_evaluate writes a model for servers."""

from __future__ import annotations

import os
from typing import Any

from berth.base import logging, naming
from berth.modules import gfile


@naming.public('estimator.exporter')
class Exporter:
    """Writes a model, or does not, after an evaluation."""

    @property
    def name(self) -> str:
        """The folder that it writes to, under `export`."""
        raise NotImplementedError

    def export(self, estimator: Any, export_path: str, checkpoint_path: str, eval_result: Any,
               is_the_final_export: bool) -> Any:
        """Returns where the model was written, or None."""
        raise NotImplementedError


class _ModelExporter(Exporter):
    """Writes a SavedModel, and keeps the last ones."""

    def __init__(self, name: str, serving_input_receiver_fn: Any, assets_extra: Any, as_text: bool,
                 exports_to_keep: Any = None) -> None:
        self._name, self._serving_input_receiver_fn = name, serving_input_receiver_fn
        self._assets_extra, self._as_text, self._exports_to_keep = assets_extra, as_text, exports_to_keep
        if exports_to_keep is not None and exports_to_keep <= 0:
            raise ValueError(f'`exports_to_keep`, if provided, must be a positive number. Got {exports_to_keep}')

    name = property(lambda self: self._name, doc='The folder that it writes to, under `export`.')

    def _write(self, estimator: Any, export_path: str, checkpoint_path: str) -> Any:
        found = estimator.export_saved_model(export_path, self._serving_input_receiver_fn,
                                             assets_extra=self._assets_extra, as_text=self._as_text,
                                             checkpoint_path=checkpoint_path)
        self._drop_old(export_path)
        return found

    def _drop_old(self, export_path: str) -> None:
        if self._exports_to_keep is None:
            return
        made = [name.rstrip('/') for name in gfile.ListDirectory(export_path)]
        made = sorted((name for name in made if name.isdigit() and len(name) == 10), key=int)
        for name in made[:-self._exports_to_keep]:
            gfile.DeleteRecursively(os.path.join(export_path, name))


@naming.public('estimator.exporter')
class LatestExporter(_ModelExporter):
    """Writes the model after each evaluation."""

    def __init__(self, name: str, serving_input_receiver_fn: Any, assets_extra: Any = None, as_text: bool = False,
                 exports_to_keep: Any = 5) -> None:
        super().__init__(name, serving_input_receiver_fn, assets_extra, as_text, exports_to_keep)

    def export(self, estimator: Any, export_path: str, checkpoint_path: str, eval_result: Any,
               is_the_final_export: bool) -> Any:
        """Writes the model."""
        return self._write(estimator, export_path, checkpoint_path)


@naming.public('estimator.exporter')
class FinalExporter(_ModelExporter):
    """Writes the model once, at the end of training."""

    def __init__(self, name: str, serving_input_receiver_fn: Any, assets_extra: Any = None,
                 as_text: bool = False) -> None:
        super().__init__(name, serving_input_receiver_fn, assets_extra, as_text)

    def export(self, estimator: Any, export_path: str, checkpoint_path: str, eval_result: Any,
               is_the_final_export: bool) -> Any:
        """Writes the model if this is the end."""
        if not is_the_final_export:
            return None
        logging.info('Performing the final export in the end of training.')
        return self._write(estimator, export_path, checkpoint_path)


def _loss_smaller(best_eval_result: Any, current_eval_result: Any) -> bool:
    for label, result in (('best', best_eval_result), ('current', current_eval_result)):
        if not result or 'loss' not in result:
            raise ValueError(f'{label}_eval_result cannot be empty or no loss is found in it.')
    return best_eval_result['loss'] > current_eval_result['loss']


@naming.public('estimator.exporter')
class BestExporter(_ModelExporter):
    """Writes the model whenever it is better than all that this has written."""

    def __init__(self, name: str = 'best_exporter', serving_input_receiver_fn: Any = None,
                 event_file_pattern: Any = 'eval/*.tfevents.*', compare_fn: Any = _loss_smaller,
                 assets_extra: Any = None, as_text: bool = False, exports_to_keep: Any = 5) -> None:
        if compare_fn is None:
            raise ValueError('`compare_fn` must not be None.')
        super().__init__(name, serving_input_receiver_fn, assets_extra, as_text, exports_to_keep)
        self._compare_fn = compare_fn
        # The first of a process is written whatever was evaluated before, so that nothing is read from event files.
        self._best: Any = None

    def export(self, estimator: Any, export_path: str, checkpoint_path: str, eval_result: Any,
               is_the_final_export: bool) -> Any:
        """Writes the model if it is better."""
        if self._best is not None and not self._compare_fn(best_eval_result=self._best,
                                                           current_eval_result=eval_result):
            return None
        logging.info('Performing best model export.')
        self._best = eval_result
        return self._write(estimator, export_path, checkpoint_path)


def checked(exporters: Any) -> tuple[Exporter, ...]:
    """Returns exporters that a program gives, which may be one, or none."""
    if not exporters:
        return ()
    found = [exporters] if isinstance(exporters, Exporter) else exporters
    try:
        found = tuple(found)
    except TypeError:
        found = (None,)
    if not all(isinstance(exporter, Exporter) for exporter in found):
        raise TypeError(f'`exporters` must be an Exporter, an iterable of Exporter, or `None`, found {exporters}.')
    labels = [exporter.name for exporter in found]
    for label in labels:
        if not label:
            raise ValueError(f'An Exporter cannot have a name that is `None` or empty. All exporter names: {labels}')
        if not isinstance(label, str):
            raise ValueError(f'An Exporter must have a string name. Given: {type(label)}')
    if len(set(labels)) != len(labels):
        raise ValueError('`exporters` must have unique names. Such a name cannot be `None`. All exporter names: '
                         f'{labels}')
    return found
