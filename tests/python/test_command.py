"""test_command.py - The command line: `berth run` does as `python` does, and says what is wrong."""

from __future__ import annotations

import os
import pathlib
import re
import subprocess
import sys

import pytest
from berth import __main__ as command

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
K40C = 'Tesla K40c@0000:05:00.0'

SHOW = """import sys
print(__name__, __file__, sys.argv, sys.path[0], __package__, __spec__, __builtins__)
"""
# What a program may end with; each must end as under Python alone.
ENDS = {
    'nothing': '',
    'status': 'sys.exit(3)',
    'text': 'sys.exit("bye")',
    'exception': 'def f():\n    raise ValueError("no")\nf()',
    'interrupt': 'raise KeyboardInterrupt',
    'syntax': 'def f(:',
    'own hook': 'sys.excepthook = lambda *error: print("hook", error[1])\n1 / 0',
    'at exit': 'import atexit\natexit.register(print, "late")\n1 / 0',
}


def run(*words: str, folder: pathlib.Path, stdin: str = '',
        **environment: str) -> subprocess.CompletedProcess[str]:
    """Runs Python with |words| in |folder|."""
    inherited = {name: value for name, value in os.environ.items()
                 if not name.startswith(('BERTH_', 'TF_', 'CUDA_'))}
    paths = [str(ROOT / 'python'), inherited.get('PYTHONPATH', '')]
    inherited['PYTHONPATH'] = os.pathsep.join(filter(None, paths))
    inherited['BERTH_SIMULATE_LEDGER'] = str(folder / 'ledger')
    return subprocess.run([sys.executable, *words], cwd=folder, input=stdin, text=True, timeout=120,
                          capture_output=True, env=inherited | environment)


def berth(*words: str, folder: pathlib.Path, stdin: str = '',
          **environment: str) -> subprocess.CompletedProcess[str]:
    return run('-m', 'berth', 'run', *words, folder=folder, stdin=stdin, **environment)


def outcome(done: subprocess.CompletedProcess[str]) -> tuple[str, str, int]:
    return done.stdout, done.stderr, done.returncode


@pytest.mark.parametrize('name', ENDS)
def test_file_runs_as_under_python(name: str, tmp_path: pathlib.Path) -> None:
    (tmp_path / 'program.py').write_text(SHOW + ENDS[name] + '\n')
    words = ('program.py', '--help', '-c', 'x')
    assert outcome(berth(*words, folder=tmp_path)) == outcome(run(*words, folder=tmp_path))


def test_code_runs_as_under_python(tmp_path: pathlib.Path) -> None:
    words = ('-c', 'import sys; print(__name__, sys.argv, repr(sys.path[0])); 1 / 0', 'a', '--b')
    assert outcome(berth(*words, folder=tmp_path)) == outcome(run(*words, folder=tmp_path))


def test_module_runs_as_under_python(tmp_path: pathlib.Path) -> None:
    (tmp_path / 'pack').mkdir()
    (tmp_path / 'pack' / '__init__.py').touch()
    source = 'import sys\nprint(__name__, __file__, sys.argv, __package__, __spec__.name)\n'
    (tmp_path / 'pack' / '__main__.py').write_text(source)
    words = ('-m', 'pack', 'a', '--b')
    assert outcome(berth(*words, folder=tmp_path)) == outcome(run(*words, folder=tmp_path))


# What may lie in a folder by accident, or be put there: each says so when it is imported.
STRANGERS = ('berth/__init__', 'berth/__main__', 'berth/_start/script', 'runpy', 'importlib/__init__', 'typing', 'types',
             'numpy', 'google/protobuf/__init__', 'tensorflow', 'site', 'linecache', 'traceback', 'sitecustomize')
PROGRAM = """import sys
print(sys.argv, sys.path[0])
import tensorflow as tf
print(tf.constant([1.0, 2.0]).numpy() + 1)
import helper
raise ValueError(helper.NAME)
"""


