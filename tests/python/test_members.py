"""test_members.py - What of TensorFlow's classes and modules is refused, and says so."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

REFUSED = {
    ('1', 'tf.Variable([1.]).batch_scatter_update(None)'): 'sparse_delta is not IndexedSlices',
    ('1', "tf.Variable(['a']).scatter_mul(tf.IndexedSlices(['b'], [0]))"): 'string not in list of allowed values',
    ('1', 'tf.FIFOQueue.from_list(0, [])'): 'A list of queues expected',
    ('1', 'tf.autograph.to_graph(len)'): "doesn't expose a __code__ object",
    ('2', 'tf.autograph.to_code(len)'): "doesn't expose a __code__ object",
    ('2', 'tf.sysconfig.get_include()'): 'pkg-config',
    ('2', 'tf.sysconfig.get_compile_flags()'): 'pkg-config',
    ('1', 'tf.user_ops'): "has no attribute 'user_ops'",
    ('1', 'tf.flags.nonsense'): "has no attribute 'nonsense'",
    ('2', 'tf.debugging.enable_check_numerics(); tf.function(lambda: tf.constant(1.) + 1)()'): 'run_functions_eagerly',
    ('2', 'tf.Variable([1.]).scatter_add(tf.IndexedSlices([1.], [1]))'): 'indices[0] = 1 is not in [0, 1)',
    ('2', 'tf.Variable([[1.]]).scatter_nd_add([[0, -1]], [1.])'): 'indices[0] = [0, -1] does not index into shape [1,1]',
}


def run(mode: str, code: str) -> str:
    done = subprocess.run([sys.executable, '-c', f'import berth as tf\n{code}'], text=True, capture_output=True,
                          env={**os.environ, 'BERTH_TF': mode})
    return done.stdout + done.stderr


@pytest.mark.parametrize('mode, code', REFUSED)
def test_refusal(mode: str, code: str) -> None:
    """What Berth does not do raises an error that says so, or what to do instead."""
    shown = run(mode, f'try: {code}\nexcept Exception as error: print("raised", str(error))')
    assert shown.startswith('raised') and REFUSED[mode, code] in shown


def test_scatter_is_seen_by_others() -> None:
    """A variable that was changed in part is the one that functions read."""
    assert run('2', 'v = tf.Variable([1., 2.])\nf = tf.function(lambda: v + 0.)\nf()\n'
               'v.scatter_add(tf.IndexedSlices([5.], [1]))\nprint(f().numpy().tolist())') == '[1.0, 7.0]\n'


def test_link_flags_name_the_library_in_use() -> None:
    """The folder and file of the library are those that the process has loaded."""
    assert run('2', 'import os\nfolder, name = tf.sysconfig.get_link_flags()\n'
               'print(os.path.exists(os.path.join(folder[2:], name[3:])))') == 'True\n'


def test_files_of_a_test_go_with_it() -> None:
    """Files made by a test are there inside it and gone after it."""
    assert run('2', 'import io, os, unittest\nseen = []\n'
               'class T(tf.test.TestCase):\n'
               '  def test_files(self):\n'
               '    seen.append(self.create_tempfile(content="hi").full_path)\n'
               '    seen.append(self.create_tempdir().create_file("a/b", b"x").full_path)\n'
               '    assert all(os.path.exists(path) for path in seen)\n'
               'result = unittest.TextTestRunner(stream=io.StringIO()).run(T("test_files"))\n'
               'print(result.wasSuccessful(), [os.path.exists(path) for path in seen])') == 'True [False, False]\n'


def test_tests_have_graphs_and_seeds_of_their_own() -> None:
    """Every test of a TestCase starts with an empty graph and the same random numbers."""
    assert run('1', 'import io, unittest\nseen = []\n'
               'class T(tf.test.TestCase):\n'
               '  def look(self):\n'
               '    graph = tf.get_default_graph()\n'
               '    seen.append((len(graph.get_operations()), graph.seed, '
               'self.evaluate(tf.random_uniform([])).item()))\n'
               '  test_a = test_b = look\n'
               'suite = unittest.TestLoader().loadTestsFromTestCase(T)\n'
               'unittest.TextTestRunner(stream=io.StringIO()).run(suite)\n'
               'print(len(seen), len(set(seen)), seen[0][:2])') == '2 1 (0, 87654321)\n'
