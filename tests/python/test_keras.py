"""test_keras.py - The package keras on Berth: what programs of it give, beside TensorFlow.

    test_keras.py record PYTHON     records what TensorFlow gives (a developer's tool)

What was recorded holds for one version of the package; with another, programs must run.
"""

from __future__ import annotations

import functools
import importlib.util
import json
import math
import pathlib
import subprocess
import sys
from typing import Any

import oracle
import pytest
import script

HERE = pathlib.Path(__file__).resolve().parent
CASES = HERE / 'keras_cases.py'
RECORD = oracle.ORACLE / 'keras_results.json'
NAMES = sorted(set(json.loads(RECORD.read_text())) - {'version'}) if RECORD.exists() else []
needs_keras = pytest.mark.skipif(importlib.util.find_spec('keras') is None, reason='the package keras is not installed')


def environment() -> dict[str, str]:
    return oracle.base_environment() | {'BERTH_TF': '2', 'CUDA_VISIBLE_DEVICES': '', 'KERAS_BACKEND': 'tensorflow',
                                        'TF_CPP_MIN_LOG_LEVEL': '3'}


@functools.cache
def given() -> dict[str, Any]:
    """Returns what the cases give on Berth."""
    done = subprocess.run([sys.executable, '-m', 'berth', 'run', str(CASES)], capture_output=True, text=True,
                          env=environment(), timeout=script.TIMEOUT_SECONDS)
    script.check_stderr(done.stderr)
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout)


def differences(theirs: Any, ours: Any, path: str = '') -> list[str]:
    """Says where two values differ by more than the order of sums makes."""
    if isinstance(theirs, list) and isinstance(ours, list) and len(theirs) == len(ours):
        return [text for i, pair in enumerate(zip(theirs, ours)) for text in differences(*pair, f'{path}[{i}]')]
    if isinstance(theirs, float) and isinstance(ours, (float, int)):
        return [] if math.isclose(theirs, ours, rel_tol=2e-3, abs_tol=2e-4) else [f'{path}: {ours}, not {theirs}']
    return [] if theirs == ours else [f'{path}: {ours}, not {theirs}']


@needs_keras
@pytest.mark.parametrize('name', NAMES)
def test_programs_give_the_same(name: str) -> None:
    recorded = json.loads(RECORD.read_text())
    assert name in given()
    if given()['version'] == recorded['version']:
        found = differences(recorded[name], given()[name])
        assert not found, found[:10]


@needs_keras
def test_from_berth() -> None:
    """Where a program imports berth, its tf.keras is the package, and that finds Berth by the name of tensorflow."""
    assert script.run("""
        import sys
        import berth as tf
        data = tf.data.Dataset.from_tensor_slices(([[1.0], [2.0]], [[2.0], [4.0]])).batch(2)
        assert 'keras' not in sys.modules
        model = tf.keras.Sequential([tf.keras.Input((1,)), tf.keras.layers.Dense(1, kernel_initializer='ones')])
        model.compile('sgd', 'mse')
        print(round(model.fit(data, epochs=1, verbose=0).history['loss'][0], 4))
        import tensorflow, keras
        from tensorflow.keras.layers import Dense
        from tensorflow import keras as by_name
        print(tensorflow.constant(1).numpy(), Dense is keras.layers.Dense, by_name is tf.keras, tf.compat.v1.keras is tf.keras)
        print(tf.optimizers.Adam is keras.optimizers.Adam, tf.losses.MeanSquaredError is keras.losses.MeanSquaredError,
              tf.metrics.Mean is keras.metrics.Mean, tf.initializers.Zeros is keras.initializers.Zeros)
        try: tf.keras.nothing
        except AttributeError as error: print(error)
    """, mode='2', KERAS_BACKEND='tensorflow') == (
        "2.5\n1 True True True\nTrue True True True\nmodule 'keras._tf_keras.keras' has no attribute 'nothing'\n")


@needs_keras
def test_beside_tensorflow_itself() -> None:
    """The package cannot use two: where the other is there already, the error says so."""
    assert script.run("""
        import sys, types
        import berth as tf
        sys.modules['tensorflow'] = types.ModuleType('tensorflow')
        try: tf.keras
        except ImportError as error: print(error)
    """, mode='2') == ('TensorFlow itself is imported already, and the package keras uses that: import berth, and tf.keras '
                       'of it, first\n')


RATHER = 'tf.compat.v1.train has optimisers, tf.compat.v1.layers, losses and metrics what their names say'


@pytest.mark.parametrize('mode, before, words', [
    ('2', 'sys.modules["keras"] = None', 'comes from the package keras, which is not installed: `pip install keras` does that'),
    ('2', 'os.environ["TF_USE_LEGACY_KERAS"] = "1"',
     'would come from the package tf_keras, for which TF_USE_LEGACY_KERAS asks, and which does not run on Berth'),
    ('2', 'sys.modules["keras"] = types.ModuleType("keras"); sys.modules["keras"].__version__ = "2.15.0"',
     'comes from the package keras, of which Berth runs version 3, and not 2.15.0'),
    ('1', '', 'comes from the package keras, which has no support for TF1, and this program runs as TF1 (BERTH_TF=1)'),
])
def test_words_without_it(mode: str, before: str, words: str) -> None:
    code = f'import os, sys, types\nimport berth as tf\n{before}\ntry: tf.keras\nexcept AttributeError as error: print(error)'
    assert script.run(code, mode=mode).rstrip().endswith(f"has no attribute 'keras': tf.keras {words}; {RATHER}")


def test_names_of_its_own_stay_without_it() -> None:
    """tf.initializers is there where the package is not."""
    assert script.run("""
        import sys
        sys.modules['keras'] = None
        import berth as tf
        print(tf.initializers.Zeros()((2,)).numpy().tolist())
    """, mode='2') == '[0.0, 0.0]\n'


def main() -> None:
    """Records what TensorFlow gives."""
    done = subprocess.run([sys.argv[2], str(CASES)], capture_output=True, text=True, env=environment(), check=True)
    RECORD.write_text(json.dumps(json.loads(done.stdout.splitlines()[-1])) + '\n')


if __name__ == '__main__':
    main()


@needs_keras
def test_recurrent_layers_on_cards(tmp_path: pathlib.Path) -> None:
    """They do without the vendor's kernels for them, whose ops Keras tries first, at once and in functions."""
    text = '''
import tensorflow as tf, numpy as np
tf.keras.utils.set_random_seed(1)
for make in (tf.keras.layers.LSTM, tf.keras.layers.GRU):
    model = tf.keras.Sequential([make(3)])
    x = np.ones((4, 3, 2), 'float32')
    model.compile('sgd', 'mse')
    model.fit(x, np.ones((4, 3)), verbose=0)
    print(np.abs(model(x) - model.predict(x, verbose=0)).max() < 1e-5, tf.config.list_logical_devices('GPU') != [])
'''
    (tmp_path / 'script.py').write_text(text)
    done = subprocess.run([sys.executable, '-m', 'berth', 'run', '--tf2', '--simulate', 'Tesla K40c', 'script.py'],
                          cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert done.stdout.split() == ['True'] * 4, done.stderr[-2000:]
