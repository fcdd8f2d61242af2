"""test_memory_history.py - The history of allocations, snapshots, and errors of memory with ops and lines."""

from __future__ import annotations

import errno
import json
import os
import re
import shutil
import subprocess
import sys
import threading

import numpy as np
import pytest

import berth
import berth as tf2
import berth.compat.v1 as tf

_PROGRAM = os.path.join(os.path.dirname(berth.__file__), 'bin', 'berth')
_BROWSER = shutil.which('chromium') or shutil.which('chromium-browser') or shutil.which('google-chrome')
KINDS = ('alloc', 'free', 'run', 'end')
MIB = 1 << 20


@pytest.fixture
def history():
    """Keeps a history for one test."""
    tf2.memory.history(10000)
    yield
    tf2.memory.history(0)


def _events(snapshot: dict) -> list[tuple]:
    """Returns events with their names: kind, memory, op or plan, line, bytes."""
    labels = snapshot['labels']
    return [(KINDS[kind], labels[memory], labels[op] if kind < 2 else op, labels[line], size)
            for _, kind, memory, op, line, size, _ in snapshot['history']['events']]


def test_it_is_off_unless_wanted() -> None:
    assert tf2.memory.history() == 0
    assert tf2.memory.snapshot()['history']['events'] == []
    assert tf2.memory.history(50) == 50 and tf2.memory.history() == 50
    assert tf2.memory.history(0) == 0
    with pytest.raises(tf.errors.InvalidArgumentError, match='a history has 0 to 67108864 events, not -3'):
        tf2.memory.history(-3)


def _network() -> tuple:
    x = tf.placeholder(tf.float32, [None, 1000], name='x')
    w = tf.get_variable('w', [1000, 2000], initializer=tf.ones_initializer(), use_resource=True)
    hidden = tf.nn.relu(tf.matmul(x, w), name='hidden_here')
    return x, tf.reduce_sum(hidden, 1, name='y')


def test_runs_have_plans_and_lines(history) -> None:
    with tf.Graph().as_default():
        x, y = _network()
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            for _ in range(3):
                session.run(y, {x: np.ones((64, 1000), np.float32)})
            snapshot = tf2.memory.snapshot()
    events = _events(snapshot)
    runs = [e for e in events if e[0] == 'run']
    assert len(runs) >= 3 and [e[0] for e in events].count('end') == len(runs)
    plan = snapshot['plans'][runs[-1][2] - 1]
    values = {value['name']: value for value in plan['values']}
    assert values['hidden_here:0']['bytes'] == 64 * 2000 * 4 and values['hidden_here:0']['kind'] == 'arena'
    assert snapshot['lines']['hidden_here'].startswith(__file__ + ':')
    assert any(op.startswith('arena of ') for _, _, op, _, _ in events if isinstance(op, str))
    assert [e for e in events if e[2] in ('w/Initializer/ones', 'ones') and e[4] >= 8000000]


def test_eager_calls_have_ops_and_lines(history) -> None:
    with tf2.device('CPU:0'):
        kept = tf2.ones([256, 1024]) + 1
    here = f'{__file__}:{sys._getframe().f_lineno - 1}'
    events = _events(tf2.memory.snapshot())
    assert ('alloc', 'host', 'Fill', here, MIB) in events
    assert ('alloc', 'host', 'AddV2', here, MIB) in events
    assert ('free', 'host', 'Fill', here, MIB) in events
    del kept
    assert ('free', 'host', 'AddV2', here, MIB) in _events(tf2.memory.snapshot())


def test_holders_are_what_is_held(history) -> None:
    before = tf2.memory.snapshot()
    with tf2.device('CPU:0'):
        kept = [tf2.fill([256, 1024], float(i)) for i in range(5)]
    after = tf2.memory.snapshot()

    def held(snapshot: dict) -> int:
        return sum(h['bytes'] for h in snapshot['holders'] if snapshot['labels'][h['memory']] == 'host')

    assert held(after) - held(before) == 5 * MIB
    device = next(d for d in after['devices'] if d['memory'] == 'host')
    assert device['in_use'] == held(after)
    mine = [(h['bytes'], h['count']) for h in after['holders'] if after['labels'][h['op']] == 'Fill' and
            after['labels'][h['line']].startswith(__file__)]
    assert mine == [(5 * MIB, 5)]
    del kept


def test_functions_name_their_nodes(history) -> None:
    @tf2.function
    def f(x):
        big = tf2.tile(x, [4, 1], name='big')
        return tf2.reduce_sum(tf2.sin(big) + big)

    with tf2.device('CPU:0'):
        f(tf2.ones([256, 1024]))
    snapshot = tf2.memory.snapshot()
    values = [value['name'] for plan in snapshot['plans'] for value in plan['values']]
    assert 'big:0' in values
    assert snapshot['lines']['big'].startswith(__file__ + ':')


