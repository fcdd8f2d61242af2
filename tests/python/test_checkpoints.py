"""test_checkpoints.py - Checkpoints: as TensorFlow writes and reads them, and whole whatever happens.

    test_checkpoints.py record PYTHON   records what TensorFlow does (*_show.py)
    test_checkpoints.py kill COUNT      ends a process at any moment of a save, COUNT times
"""

from __future__ import annotations

import mmap
import os
import pathlib
import random
import signal
import struct
import subprocess
import sys
import tempfile
import time

import pytest

import berth as tf

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
import mmap, struct, sys, time
import berth as tf
prefix, size = sys.argv[1], int(sys.argv[3])
with open(sys.argv[2], 'r+b') as file:
    notes = mmap.mmap(file.fileno(), 24)
values = [tf.Variable(tf.zeros([size])) for _ in range(4)]
step, seconds = float(sys.argv[4]), 0.0
while True:
    step += 1
    tensors = [value.assign(tf.fill([size], step)).read_value() for value in values]
    began = time.perf_counter()
    notes[0:16] = struct.pack('dd', step, seconds)
    tf.raw_ops.SaveV2(prefix=prefix, tensor_names=list('abcd'), shape_and_slices=[''] * 4, tensors=tensors)
    notes[16:24] = struct.pack('d', step)
    seconds = time.perf_counter() - began
'''
SIZES = (1 << 10, 1 << 16, 1 << 20)


def check_whole(prefix: str) -> float | None:
    """Returns the step that a checkpoint is of; None when there is none. All of it is of one step."""
    from berth import _core as core

    if not os.path.exists(prefix + '.index'):
        return None
    checkpoint = core.Checkpoint(prefix)
    values = {value for name in 'abcd' for value in set(checkpoint.read(name).numpy().tolist())}
    assert len(values) == 1, values
    return values.pop()


def kill_in_save(process: subprocess.Popen[bytes], notes: mmap.mmap, first: float) -> tuple[float, float]:
    """Ends a process at some moment of a save; returns the last steps that it began and finished to save."""
    def noted() -> tuple[float, float, float]:
        return struct.unpack('ddd', notes[:])

    end = time.monotonic() + 120
    begun, seconds, _ = noted()
    # A first save tells how long one takes; then the next one that begins is the one.
    while begun < first + 2 or begun == struct.unpack('d', notes[16:24])[0]:
        assert process.poll() is None and time.monotonic() < end
        begun, seconds, _ = noted()
    time.sleep(random.uniform(0.0, seconds))
    process.send_signal(signal.SIGKILL)
    process.wait()
    begun, _, finished = noted()
    return begun, finished


def kill(count: int) -> int:
    """Ends a process that saves, |count| times; returns how often that was in the middle of a save."""
    inside, last = 0, 0.0
    with tempfile.TemporaryDirectory() as folder:
        prefix, notebook = os.path.join(folder, 'model'), os.path.join(folder, 'notes')
        for turn in range(count):
            with open(notebook, 'w+b') as file:
                file.write(struct.pack('ddd', last, 0.0, last))
                file.flush()
                notes = mmap.mmap(file.fileno(), 24)
            arguments = [prefix, notebook, str(SIZES[turn % len(SIZES)]), str(last)]
            with subprocess.Popen([sys.executable, '-c', SAVES, *arguments]) as process:
                try:
                    begun, finished = kill_in_save(process, notes, last)
                finally:
                    process.kill()
            step = check_whole(prefix)
            assert step in (begun, finished), (step, begun, finished)
            inside += begun > finished
            last = step
    return inside


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
    print(kill(int(sys.argv[2])), 'of', sys.argv[2], 'ends were in the middle of a save')


def test_folders_are_made(tmp_path: pathlib.Path) -> None:
    """All of a path that there is not yet."""
    v = tf.Variable(1)
    for path in ('a/b/c/one', 'd/one', 'one'):
        saved = tf.train.Checkpoint(v=v).save(tmp_path / 'saved' / path)
        assert saved == str(tmp_path / 'saved' / path) + '-1' and os.path.exists(saved + '.index')
        assert os.path.exists(tf.train.Checkpoint(v=v).write(tmp_path / 'written' / path) + '.index')
    manager = tf.train.CheckpointManager(tf.train.Checkpoint(v=v), tmp_path / 'kept' / 'here', 2)
    assert os.path.exists(manager.save() + '.index')
    (tmp_path / 'file').write_text('')
    with pytest.raises(tf.errors.OpError):
        tf.train.Checkpoint(v=v).write(tmp_path / 'file' / 'below' / 'one')


def test_what_does_not_fit_is_not_restored(tmp_path: pathlib.Path) -> None:
    """Values are not cast, as they are not in TensorFlow."""
    path = tf.train.Checkpoint(v=tf.Variable([1.5, 2.5])).save(tmp_path / 'ck')
    for dtype, name in ((tf.int32, 'int32'), (tf.float16, 'half'), (tf.float64, 'double')):
        v = tf.Variable(tf.ones([2], dtype))
        with pytest.raises(tf.errors.InvalidArgumentError) as wrong:
            tf.train.Checkpoint(v=v).restore(path)
        assert (f'tensor_name = v/.ATTRIBUTES/VARIABLE_VALUE; expected dtype {name} does not equal original dtype float'
                in str(wrong.value))
        assert v.numpy().tolist() == [1, 1]
    with pytest.raises(ValueError) as caught:
        tf.train.Checkpoint(v=tf.Variable([1., 2., 3.])).restore(path)
    assert str(caught.value) == ('Received incompatible tensor with shape (2,) when attempting to restore variable with '
                                 'shape (3,) and name Variable:0.')


def test_roots() -> None:
    """A root holds objects; a name that it has is no other's."""
    text = ('`Checkpoint` was expecting root to be a trackable object (an object derived from `Trackable`), got {}. If you '
            'believe this object should be trackable (i.e. it is part of the TensorFlow Python API and manages state), '
            'please open an issue.')
    for root in (1, 'x', [], {}, (1,)):
        with pytest.raises(ValueError) as caught:
            tf.train.Checkpoint(root)
        assert str(caught.value) == text.format(root)
    module = tf.Module()
    module.a = tf.Variable(1.)
    with pytest.raises(ValueError) as caught:
        tf.train.Checkpoint(module, a=tf.Variable(2.))
    assert str(caught.value) == 'Cannot create a Checkpoint with keyword argument a if root.a already exists.'
