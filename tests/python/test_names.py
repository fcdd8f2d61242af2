"""test_names.py - Public names: each leads somewhere, cheaply, and what is missing says so."""

from __future__ import annotations

import os
import subprocess
import sys

import berth
import pytest
from berth._start import api

# Where the package is: with -S Python would not look there.
PACKAGES = os.path.dirname(os.path.dirname(berth.__file__))


def run(code: str, mode: str = '2', *words: str) -> str:
    env = {**os.environ, 'BERTH_TF': mode, 'PYTHONPATH': PACKAGES}
    done = subprocess.run([sys.executable, *words, '-c', code], env=env, text=True, capture_output=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_import_loads_nothing_heavy() -> None:
    assert run('import sys, berth; print([m for m in ("numpy", "google", "typing", "berth._core") '
               'if m in sys.modules])', '2', '-S') == '[]'


def test_folders_do_not_hide_namespaces() -> None:
    """The folder _train holds the code of tf.train, and is not what programs see."""
    code = ('import berth as tf; tf.train.AdamOptimizer; import berth._train.optimizer; '
            'from berth.train import Coordinator, MomentumOptimizer; import berth.train as space; '
            'print(tf.train.Coordinator is Coordinator is space.Coordinator, "slots" in dir(tf.train), '
            'berth._train.optimizer.Optimizer is tf.train.Optimizer)')
    assert run(code, '1') == 'True False True'


def test_config_loads_little() -> None:
    code = ('import sys, berth; berth.config.list_physical_devices(); berth.config.set_visible_devices([], "GPU"); '
            'print([m for m in ("numpy", "google.protobuf", "typing", "re") if m in sys.modules])')
    assert run(code, '2', '-S') == '[]'


def test_eager_ops_load_no_logging() -> None:
    code = ('import sys, berth; berth.constant(1.0) + 1.0; '
            'print([m for m in ("logging", "difflib", "google.protobuf") if m in sys.modules])')
    assert run(code) == '[]'


def test_sessions_load_no_logging() -> None:
    code = ('import sys, berth; sess = berth.Session(config=berth.ConfigProto(log_device_placement=False)); '
            'sess.run(berth.matmul([[1.0]], [[2.0]])); '
            'print([m for m in ("logging", "difflib", "google.protobuf.text_format") if m in sys.modules])')
    assert run(code, '1') == '[]'


@pytest.mark.parametrize('mode', ('1', '2'))
def test_every_name_leads_somewhere(mode: str) -> None:
    code = f'''
from berth._start import namespaces
broken = []
for space, names in namespaces.table({mode}).items():
    for name in names:
        try:
            namespaces.find({mode}, space, name)
        except (ImportError, AttributeError) as error:
            broken.append(f'{{space}}.{{name}}: {{error}}')
print(broken)
'''
    assert run(code, mode) == '[]'


def test_tables_have_no_empty_words() -> None:
    for mode in (1, 2):
        for names in api.read(mode).values():
            assert all(name.isidentifier() for name in names)


ATTRIBUTES = {
    ('2', 'Session'): "module 'berth' has no attribute 'Session'",
    ('2', 'matmull'): "module 'berth' has no attribute 'matmull'",
    ('2', 'relu'): "module 'berth' has no attribute 'relu'",
    ('2', 'data.experimental.service'): "module 'berth.data.experimental' has no attribute 'service': Berth does not "
                                        'have tf.data.experimental.service yet',
    ('1', 'xqzzy'): "module 'berth' has no attribute 'xqzzy'",
}


@pytest.mark.skipif(sys.version_info < (3, 11), reason='notes came with Python 3.11')
@pytest.mark.parametrize('mode, name', ATTRIBUTES)
def test_missing_names_say_what_there_is(mode: str, name: str) -> None:
    code = f'import berth\ntry: berth.{name}\nexcept AttributeError as error: print(error)'
    assert run(code, mode) == ATTRIBUTES[mode, name]


@pytest.mark.skipif(sys.version_info < (3, 11), reason='notes came with Python 3.11')
def test_names_of_tf1_say_what_to_do() -> None:
    code = 'import berth\ntry: berth.Session\nexcept AttributeError as error: print(error.__notes__[0])'
    assert run(code) == ('tf.Session is of TF1, and this program runs as TF2 (BERTH_TF=2): use '
                         'tf.compat.v1.Session, or run it with `berth run --tf1` or BERTH_TF=1')


def test_namespaces_are_modules() -> None:
    code = '''
import berth.compat.v1 as v1
from berth.compat.v1 import nn
from berth.python.client import device_lib
from berth.core.protobuf import config_pb2
import berth as tf
print(v1.nn is nn, v1.Session.__name__, device_lib.__name__, config_pb2.ConfigProto is v1.ConfigProto,
      tf.nn is nn, "Session" in dir(tf), "Session" in dir(v1))
'''
    assert run(code) == 'True Session berth.python.client.device_lib True False False True'


def test_messages_stay_out_of_the_default_pool() -> None:
    code = '''
from google.protobuf import descriptor_pool
from berth.base import protos
protos.ConfigProto()
try:
    descriptor_pool.Default().FindMessageTypeByName('tensorflow.ConfigProto')
except KeyError:
    print(protos.ConfigProto.DESCRIPTOR.full_name)
'''
    assert run(code) == 'tensorflow.ConfigProto'


def test_errors_survive_pickling() -> None:
    code = '''
import pickle
import berth as tf
error = pickle.loads(pickle.dumps(tf.errors.NotFoundError(None, None, 'gone')))
print(type(error) is tf.errors.NotFoundError, error, error.error_code)
'''
    assert run(code) == 'True gone 5'