def test_odd_names_are_json(history, tmp_path) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        with tf.name_scope('a.b-c/d\\e'):
            y = tf.exp(tf.ones([512, 1024]) * tf.random.uniform([]), name='quote')
        session.run(y)
    tf2.memory.snapshot(str(tmp_path / 'odd.json'))
    with open(tmp_path / 'odd.json', encoding='utf-8') as file:
        labels = json.load(file)['labels']
    assert any('d\\e' in label for label in labels)


def test_snapshots_while_runs_go_on(history) -> None:
    failures: list = []

    def work() -> None:
        try:
            with tf2.device('CPU:0'):
                for _ in range(200):
                    tf2.ones([64, 1024]) + 1
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for _ in range(20):
        snapshot = tf2.memory.snapshot()
        assert len(snapshot['history']['events']) <= 10000
    for thread in threads:
        thread.join()
    assert not failures
    sums = [e[0] for e in _events(tf2.memory.snapshot()) if e[2] == 'AddV2']
    assert sums.count('alloc') == sums.count('free') == 600


def test_a_full_disk_leaves_nothing(tmp_path) -> None:
    out = _run(f'''
import os, resource
import berth as tf
try:
    tf.memory.snapshot({str(tmp_path / 'no' / 'such.json')!r})
except OSError as error:
    print(error.errno)
resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))  # Files may not grow any more.
try:
    tf.memory.snapshot({str(tmp_path / 'snapshot.json')!r})
except OSError as error:
    print(error.errno)
''', cards='')
    assert out.split() == [str(errno.ENOENT), str(errno.EFBIG)] and os.listdir(tmp_path) == []


def test_a_child_has_its_own(history) -> None:
    with tf2.device('CPU:0'):
        kept = tf2.ones([256, 1024])
    pid = os.fork()
    if pid == 0:
        snapshot = tf2.memory.snapshot()
        fine = snapshot['pid'] == os.getpid() and snapshot['history']['noted'] >= 1
        os._exit(0 if fine else 1)
    assert os.waitpid(pid, 0)[1] == 0
    del kept


# ---- With cards ----


