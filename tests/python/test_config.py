"""test_config.py - tf.config on machines with cards, made in software."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys

import pytest

HEAD = '''
import berth as tf
E, L = tf.config.experimental, tf.config.LogicalDeviceConfiguration
cpu, *gpus = tf.config.list_physical_devices()
def show(function, *args):
    try:
        print(function(*args))
    except Exception as error:
        print(f'{type(error).__name__}: {error}')
'''


def run(tmp_path: pathlib.Path, code: str, cards: str = 'Tesla K20m*2', **variables: str) -> list[str]:
    """Returns the lines that |code| prints on a machine with |cards|."""
    env = {k: v for k, v in os.environ.items() if not k.startswith(('BERTH_', 'CUDA_', 'TF_'))}
    env |= {'BERTH_SIMULATE_GPUS': cards, 'BERTH_SIMULATE_LEDGER': str(tmp_path / 'ledger'),
            'BERTH_TF': '2', 'TF_CPP_MIN_LOG_LEVEL': '3', **variables}
    done = subprocess.run([sys.executable, '-c', HEAD + code], env=env, text=True, capture_output=True,
                          timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_cards_are_physical_devices(tmp_path: pathlib.Path) -> None:
    assert run(tmp_path, 'print(gpus)\nprint(E.get_device_details(gpus[1]))') == [
        "[PhysicalDevice(name='/physical_device:GPU:0', device_type='GPU'), "
        "PhysicalDevice(name='/physical_device:GPU:1', device_type='GPU')]",
        "{'compute_capability': (3, 5), 'device_name': 'Tesla K20m'}"]


def test_growth_is_the_same_on_all(tmp_path: pathlib.Path) -> None:
    assert run(tmp_path, '''
show(E.get_memory_growth, gpus[0])
show(E.set_memory_growth, gpus[0], True)
show(E.get_memory_growth, gpus[0])
show(tf.config.list_logical_devices)
show(E.set_memory_growth, gpus[1], True)
print(len(tf.config.list_logical_devices('GPU')))
show(E.set_memory_growth, gpus[1], True)
show(E.set_memory_growth, gpus[1], False)
''') == ['None', 'None', 'True', 'ValueError: Memory growth cannot differ between GPU devices', 'None', '2',
         'None', 'RuntimeError: Physical devices cannot be modified after being initialized']


@pytest.mark.parametrize('devices, error', [
    ('[L()]', 'Setting memory limit is required for GPU virtual devices'),
    ('[L(100), L(100, 1)]', 'priority must be specified for all virtual devices'),
    ('[L(100, None, 1), L(100)]', 'device_ordinals must be specified for all virtual devices'),
])
def test_logical_devices_that_are_refused(tmp_path: pathlib.Path, devices: str, error: str) -> None:
    code = f'show(tf.config.set_logical_device_configuration, gpus[0], {devices})'
    assert run(tmp_path, code) == [f'ValueError: {error}']


def test_a_card_is_split(tmp_path: pathlib.Path) -> None:
    assert run(tmp_path, '''
tf.config.set_logical_device_configuration(gpus[0], [L(64), L(128)])
show(E.set_memory_growth, gpus[0], True)
print([d.name for d in tf.config.list_logical_devices('GPU')])
show(tf.config.set_logical_device_configuration, gpus[0], [L(64), L(128)])
show(tf.config.set_logical_device_configuration, gpus[0], [L(64)])
''') == ['ValueError: Cannot set memory growth on device when virtual devices configured',
         "['/device:GPU:0', '/device:GPU:1', '/device:GPU:2']", 'None',
         'RuntimeError: Virtual devices cannot be modified after being initialized']


def test_visible_devices(tmp_path: pathlib.Path) -> None:
    assert run(tmp_path, '''
tf.config.set_visible_devices(gpus[1], 'GPU')
print([d.name for d in tf.config.get_visible_devices('GPU')])
print([d.name for d in tf.config.list_logical_devices()])
show(tf.config.set_visible_devices, gpus[1], 'GPU')
show(tf.config.set_visible_devices, gpus, 'GPU')
''') == ["['/physical_device:GPU:1']", "['/device:CPU:0', '/device:GPU:0']", 'None',
         'RuntimeError: Visible devices cannot be modified after being initialized']


def test_memory_of_a_gpu(tmp_path: pathlib.Path) -> None:
    before, after, peak, reset, error = run(tmp_path, '''
import berth
with tf.device('/gpu:0'):
    x = tf.zeros([1024, 256])
print(E.get_memory_info('GPU:0')['current'] >= 1 << 20)
del x
print(E.get_memory_info('GPU:0')['current'] < 1 << 20)
print(E.get_memory_info('GPU:0')['peak'] >= 1 << 20)
E.reset_memory_stats('GPU:0')
print(E.get_memory_info('GPU:0')['peak'] < 1 << 20)
show(E.get_memory_info, '/device:GPU')
''')
    assert (before, after, peak, reset) == ('True',) * 4
    assert error == ("ValueError: Multiple devices match the provided string '/device:GPU': "
                     "'/job:localhost/replica:0/task:0/device:GPU:0' and "
                     "'/job:localhost/replica:0/task:0/device:GPU:1'.")


def test_eager_tensors_move(tmp_path: pathlib.Path) -> None:
    assert run(tmp_path, '''
a = tf.constant([1.0, 2.0])
print(a.device, a.cpu().device, a.gpu(1).device)
with tf.device('/gpu:1'):
    b = a + 1.0
print(b.device, (a.cpu() + b).numpy())
with tf.device('/cpu:0'):
    print((b * 2.0).device)
''') == ['/job:localhost/replica:0/task:0/device:GPU:0 /job:localhost/replica:0/task:0/device:CPU:0 '
         '/job:localhost/replica:0/task:0/device:GPU:1',
         '/job:localhost/replica:0/task:0/device:GPU:1 [3. 5.]', '/job:localhost/replica:0/task:0/device:CPU:0']


def test_memory_of_a_card_is_shared(tmp_path: pathlib.Path) -> None:
    code = '''
D = tf.experimental.dlpack
with tf.device('GPU:1'):
    a = tf.constant([1., 2.])
print(a.__dlpack_device__())
b = D.from_dlpack(a); c = D.from_dlpack(D.to_dlpack(a))
del a
print(b.device[-5:], (b + c).device[-5:], (b + c).numpy(), tf.config.experimental.get_memory_info('GPU:1')['current'])
del b, c
print(tf.config.experimental.get_memory_info('GPU:1')['current'])
class Elsewhere:
    def __dlpack_device__(self): return 2, 7
show(D.from_dlpack, Elsewhere())
'''
    assert run(tmp_path, code) == [
        '(2, 1)', 'GPU:1 GPU:0 [2. 4.] 256', '0',
        'BufferError: the array is on card 7, which Berth does not use']


def test_flags_of_the_command_line(tmp_path: pathlib.Path) -> None:
    limit = 'print(round(__import__("berth")._core.devices()[1]["memory_limit"] / 2**20))'
    code = 'tf.config.list_logical_devices()\n' + limit
    assert run(tmp_path, code, BERTH_GPU_MEMORY_LIMIT_MB='77') == ['77']
    script = tmp_path / 'script.py'
    script.write_text('import tensorflow as tf\ntf.config.list_logical_devices()\n'
                      'import berth._core as core\nprint(core.devices()[1]["memory_limit"] >> 20)\n')
    done = subprocess.run([sys.executable, '-m', 'berth', 'run', '--simulate', 'Tesla K40c', '--memory-limit=99',
                           str(script)], text=True, capture_output=True, timeout=60)
    assert done.stdout == '99\n', done.stderr


TF32 = '''
x = tf.fill([1, 8, 8, 16], 1 + 2.0 ** -12)
w = tf.fill([3, 3, 16, 16], 1 + 2.0 ** -12)
a = tf.fill([256, 256], 1 + 2.0 ** -12)
def both():
    return tf.nn.conv2d(x, w, 1, 'VALID')[0, 0, 0, 0], tf.matmul(a, a)[0, 0]
traced = tf.function(both)
def show_both():
    for function in (both, traced, traced, traced):
        print(*(float(value) for value in function()))
print(E.tensor_float_32_execution_enabled())
show_both()
E.enable_tensor_float_32_execution(False)
print(E.tensor_float_32_execution_enabled())
show_both()
E.enable_tensor_float_32_execution(True)
show_both()
'''
ROUNDED, EXACT = '144.0 256.0', f'{144 * (1 + 2 ** -11 + 2 ** -24):.6f} {256 * (1 + 2 ** -11 + 2 ** -24):.6f}'


def rounded(lines: list[str]) -> list[str]:
    """Numbers with as many digits as sums of floats have."""
    return [line if line[0].isalpha() or line == ROUNDED else ' '.join(f'{float(n):.3f}' for n in line.split())
            for line in lines]


@pytest.mark.parametrize('cards, variables, first', [
    ('H100', {}, ROUNDED),
    ('H100', {'NVIDIA_TF32_OVERRIDE': '0'}, EXACT),
    ('Tesla K20m', {}, EXACT),
])
def test_tf32_is_allowed_until_it_is_not(tmp_path: pathlib.Path, cards: str, variables: dict[str, str],
                                         first: str) -> None:
    """Products and convolutions of float32, eager and traced, on cards that have it."""
    wanted = ['True', *[first] * 4, 'False', *[EXACT] * 4, *[first] * 4]
    assert rounded(run(tmp_path, TF32, cards, **variables)) == rounded(wanted)