def ways_in(folder: pathlib.Path) -> dict[str, list[str]]:
    """Returns the commands that run a program, without its name."""
    (folder / 'bin').mkdir()
    (folder / 'bin' / 'berth').write_text('import sys\nfrom berth.__main__ import main\nsys.exit(main())\n')
    return {'program': [str(ROOT / 'python' / 'berth' / 'bin' / 'berth'), 'run'],
            'program, short': [str(ROOT / 'python' / 'berth' / 'bin' / 'berth')],
            'command': [sys.executable, str(folder / 'bin' / 'berth'), 'run']}


@pytest.mark.parametrize('way', ['program', 'program, short', 'command'])
def test_no_code_comes_from_the_current_folder(way: str, tmp_path: pathlib.Path) -> None:
    here, there = tmp_path / 'here', tmp_path / 'there'
    there.mkdir()
    (there / 'program.py').write_text(PROGRAM)
    (there / 'helper.py').write_text('NAME = "beside the program"\n')
    for name in STRANGERS:
        (here / name).parent.mkdir(parents=True, exist_ok=True)
        (here / f'{name}.py').write_text(f'print("{name} of the current folder", flush=True)\n')
    path = os.pathsep.join([os.path.dirname(sys.executable), os.environ['PATH']])
    environment = {name: value for name, value in os.environ.items() if not name.startswith(('BERTH_', 'TF_'))}
    environment |= {'PATH': path, 'PYTHONPATH': str(ROOT / 'python'), 'CUDA_VISIBLE_DEVICES': ''}
    done = subprocess.run([*ways_in(tmp_path)[way], '../there/program.py', '-x'], cwd=here, text=True, timeout=120,
                          capture_output=True, env=environment)
    assert done.stdout == f"['../there/program.py', '-x'] {there}\n[2. 3.]\n"
    assert done.stderr.endswith('ValueError: beside the program\n')
    assert done.returncode == 1


def test_errors_of_nodes_begin_in_the_program(tmp_path: pathlib.Path) -> None:
    (tmp_path / 'berth').write_text('import sys\nfrom berth.__main__ import main\nsys.exit(main())\n')
    (tmp_path / 'program.py').write_text(
        'import tensorflow as tf\nwith tf.device("/gpu:7"): a = tf.add(1.0, 2.0)\ntf.Session().run(a)\n')
    done = run('berth', 'run', 'program.py', folder=tmp_path, CUDA_VISIBLE_DEVICES='')
    assert (f"Detected at node 'Add' defined at (most recent call last):\n    File \"{tmp_path}/program.py\", "
            "line 2, in <module>\nNode: 'Add'\n") in done.stderr


def test_standard_input(tmp_path: pathlib.Path) -> None:
    done = berth('-', 'a', folder=tmp_path, stdin='import sys\nprint(sys.argv)\n')
    assert outcome(done) == ("['-', 'a']\n", '', 0)


@pytest.mark.parametrize('code,mode', [('tf.Session', 1), ('tf.constant', 2)])
def test_code_tells_its_mode(code: str, mode: int, tmp_path: pathlib.Path) -> None:
    done = berth('-c', f'import tensorflow as tf; tf.{code[3:]}; print(tf.mode())', folder=tmp_path)
    assert (done.stdout, done.returncode) == (f'{mode}\n', 0)


