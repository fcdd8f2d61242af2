"""card.py - Runs the guides' scripts and the package's GPU side on the machine's own card.

    card.py [--torch]

For machines with one NVIDIA card; pytest is not needed. Both ways in: the scripts as
they are by `python -m berth run`, and with `tensorflow` in their imports replaced. With
--torch, tensors are handed to PyTorch and back. Prints a line for each check, and counts.
"""

from __future__ import annotations

import os
import pathlib
import re
import subprocess
import sys
import traceback

SCRIPTS = pathlib.Path(__file__).resolve().parents[1] / 'oracle' / 'scripts'
# What the guides do with several cards needs several.
FOR_MANY = ('s3_7_multi_gpu', 's4_7_multi_gpu')
# Those that ask for a card that is not there fail, and say so.
FAILS = ('s3_5_single_gpu', 's4_5_single_gpu')


def run_script(path: pathlib.Path, way: str) -> subprocess.CompletedProcess:
    """Runs one of the guides' scripts, with its placements in the log."""
    env = {**os.environ, 'BERTH_PLACEMENT_LOG': 'tf2'}
    if way == 'run':
        command = [sys.executable, '-m', 'berth', 'run', str(path)]
    else:
        text = re.sub(r'(?m)^(import|from) tensorflow\b', r'\1 berth', path.read_text())
        command = [sys.executable, '-']
        env['BERTH_TF'] = '2' if path.stem.startswith('s0_') else '1'
        return subprocess.run(command, input=text, env=env, capture_output=True, text=True, timeout=120)
    return subprocess.run(command, env=env, capture_output=True, text=True, timeout=120)


def check_script(path: pathlib.Path, way: str) -> None:
    """A script runs on the card, or says what is missing."""
    done = run_script(path, way)
    if path.stem in FAILS:
        assert done.returncode == 1 and 'Could not satisfy explicit device specification' in done.stderr or \
            'was explicitly assigned to' in done.stderr, done.stderr[-2000:]
        return
    assert done.returncode == 0, done.stderr[-2000:]
    if 'log_device_placement' in path.read_text() and '.run(' in path.read_text():
        assert 'device:GPU:0' in done.stdout, done.stdout
        assert '[[22. 28.]' in done.stdout.replace('[ 22.  28.]', '[22. 28.]'), done.stdout


