"""layer_show.py - Runs the programs of layer_cases, and shows their graphs and values as JSON.

    layer_show.py FAMILY [berth]

With `berth` on Berth, otherwise on TensorFlow, whose `tf.layers` and `tf.contrib` are taken from where
they are today: the layers that Keras keeps inside of TensorFlow, and tf_slim (its folder in TF_SLIM).
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import types
import warnings

import numpy as np

os.environ.setdefault('TF_CPP_MIN_LOG_LEVEL', '3')
os.environ.setdefault('TF_ENABLE_ONEDNN_OPTS', '0')


def import_library(is_berth: bool):
    """Returns the library in TF1 mode."""
    if is_berth:
        os.environ['BERTH_TF'] = '1'
        import berth
        return berth
    warnings.simplefilter('ignore')
    import layer_oracle
    return layer_oracle.library()


def plain(value):
    """A fetched value as JSON has it."""
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if hasattr(value, 'dense_shape') or value is None:
        return [] if value is None else [plain(part) for part in value]
    array = np.asarray(value)
    if array.dtype.kind in 'SO':
        return {'type': 'string', 'shape': list(array.shape), 'numbers': [str(item) for item in array.ravel()]}
    return {'type': array.dtype.name, 'shape': list(array.shape),
            'numbers': [float(np.float32(item)) if array.dtype.kind == 'f' else int(item) for item in array.ravel()]}


def values_of(tf, scope: dict) -> list:
    """What the fetches of a program gave, run by run."""
    if scope.get('out') is None:
        return []
    with tf.Session() as session:
        session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        return [plain(session.run(scope['out'], scope.get('feed'))) for _ in range(scope.get('steps', 1))]


def shown(tf, code: str) -> dict:
    """The nodes a program makes, the error that stopped it, collections, and its values."""
    with tf.Graph().as_default() as graph:
        tf.set_random_seed(7)
        scope = {'tf': tf, 'np': np, 'types': types}
        error = []
        try:
            exec(code, scope)
        except Exception as found:  # Whatever it is has to be the same.
            error = [f'{type(found).__name__}: {found}'.partition('\n')[0]]  # Below it may be paths.
        nodes = [f'{n.name} = {n.op}({", ".join(n.input)})' + (f' [{n.device}]' if n.device else '')
                 for n in graph.as_graph_def().node]
        lists = {key: [getattr(item, 'name', str(item)) for item in graph.get_collection(key)]
                 for key in sorted(k for k in graph.get_all_collection_keys() if isinstance(k, str))}
        lists = {key: names for key, names in lists.items() if names and not key.startswith(('_', 'cond', 'while'))}
        return {'nodes': nodes, 'error': error, 'collections': lists,
                'values': [] if error else values_of(tf, scope), 'text': [str(scope.get('text', ''))]}


def main() -> None:
    """Shows one family."""
    tf = import_library('berth' in sys.argv[2:])
    cases = importlib.import_module(f'layer_cases.{sys.argv[1]}').CASES
    json.dump({name: shown(tf, code) for name, code in cases.items()}, sys.stdout, indent=0)


if __name__ == '__main__':
    main()
