"""predictor.py - tf.contrib.predictor: a model as a function of arrays."""

from __future__ import annotations

from typing import Any

from berth._estimator import export
from berth._estimator.spec import ModeKeys
from berth._train import model_loader, monitored_session
from berth._train import model_names as names
from berth.client.session import Session
from berth.framework.graph import Graph


class Predictor:
    """Runs a model: a dictionary of arrays goes in, one comes out."""

    _graph: Any = None
    _session: Any = None

    def __init__(self, graph: Any, session: Any, feeds: dict[str, Any], fetches: dict[str, Any]) -> None:
        self._graph, self._session, self._feed_tensors, self._fetch_tensors = graph, session, feeds, fetches

    graph = property(lambda self: self._graph, doc='The graph of the model.')
    session = property(lambda self: self._session, doc='The session that it runs in.')
    feed_tensors = property(lambda self: self._feed_tensors, doc='The inputs by name.')
    fetch_tensors = property(lambda self: self._fetch_tensors, doc='The outputs by name.')

    def __repr__(self) -> str:
        return f'{type(self).__name__} with feed tensors {self._feed_tensors} and fetch_tensors {self._fetch_tensors}'

    def __call__(self, input_dict: dict[str, Any]) -> dict[str, Any]:
        unexpected = set(input_dict) - set(self._feed_tensors)
        if unexpected:
            raise ValueError(f'Got unexpected keys in input_dict: {unexpected}\nexpected: {set(self._feed_tensors)}')
        feeds = {self._feed_tensors[key]: value for key, value in input_dict.items() if value is not None}
        return self._session.run(self._fetch_tensors, feeds)


def _tensors(graph: Any, infos: Any) -> dict[str, Any]:
    return {key: graph.get_tensor_by_name(info.name) for key, info in infos.items()}


def from_saved_model(export_dir: str, signature_def_key: Any = None, signature_def: Any = None, input_names: Any = None,
                     output_names: Any = None, tags: Any = None, graph: Any = None, config: Any = None) -> Predictor:
    """Returns the function that a SavedModel is, by a signature of it or by the names of tensors."""
    ways = [each for each in (signature_def_key, signature_def) if each is not None]
    if len(ways) + (input_names is not None) > 1:
        raise ValueError('You must specify at most one of signature_def_key OR signature_def OR (input_names AND '
                         'output_names).')
    if (input_names is None) != (output_names is None):
        raise ValueError('input_names and output_names must both be specified or both be unspecified.')
    graph = graph or Graph()
    with graph.as_default():
        session = Session(config=config)
        message = model_loader.load(session, (tags or names.SERVING).split(','), export_dir)
    if input_names is not None:
        feeds, fetches = ({key: graph.get_tensor_by_name(name) for key, name in given.items()}
                          for given in (input_names, output_names))
        return Predictor(graph, session, feeds, fetches)
    if signature_def is None:
        key = signature_def_key or names.DEFAULT_SERVING_SIGNATURE_DEF_KEY
        if key not in message.signature_def:
            raise ValueError(f'Got signature_def_key "{key}". Available signatures are {sorted(message.signature_def)}. '
                             'Original error:\nNo SignatureDef with that key')
        signature_def = message.signature_def[key]
    return Predictor(graph, session, _tensors(graph, signature_def.inputs), _tensors(graph, signature_def.outputs))


def from_estimator(estimator: Any, serving_input_receiver_fn: Any, output_key: Any = None, graph: Any = None,
                   config: Any = None) -> Predictor:
    """Returns the function that a trained estimator is."""
    graph = graph or Graph()
    with graph.as_default():
        receiver = serving_input_receiver_fn()
        spec = estimator.model_fn(receiver.features, None, ModeKeys.PREDICT, estimator.config)
        found = export.signatures_of(receiver, export.outputs_of(spec))
        key = output_key or names.DEFAULT_SERVING_SIGNATURE_DEF_KEY
        if key not in found:
            raise ValueError(f'No signature named {key}; there are {sorted(found)}')
        session = monitored_session.MonitoredSession(monitored_session.ChiefSessionCreator(
            scaffold=spec.scaffold, config=config, checkpoint_filename_with_path=estimator.latest_checkpoint()))
    return Predictor(graph, session, _tensors(graph, found[key].inputs), _tensors(graph, found[key].outputs))