def in_process(code: str, **variables: str) -> str:
    """Runs |code| in a process of its own and returns what it prints."""
    done = subprocess.run([sys.executable, '-c', code], env={**os.environ, 'BERTH_TF': '2', **variables},
                          capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


def check_eager() -> None:
    """Tensors live on the card, come back, and can be moved."""
    out = in_process('''
import berth as tf, numpy as np
a = tf.random.normal([512, 256], seed=1); b = tf.random.normal([256, 128], seed=2)
c = tf.matmul(a, b)
print(c.device, c.backing_device == c.device)
print(np.allclose(c.numpy(), a.numpy() @ b.numpy(), rtol=1e-4, atol=1e-3))
h = c.cpu(); print(h.device); g = h.gpu(); print(g.device, bool(tf.reduce_all(g == c)))
v = tf.Variable(tf.zeros([3])); v.assign_add([1., 2., 3.]); print(v.device, v.numpy())
n = c.numpy(); n[0] = 0; print(float(tf.reduce_sum(tf.abs(c[0]))) > 0)
with tf.device('CPU:0'): print((h + 1).device)
f = tf.function(lambda x: tf.reduce_sum(tf.nn.relu(x) * 2 + v[0]))
print(np.allclose(f(c).numpy(), (np.maximum(c.numpy(), 0) * 2 + 1).sum(), rtol=1e-3), f(c).device)
''')
    gpu, cpu = ('/job:localhost/replica:0/task:0/device:' + d for d in ('GPU:0', 'CPU:0'))
    assert out.split('\n') == [f'{gpu} True', 'True', cpu, f'{gpu} True', f'{gpu} [1. 2. 3.]', 'True', cpu,
                               f'True {gpu}', ''], out


def check_memory() -> None:
    """Limits hold, growth grows, and what is let go is given back."""
    out = in_process('''
import berth as tf
gpu = tf.config.list_physical_devices('GPU')[0]
tf.config.set_logical_device_configuration(gpu, [tf.config.LogicalDeviceConfiguration(memory_limit=512)])
x = tf.zeros([64, 1024, 1024]); print(tf.config.experimental.get_memory_info('GPU:0')['current'])
try:
    y = tf.zeros([128, 1024, 1024])
except tf.errors.ResourceExhaustedError as error:
    print('full', 'OOM when allocating tensor with shape[128,1024,1024]' in str(error))
del x
print(tf.config.experimental.get_memory_info('GPU:0')['current'])
y = tf.zeros([100, 1024, 1024]); print(y.shape)
''')
    lines = out.split('\n')
    assert 64 << 22 <= int(lines[0]) <= (64 << 22) + 4096 and lines[1] == 'full True', out
    assert int(lines[2]) <= 4096 and lines[3] == '(100, 1024, 1024)', out


def check_config() -> None:
    """The card is listed with its details before anything is used."""
    out = in_process('''
import berth as tf
cards = tf.config.list_physical_devices('GPU'); print(len(cards), cards[0].name)
print(sorted(tf.config.experimental.get_device_details(cards[0])))
tf.config.experimental.set_memory_growth(cards[0], True)
print(tf.config.list_logical_devices('GPU'), tf.test.is_gpu_available(), tf.test.gpu_device_name())
''')
    assert out.startswith("1 /physical_device:GPU:0\n['compute_capability', 'device_name']\n"), out
    assert "[LogicalDevice(name='/device:GPU:0', device_type='GPU')] True /device:GPU:0" in out, out


def check_session() -> None:
    """A session feeds, runs on the card and fetches, from many threads."""
    out = in_process('''
import berth.compat.v1 as tf, numpy as np, threading
tf.disable_v2_behavior()
x = tf.placeholder(tf.float32, [None, 64]); w = tf.Variable(tf.ones([64, 32])); y = tf.matmul(x, w) + 1
s = tf.Session(); s.run(tf.global_variables_initializer())
bad = []
def work(n):
    for i in range(200):
        if not np.all(s.run(y, {x: np.full((n, 64), i, 'f')}) == 64 * i + 1): bad.append(n)
threads = [threading.Thread(target=work, args=(n,)) for n in range(1, 9)]
[t.start() for t in threads]; [t.join() for t in threads]
print(bad)
''', BERTH_TF='1')
    assert out == '[]\n', out


def check_torch() -> None:
    """PyTorch sees Berth's memory and Berth sees PyTorch's, without a copy."""
    out = in_process('''
import berth as tf, torch
a = tf.range(6, dtype=tf.float32); t = torch.from_dlpack(a)
print(t.device.type, t.tolist())
u = torch.arange(4, device='cuda', dtype=torch.float32); torch.cuda.synchronize()
b = tf.experimental.dlpack.from_dlpack(torch.utils.dlpack.to_dlpack(u)); print(b.device[-5:], b.numpy().tolist())
''')
    assert out == "cuda [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]\nGPU:0 [0.0, 1.0, 2.0, 3.0]\n", out


def main() -> int:
    """Runs every check; returns how many failed."""
    checks = {function.__name__: function for function in
              (check_config, check_eager, check_memory, check_session)}
    if '--torch' in sys.argv:
        checks['check_torch'] = check_torch
    for path in sorted(SCRIPTS.glob('*.py')):
        if path.stem.startswith(FOR_MANY):
            continue
        for way in ('run', 'import'):
            checks[f'{path.stem}/{way}'] = lambda path=path, way=way: check_script(path, way)
    failed = 0
    for name, check in checks.items():
        try:
            check()
            print('pass', name, flush=True)
        except Exception:  # pylint: disable=broad-except
            failed += 1
            print('FAIL', name, traceback.format_exc().strip()[-1500:], flush=True)
    print(f'{len(checks) - failed} passed, {failed} failed')
    return failed


if __name__ == '__main__':
    sys.exit(main() != 0)
