"""test_gpu_choice.py - Choosing cards: BERTH_GPU, `berth run --gpu`, and 64 processes that choose at once."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

_CARDS = 'Tesla K40c*2; H200*2 memory=100GiB'

# Forks processes that choose at the same time, and tells which card each of them got. They stay until all have.
_CROWD = '''
import os, sys
from berth import _core
count = int(sys.argv[1])
begin, stay, tell = os.pipe(), os.pipe(), os.pipe()
for i in range(count):
    if os.fork() == 0:
        os.close(begin[1]), os.close(stay[1])
        os.read(begin[0], 1)
        found = ' '.join(card['pci_bus_id'] for card in _core.cards())
        os.write(tell[1], (found + chr(10)).encode())
        os.read(stay[0], 1)
        os._exit(0)
os.close(begin[1]), os.close(tell[1])
lines = b''
while lines.count(chr(10).encode()) < count:
    lines += os.read(tell[0], 4096)
sys.stdout.write(lines.decode())
os.close(stay[1])
while count:
    os.wait()
    count -= 1
'''


def _environment(folder, cards: str, wish: str, **more: str) -> dict[str, str]:
    kept = {k: v for k, v in os.environ.items() if k != 'CUDA_VISIBLE_DEVICES'}
    return dict(kept, BERTH_SIMULATE_GPUS=cards, BERTH_GPU=wish, BERTH_SHARED_DIR=str(folder),
                BERTH_SIMULATE_LEDGER=str(folder / 'ledger'), TF_CPP_MIN_LOG_LEVEL='3', **more)


def _python(folder, code: str, cards: str, wish: str, *arguments: str, **more: str) -> subprocess.CompletedProcess:
    return subprocess.run([sys.executable, '-c', code, *arguments], env=_environment(folder, cards, wish, **more),
                          capture_output=True, text=True, timeout=120)


def _chosen(folder, wish: str, cards: str = _CARDS) -> list[str]:
    done = _python(folder, "from berth import _core; print(*[c['pci_bus_id'] for c in _core.cards()])", cards, wish)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_64_processes_get_different_cards(tmp_path) -> None:
    done = _python(tmp_path, _CROWD, 'Tesla K40c*64', 'auto', '64')
    assert done.returncode == 0, done.stderr
    assert len(set(done.stdout.split())) == 64


def test_96_processes_share_64_cards_evenly(tmp_path) -> None:
    done = _python(tmp_path, _CROWD, 'Tesla K40c*64', 'auto', '96')
    counts = [done.stdout.split().count(card) for card in set(done.stdout.split())]
    assert sorted(counts) == [1] * 32 + [2] * 32


def test_pairs_do_not_overlap(tmp_path) -> None:
    done = _python(tmp_path, _CROWD, 'Tesla K40c*16', 'auto:2', '8')
    assert [len(line.split()) for line in done.stdout.splitlines()] == [2] * 8
    assert len(set(done.stdout.split())) == 16


def test_the_dead_leave_nothing_behind(tmp_path) -> None:
    for _ in range(3):
        assert len(set(_chosen(tmp_path, 'auto', 'Tesla K40c*4'))) == 1
    assert _chosen(tmp_path, 'auto', 'Tesla K40c*4') == ['0000:01:00.0']


@pytest.mark.parametrize('wish, cards', [
    ('auto', ['0000:03:00.0']), ('auto:3', ['0000:03:00.0', '0000:04:00.0', '0000:01:00.0']),
    ('0', ['0000:01:00.0']), ('2,0', ['0000:03:00.0', '0000:01:00.0']), ('0000:02:00.0', ['0000:02:00.0']),
    ('02:00.0', ['0000:02:00.0']), ('k40', ['0000:01:00.0']), ('Tesla:2', ['0000:01:00.0', '0000:02:00.0']),
    ('none', []), ('', ['0000:03:00.0', '0000:04:00.0', '0000:01:00.0', '0000:02:00.0'])])  # Fastest first.
def test_wishes(tmp_path, wish: str, cards: list[str]) -> None:
    assert _chosen(tmp_path, wish) == cards


def test_by_uuid(tmp_path) -> None:
    code = "from berth import _core; print(*[c['uuid'] for c in _core.cards() if c['pci_bus_id'] == '0000:02:00.0'])"
    uuid = _python(tmp_path, code, _CARDS, '').stdout.strip()
    assert uuid.startswith('GPU-')
    assert _chosen(tmp_path, uuid) == _chosen(tmp_path, uuid.upper().replace('GPU-', 'gpu-')) == ['0000:02:00.0']


@pytest.mark.parametrize('wish, text', [
    ('7', 'BERTH_GPU: 7 is none of 4 cards'), ('0,0', 'BERTH_GPU: card 0 is named twice'),
    ('auto:5', 'BERTH_GPU=auto:5: there are 4 such cards'), ('V100', 'BERTH_GPU=V100:1: there are 0 such cards'),
    ('auto:x', "BERTH_GPU: 'auto:x' is neither auto[:N] nor a card's number, PCI id, UUID or name")])
def test_wishes_that_cannot_be(tmp_path, wish: str, text: str) -> None:
    done = _python(tmp_path, 'from berth import _core; _core.cards()', _CARDS, wish)
    assert done.returncode != 0 and text in done.stderr


def test_no_card_is_fine_for_auto(tmp_path) -> None:
    done = _python(tmp_path, 'from berth import _core; print(_core.cards())', '', 'auto', CUDA_VISIBLE_DEVICES='')
    assert done.stdout.strip() == '[]'


def test_the_script_sees_one_gpu_and_uses_it(tmp_path) -> None:
    script = tmp_path / 'script.py'
    script.write_text("import tensorflow as tf\nprint(len(tf.config.list_physical_devices('GPU')))\n"
                      "with tf.device('/gpu:0'):\n    print(float(tf.reduce_sum(tf.ones([1000]))))\n")
    done = subprocess.run([sys.executable, '-m', 'berth', 'run', '-v', '--simulate', _CARDS, '--gpu', 'auto',
                           str(script)], env=_environment(tmp_path, '', ''), capture_output=True, text=True)
    assert done.stdout.split() == ['1', '1000.0'], done.stderr
    assert 'auto: chose card 2 (0000:03:00.0, NVIDIA H200) of 4: 0 other processes' in done.stderr


def test_listing_shows_all_cards(tmp_path) -> None:
    program = os.path.join(os.path.dirname(__import__('berth').__file__), 'bin', 'berth')
    if not os.path.exists(program):
        pytest.skip('the program berth is not beside the package')
    done = subprocess.run([program, 'devices', '--json'], env=_environment(tmp_path, _CARDS, 'auto'),
                          capture_output=True, text=True)
    assert len(json.loads(done.stdout)['cards']) == 4
