"""test_mode.py - TF1 or TF2, told from the source of programs."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys

import berth
import pytest
from berth._start import source as sources

# (source, mode): what a reader would say.
PROGRAMS = {
    'session': ('import tensorflow as tf\ntf.Session()', 1),
    'session, berth': ('import berth as tf\ntf.Session()', 1),
    'other alias': ('import tensorflow as T\nT.placeholder(T.float32)', 1),
    'no alias': ('import tensorflow\ntensorflow.ConfigProto()', 1),
    'compat as module': ('import tensorflow.compat.v1 as tf\ntf.constant(1)', 1),
    'compat from': ('from tensorflow.compat import v1 as tf\ntf.constant(1)', 1),
    'compat name from': ('from tensorflow.compat.v1 import Session', 1),
    'compat gets a name': ('import tensorflow as tf\ntf1 = tf.compat.v1\ntf1.Session()', 1),
    'switched off': ('import tensorflow as tf\ntf.compat.v1.disable_v2_behavior()', 1),
    'eager off': ('import tensorflow as tf\ntf.compat.v1.disable_eager_execution()', 1),
    'eager of TF1': ('import tensorflow as tf\ntf.enable_eager_execution()\ntf.random_normal([2])', 1),
    'eager written out': ('import tensorflow as tf\ntf.compat.v1.enable_eager_execution()', 2),
    'name from': ('from tensorflow import Session\nSession()', 1),
    'in a function': ('import tensorflow as tf\ndef f():\n  return tf.get_variable("a", [])', 1),
    'in a branch': ('import tensorflow as tf\nif 0:\n  tf.global_variables_initializer()', 1),
    'import in a function': ('def f():\n  import tensorflow as tf\n  tf.log(1.0)', 1),
    'train': ('import tensorflow as tf\ntf.train.GradientDescentOptimizer(0.1)', 1),
    'nested name': ('import tensorflow as tf\nnn = tf.nn\nnn.xw_plus_b(1, 2, 3)', 1),
    'old': ('import tensorflow as tf\ntf.initialize_all_variables()', 1),
    'contrib': ('import tensorflow as tf\ntf.contrib.slim', 1),
    'app': ('import tensorflow as tf\ntf.app.run()', 1),
    'config': ('import tensorflow as tf\ntf.config.list_physical_devices("GPU")', 2),
    'eager': ('import tensorflow as tf\nprint(tf.constant(1) + 2)', 2),
    'function': ('import tensorflow as tf\n@tf.function\ndef f(x): return x', 2),
    'both have it': ('import tensorflow as tf\ntf.matmul\ntf.nn.relu\ntf.train.Checkpoint', 2),
    'graph in TF2': ('import tensorflow as tf\nwith tf.Graph().as_default():\n  pass', 2),
    'written out': ('import tensorflow as tf\ntf.compat.v1.Session()', 2),
    'other library': ('import mylib as tf\ntf.Session()', 2),
    'a variable': ('import tensorflow as np\nclass A: pass\nx = A()\nx.Session = 1', 2),
    'in a string': ('import tensorflow as tf\nprint("tf.Session()")', 2),
    'in a comment': ('import tensorflow as tf  # tf.Session', 2),
    'compat v2': ('import tensorflow.compat.v2 as tf\ntf.constant(1)', 2),
    'device_lib': ('from tensorflow.python.client import device_lib\ndevice_lib', 2),
    'nothing': ('print(1)', 2),
    'mixed: both names': ('import tensorflow as tf\ntf.function\ntf.Session', 1),
    'mixed: two imports': ('import tensorflow as tf\nimport tensorflow.compat.v1 as tf1', 1),
}


@pytest.mark.parametrize('name', PROGRAMS)
def test_program(name: str) -> None:
    source, mode = PROGRAMS[name]
    assert sources.detect_source(source)[0] == mode


def write(folder: pathlib.Path, **files: str) -> str:
    for name, text in files.items():
        path = folder / (name.replace('__', '/') + '.py')
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    return str(folder / 'main.py')


def test_local_modules_count(tmp_path: pathlib.Path) -> None:
    main = write(tmp_path, main='import model', model='import layers.dense',
                 layers__dense='import tensorflow as tf\ntf.get_variable("w", [1])')
    assert sources.detect(main) == (1, 'get_variable is TF1')


def test_modules_may_import_each_other(tmp_path: pathlib.Path) -> None:
    main = write(tmp_path, main='import a', a='import b', b='import a\nimport main')
    assert sources.detect(main)[0] == 2


def test_broken_source_is_no_sign(tmp_path: pathlib.Path) -> None:
    main = write(tmp_path, main='import a\nimport tensorflow as tf', a='def (:\n')
    assert sources.detect(main)[0] == 2
    assert sources.detect(str(tmp_path / 'missing.py'))[0] == 2


def run(*words: str, **variables: str) -> str:
    env = {k: v for k, v in os.environ.items() if k != 'BERTH_TF'}
    done = subprocess.run([sys.executable, *words], env={**env, **variables}, text=True,
                          capture_output=True, check=True)
    return done.stdout.strip()


def test_orders_win_over_source(tmp_path: pathlib.Path) -> None:
    main = write(tmp_path, main='import berth\nif 0: berth.Session\nprint(berth.mode())')
    assert run(main) == '1'
    assert run(main, BERTH_TF='2') == '2'
    assert run('-m', 'berth', 'run', main) == '1'
    assert run('-m', 'berth', 'run', '--tf2', main) == '2'
    assert run('-m', 'berth', 'run', '--tf1', main, BERTH_TF='2') == '1'
    assert run('-c', 'import berth; print(berth.mode())') == '2'


def test_mode_is_set_by_the_program() -> None:
    code = 'import berth; berth.mode(1); print(berth.mode(), berth.Session.__name__)'
    assert run('-c', code) == '1 Session'
    code = ('import berth as tf; a = tf.Variable(1.0); tf.mode(1); b = tf.Variable(1.0); '
            'print(hasattr(a, "numpy"), b.initializer.type)')
    assert run('-c', code) == 'True Assign'
    code = ('import berth as tf; tf.mode(1); tf.placeholder(tf.float32); tf.mode(2); '
            'print(tf.constant(3).numpy(), hasattr(tf, "placeholder"))')
    assert run('-c', code) == '3 False'
    with pytest.raises(ValueError, match='The mode is 1 or 2, not 3'):
        berth.mode(3)