# (arguments, what is wrong with them).
MISTAKES = [
    ('', 'which script is to be run?'),
    ('--simulate', '--simulate needs a value'),
    ('--nonsense x.py', "there is no option '--nonsense'"),
    ('-u x.py', "there is no option '-u'; those of Python stand before: python3 -u -m berth run"),
    ('--growth=1 x.py', '--growth takes no value'),
    ('--memory-limit much x.py', "--memory-limit needs a number above 0, not 'much'"),
    ('--memory-limit=-1 x.py', "--memory-limit needs a number above 0, not '-1'"),
    ('--threads 0 x.py', "--threads needs a whole number above 0, not '0'"),
    ('--log-level 9 x.py', "--log-level needs 0, 1, 2 or 3, not '9'"),
    ('--tf-version new x.py', "--tf-version needs a version such as 1.4, not 'new'"),
    ('--tf-version 9.9 x.py', "--tf-version needs a version of TensorFlow, 0.5 to 2.21, not '9.9'"),
    ('--tf-version 1.99 x.py', "--tf-version needs a version of TensorFlow, 0.5 to 2.21, not '1.99'"),
    ('--tf-version= x.py', "--tf-version needs a version such as 1.4, not ''"),
    ('--tf1 --tf2 x.py', '--tf1 and --tf2: a program is one of the two'),
    ('--tf2 --growth --tf1 x.py', '--tf1 and --tf2: a program is one of the two'),
    ('--memory-fraction 7 x.py', "--memory-fraction needs a number above 0 and up to 1, not '7'"),
    ('--memory-fraction nan x.py', "--memory-fraction needs a number above 0 and up to 1, not 'nan'"),
    ('--memory-fraction -0.5 x.py', "--memory-fraction needs a number above 0 and up to 1, not '-0.5'"),
    ('--memory-limit nan x.py', "--memory-limit needs a number above 0, not 'nan'"),
    ('--memory-limit inf x.py', "--memory-limit needs a number above 0, not 'inf'"),
    ('--memory-limit= x.py', "--memory-limit needs a number above 0, not ''"),
    ('--threads 99999999999 x.py', "--threads needs a whole number above 0, not '99999999999'"),
    ('--threads -1 x.py', "--threads needs a whole number above 0, not '-1'"),
    ('--device-count GPU=-1 x.py', "--device-count needs CPU=N or GPU=N, not 'GPU=-1'"),
    ('--simluate K40c x.py', "there is no option '--simluate'; did you mean --simulate?"),
    ('--memory-fracton=0.5 x.py', "there is no option '--memory-fracton'; did you mean --memory-fraction?"),
    ('--TF1 x.py', "there is no option '--TF1'"),
    ('--tf3 x.py', "there is no option '--tf3'; did you mean --tf2?"),
    ('--device-count TPU=1 x.py', "--device-count needs CPU=N or GPU=N, not 'TPU=1'"),
    ('--log-placement=loud x.py', "--log-placement needs default, tf2 or classic, not 'loud'"),
    ('-c', '-c needs code'),
    ('-m', '-m needs a module'),
]


@pytest.mark.parametrize('words,text', MISTAKES)
def test_mistake(words: str, text: str, tmp_path: pathlib.Path) -> None:
    done = berth(*words.split(), folder=tmp_path)
    assert outcome(done) == ('', f"berth: {text}\nTry 'berth run --help'.\n", 2)


def test_cards_are_checked_first(tmp_path: pathlib.Path) -> None:
    if command._program() is None:
        pytest.skip('the program of C is not built')
    (tmp_path / 'x.py').write_text('print("ran")')
    done = berth('--simulate', 'Telsa K40', 'x.py', folder=tmp_path)
    assert done.stderr.startswith("berth: --simulate: unknown card 'Telsa K40' (did you mean Tesla K40c?): add memory=")
    assert (done.stdout, done.returncode) == ('', 2)
    done = berth('--simulate', '', 'x.py', folder=tmp_path)
    assert outcome(done) == ('', "berth: --simulate '': which cards?\nTry 'berth run --help'.\n", 2)
    done = berth('--visible', '1', '--simulate', K40C, 'x.py', folder=tmp_path)
    assert outcome(done) == ('', "berth: --visible: there is no card '1'; there is 0\nTry 'berth run --help'.\n", 2)
    done = berth('--visible', '0,9', '--simulate', 'H100*2', 'x.py', folder=tmp_path)
    assert outcome(done) == ('', "berth: --visible: there is no card '9'; there are 0 to 1\nTry 'berth run --help'.\n", 2)
    for card in ('first', '-2', '0,', '0,,1'):
        assert berth('--visible', card, '--simulate', 'H100*2', 'x.py', folder=tmp_path).returncode == 2
    for card in ('', '-1', '1,0'):
        assert berth('--visible', card, '--simulate', 'H100*2', 'x.py', folder=tmp_path).stdout == 'ran\n'


