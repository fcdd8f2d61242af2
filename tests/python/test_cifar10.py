"""test_cifar10.py - The example with towers trains: the loss falls, on GPUs made in software."""

from __future__ import annotations

import os
import pathlib
import re
import subprocess
import sys

import pytest
from script import run as script

FOLDER = pathlib.Path(__file__).resolve().parent.parent.parent / 'examples' / 'cifar10'
SMALL = ['--gpus', '2', '--simulate', '--batch', '16', '--width', '4', '--report', '1']


def run(*words: str) -> subprocess.CompletedProcess:
    """Runs one of the programs."""
    environment = {key: value for key, value in os.environ.items() if key != 'CIFAR10_SIMULATED'}
    done = subprocess.run([sys.executable, *words], capture_output=True, text=True, env=environment, timeout=300)
    assert done.returncode == 0, done.stderr[-3000:]
    return done


def test_loss_falls(tmp_path: pathlib.Path) -> None:
    """Thirty steps of two towers are enough to see that the stripes are learned."""
    run(str(FOLDER / 'make_data.py'), str(tmp_path), '--images', '500')
    sizes = {path.name: path.stat().st_size for path in tmp_path.glob('*.bin')}
    assert sizes == {**{f'data_batch_{i}.bin': 100 * 3073 for i in range(1, 6)}, 'test_batch.bin': 100 * 3073}
    done = run('-m', 'berth', 'run', str(FOLDER / 'train.py'), '--data', str(tmp_path), '--steps', '30',
               '--rate', '0.01', *SMALL)
    losses = [float(text) for text in re.findall(r'loss ([0-9.]+)', done.stderr)]
    assert len(losses) == 30
    assert sum(losses[-3:]) < 0.5 * sum(losses[:3])
    assert re.search(r'test accuracy [0-9.]+%', done.stdout)


def test_goes_on(tmp_path: pathlib.Path) -> None:
    """A second run begins where the first one left its checkpoint."""
    run(str(FOLDER / 'make_data.py'), str(tmp_path), '--images', '500')
    words = ['-m', 'berth', 'run', str(FOLDER / 'train.py'), '--data', str(tmp_path), '--train-dir',
             str(tmp_path / 'run'), '--batch', '16', '--width', '4', '--report', '1', '--rate', '0.01']
    first, second = run(*words, '--steps', '20'), run(*words, '--steps', '25')
    assert 'going on from' not in first.stderr
    assert f'going on from {tmp_path / "run" / "model.ckpt-20"}' in second.stderr
    assert re.findall(r'step ([0-9]+)/25', second.stderr) == ['21', '22', '23', '24', '25']
    losses = [[float(text) for text in re.findall(r'loss ([0-9.]+)', done.stderr)] for done in (first, second)]
    assert losses[1][0] < 0.9 * losses[0][0]


PROGRAMS = sorted(FOLDER.parent.parent.glob('build/*/bin/cifar10'), key=lambda path: path.stat().st_mtime)


@pytest.mark.skipif(not PROGRAMS, reason='the examples in C are not built')
def test_program_in_c(tmp_path: pathlib.Path) -> None:
    """The same in C, with two towers that share the CPU."""
    run(str(FOLDER / 'make_data.py'), str(tmp_path), '--images', '2000')
    done = subprocess.run([str(PROGRAMS[-1]), str(tmp_path / 'data_batch_1.bin'), str(tmp_path / 'test_batch.bin'),
                           '2', '80', '16'], capture_output=True, text=True, timeout=300,
                          env={**os.environ, 'BERTH_SIMULATE_GPUS': 'none'})
    assert done.returncode == 0, done.stderr[-3000:]
    losses = [float(text) for text in re.findall(r'loss ([0-9.]+)', done.stderr)]
    assert losses[-1] < 0.7 * losses[0]
    assert float(re.search(r'test accuracy ([0-9.]+)%', done.stdout)[1]) > 60


@pytest.mark.skipif(not PROGRAMS, reason='the examples in C are not built')
def test_program_in_c_goes_on(tmp_path: pathlib.Path) -> None:
    """It keeps a checkpoint and logs, which Python reads, and goes on from the checkpoint."""
    run(str(FOLDER / 'make_data.py'), str(tmp_path), '--images', '400')
    kept = tmp_path / 'new' / 'kept'
    for steps, told in (('10', []), ('20', ['10'])):
        done = subprocess.run([str(PROGRAMS[-1]), str(tmp_path / 'data_batch_1.bin'), str(tmp_path / 'test_batch.bin'),
                               '1', steps, '8', str(kept)], capture_output=True, text=True, timeout=300,
                              env={**os.environ, 'BERTH_SIMULATE_GPUS': 'none'})
        assert done.returncode == 0, done.stderr[-3000:]
        assert re.findall(r'going on from .*model.ckpt, step ([0-9]+)', done.stderr) == told
        assert re.findall(r'step ([0-9]+)/', done.stderr) == [steps]
    shown = script(f"""
import berth as tf, glob
print(tf.train.load_variable({str(kept / 'model.ckpt')!r}, 'global_step'))
for path in sorted(glob.glob({str(kept / 'events*')!r})):
    print([(event.step, value.tag) for event in tf.train.summary_iterator(path) for value in event.summary.value])
""", '1')
    assert shown == "20\n[(10, 'loss'), (10, 'accuracy')]\n[(20, 'loss'), (20, 'accuracy')]\n"


@pytest.mark.skipif(not PROGRAMS, reason='the examples in C are not built')
def test_program_in_c_refuses(tmp_path: pathlib.Path) -> None:
    """What is no file of images is told."""
    for words, status in (([], 2), (['none.bin', 'none.bin'], 1), (['a', 'b', '0'], 2)):
        done = subprocess.run([str(PROGRAMS[-1]), *words], capture_output=True, text=True, cwd=tmp_path)
        assert done.returncode == status
        assert 'usage' in done.stderr if status == 2 else 'have no images' in done.stderr
