"""test_memory_report.py - `berth report`, `berth top` and `berth memory`: pages and tables of memory."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time

import pytest

import berth
import berth.compat.v1 as tf

_PROGRAM = os.path.join(os.path.dirname(berth.__file__), 'bin', 'berth')
_BROWSER = shutil.which('chromium') or shutil.which('chromium-browser') or shutil.which('google-chrome')

pytestmark = pytest.mark.skipif(not os.path.exists(_PROGRAM), reason='the program berth is not beside the package')


@pytest.fixture
def page(tmp_path):
    """The page of a plan, and the plan."""
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [None, 1000], name='x')
        hidden = tf.nn.relu(tf.matmul(x, tf.ones([1000, 2000])), name='hidden')
        plan = tf.Session().memory_plan(tf.reduce_sum(hidden, 1, name='y'), {x: (64, 1000)})
    plan.save(str(tmp_path / 'plan.json'))
    done = subprocess.run([_PROGRAM, 'report', str(tmp_path / 'plan.json'), '-o', str(tmp_path / 'report.html')],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return tmp_path / 'report.html', plan


def _data(path) -> dict:
    return json.loads(re.search(r'<script id="data" type="application/json">(.*?)</script>', path.read_text(),
                                re.DOTALL).group(1))


def test_the_page_has_the_plan_and_needs_nothing_else(page) -> None:
    path, plan = page
    data = _data(path)
    assert data['memories'][0]['peak_bytes'] == plan['CPU:0'].peak_bytes
    assert any(v.get('line', '').startswith(__file__) for v in data['values'])
    text = path.read_text().replace('http://www.w3.org/2000/svg', '')
    assert 'http' not in text and 'src=' not in text and '@DATA@' not in text


def test_nothing_in_a_plan_ends_its_element(tmp_path) -> None:
    plan = '{"exact":true,"memories":[],"steps":[],"values":[],"unknown":[{"name":"</script>","op":"a","why":"b"}]}'
    done = subprocess.run([_PROGRAM, 'report', '-'], input=plan, capture_output=True, text=True)
    assert done.returncode == 0 and '"name":"\\u003c/script>"' in done.stdout


def test_what_is_no_plan_is_refused() -> None:
    done = subprocess.run([_PROGRAM, 'report', '-'], input='{}', capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr == ('berth: - is neither a memory plan nor a snapshot: berth plan --json and '
                           'berth.memory.snapshot() make them\n')


@pytest.mark.skipif(_BROWSER is None, reason='there is no browser: install chromium')
def test_the_page_in_a_browser(page) -> None:
    path, plan = page
    done = subprocess.run([_BROWSER, '--headless', '--no-sandbox', '--disable-gpu', '--dump-dom', f'file://{path}'],
                          capture_output=True, text=True, timeout=120)
    assert '<h2>CPU:0: ' in done.stdout and ' at the peak</h2>' in done.stdout
    assert done.stdout.count('<path ') >= 1
    assert plan.at_peak('CPU:0')[0].name in done.stdout
    assert f'{__file__}:' in done.stdout


# ---- Who holds memory ----

_HOLDER = '''
import sys
import berth as tf
with tf.device('/gpu:0'):
    kept = tf.zeros([1 << 20]) + 1
print('ready', flush=True)
sys.stdin.read()
'''


@pytest.fixture
def holder(tmp_path):
    """A process that holds memory of a simulated card, and the environment it lives in."""
    environment = dict(os.environ, BERTH_SIMULATE_GPUS='Tesla K40c*2', BERTH_SHARED_DIR=str(tmp_path),
                       BERTH_SIMULATE_LEDGER=str(tmp_path / 'ledger'), TF_FORCE_GPU_ALLOW_GROWTH='true',
                       TF_CPP_MIN_LOG_LEVEL='3')
    process = subprocess.Popen([sys.executable, '-c', _HOLDER], env=environment, stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == 'ready\n'
    yield process, environment
    process.stdin.close()
    process.wait()


def _berth(environment, *arguments: str) -> subprocess.CompletedProcess:
    return subprocess.run([_PROGRAM, *arguments], env=environment, capture_output=True, text=True, timeout=60)


def test_top_lists_cards_and_processes(holder) -> None:
    process, environment = holder
    for _ in range(100):  # Figures are put on the board now and then, not at every change.
        cards = json.loads(_berth(environment, 'top', '--json').stdout)['cards']
        found = [p for p in cards[0]['processes'] if p['pid'] == process.pid and p['berth']]
        if found and found[0]['in_use_bytes'] >= 4 << 20:
            break
        time.sleep(0.1)
    assert len(cards) == 2 and found[0]['in_use_bytes'] >= 4 << 20
    assert found[0]['pool_bytes'] >= found[0]['in_use_bytes'] and found[0]['peak_bytes'] >= found[0]['in_use_bytes']
    assert cards[1]['processes'] == []
    shown = _berth(environment, 'top', '--once')
    assert shown.returncode == 0 and str(process.pid) in shown.stdout and 'ON CARD 0' in shown.stdout
    assert all(len(line) <= 80 for line in shown.stdout.splitlines())
    told = _berth(environment, 'memory', str(process.pid)).stdout
    assert told.startswith(f'{process.pid} ') and 'outside the pool' in told
    assert _berth(environment, 'memory', '1').stderr == 'berth: process 1 holds nothing of a card\n'


def test_what_processes_hold_is_what_the_card_has_in_use(holder) -> None:
    process, environment = holder
    card = json.loads(_berth(environment, 'top', '--json').stdout)['cards'][0]
    assert sum(p['bytes'] for p in card['processes']) == card['total_bytes'] - card['free_bytes']
    # The same card in another ledger is another one, which nobody is on.
    for other in (environment['BERTH_SIMULATE_LEDGER'] + '2', ''):
        elsewhere = dict(environment, BERTH_SIMULATE_LEDGER=other, XDG_RUNTIME_DIR=environment['BERTH_SHARED_DIR'])
        cards = json.loads(_berth(elsewhere, 'top', '--json').stdout)['cards']
        assert [c['processes'] for c in cards] == [[], []] and cards[0]['free_bytes'] == cards[0]['total_bytes']


@pytest.mark.parametrize('key', [b'q', b'\x03'])
def test_top_leaves_the_terminal_as_it_was(tmp_path, key: bytes) -> None:
    import pty
    import termios

    environment = dict(os.environ, BERTH_SIMULATE_GPUS='Tesla K40c', BERTH_SHARED_DIR=str(tmp_path), TERM='xterm')
    master, slave = pty.openpty()
    before = termios.tcgetattr(slave)
    # Its own session, so that Ctrl-C is a signal to it.
    process = subprocess.Popen([_PROGRAM, 'top', '--interval', '0.1'], env=environment, stdin=slave, stdout=slave,
                               start_new_session=True, preexec_fn=lambda: _take_terminal(slave))
    shown = b''
    while b'Nobody is on a card.' not in shown:
        shown += os.read(master, 4096)
    os.write(master, key)
    while b'\x1b[?1049l' not in shown:
        shown += os.read(master, 4096)
    assert process.wait(20) == 0
    assert termios.tcgetattr(slave) == before
    assert shown.startswith(b'\x1b[?1049h\x1b[?25l') and b'\x1b[?25h' in shown
    os.close(master)
    os.close(slave)


def _take_terminal(file: int) -> None:
    """Makes |file| the terminal of this process."""
    import fcntl
    import termios

    fcntl.ioctl(file, termios.TIOCSCTTY, 0)
