"""test_imports.py - What programs import: modules below tensorflow.python, and what is said of those that are missing."""

from __future__ import annotations

import subprocess
import sys

import pytest
from berth._start import api_modules, hints, namespaces, python_modules

TRAINING = 'belongs to training, which Berth does not have yet'
RATHER = 'tf.compat.v1.train has optimisers, tf.compat.v1.layers, losses and metrics what their names say'
KERAS = f'comes from the package keras, which is not installed: `pip install keras` does that; {RATHER}'
# A program begins so where there is to be no such package.
WITHOUT_KERAS = 'import sys; sys.modules["keras"] = None\n'
GONE = 'tf.contrib left TensorFlow with version 2.0, and Berth has only parts of it'

# (statement, what the exception ends with).
REFUSED = {
    'import tensorflow.keras as K': f"No module named 'tensorflow.keras': tf.keras {KERAS}",
    'from tensorflow.keras import layers': f"No module named 'tensorflow.keras': tf.keras {KERAS}",
    'from tensorflow import keras': f'): tf.keras {KERAS}',
    'import tensorflow.contrib.slim': f"No module named 'tensorflow.contrib'\n{GONE}",
    'from tensorflow.contrib import layers': f"No module named 'tensorflow.contrib'\n{GONE}",
    'from tensorflow.python.keras import backend': f'tensorflow.python.keras.backend {TRAINING}',
    'from tensorflow.python.ops import proto_ops':
        'Berth does not have tensorflow.python.ops.proto_ops yet',
    'import tensorflow.nonsense': "No module named 'tensorflow.nonsense'",
    'from tensorflow import mathh': 'Did you mean tf.math?',
    'from tensorflow.math import redcue_sum': 'Did you mean tf.math.reduce_sum?',
    'from tensorflow import Session': '`berth run --tf1` or BERTH_TF=1',
    'import berth.nonsense': "No module named 'berth.nonsense'",
}
needs_notes = pytest.mark.skipif(sys.version_info < (3, 11), reason='exceptions have notes since Python 3.11')


def run(code: str, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *words, '-c', code], text=True, capture_output=True, timeout=60)


@needs_notes
@pytest.mark.parametrize('statement', REFUSED)
def test_words(statement: str) -> None:
    done = run(WITHOUT_KERAS + statement, '-m', 'berth', 'run', '--tf2')
    assert done.returncode == 1
    assert done.stderr.rstrip().endswith(REFUSED[statement])


# (mode, path, name): what is said of it.
MISSING = {
    (2, '', 'mul'): 'Did you mean tf.multiply?',
    (2, '', 'sub'): 'Did you mean tf.subtract?',
    (2, '', 'neg'): 'Did you mean tf.negative?',
    (1, '', 'pack'): 'Did you mean tf.stack?',
    (1, '', 'select'): 'Did you mean tf.where?',
    (1, '', 'batch_matmul'): 'Did you mean tf.matmul?',
    (1, '', 'concat_v2'): 'Did you mean tf.concat?',
    (2, '', 'relu'): 'Did you mean tf.nn.relu?',
    (2, '', 'constnat'): 'Did you mean tf.constant?',
    (2, 'nn', 'rellu'): 'Did you mean tf.nn.relu?',
    (2, '', 'nonsense'): '',
    (1, '', 'xyzzy'): '',
    (2, 'math', 'nonsense'): '',
}


@pytest.mark.parametrize('case', MISSING, ids=lambda case: '.'.join(map(str, case)))
def test_hints(case: tuple[int, str, str]) -> None:
    assert hints.about(*case) == (False, MISSING[case])


def test_what_tensorflow_has_is_said_to_be_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, 'keras', None)
    assert hints.about(2, '', 'ragged_nothing') == (False, '')
    assert hints.about(2, 'audio', 'decode_wav') == (True, 'Berth does not have tf.audio.decode_wav yet')
    assert hints.about(2, '', 'keras') == (True, f'tf.keras {KERAS}')
    assert hints.about(1, 'train', 'SyncReplicasOptimizer') == (
        True, 'Berth does not have tf.train.SyncReplicasOptimizer yet')
    assert hints.about(2, '', 'optimizers') == (True, f'tf.optimizers {KERAS}')
    assert hints.about(1, 'estimator', 'BoostedTreesClassifier') == (
        True, 'Berth has tf.estimator.Estimator, and does not have tf.estimator.BoostedTreesClassifier')
    assert hints.about(2, 'estimator', 'DNNClassifier') == (
        True, 'Berth has tf.estimator.Estimator, and tf.compat.v1.estimator.DNNClassifier, and does not have '
              'tf.estimator.DNNClassifier')
    assert hints.about(1, 'train', 'nonsense') == (False, '')