def _run(script: str, cards: str = 'Tesla K40c memory=3GiB', **more: str) -> str:
    environment = dict(os.environ, BERTH_SIMULATE_GPUS=cards, TF_CPP_MIN_LOG_LEVEL='3', **more)
    done = subprocess.run([sys.executable, '-c', script], env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def shared(tmp_path) -> dict[str, str]:
    return dict(BERTH_SHARED_DIR=str(tmp_path), BERTH_SIMULATE_LEDGER=str(tmp_path / 'ledger'),
                TF_FORCE_GPU_ALLOW_GROWTH='true')


_SCREENS = '''
import sys
import numpy as np
import berth as tf
tf1 = tf.compat.v1
tf.memory.budget('GPU:0', '512MiB')

def tell(call):
    try:
        call()
    except tf.errors.ResourceExhaustedError as error:
        print(str(error).partition('GPU:0: ')[2])
        print('holders', [(h['op'], h['line'].rpartition(':')[2]) for h in error.memory_report['holders'][:2]])
        print('fits', error.memory_report['would_fit'])

@tf.function
def f(x):
    y = tf.nn.relu(x)
    return tf.reduce_sum(tf.tile(y, [16, 1], name='big') * 2)

with tf.device('GPU:0'):
    a = tf.ones([64, 1 << 18])
    tell(lambda: tf.ones([512, 1 << 18]))
    tell(lambda: f(a))
    print('then', float(f(a[:1])))
del a
with tf1.Graph().as_default(), tf.device('/gpu:0'):
    x = tf1.placeholder(tf.float32, [None, 1 << 18], name='x')
    v = tf1.Variable(tf.ones([96, 1 << 18]), name='v')
    y = tf.reduce_sum(tf.tile(x, [16, 1], name='big') * 2)
    with tf1.Session() as session:
        session.run(v.initializer)
        tell(lambda: session.run(y, {x: np.ones([64, 1 << 18], np.float32)}))
        print('then', float(session.run(y, {x: np.ones([1, 1 << 18], np.float32)})))
'''


def test_screens_name_ops_and_lines(shared) -> None:
    out = _run(_SCREENS, BERTH_MEMORY_LINES='1', **shared)
    lines = _SCREENS.splitlines()

    def line(text: str) -> str:
        return str(next(i for i, one in enumerate(lines, 1) if text in one))

    screens = out.split('asked ')[1:]
    assert len(screens) == 3
    assert screens[0].startswith('512.00 MiB by Fill; limit ')
    assert screens[1].startswith(f"1.00 GiB by big (<string>:{line('return tf.reduce_sum')}); limit ")
    assert screens[2].startswith(f"1.00 GiB by big (<string>:{line('y = tf.reduce_sum')}); limit ")
    holders = [eval(found) for found in re.findall(r'^holders (.*)$', out, re.MULTILINE)]
    assert holders[0][0] == ('Fill', line('a = tf.ones'))
    assert ('Relu', line('y = tf.nn.relu')) in holders[1] and ('Fill', line('a = tf.ones')) in holders[1]
    assert holders[2][0] == ('ones', line('v = tf1.Variable'))
    assert all(int(found) > 0 for found in re.findall(r'^fits (\d+)$', out, re.MULTILINE))
    assert re.findall(r'^then (\S+)$', out, re.MULTILINE) == [str(float(2 * 16 << 18))] * 2
    assert 'raise it (berth.memory.budget)' in screens[0]


def test_screens_without_lines_claim_none(shared) -> None:
    # A node of the name of an eager op is somebody else.
    out = _run('''
import berth as tf
tf1 = tf.compat.v1
graph = tf1.Graph()
with graph.as_default():
    tf.fill([2], 1.0, name='Fill')
tf.memory.budget('GPU:0', '512MiB')
with tf.device('GPU:0'):
    a = tf.ones([64, 1 << 18])
    try:
        tf.ones([512, 1 << 18])
    except tf.errors.ResourceExhaustedError as error:
        print(error.memory_report['holders'][0])
''', **shared)
    assert eval(out) == {'bytes': 64 * MIB, 'count': 1, 'op': 'Fill', 'line': '', 'is_node': False}


def test_before_giving_up_all_is_tried(shared) -> None:
    # Arenas kept for next runs and idle memory make room.
    out = _run('''
import numpy as np
import berth as tf
tf1 = tf.compat.v1
tf.memory.budget('GPU:0', '512MiB')
sessions = []
for i in range(3):
    with tf1.Graph().as_default(), tf.device('/gpu:0'):
        x = tf1.placeholder(tf.float32, [None, 1 << 18])
        y = tf.reduce_sum(tf.exp(x * 0.5) + tf.sin(x))
        session = tf1.Session()
        session.run(y, {x: np.ones([60 + 10 * i, 1 << 18], np.float32)})
        sessions.append((session, x, y))
print(tf.memory.stats('GPU:0')['GPU:0']['bytes_in_use'] > 100 << 20)
with tf.device('GPU:0'):
    big = tf.ones([400, 1 << 18])
print(float(big[0, 0]))
del big
for session, x, y in sessions:
    print(round(float(session.run(y, {x: np.zeros([1, 1 << 18], np.float32)}))))
''', **shared)
    assert out.split() == ['True', '1.0'] + [str(1 << 18)] * 3


def test_each_logical_gpu_is_told(shared) -> None:
    out = _run('''
import berth as tf
gpu = tf.config.list_physical_devices('GPU')[0]
tf.config.set_logical_device_configuration(gpu, [tf.config.LogicalDeviceConfiguration(memory_limit=256)] * 2)
tf.memory.history(1000)
kept = []
for i in range(2):
    with tf.device(f'GPU:{i}'):
        kept.append(tf.ones([1 + i, 1 << 18]))
s = tf.memory.snapshot()
print([(d['memory'], d['in_use'] >> 20) for d in s['devices'] if d['memory'] != 'host'])
print(sorted((s['labels'][h['memory']], h['bytes'] >> 20) for h in s['holders'] if h['bytes'] >= 1 << 20))
''', **shared)
    assert out.splitlines() == ["[('GPU:0', 1), ('GPU:1', 2)]", "[('GPU:0', 1), ('GPU:1', 2)]"]


def test_the_environment_begins_it(shared, tmp_path) -> None:
    path = str(tmp_path / 'snapshot.json')
    _run(f'''
import berth as tf
with tf.device('GPU:0'):
    kept = tf.ones([64, 1 << 18]) + 1
tf.memory.snapshot({path!r})
''', BERTH_MEMORY_HISTORY='500', **shared)
    with open(path, encoding='utf-8') as file:
        snapshot = json.load(file)
    assert snapshot['history']['size'] == 500
    assert ('alloc', 'GPU:0', 'AddV2', '<string>:4', 64 * MIB) in _events(snapshot)


@pytest.mark.skipif(not os.path.exists(_PROGRAM), reason='the program berth is not beside the package')
@pytest.mark.skipif(_BROWSER is None, reason='there is no browser: install chromium')
def test_the_page_of_a_snapshot(history, tmp_path) -> None:
    with tf.Graph().as_default():
        x, y = _network()
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            session.run(y, {x: np.ones((640, 1000), np.float32)})
            tf2.memory.snapshot(str(tmp_path / 'snapshot.json'))
    page = tmp_path / 'report.html'
    done = subprocess.run([_PROGRAM, 'report', str(tmp_path / 'snapshot.json'), '-o', str(page)],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    shown = subprocess.run([_BROWSER, '--headless', '--no-sandbox', '--disable-gpu', '--dump-dom', f'file://{page}'],
                           capture_output=True, text=True, timeout=120).stdout
    assert '<h1 id="title">Memory of a process</h1>' in shown
    assert re.search(r'<h2>host: [\d.]+ MiB at the peak</h2>', shown) and shown.count('<path ') >= 2
    table = shown.partition('<table>')[2].partition('</table>')[0]
    assert 'hidden_here:0' in table and f'{__file__}:' in table  # What makes the peak, and where it was made.
