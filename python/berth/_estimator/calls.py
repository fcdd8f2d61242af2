"""calls - How the functions of an estimator are called: each gets the arguments that it takes."""

from __future__ import annotations

import inspect
from typing import Any

from berth._data.dataset import make_initializable_iterator
from berth._distribute.inputs import InputContext
from berth._estimator.spec import EstimatorSpec
from berth._train.run_hooks import SessionRunHook
from berth.base import logging
from berth.framework import nest, scopes


def _names(function: Any) -> tuple[str, ...]:
    return tuple(inspect.signature(function).parameters)


def check_model_fn(model_fn: Any, params: Any) -> None:
    """Raises for a model function that does not take what it must."""
    names = set(_names(model_fn))
    if 'features' not in names:
        raise ValueError(f'model_fn ({model_fn}) must include features argument.')
    if params is not None and 'params' not in names:
        raise ValueError(f'model_fn ({model_fn}) does not include params argument, but params ({params}) is passed to '
                         'Estimator.')
    if params is None and 'params' in names:
        logging.warning('Estimator\'s model_fn (%s) includes params argument, but params are not passed to Estimator.',
                        model_fn)
    unknown = names - {'features', 'labels', 'mode', 'params', 'config', 'self'}
    if unknown:
        raise ValueError(f'model_fn ({model_fn}) has following not expected args: {list(unknown)}')


def call_model_fn(model_fn: Any, features: Any, labels: Any, mode: str, params: Any, config: Any) -> Any:
    """Returns what the model function gives."""
    names = _names(model_fn)
    arguments = {key: value for key, value in (
        ('labels', labels), ('mode', mode), ('params', params), ('config', config)) if key in names}
    if 'labels' not in names and labels is not None:
        raise ValueError('model_fn does not take labels, but input_fn returns labels.')
    logging.info('Calling model_fn.')
    found = model_fn(features=features, **arguments)
    logging.info('Done calling model_fn.')
    if not isinstance(found, EstimatorSpec):
        raise ValueError('model_fn should return an EstimatorSpec.')
    return found


def _call_input_fn(estimator: Any, input_fn: Any, mode: str, context: Any) -> Any:
    names = _names(input_fn)
    arguments = {key: value for key, value in (
        ('mode', mode), ('params', estimator.params), ('config', estimator.config), ('input_context', context))
        if key in names}
    return input_fn(**arguments)


def call_input_fn(estimator: Any, input_fn: Any, mode: str) -> tuple[Any, Any, list[Any]]:
    """Returns the features, the labels or None, and the hooks that the input needs."""
    with scopes.device('/cpu:0'):
        found = _call_input_fn(estimator, input_fn, mode, None)
        hooks: list[Any] = []
        if hasattr(found, 'element_spec'):
            iterator = make_initializable_iterator(found)
            hooks, found = [_InitializerHook(iterator)], iterator.get_next()
    if mode == 'infer':
        return (found[0] if isinstance(found, (list, tuple)) else found), None, hooks
    return *_features_and_labels(found), hooks


def _features_and_labels(found: Any) -> tuple[Any, Any]:
    if not isinstance(found, (list, tuple)):
        return found, None
    if len(found) != 2:
        raise ValueError('input_fn should return (features, labels) as a len 2 tuple.')
    return found[0], found[1]


def batches_of(estimator: Any, input_fn: Any, count: int) -> tuple[list[Any], list[Any]]:
    """Returns features and labels for each of |count| replicas, one batch after the other, and the hooks."""
    context = InputContext(num_replicas_in_sync=count)
    with scopes.device('/cpu:0'):
        found = _call_input_fn(estimator, input_fn, 'train', context)
        if not hasattr(found, 'element_spec'):
            raise ValueError('dataset_fn() must return a tf.data.Dataset when using a tf.distribute.Strategy.')
        iterator = make_initializable_iterator(found)
        batches: list[Any] = []
        for _ in range(count):
            before = [tensor.op for tensor in nest.flatten(batches[-1:])]
            with scopes.control_dependencies(before):  # They are taken in this order.
                batches.append(_features_and_labels(iterator.get_next()))
    return batches, [_InitializerHook(iterator)]


class _InitializerHook(SessionRunHook):
    """Starts an iterator when a session begins."""

    def __init__(self, iterator: Any) -> None:
        self._iterator = iterator

    def begin(self) -> None:
        """Finds what starts it."""
        self._initializer = self._iterator.initializer

    def after_create_session(self, session: Any, coord: Any) -> None:
        """Starts it."""
        session.run(self._initializer)
