"""export - tf.estimator.export: what a server gives a model, and what it takes from it.

A function for servers (`serving_input_receiver_fn`) makes the placeholders that are fed, and features of them.
Outputs become signatures: for predictions of any kind, for numbers, for classes.
"""

from __future__ import annotations

import collections
import os
import time
from typing import Any, Callable

from berth._train import model_names as names
from berth._train import model_signatures as signatures
from berth.base import logging, naming
from berth.framework import convert, dtypes
from berth.modules import gfile
from berth.ops import array_ops, parsing_ops
from berth.ops.sparse_tensor import SparseTensor

_FEATURE, _RECEIVER, _OUTPUT = 'feature', 'input', 'output'  # The names of single ones.


def _check_tensors(tensors: dict[Any, Any], what: str, kinds: str, is_sparse_fine: bool) -> dict[Any, Any]:
    for name, tensor in tensors.items():
        if not isinstance(name, (str, int) if what == 'feature' else str):
            raise ValueError(f'{what} keys must be strings: {name}.')
        if not convert.is_tensor(tensor) and not (is_sparse_fine and isinstance(tensor, SparseTensor)):
            raise ValueError(f'{what} {name} must be a {kinds}.')
    return tensors


def _features(features: Any) -> dict[Any, Any]:
    if features is None:
        raise ValueError('features must be defined.')
    if not isinstance(features, dict):
        features = {_FEATURE: features}
    return _check_tensors(features, 'feature', 'Tensor, SparseTensor, or RaggedTensor', True)


def _receivers(tensors: Any) -> dict[Any, Any]:
    if tensors is None:
        raise ValueError('receiver_tensors must be defined.')
    if not isinstance(tensors, dict):
        tensors = {_RECEIVER: tensors}
    return _check_tensors(tensors, 'receiver_tensors', 'Tensor', True)


def _alternatives(alternatives: Any) -> Any:
    if alternatives is None:
        return None
    if not isinstance(alternatives, dict):
        raise ValueError(f'receiver_tensors_alternatives must be a dict: {alternatives}.')
    return {name: _receivers(tensors) for name, tensors in alternatives.items()}


_FIELDS = ['features', 'receiver_tensors', 'receiver_tensors_alternatives']


@naming.public('estimator.export')
class ServingInputReceiver(collections.namedtuple('ServingInputReceiver', _FIELDS)):
    """Features, and the tensors that are fed for them."""

    __slots__ = ()

    def __new__(cls, features: Any, receiver_tensors: Any,
                receiver_tensors_alternatives: Any = None) -> 'ServingInputReceiver':
        return super().__new__(cls, _features(features), _receivers(receiver_tensors),
                               _alternatives(receiver_tensors_alternatives))


@naming.public('estimator.export')
class TensorServingInputReceiver(collections.namedtuple('TensorServingInputReceiver', _FIELDS)):
    """One tensor as the features of a model that takes no dict, and the tensors that are fed for it."""

    __slots__ = ()

    def __new__(cls, features: Any, receiver_tensors: Any,
                receiver_tensors_alternatives: Any = None) -> 'TensorServingInputReceiver':
        if features is None:
            raise ValueError('features must be defined.')
        if not convert.is_tensor(features) and not isinstance(features, SparseTensor):
            raise ValueError('feature must be a Tensor, SparseTensor, or RaggedTensor.')
        return super().__new__(cls, features, _receivers(receiver_tensors),
                               _alternatives(receiver_tensors_alternatives))


def build_raw_serving_input_receiver_fn(features: Any, default_batch_size: Any = None) -> Callable[[], Any]:
    """Returns a function that makes placeholders like |features|, which are fed as they are."""
    def serving_input_receiver_fn() -> Any:
        fed = {}
        for name, tensor in features.items():
            shape = tensor.shape.as_list()
            shape[0] = default_batch_size
            fed[name] = array_ops.placeholder(tensor.dtype, shape, name=tensor.op.name)
        return ServingInputReceiver(fed, fed)

    return serving_input_receiver_fn


def build_parsing_serving_input_receiver_fn(feature_spec: Any, default_batch_size: Any = None) -> Callable[[], Any]:
    """Returns a function that makes a placeholder for records, and parses them."""
    def serving_input_receiver_fn() -> Any:
        records = array_ops.placeholder(dtypes.string, [default_batch_size], name='input_example_tensor')
        return ServingInputReceiver(parsing_ops.parse_example(records, feature_spec), {'examples': records})

    return serving_input_receiver_fn


# ---- Outputs ----


class ExportOutput:
    """An output of a model."""

    def as_signature_def(self, receiver_tensors: Any) -> Any:
        """Returns the signature of the output for the tensors that are fed."""
        raise NotImplementedError


def _single_string(receivers: Any, kind: str) -> Any:
    """Returns the one tensor of records that is fed."""
    if len(receivers) != 1:
        raise ValueError(f'{kind} input must be a single string Tensor; got {receivers}')
    (examples,) = receivers.values()
    if dtypes.as_dtype(examples.dtype) != dtypes.string:
        raise ValueError(f'{kind} input must be a single string Tensor; got {receivers}')
    return examples


