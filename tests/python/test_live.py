"""Settings that change while a program runs: cards, logical GPUs, growth and limits, in any combination."""

import os
import pathlib
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent
HEAD = '''
import berth as tf
from berth import _core
cards = tf.config.list_physical_devices('GPU')
Part = tf.config.LogicalDeviceConfiguration
def gpus():
    return [(d.name[8:], _core.device_card(d.name)) for d in tf.config.list_logical_devices('GPU')]
def used():
    return [(c['total_bytes'] - c['free_bytes']) >> 20 for c in _core.cards()]
def attempt(call):
    try:
        call()
        print('done')
    except (RuntimeError, ValueError, tf.errors.OpError) as error:
        print(str(error).strip())
'''


@pytest.fixture
def env(tmp_path):
    """An environment with three simulated cards, and accounts and a board of its own."""
    folder = tmp_path / 'board'
    folder.mkdir(mode=0o700)
    found = dict(os.environ, BERTH_TF='2', TF_CPP_MIN_LOG_LEVEL='3', BERTH_SHARED_DIR=str(folder),
                 BERTH_SIMULATE_GPUS='Test*3 memory=4GiB cc=8.0', BERTH_SIMULATE_LEDGER=str(tmp_path / 'ledger'),
                 TF_FORCE_GPU_ALLOW_GROWTH='true', OMP_NUM_THREADS='1')
    for name in ('BERTH_GPU_BUDGET', 'CUDA_VISIBLE_DEVICES', 'BERTH_LIVE_CONFIG'):
        found.pop(name, None)
    return found


