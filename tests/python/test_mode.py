"""test_mode.py - TF1 or TF2, told from the source of programs."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys

import berth
import pytest
from berth._start import source as sources

TF = 'import tensorflow as tf\n'
V1 = 'import tensorflow.compat.v1 as tf\n'
# (source, mode): TensorFlow 2's own rule wherever the program could run under it.
PROGRAMS = {
    # ---- Names that only TF1 has ----
    'session': (TF + 'tf.Session()', 1),
    'session, berth': ('import berth as tf\ntf.Session()', 1),
    'other alias': ('import tensorflow as T\nT.placeholder(T.float32)', 1),
    'no alias': ('import tensorflow\ntensorflow.ConfigProto()', 1),
    'eager of TF1': (TF + 'tf.enable_eager_execution()\ntf.random_normal([2])', 1),
    'name from': ('from tensorflow import Session\nSession()', 1),
    'getattr': (TF + "getattr(tf, 'Session')()", 1),
    'train': (TF + 'tf.train.GradientDescentOptimizer(0.1)', 1),
    'nested name': (TF + 'nn = tf.nn\nnn.xw_plus_b(1, 2, 3)', 1),
    'old': (TF + 'tf.initialize_all_variables()', 1),
    'older than TF1': (TF + 'tf.mul(1, 2)', 2),
    'contrib': (TF + 'tf.contrib.slim', 1),
    'contrib imported': ('import tensorflow.contrib.slim as slim', 1),
    'examples imported': ('from tensorflow.examples.tutorials.mnist import input_data', 1),
    'app': (TF + 'tf.app.run()', 1),
    'flags': (TF + 'tf.flags.FLAGS', 1),
    'losses': (TF + 'tf.losses.softmax_cross_entropy(1, 2)', 1),
    'mixed: both names': (TF + 'tf.function\ntf.Session', 1),
    'mixed: two imports': (TF + 'import tensorflow.compat.v1 as tf1\ntf1.Session()', 2),
    # ---- TF2 ----
    'config': (TF + 'tf.config.list_physical_devices("GPU")', 2),
    'eager': (TF + 'print(tf.constant(1) + 2)', 2),
    'function': (TF + '@tf.function\ndef f(x): return x', 2),
    'both have it': (TF + 'tf.matmul\ntf.nn.relu\ntf.train.Checkpoint', 2),
    'graph in TF2': (TF + 'with tf.Graph().as_default():\n  pass', 2),
    'other library': ('import mylib as tf\ntf.Session()', 2),
    'a variable': ('import tensorflow as np\nclass A: pass\nx = A()\nx.Session = 1', 2),
    'another thing now': (TF + 'tf = object()\ntf.Session()', 2),
    'a parameter': (TF + 'def f(tf):\n  tf.Session()\nf(1)', 2),
    'in a string': (TF + 'print("tf.Session()")', 2),
    'in a comment': ('import tensorflow as tf  # tf.Session', 2),
    'compat v2': ('import tensorflow.compat.v2 as tf\ntf.constant(1)', 2),
    'device_lib': ('from tensorflow.python.client import device_lib\ndevice_lib', 2),
    'nothing': ('print(1)', 2),
    # ---- compat.v1 ----
    'written out': (TF + 'tf.compat.v1.Session().run(tf.constant(1))', 2),
    'growth': (TF + 'from tensorflow.compat.v1 import ConfigProto, InteractiveSession\n'
               's = InteractiveSession(config=ConfigProto())\ntf.constant(1)', 2),
    'compat as module': (V1 + 'tf.constant(1)', 2),
    'compat from': ('from tensorflow.compat import v1 as tf\ntf.constant(1)', 2),
    'compat gets a name': (TF + 'tf1 = tf.compat.v1\ntf1.Session()', 2),
    'compat takes over': (TF + 'tf = tf.compat.v1\ntf.Session()', 2),
    'compat only, placeholder': (V1 + 'x = tf.placeholder(tf.float32)', 1),
    'compat only, placeholder in a function': (V1 + 'def f():\n  tf.placeholder(tf.float32)\nf()', 1),
    'compat only, placeholder in a graph': (V1 + 'with tf.Graph().as_default():\n  tf.placeholder(tf.float32)', 2),
    'compat only, function in a graph': (
        V1 + 'def f():\n  tf.placeholder(tf.float32)\nwith tf.Graph().as_default():\n  f()', 2),
    'compat only, session': (V1 + 'a = tf.constant(1)\nwith tf.Session() as s:\n  s.run(a)', 1),
    'compat only, ops in the session': (V1 + 'with tf.Session() as s:\n  s.run(tf.constant(1))', 2),
    'compat only, session for growth': (V1 + 's = tf.Session(config=tf.ConfigProto())\nprint(tf.constant(1))', 2),
    'compat only, switched off': (V1 + 'tf.disable_v2_behavior()\ntf.placeholder(tf.float32)', 2),
    'compat only, eager off': (V1 + 'tf.disable_eager_execution()\ntf.placeholder(tf.float32)', 2),
    'switched off': (TF + 'tf.compat.v1.disable_v2_behavior()\ntf.compat.v1.placeholder(tf.float32)', 2),
    'switched off, TF1 name': (TF + 'tf.compat.v1.disable_v2_behavior()\ntf.placeholder(tf.float32)', 1),
    'eager written out': (TF + 'tf.compat.v1.enable_eager_execution()', 2),
    # ---- Where TensorFlow 2 does not come by ----
    'never': (TF + 'if 0:\n  tf.global_variables_initializer()', 2),
    'version': (TF + "if tf.__version__.startswith('1'):\n  tf.Session()", 2),
    'version, else': (TF + "if tf.__version__.startswith('2'):\n  pass\nelse:\n  tf.Session()", 2),
    'version, number': (TF + 'if int(tf.__version__[0]) < 2:\n  tf.Session()', 2),
    'version, split': (TF + "if tf.__version__.split('.')[0] == '1':\n  tf.Session()", 2),
    'version, float': (TF + 'if float(tf.__version__[:3]) < 2.0:\n  tf.Session()', 2),
    'version, kept': (TF + "OLD = tf.__version__ < '2'\ndef f():\n  if OLD:\n    tf.Session()\nf()", 2),
    'version, not': (TF + "NEW = tf.__version__ >= '2'\nif not NEW:\n  tf.Session()", 2),
    'version, tuple': (TF + "v = tuple(map(int, tf.__version__.split('.')[:2]))\nif v < (2, 0): tf.Session()", 2),
    'version, loose': ('from distutils.version import LooseVersion\n' + TF
                       + "if LooseVersion(tf.__version__) < LooseVersion('2.0'):\n  tf.Session()", 2),
    'version, packaging': ('from packaging import version\n' + TF
                           + "if version.parse(tf.__version__).major < 2:\n  tf.Session()", 2),
    'version, one expression': (TF + "s = tf.Session() if tf.__version__[0] == '1' else None", 2),
    'version, and': (TF + "tf.__version__[0] == '1' and tf.Session()", 2),
    'version, returns': (TF + "def f():\n  if tf.__version__[0] == '2':\n    return\n  tf.Session()\nf()", 2),
    'version that is TF2': (TF + "if tf.__version__[0] == '2':\n  tf.Session()", 1),
    'hasattr': (TF + "if hasattr(tf, 'Session'):\n  tf.Session()", 2),
    'hasattr, and': (TF + "if x and hasattr(tf, 'Session'):\n  tf.Session()", 2),
    'dir': (TF + "if 'Session' in dir(tf):\n  tf.Session()", 2),
    'getattr with a default': (TF + "getattr(tf, 'Session', None)", 2),
    'executing eagerly': (TF + 'if not tf.executing_eagerly():\n  tf.Session()', 2),
    'unknown': (TF + 'import sys\nif len(sys.argv) > 9:\n  tf.Session()', 1),
    'try': (TF + 'try:\n  tf.Session()\nexcept AttributeError:\n  tf.compat.v1.Session()', 2),
    'try, all of it': (TF + 'try:\n  s = tf.Session()\nexcept:\n  s = None', 2),
    'try, in a function': (TF + 'def f():\n  tf.Session()\ntry:\n  f()\nexcept AttributeError:\n  pass', 2),
    'try, something else': (TF + 'try:\n  tf.Session()\nexcept KeyError:\n  pass', 1),
    'try, the program': (TF + 'try:\n  with tf.Session() as s:\n    pass\nexcept Exception as e:\n  print(e)', 1),
    'try, handler': (TF + 'try:\n  tf.Session()\nexcept AttributeError:\n  tf.placeholder(1)', 1),
    'try, import': ('try:\n  from tensorflow import Session\nexcept ImportError:\n  Session = None', 2),
    'try, first compat': ('try:\n  import tensorflow.compat.v1 as tf\nexcept ImportError:\n  ' + TF +
                          'tf.Session()', 2),
    # ---- Functions ----
    'called': (TF + 'def f():\n  return tf.get_variable("a", [])\nf()', 1),
    'called by another': (TF + 'def f(): tf.Session()\ndef g(): f()\nif __name__ == "__main__":\n  g()', 1),
    'handed on': (TF + 'import threading\ndef f(): tf.Session()\nthreading.Thread(target=f)', 1),
    'never called': (TF + 'def f():\n  return tf.get_variable("a", [])\nprint(tf.constant(1))', 2),
    'by name': (TF + 'def f(): tf.Session()\nimport sys\nglobals()[sys.argv[1]]()', 1),
    'import in a function': ('def f():\n  import tensorflow as tf\n  tf.log(1.0)\nf()', 1),
    'class': (TF + 'class M:\n  def __init__(self): self.x = tf.placeholder(tf.float32)\nM()', 1),
    'method': (TF + 'class M:\n  def go(self): tf.Session()\nM().go()', 1),
    'method that is not called': (TF + 'class M:\n  def go(self): tf.Session()\nM()', 2),
    'test': (TF + 'class T(tf.test.TestCase):\n  def test_it(self): tf.Session()\ntf.test.main()', 1),
    'decorated': (TF + '@register\ndef f(): tf.Session()', 1),
    'lambda': (TF + 'f = lambda: tf.Session()', 1),
    # ---- Orders ----
    'order': ('import berth as tf\ntf.mode(2)\ntf.Session()', 2),
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
    assert sources.detect(main) == (1, 'tf.get_variable is of TF1: dense.py, line 2')


def test_packages_count(tmp_path: pathlib.Path) -> None:
    main = write(tmp_path, main='from net.model import build as b\nb()',
                 net__model='from . import ops\ndef build(): return ops.make()',
                 net__ops='import tensorflow as tf\ndef make(): return tf.placeholder(tf.float32)')
    assert sources.detect(main) == (1, 'tf.placeholder is of TF1: ops.py, line 2')


def test_names_come_from_modules(tmp_path: pathlib.Path) -> None:
    main = write(tmp_path, main='from common import *\nif IS_OLD:\n  tf.Session()\ntf.function',
                 common='import tensorflow as tf\nIS_OLD = tf.__version__ < "2"')
    assert sources.detect(main)[0] == 2
    main = write(tmp_path, main='from common import tf\ntf.Session()')
    assert sources.detect(main) == (1, 'tf.Session is of TF1: main.py, line 2')


def test_what_is_not_called_of_a_module_is_no_sign(tmp_path: pathlib.Path) -> None:
    main = write(tmp_path, main='import helpers\nhelpers.total()',
                 helpers='import tensorflow as tf\ndef total(): pass\ndef session(): return tf.Session()')
    assert sources.detect(main)[0] == 2


def test_modules_without_tensorflow_lead_on(tmp_path: pathlib.Path) -> None:
    main = write(tmp_path, main='import steps\nsteps.go()', steps='import model\ndef go(): model.build()',
                 model='import tensorflow as tf\ndef build(): return tf.placeholder(tf.float32)\ndef other(): pass')
    assert sources.detect(main) == (1, 'tf.placeholder is of TF1: model.py, line 2')
    write(tmp_path, steps='import model\ndef go(): model.other()')
    assert sources.detect(main)[0] == 2


def test_libraries_are_not_the_program(tmp_path: pathlib.Path) -> None:
    folder = tmp_path / 'site-packages'
    folder.mkdir()
    main = write(folder, main='import launcher', launcher='import tensorflow as tf\ntf.Session()')
    assert sources.detect(main)[0] == 2


def test_reading_does_not_warn(tmp_path: pathlib.Path) -> None:
    main = write(tmp_path, main='import tensorflow as tf\nx = 1if tf else 2\n')
    assert run_all('-W', 'always', '-m', 'berth', 'run', '--log-level', '0', main).stderr.count('Warning') <= 1


def test_modules_may_import_each_other(tmp_path: pathlib.Path) -> None:
    main = write(tmp_path, main='import a', a='import b', b='import a\nimport main')
    assert sources.detect(main)[0] == 2


def test_broken_source_is_no_sign(tmp_path: pathlib.Path) -> None:
    main = write(tmp_path, main='import a\nimport tensorflow as tf', a='def (:\n')
    assert sources.detect(main)[0] == 2
    assert sources.detect(str(tmp_path / 'missing.py'))[0] == 2


def run_all(*words: str, stdin: str = '', **variables: str) -> subprocess.CompletedProcess[str]:
    env = {k: v for k, v in os.environ.items() if k not in ('BERTH_TF', 'TF_CPP_MIN_LOG_LEVEL')}
    return subprocess.run([sys.executable, *words], env={**env, **variables}, text=True, capture_output=True,
                          check=True, input=stdin)


def run(*words: str, **variables: str) -> str:
    return run_all(*words, **variables).stdout.strip()


def test_orders_win_over_source(tmp_path: pathlib.Path) -> None:
    main = write(tmp_path, main='import berth\nimport sys\nif len(sys.argv) > 1: berth.Session\nprint(berth._mode.mode())')
    assert run(main) == '1'
    assert run(main, BERTH_TF='2') == '2'
    assert run('-m', 'berth', 'run', main) == '1'
    assert run('-m', 'berth', 'run', '--tf2', main) == '2'
    assert run('-m', 'berth', 'run', '--tf1', main, BERTH_TF='2') == '1'
    assert run('-c', 'import berth; print(berth.mode())') == '2'


def test_programs_without_a_file() -> None:
    code = 'import tensorflow as tf; print(tf.constant(1)); tf.Session()'
    assert run('-m', 'berth', 'run', '-c', code).startswith('Tensor("Const:0"')
    assert run_all('-m', 'berth', 'run', '-', stdin=code).stdout.startswith('Tensor("Const:0"')
    assert run('-c', code.replace('tensorflow', 'berth')).startswith('Tensor("Const:0"')


SAID = 'berth: running as TF1 (tf.Session is of TF1: main.py, line 2); --tf1 or BERTH_TF=1 says so without this line\n'


def test_the_reason_is_said_once(tmp_path: pathlib.Path) -> None:
    main = write(tmp_path, main='import tensorflow as tf\ntf.Session().close()')
    assert run_all('-m', 'berth', 'run', main).stderr == SAID
    assert run_all('-m', 'berth', 'run', '--tf1', main).stderr == ''
    assert run_all('-m', 'berth', 'run', main, BERTH_TF='1').stderr == ''
    assert run_all('-m', 'berth', 'run', '--log-level', '1', main).stderr == ''
    main = write(tmp_path, main='import tensorflow as tf\nprint(tf.constant(1))')
    assert run_all('-m', 'berth', 'run', main).stderr == ''
    main = write(tmp_path, main='import tensorflow.compat.v1 as tf\ntf.disable_v2_behavior()\ntf.Session().close()')
    assert run_all('-m', 'berth', 'run', main).stderr == ''


def test_children_do_not_say_it_again(tmp_path: pathlib.Path) -> None:
    main = write(tmp_path, main='''import multiprocessing
import tensorflow as tf
def work(x):
    with tf.Session() as sess:
        return sess.run(tf.constant(x))
if __name__ == '__main__':
    with multiprocessing.get_context('spawn').Pool(1) as pool:
        print(pool.map(work, [1, 2]))
''')
    done = run_all('-m', 'berth', 'run', main)
    assert done.stderr.count('running as TF1') == 1
    assert '1' in done.stdout and '2' in done.stdout


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