def test_renamings_lead_somewhere() -> None:
    words = {word for names in (hints._RENAMED, hints._IN_TF2) for word in names}
    there = [name for name in words if name in namespaces.table(2).get('', {})]
    assert not there, 'a name that Berth has needs no other'


def test_every_module_has_what_the_table_says() -> None:
    broken = []
    for path in api_modules.MODULES:
        if not path or not python_modules.is_module(path):
            continue
        for name, target in python_modules._targets(path).items():
            if python_modules._source(*target) is not None:
                try:
                    python_modules.find(path, name)
                except (AttributeError, ImportError) as error:
                    broken.append(f'{path}.{name}: {error}')
    assert not broken


@pytest.mark.parametrize('path', sorted(python_modules.EXTRAS))
def test_extras_lead_somewhere(path: str) -> None:
    for module, attribute in python_modules._extras(path):
        name = attribute.rpartition('=')[2]
        assert name == '*' or python_modules._attribute(module, name, False) is not None, f'{module}: {name}'


def test_looking_is_not_importing() -> None:
    code = (WITHOUT_KERAS + 'import importlib.util as u; import tensorflow as tf; '
            'print([u.find_spec("tensorflow." + n) is not None for n in ("nn", "keras", "nonsense", "python.ops.math_ops")], '
            'hasattr(tf, "keras"), u.find_spec("tensorflow").name)')
    done = run(code, '-m', 'berth', 'run')
    assert (done.stdout, done.stderr) == ('[True, False, False, True] False tensorflow\n', '')


def test_modules_by_the_name_of_berth() -> None:
    code = ('import berth as tf, pickle; from berth.python.ops import math_ops; import berth.io.gfile as g; '
            'from berth.python.framework.dtypes import float32; '
            'print(math_ops.reduce_sum([1, 2]).numpy(), g.exists("/nowhere"), tf.nn.__name__, tf.TensorShape.__module__); '
            'back = [pickle.loads(pickle.dumps(x)) for x in (tf.TensorShape([1]), tf.float32, tf.DType, tf.Variable)]; '
            'print(back[0], back[1], back[2] is tf.DType, back[3] is tf.Variable)')
    done = run(code)
    assert done.stdout == ("3 False berth.nn berth.framework.tensor_shape\n"
                           "(1,) <dtype: 'float32'> True True\n"), done.stderr


def test_classes_are_found_again_by_children() -> None:
    code = ('''
import pickle, subprocess, sys
import tensorflow as tf
data = pickle.dumps([tf.TensorShape([2]), tf.TensorShape, tf.errors.NotFoundError(None, None, 'x'), tf.zeros_initializer()])
child = 'import pickle, sys; print(pickle.loads(bytes.fromhex(sys.argv[1]))[:2])'
print(subprocess.run([sys.executable, '-c', child, data.hex()], capture_output=True, text=True).stdout)
''')
    done = run(code, '-m', 'berth', 'run')
    assert "[TensorShape([2]), <class 'tensorflow.python.framework.tensor_shape.TensorShape'>]" in done.stdout, done.stderr


def test_functions_can_be_pickled() -> None:
    names = 'constant argmax reduce_sum convert_to_tensor cond shape transpose norm tuple'
    code = ('import pickle, tensorflow as tf\n'
            f'for name in "{names}".split():\n'
            '    function = getattr(tf, name)\n'
            '    assert pickle.loads(pickle.dumps(function)) is function, name\n')
    assert run(code, '-m', 'berth', 'run').stderr == ''


def test_help_works() -> None:
    done = run('import tensorflow as tf; help(tf.TensorShape); help(tf.nn)', '-m', 'berth', 'run')
    assert 'class TensorShape' in done.stdout, done.stderr
    assert done.returncode == 0


def test_nothing_of_python_is_loaded_for_public_names() -> None:
    done = run('import sys, tensorflow as tf; tf.constant(1); print("berth._start.api_modules" in sys.modules)',
               '-m', 'berth', 'run')
    assert done.stdout == 'False\n'


def test_deprecations_can_be_silenced() -> None:
    code = ('import tensorflow as tf; import tensorflow.python.util.deprecation as d; {0}'
            'tf.test.is_gpu_available(); tf.test.is_gpu_available()')
    done = run(code.format(''), '-m', 'berth', 'run')
    assert done.stderr.count('is deprecated') == 1
    done = run(code.format('d._PRINT_DEPRECATION_WARNINGS = False; '), '-m', 'berth', 'run')
    assert done.stderr == ''