def run(env, code, **more):
    """Runs |code| and returns the lines it printed."""
    done = subprocess.run([sys.executable, '-c', HEAD + code], env=env | more, text=True, capture_output=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


# What the guides to TensorFlow say: "… must be set before GPUs have been initialized".
GUIDE = '''
with tf.device('GPU:0'):
    x = tf.ones([4])
def choose():
    try:
        tf.config.set_visible_devices(cards[0], 'GPU')
        logical_gpus = tf.config.list_logical_devices('GPU')
        print(len(cards), "Physical GPUs,", len(logical_gpus), "Logical GPU")
    except RuntimeError as e:
        # Visible devices must be set before GPUs have been initialized
        print(e)
def divide():
    try:
        tf.config.set_logical_device_configuration(
            cards[0],
            [tf.config.LogicalDeviceConfiguration(memory_limit=1024),
             tf.config.LogicalDeviceConfiguration(memory_limit=1024)])
        logical_gpus = tf.config.list_logical_devices('GPU')
        print(len(cards), "Physical GPU,", len(logical_gpus), "Logical GPUs")
    except RuntimeError as e:
        # Virtual devices must be set before GPUs have been initialized
        print(e)
def grow():
    try:
        # Currently, memory growth needs to be the same across GPUs
        for gpu in cards:
            tf.config.experimental.set_memory_growth(gpu, True)
        logical_gpus = tf.config.list_logical_devices('GPU')
        print(len(cards), "Physical GPUs,", len(logical_gpus), "Logical GPUs")
    except RuntimeError as e:
        # Memory growth must be set before GPUs have been initialized
        print(e)
grow()
choose()
divide()
print(float(tf.reduce_sum(x)))
'''


def test_too_late_as_in_tensorflow(env):
    assert run(env, GUIDE) == [
        'Physical devices cannot be modified after being initialized',
        'Visible devices cannot be modified after being initialized',
        'Virtual devices cannot be modified after being initialized', '4.0']


@pytest.mark.parametrize('how', ['variable', 'attribute', 'call'])
def test_never_too_late_on_request(env, how):
    before = {'variable': '', 'attribute': 'tf.config.live = True\nassert tf.config.live is True\n',
              'call': 'tf.memory.live()\n'}[how]
    more = {'BERTH_LIVE_CONFIG': '1'} if how == 'variable' else {}
    assert run(env, before + GUIDE, **more) == [
        '3 Physical GPUs, 3 Logical GPUs', '3 Physical GPUs, 1 Logical GPU', '3 Physical GPU, 2 Logical GPUs', '4.0']


def test_hidden_cards_hold_nothing(env):
    """A card that is hidden gives its context back; what is on the others stays, and keeps its name."""
    assert run(env, '''
tf.config.live = True
with tf.device('GPU:0'):
    a = tf.ones([1 << 20])
with tf.device('GPU:1'):
    b = tf.fill([1 << 20], 3.0)
print(gpus(), [one > 64 for one in used()])
attempt(lambda: tf.config.set_visible_devices(cards[1:], 'GPU'))
print(gpus())
del a
attempt(lambda: tf.config.set_visible_devices(cards[1:], 'GPU'))
print(gpus(), used()[0], float(tf.reduce_sum(b)))
attempt(lambda: tf.config.set_visible_devices([], 'GPU'))
del b
attempt(lambda: tf.config.set_visible_devices([], 'GPU'))
print(gpus(), used(), (tf.ones([2]) + 1).device[-5:])
attempt(lambda: tf.config.set_visible_devices(cards[2], 'GPU'))
print(gpus(), (tf.ones([2]) + 1).device[-5:], [one > 0 for one in used()])
''') == [
        "[('GPU:0', 0), ('GPU:1', 1), ('GPU:2', 2)] [True, True, False]",
        'GPU:0 cannot be removed: tensors and variables hold 4.00MiB: 4.00MiB by Fill; drop them and close their '
        'sessions first',
        "[('GPU:0', 0), ('GPU:1', 1), ('GPU:2', 2)]", 'done', "[('GPU:0', 2), ('GPU:1', 1)] 0 3145728.0",
        'GPU:1 cannot be removed: tensors and variables hold 4.00MiB: 4.00MiB by Fill; drop them and close their '
        'sessions first', 'done',
        '[] [0, 0, 0] CPU:0', 'done', "[('GPU:0', 2)] GPU:0 [False, False, True]"]


def test_sessions_and_functions_follow(env):
    """A session that was there before is told that its GPU went, and works again when it is back."""
    lines = run(env, '''
tf.config.live = True
v1 = tf.compat.v1
graph = tf.Graph()
with graph.as_default(), tf.device('/gpu:1'):
    x = v1.placeholder(tf.float32, [3])
    total = tf.reduce_sum(x * 2)
strict = v1.ConfigProto(allow_soft_placement=False)
session = v1.Session(graph=graph, config=strict)
double = tf.function(lambda a: a * tf.constant([2.0, 2.0, 2.0]))
go = lambda: print(session.run(total, {x: [1, 2, 3]}))
go()
with tf.device('GPU:1'):
    print(double(tf.ones([3])).device[-5:])
attempt(lambda: tf.config.set_visible_devices(cards[0], 'GPU'))
session.close()
session = v1.Session(graph=graph, config=strict)
attempt(lambda: tf.config.set_visible_devices(cards[0], 'GPU'))
print(gpus(), double(tf.ones([3])).device[-5:])
attempt(go)
attempt(lambda: v1.Session(graph=graph).run(total, {x: [1, 2, 3]}))
tf.config.set_visible_devices(cards[:2], 'GPU')
go()
with tf.device('GPU:1'):
    print(double(tf.ones([3])).device[-5:], float(tf.reduce_sum(double(tf.ones([3])))))
''')
    assert lines.pop(2).startswith('GPU:1 cannot be removed: tensors and variables hold ')
    assert lines == [
        '12.0', 'GPU:1', 'done', "[('GPU:0', 0)] GPU:0",
        'Graph execution error:', '',
        '/job:localhost/replica:0/task:0/device:GPU:1 was removed while the program ran: its card is hidden, or has '
        'fewer logical GPUs now; make it visible again, or a new session', 'done', '12.0', 'GPU:1 6.0']


def test_logical_gpus_come_and_go(env):
    assert run(env, '''
tf.config.live = True
tf.config.set_logical_device_configuration(cards[0], [Part(64), Part(128)])
tf.config.set_visible_devices(cards[:1], 'GPU')
show = lambda: print(gpus(), [_core.memory_stats(name)['bytes_limit'] >> 20 for name, _ in gpus()])
show()
with tf.device('GPU:1'):
    x = tf.ones([8, 1 << 18])
attempt(lambda: tf.config.set_logical_device_configuration(cards[0], [Part(32)]))
show()
attempt(lambda: tf.config.set_logical_device_configuration(cards[0], [Part(96), Part(256), Part(16)]))
attempt(lambda: tf.config.set_logical_device_configuration(cards[0], [Part(96), Part(4), Part(16)]))
attempt(lambda: tf.config.set_logical_device_configuration(cards[0], [Part(96), Part(1 << 20), Part(16)]))
show()
print(tf.config.get_logical_device_configuration(cards[0])[2].memory_limit)
with tf.device('GPU:2'):
    y = tf.ones([8, 1 << 18])
attempt(lambda: tf.config.set_logical_device_configuration(cards[0], [Part(64)]))
del x
attempt(lambda: tf.config.set_logical_device_configuration(cards[0], [Part(64)]))
show()
tf.config.experimental.set_memory_growth(cards[0], False)
with tf.device('GPU:2'):
    z = tf.ones([8, 1 << 18])
    print(float(tf.reduce_sum(y)), _core.memory_stats('GPU:2')['pool_bytes'] >> 20)
tf.config.experimental.set_memory_growth(cards[0], True)
print(tf.memory.trim() > 0, _core.memory_stats('GPU:2')['pool_bytes'] >> 20)
''') == [
        "[('GPU:0', 0), ('GPU:1', 0)] [64, 128]", 'done', "[('GPU:1', 0)] [32]", 'done',
        'GPU:1 cannot be limited to 4.00MiB: tensors and variables hold 8.00MiB: 8.00MiB by Fill; drop them and close '
        'their sessions first',
        'GPU:1 cannot be limited to 1099511627776 bytes: its card has 4294967296',
        "[('GPU:0', 0), ('GPU:1', 0), ('GPU:2', 0)] [96, 256, 16]", '16',
        'GPU:2 cannot be removed: tensors and variables hold 8.00MiB: 8.00MiB by Fill; drop them and close their '
        'sessions first', 'done', "[('GPU:2', 0)] [64]", '2097152.0 64', 'True 16']


def test_growth_may_differ(env):
    """Growth and limits together, and another choice for each card, before the start and after."""
    assert run(env, '''
tf.config.live = True
tf.config.experimental.set_memory_growth(cards[0], True)
tf.config.experimental.set_memory_growth(cards[1], False)
tf.config.set_logical_device_configuration(cards[1], [Part(64)])
tf.config.set_visible_devices(cards[:2], 'GPU')
held = []
for name, _ in gpus():
    with tf.device(name):
        held.append(tf.ones([1 << 18]))
print([_core.memory_stats(name)['pool_bytes'] >> 20 for name, _ in gpus()])
tf.config.experimental.set_memory_growth(cards[1], True)
tf.memory.trim()
print([_core.memory_stats(name)['pool_bytes'] >> 20 for name, _ in gpus()])
print([tf.config.experimental.get_memory_growth(card) for card in cards[:2]])
''', TF_FORCE_GPU_ALLOW_GROWTH='') == ['[2, 64]', '[2, 2]', '[True, True]']


@pytest.mark.parametrize('seed', [1, 2])
def test_random_changes_beside_a_model(env, seed):
    done = subprocess.run([sys.executable, str(HERE / 'live_model.py'), str(seed), '80'], env=env, text=True,
                          capture_output=True, timeout=120)
    assert done.stdout == 'the same\n', done.stderr


def test_changes_while_threads_work(env):
    """Sessions, functions and eager calls go on, with the right numbers, whatever is changed beside them."""
    assert run(env, '''
import random, threading
import numpy as np
tf.config.live = True
v1 = tf.compat.v1
graph = tf.Graph()
with graph.as_default(), tf.device('/gpu:0'):
    x = v1.placeholder(tf.float32, [None, 64])
    w = v1.get_variable('w', [64, 64], initializer=v1.ones_initializer())
    y = tf.reduce_sum(tf.matmul(x, w))
session = v1.Session(graph=graph)
session.run(w.initializer)
weights = tf.Variable(tf.ones([64, 64]))
@tf.function
def product(a):
    return tf.reduce_sum(tf.matmul(a, weights))
stop, counts, wrong = [], [0, 0, 0], []
def work(which):
    with tf.device('GPU:0'):
        while not stop:
            rows = counts[which] % 7 + 1
            data = np.full([rows, 64], 2, np.float32)
            try:
                got = (session.run(y, {x: data}) if which == 0 else float(product(tf.constant(data))) if which == 1
                       else float(tf.reduce_sum(tf.matmul(tf.constant(data), weights))))
            except Exception as error:
                wrong.append(repr(error))
                return
            if got != rows * 64 * 64 * 2:
                wrong.append((which, got, rows))
            counts[which] += 1
threads = [threading.Thread(target=work, args=(i,)) for i in range(3)]
for thread in threads:
    thread.start()
choose = random.Random(5)
for i in range(60):
    kind = choose.randrange(5)
    if kind == 0:
        tf.config.set_visible_devices(cards[:choose.randint(1, 3)], 'GPU')
    elif kind == 1:
        tf.config.set_logical_device_configuration(cards[1], [Part(64)] * choose.randint(1, 3))
    elif kind == 2:
        tf.config.experimental.set_memory_growth(cards[0], choose.random() < 0.5)
    elif kind == 3:
        tf.memory.limit('GPU:0', choose.choice(['256MiB', '512MiB', '1GiB']))
    else:
        tf.memory.release('GPU:0') if choose.random() < 0.3 else tf.memory.trim()
stop.append(1)
for thread in threads:
    thread.join()
print(wrong, min(counts) > 5, gpus()[0])
''') == ["[] True ('GPU:0', 0)"]
