"""Variables that wait on the host while a GPU is full, and come back when they are used."""

import os
import subprocess
import sys

import pytest


@pytest.fixture
def env(tmp_path):
    """An environment with a simulated card, a budget, and accounts and a board of its own."""
    folder = tmp_path / 'board'
    folder.mkdir(mode=0o700)
    return dict(os.environ, BERTH_TF='2', TF_CPP_MIN_LOG_LEVEL='3', BERTH_SHARED_DIR=str(folder), OMP_NUM_THREADS='1',
                BERTH_SIMULATE_GPUS='Test*2 memory=1GiB cc=8.0', BERTH_SIMULATE_LEDGER=str(tmp_path / 'ledger'),
                TF_FORCE_GPU_ALLOW_GROWTH='true', BERTH_GPU_BUDGET='112MiB')


def run(env, code, **more):
    """Runs |code| and returns the lines it printed."""
    done = subprocess.run([sys.executable, '-c', 'import berth as tf\nimport numpy as np\n' + code], env=env | more,
                          text=True, capture_output=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


# Twelve variables of 8 MiB each, with room for five.
EAGER = '''
count = 12
with tf.device('GPU:0'):
    try:
        parts = [tf.Variable(tf.fill([8, 1 << 18], float(i))) for i in range(count)]
    except tf.errors.ResourceExhaustedError:
        print('full')
        raise SystemExit
    for turn in range(2):
        for i, part in enumerate(parts):
            part.assign_add(tf.ones([8, 1 << 18]))
    print([float(part[0, 0]) for part in parts] == [i + 2.0 for i in range(count)])
    print(all((part.numpy() == i + 2).all() for i, part in enumerate(parts)))
    print(sorted({part.device[-5:] for part in parts}))
now = tf.memory.spill()
print(now['is_on'], now['moved'] >= count, now['returned'] >= count, now['moved_bytes'] == now['moved'] << 23)
print(now['away_bytes'] == (now['moved'] - now['returned']) << 23)
budget = tf.memory.budget('GPU:0')
print(budget.peak <= budget.budget)
del parts, part
tf.memory.trim()
print(tf.memory.spill()['away_bytes'], tf.memory.stats('GPU:0')['GPU:0']['bytes_in_use'])
'''


def test_full_is_full_by_default(env):
    assert run(env, EAGER) == ['full']


@pytest.mark.parametrize('how', ['variable', 'call'])
def test_variables_wait_on_the_host(env, how):
    code = EAGER if how == 'variable' else 'tf.memory.spill(True)\n' + EAGER
    assert run(env, code, **({'BERTH_SPILL': '1'} if how == 'variable' else {})) == [
        'True', 'True', "['GPU:0']", 'True True True True', 'True', 'True', '0 0']


def test_sessions_with_more_than_fits(env):
    """Parts of a model take turns on the card; what they compute is what they compute with room for all."""
    code = '''
v1 = tf.compat.v1
graph = tf.Graph()
with graph.as_default(), tf.device('/gpu:0'):
    rng = np.random.RandomState(1)
    values = [rng.randint(0, 3, [512, 2048]).astype(np.float32) for _ in range(16)]  # Sums are exact.
    x = v1.placeholder(tf.float32, [2, 512])
    holes = [v1.placeholder(tf.float32, [512, 2048]) for _ in values]
    parts = [v1.get_variable(f'w{i}', [512, 2048], use_resource=i % 2 == 0) for i in range(16)]
    fill = [v1.assign(part, hole) for part, hole in zip(parts, holes)]
    outs = [tf.reduce_sum(tf.matmul(x, part), 1) for part in parts]
    one = v1.placeholder(tf.float32, [])  # A constant would stay on the card.
    ups = [v1.assign_add(part, tf.fill([512, 2048], one)) for part in parts]
session = v1.Session(graph=graph)
for op, hole, value in zip(fill, holes, values):
    session.run(op.op, {hole: value})
data = rng.randint(0, 2, [2, 512]).astype(np.float32)
right = True
for turn in range(3):
    for i, (out, value) in enumerate(zip(outs, values)):
        got = session.run(out, {x: data})
        right &= (got == (data @ (value + turn)).sum(1)).all()
    for up in ups:
        session.run(up.op, {one: 1})
right &= all((session.run(part) == value + 1 + 1 + 1).all() for part, value in zip(parts, values))
print(right, tf.memory.spill()['moved'] > 16)
session.close()
'''
    assert run(env, code, BERTH_SPILL='1', BERTH_GPU_BUDGET='124MiB') == ['True True']


def test_what_does_not_fit_at_all_is_refused(env):
    """A request that all variables together could not make room for fails as ever, and values stay right."""
    assert run(env, '''
with tf.device('GPU:0'):
    v = tf.Variable(tf.fill([8, 1 << 18], 7.0))
    try:
        tf.zeros([100, 1 << 18])
    except tf.errors.ResourceExhaustedError as error:
        print('OOM when allocating tensor with shape[100,262144]' in str(error))
    held = [tf.zeros([8, 1 << 18]) for _ in range(5)]
    try:
        float(tf.reduce_sum(v))
    except tf.errors.ResourceExhaustedError as error:
        print(str(error).split('_0 ')[-1].split(' [Op')[0])
    held.clear()
    print(float(tf.reduce_sum(v)) == 7 * 8 * (1 << 18))
''', BERTH_SPILL='1') == [
        'True', 'waits on the host, because /job:localhost/replica:0/task:0/device:GPU:0 was full, and '
        'there is still no room to bring it back', 'True']


def test_threads_share_what_there_is(env):
    assert run(env, '''
import threading
tf.memory.spill(True)
wrong = []
def work(which):
    with tf.device('GPU:0'):
        parts = [tf.Variable(tf.fill([2, 1 << 18], float(which))) for _ in range(10)]
        for turn in range(6):
            for part in parts:
                part.assign_add(tf.fill([2, 1 << 18], 1.0))
        for part in parts:
            if not (part.numpy() == which + 6).all():
                wrong.append(which)
threads = [threading.Thread(target=work, args=(i,)) for i in range(3)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(wrong, tf.memory.spill()['moved'] > 0)
''') == ['[] True']
