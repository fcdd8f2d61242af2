"""test_data_devices.py - Elements are brought to a card ahead of their use."""

from __future__ import annotations

import pathlib
import subprocess
import sys

PROGRAM = '''
import berth as tf
D, e = tf.data.Dataset, tf.data.experimental
taken = []

def note(x):
    taken.append(int(x))
    return x

def where(tensor):
    return tensor.device.rsplit(':', 2)[1]

counted = D.range(6).map(lambda x: (tf.py_function(note, [x], tf.int64), tf.strings.as_string(x)))
made = counted.apply(e.prefetch_to_device('/gpu:0', 2))
assert made.element_spec == counted.element_spec and len(made) == 6
iterator = iter(made)
number, text = next(iterator)
assert (where(number), where(text), int(number)) == ('GPU', 'CPU', 0)
assert [where(n) for (n, _), _ in iterator._ready] == ['GPU', 'GPU']  # Two are there already.
assert len(taken) >= 3
assert [int(n) for n, _ in iterator] == [1, 2, 3, 4, 5]
assert next(iterator, 'end') == 'end'
try: iterator.get_next()
except tf.errors.OutOfRangeError: pass
else: raise AssertionError
assert [where(x) for x in D.range(2).apply(e.copy_to_device('/gpu:0'))] == ['GPU', 'GPU']

failing = D.range(4).map(lambda x: tf.debugging.check_numerics(1.0 / tf.cast(x - 1, tf.float32), 'no'))
iterator = iter(failing.apply(e.prefetch_to_device('/gpu:0', 3)))
assert float(next(iterator)) == -1
try: next(iterator)
except tf.errors.InvalidArgumentError: pass
else: raise AssertionError
assert [float(x) for x in iterator] == [1, 0.5]

@tf.function
def total():
    found = tf.constant(0, tf.int64)
    for number in D.range(6).apply(e.prefetch_to_device('/gpu:0')):
        found += number
    return found

assert int(total()) == 15
with tf.Graph().as_default():
    v1 = tf.compat.v1
    x = v1.data.make_one_shot_iterator(v1.data.Dataset.range(3).apply(e.prefetch_to_device('/gpu:0'))).get_next()
    assert x.device == '/device:GPU:0'
    with v1.Session() as session:
        assert [session.run(x), session.run(x * 2)] == [0, 2]
try: D.range(2).apply(e.prefetch_to_device('/gpu:0', -5))
except ValueError: print('done')
'''


def test_program(tmp_path: pathlib.Path) -> None:
    """Elements lie on the card, some of them early; what no card holds stays on the host."""
    path = tmp_path / 'program.py'
    path.write_text(PROGRAM)
    done = subprocess.run([sys.executable, '-m', 'berth', 'run', '--tf2', '--simulate', 'Tesla K40c', str(path)],
                          capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.splitlines()[-1] == 'done'
