"""test_checkpoints.py - Checkpoints: as TensorFlow writes and reads them, and whole whatever happens.

    test_checkpoints.py record PYTHON   records what TensorFlow does (*_show.py)
    test_checkpoints.py kill COUNT      ends a process that saves, at any moment, COUNT times
"""

from __future__ import annotations

import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

import pytest

HERE = pathlib.Path(__file__).resolve().parent
DATA = HERE.parent / 'data' / 'checkpoints'
SHOWS = ('checkpoint_show', 'object_show', 'saver_show')


def shown(name: str, python: str, library: str) -> str:
    """What a script prints with a library, in an empty folder."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([python, str(HERE / f'{name}.py'), library], cwd=folder, capture_output=True, text=True,
                              check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


@pytest.mark.parametrize('name', SHOWS)
def test_shows(name: str) -> None:
    """What ops and savers do, files byte for byte, is what was recorded from TensorFlow."""
    assert shown(name, sys.executable, 'berth').splitlines() == (DATA / f'{name}.txt').read_text().splitlines()


# ---- Ends at any moment ----

SAVES = '''
import berth as tf
import sys
values = [tf.Variable(tf.zeros([1 << 14])) for _ in range(4)]
print('ready', flush=True)
step = 0.0
while True:
    step += 1
    for value in values:
        value.assign(tf.fill([1 << 14], step))
    tf.raw_ops.SaveV2(prefix=sys.argv[1], tensor_names=list('abcd'), shape_and_slices=[''] * 4,
                      tensors=[value.value() for value in values])
'''


def check_whole(prefix: str) -> float | None:
    """Returns the step that a checkpoint is of; None when there is none. All of it is of one step."""
    from berth import _core as core

    if not os.path.exists(prefix + '.index'):
        return None
    checkpoint = core.Checkpoint(prefix)
    values = {value for name in 'abcd' for value in checkpoint.read(name).numpy().tolist()}
    assert len(values) == 1, values
    return values.pop()


def kill(count: int) -> int:
    """Ends a process that saves, |count| times; returns how many of the looks found another step."""
    last, changes = None, 0
    with tempfile.TemporaryDirectory() as folder:
        prefix = os.path.join(folder, 'model')
        for _ in range(count):
            with subprocess.Popen([sys.executable, '-c', SAVES, prefix], stdout=subprocess.PIPE) as process:
                assert process.stdout is not None
                process.stdout.readline()
                time.sleep(random.uniform(0.0, 0.05))
                process.send_signal(signal.SIGKILL)
            step = check_whole(prefix)
            assert step is not None or last is None
            changes += step != last
            last = step
    return changes


def test_kill() -> None:
    """A process that ends while it saves over a checkpoint leaves the old one or the new one."""
    assert kill(6) > 0


# ---- No room ----

LIMITED = '''
import resource, sys
import berth as tf
save = lambda size: tf.raw_ops.SaveV2(prefix=sys.argv[1], tensor_names=['x'], shape_and_slices=[''],
                                      tensors=[tf.ones([size])])
save(1000)
resource.setrlimit(resource.RLIMIT_FSIZE, (100000, 100000))
try:
    save(1000000)
except tf.errors.OpError as error:
    print(type(error).__name__, error.message)
'''


def test_no_room(tmp_path: pathlib.Path) -> None:
    """A file that cannot grow is an error that names it and its size; the old checkpoint stays, and nothing else."""
    from berth import _core as core

    prefix = str(tmp_path / 'model')
    done = subprocess.run([sys.executable, '-c', LIMITED, prefix], capture_output=True, text=True, check=True)
    assert done.stdout.startswith('ResourceExhaustedError ')
    assert f"Cannot write '{prefix}.data-00000-of-00001' (4000000 bytes)" in done.stdout
    assert sorted(os.listdir(tmp_path)) == ['model.data-00000-of-00001', 'model.index']
    assert core.Checkpoint(prefix).read('x').numpy().tolist() == [1.0] * 1000


if __name__ == '__main__' and sys.argv[1] == 'record':
    DATA.mkdir(exist_ok=True)
    for show in SHOWS:
        (DATA / f'{show}.txt').write_text(shown(show, sys.argv[2], 'tensorflow'))
elif __name__ == '__main__':
    print(kill(int(sys.argv[2])), 'checkpoints were new')