def test_card_that_no_machine_has(tmp_path: pathlib.Path) -> None:
    if command._program() is None:
        pytest.skip('the program of C is not built')
    (tmp_path / 'x.py').write_text('print("ran")')
    done = berth('--visible', '999', 'x.py', folder=tmp_path)
    assert done.stderr.startswith("berth: --visible: there is no card '999'")
    assert (done.stdout, done.returncode) == ('', 2)


# (variable, value, what is wrong).
VARIABLES = [
    ('BERTH_TF', '3', '1 or 2'),
    ('BERTH_THREADS', 'many', 'a whole number above 0'),
    ('BERTH_GPU_MEMORY_FRACTION', '7', 'a number above 0 and up to 1'),
    ('BERTH_GPU_MEMORY_LIMIT_MB', '-1', 'a number above 0'),
    ('BERTH_DEVICE_COUNT', 'CPU=2,TPU=1', 'CPU=N or GPU=N'),
    ('BERTH_PLACEMENT_LOG', 'loud', 'default, tf2 or classic'),
    ('BERTH_TF_VERSION', '9.9', 'a version of TensorFlow, 0.5 to 2.21'),
]


@pytest.mark.parametrize('name,value,wanted', VARIABLES)
def test_variable(name: str, value: str, wanted: str, tmp_path: pathlib.Path) -> None:
    text = f"{name} needs {wanted}, not '{value}'"
    done = berth('-c', 'print("ran")', folder=tmp_path, **{name: value})
    assert outcome(done) == ('', f"berth: {text}\nTry 'berth run --help'.\n", 2)
    if name not in ('BERTH_PLACEMENT_LOG', 'BERTH_TF_VERSION'):  # The library reads these.
        done = run('-c', 'import berth; berth.compat.v1.Session()', folder=tmp_path, **{name: value})
        assert done.stderr.endswith(f'ValueError: {text}\n')


def test_wrong_command(tmp_path: pathlib.Path) -> None:
    if command._program() is None:
        pytest.skip('the program of C is not built')
    done = run('-m', 'berth', 'rnu', 'x.py', folder=tmp_path)
    assert outcome(done) == ('', "berth: there is no command 'rnu'; did you mean run?\nTry 'berth --help'.\n", 2)


def test_missing_file(tmp_path: pathlib.Path) -> None:
    text = "berth: cannot open 'x.py': No such file or directory\n"
    assert outcome(berth('x.py', folder=tmp_path)) == ('', text, 2)


SESSION = 'import tensorflow as tf\ntf.Session().run(tf.add(1.0, 2.0, name="sum"))\n'
GPU = '/job:localhost/replica:0/task:0/device:GPU:0'


def list_devices(*options: str, folder: pathlib.Path) -> str:
    code = ('from tensorflow.python.client import device_lib\n'
            'print([(d.name, d.memory_limit >> 20) for d in device_lib.list_local_devices()])')
    return berth('--simulate', K40C, *options, '-c', code, folder=folder).stdout.strip()


def test_log_placement(tmp_path: pathlib.Path) -> None:
    done = berth('--simulate', K40C, '--log-placement', '-c', SESSION, folder=tmp_path)
    assert f'sum: (AddV2): {GPU}\n' in done.stdout
    done = berth('--simulate', K40C, '--log-placement=classic', '-c', SESSION, folder=tmp_path)
    assert 'sum: /job:localhost/replica:0/task:0/gpu:0\n' in done.stdout


def test_soft_placement(tmp_path: pathlib.Path) -> None:
    code = 'import tensorflow as tf\nwith tf.device("/gpu:5"): a = tf.add(1.0, 2.0)\nprint(tf.Session().run(a))'
    done = berth('--simulate', K40C, '--soft-placement', '-c', code, folder=tmp_path)
    assert done.stdout == '3.0\n'
    done = berth('--simulate', K40C, '-c', code, folder=tmp_path)
    assert 'was explicitly assigned to /device:GPU:5' in done.stderr and done.returncode == 1