def _is_of(tensor: Any, is_right: Callable[[Any], bool]) -> bool:
    return convert.is_tensor(tensor) and is_right(dtypes.as_dtype(tensor.dtype))


@naming.public('estimator.export')
class PredictOutput(ExportOutput):
    """Tensors of any kind, by name."""

    def __init__(self, outputs: Any) -> None:
        outputs = outputs if isinstance(outputs, dict) else {_OUTPUT: outputs}
        self._outputs = {'/'.join(key) if isinstance(key, tuple) else key: value for key, value in outputs.items()}
        for key, value in self._outputs.items():
            if not isinstance(key, str):
                raise ValueError(f'Prediction output key must be a string; got {key}.')
            if not convert.is_tensor(value):
                raise ValueError(f'Prediction output value must be a Tensor; got {value}.')

    outputs = property(lambda self: self._outputs, doc='The tensors.')

    def as_signature_def(self, receiver_tensors: Any) -> Any:
        """Returns a signature for whatever is fed."""
        return signatures.predict_signature_def(receiver_tensors, self._outputs)


@naming.public('estimator.export')
class RegressionOutput(ExportOutput):
    """A number for each record."""

    def __init__(self, value: Any) -> None:
        if not _is_of(value, lambda dtype: dtype.is_floating):
            raise ValueError(f'Regression output value must be a float32 Tensor; got {value}')
        self._value = value

    value = property(lambda self: self._value, doc='The numbers.')

    def as_signature_def(self, receiver_tensors: Any) -> Any:
        """Returns a signature for records."""
        return signatures.regression_signature_def(_single_string(receiver_tensors, 'Regression'), self._value)


@naming.public('estimator.export')
class ClassificationOutput(ExportOutput):
    """Classes, or scores of them, or both, for each record."""

    def __init__(self, scores: Any = None, classes: Any = None) -> None:
        if scores is not None and not _is_of(scores, lambda dtype: dtype.is_floating):
            raise ValueError(f'Classification scores must be a float32 Tensor; got {scores}')
        if classes is not None and not _is_of(classes, lambda dtype: dtype == dtypes.string):
            raise ValueError(f'Classification classes must be a string Tensor; got {classes}')
        if scores is None and classes is None:
            raise ValueError('Cannot create a ClassificationOutput with empty arguments. At least one of `scores` and '
                             '`classes` must be defined.')
        self._scores, self._classes = scores, classes

    scores = property(lambda self: self._scores, doc='The scores.')
    classes = property(lambda self: self._classes, doc='The classes.')

    def as_signature_def(self, receiver_tensors: Any) -> Any:
        """Returns a signature for records."""
        return signatures.classification_signature_def(_single_string(receiver_tensors, 'Classification'),
                                                       self._classes, self._scores)


def outputs_of(spec: Any) -> dict[Any, Any]:
    """Returns the outputs of a model, one of them the default."""
    given = spec.export_outputs
    if given is None:
        return {names.DEFAULT_SERVING_SIGNATURE_DEF_KEY: PredictOutput(spec.predictions)}
    if not isinstance(given, dict):
        raise TypeError(f'export_outputs must be dict, given: {given}')
    for value in given.values():
        if not isinstance(value, ExportOutput):
            raise TypeError(f'Values in export_outputs must be ExportOutput objects. Given: {given}')
    found = dict(given)
    if len(found) == 1:
        found[names.DEFAULT_SERVING_SIGNATURE_DEF_KEY] = next(iter(found.values()))
    elif found and names.DEFAULT_SERVING_SIGNATURE_DEF_KEY not in found:
        raise ValueError('Multiple export_outputs were provided, but none of them is specified as the default.  Do '
                         'this by naming one of them with signature_constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY.')
    return found


def signatures_of(receiver: Any, outputs: dict[Any, Any]) -> dict[str, Any]:
    """Returns the signatures of all outputs that servers can use, for each way to feed the model."""
    found: dict[str, Any] = {}
    left_out: dict[str, str] = {}
    ways = {'': receiver.receiver_tensors, **(receiver.receiver_tensors_alternatives or {})}
    for way, tensors in ways.items():
        for key, output in outputs.items():
            name = f'{way}:{key or "None"}' if way else str(key or 'None')
            try:
                found[name] = output.as_signature_def(tensors)
            except ValueError as error:
                left_out[name] = str(error)
    for name, why in left_out.items():
        logging.warning('Signature %s is left out, since servers cannot use it: %s', name, why)
    return {name: signature for name, signature in found.items() if signatures.is_valid_signature(signature)}


# ---- Folders ----


def timestamped_dir(base: Any) -> str:
    """Returns a folder of |base| that is not there yet, called after the time."""
    for _ in range(10):
        path = os.path.join(os.fspath(base), str(int(time.time())))
        if not gfile.Exists(path):
            return path
        time.sleep(1)
    raise RuntimeError('Failed to obtain a unique export directory name after 10 attempts.')


def copy_assets(assets_extra: Any, folder: str) -> None:
    """Copies files that a program wants beside the model."""
    for name, source in (assets_extra or {}).items():
        target = os.path.join(folder, 'assets.extra', name)
        gfile.MakeDirs(os.path.dirname(target))
        gfile.Copy(source, target)