def test_memory_and_devices(tmp_path: pathlib.Path) -> None:
    assert list_devices('--memory-limit', '1024', folder=tmp_path) == (
        "[('/device:CPU:0', 256), ('/device:GPU:0', 1024)]")
    assert list_devices('--visible', '', folder=tmp_path) == "[('/device:CPU:0', 256)]"
    names = berth('--device-count', 'CPU=2', '--device-count=GPU=0', '--simulate', K40C, '-c',
                  'import tensorflow as tf\nprint([d.name[-5:] for d in tf.Session().list_devices()])',
                  folder=tmp_path)
    assert names.stdout == "['CPU:0', 'CPU:1']\n"


def test_memory_fraction(tmp_path: pathlib.Path) -> None:
    code = 'import tensorflow as tf\nprint([d.memory_limit_bytes >> 20 for d in tf.Session().list_devices()])'
    done = berth('--memory-fraction', '0.25', '--simulate', K40C, '-c', code, folder=tmp_path)
    assert done.stdout == '[256, 2859]\n'


def test_explain(tmp_path: pathlib.Path) -> None:
    code = SESSION.replace('tf.Session()', 'sess').replace('tf\n', 'tf\nsess = tf.Session()\n')
    done = berth('--simulate', K40C, '--explain', '--log-level', '1', '-c', code + 'sess.close()', folder=tmp_path)
    assert f"'sum' (AddV2) is on {GPU}: nothing was asked for, and this is the best device with a kernel.\n" in (
        done.stderr)


def test_explain_functions(tmp_path: pathlib.Path) -> None:
    """Nodes of functions are explained with the function, and with the line and function that made them."""
    (tmp_path / 'script.py').write_text(
        'import tensorflow as tf\n@tf.function\ndef inner(a):\n    return a * 2.0\n'
        '@tf.function\ndef outer(a):\n    return tf.sin(inner(a))\nouter(tf.constant(1.0))\n')
    done = berth('--simulate', K40C, '--explain', '--log-level', '1', 'script.py', folder=tmp_path)
    lines = [line for line in done.stderr.splitlines() if line.startswith('__inference_outer_')]
    assert any("'PartitionedCall/mul' (Mul) is on " in line and '/device:GPU:0: ' in line and 'made in inner, ' in line
               and line.endswith('script.py:4)') for line in lines), done.stderr
    assert any("'Sin' (Sin) is on " in line and 'made in outer, ' in line and line.endswith('script.py:7)') for line in lines)


def test_help_has_every_option() -> None:
    program = command._program()
    if program is None:
        pytest.skip('the program of C is not built')
    text = subprocess.run([program, 'run', '--help'], capture_output=True, text=True).stdout
    options = set(re.findall(r'--[a-z0-9-]+', text)) - {'--steps'}
    assert options == ({name.rstrip('=') for name in (*command._FLAGS, *command._VALUES)}
                       | set(command._GRAPH_OPTIONS))


# What the program of C does, and what is done here.
@pytest.mark.parametrize('words,is_graph', [
    ('devices', True), ('explain g.pb', True), ('--help', True), ('run --help', True),
    ('run g.pb --fetch y', True), ('run --fetch y g.pb', True), ('run - --fetch y', True),
    ('run graph --feed=x=1 --fetch y', True), ('run --simulate K40c g.pbtxt', True),
    ('run x.py --fetch y', False), ('run x.py --help', False), ('x.py', False), ('run x', False),
    ('run --simulate K40c x.py g.pb', False), ('run -m m g.pb', False), ('run -- x g.pb', False),
    ('run', False), ('run -', False),
])
def test_who_does_it(words: str, is_graph: bool) -> None:
    assert command._is_for_program(words.split()) is is_graph
