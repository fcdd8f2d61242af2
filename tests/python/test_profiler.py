"""test_profiler.py - tf.profiler and `berth run --trace`: what runs tell while they are recorded."""

from __future__ import annotations

import gzip
import json
import pathlib
import subprocess
import sys
from typing import Any

import pytest

import oracle
from script import run

PROGRAM = '''
import tensorflow as tf

@tf.function
def inner(a):
    return tf.tanh(a) * 2.0

@tf.function
def outer(a):
    for _ in tf.range(2):
        a = a + inner(a)
    return tf.sin(inner(a))
'''


def events_of(path: pathlib.Path) -> list[dict[str, Any]]:
    data = path.read_bytes()
    return list(json.loads(gzip.decompress(data) if path.suffix == '.gz' else data)['traceEvents'])


def profile_of(folder: pathlib.Path) -> list[dict[str, Any]]:
    """The events of the one profile below |folder|, where TensorBoard looks for it."""
    (path,) = folder.glob('plugins/profile/*/*.trace.json.gz')
    return events_of(path)


def berth(*words: str, folder: pathlib.Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, '-m', 'berth', 'run', *words], cwd=folder, text=True, capture_output=True,
                          env=oracle.base_environment(), check=False)


def test_nodes_of_functions(tmp_path: pathlib.Path) -> None:
    """Each node is there as often as it ran, with the function and the line that made it; values are the same."""
    script = tmp_path / 'script.py'
    script.write_text(PROGRAM + f'''
x = tf.constant([0.5, -1.0])
before = outer(x).numpy()
tf.profiler.experimental.start({str(tmp_path / 'logs')!r})
during = outer(x).numpy()
tf.profiler.experimental.stop()
after = outer(x).numpy()
assert before.tobytes() == during.tobytes() == after.tobytes(), (before, during, after)
''')
    done = berth('script.py', folder=tmp_path)
    assert done.returncode == 0, done.stderr
    events = profile_of(tmp_path / 'logs')
    tanhs = [event['args'] for event in events if event['name'] == 'Tanh']
    assert len(tanhs) == 3
    assert {(one['function'], one['line']) for one in tanhs} == {('inner', f'{script}:6')}
    (sin,) = [event for event in events if event['name'] == 'Sin']
    assert sin['args']['function'] == 'outer' and sin['args']['line'] == f'{script}:12'
    runs = [event for event in events if event['name'].startswith('__inference_outer_')]
    assert [run['name'] for run in runs] == [sin['args']['run']]
    # What nodes took lies inside the run.
    assert runs[0]['ts'] <= sin['ts'] and sin['ts'] + sin['dur'] <= runs[0]['ts'] + runs[0]['dur']
    rows = {event['pid']: event['args']['name'] for event in events if event['ph'] == 'M'}
    assert rows[sin['pid']].endswith('/device:CPU:0') and rows[runs[0]['pid']] == 'program'


def test_nodes_of_sessions(tmp_path: pathlib.Path) -> None:
    """Runs of sessions, fed and fetched in all ways, are recorded, and give what they give otherwise."""
    (tmp_path / 'script.py').write_text('''
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()

def layer(a):
    return tf.multiply(a, 3.0, name='triple')

x = tf.placeholder(tf.float32, [], name='x')
y = layer(x)
with tf.Session() as sess:
    assert sess.run(y, {x: 2.0}) == 6.0
    assert sess.run({'y': [y, x]}, {x: 1.0}) == {'y': [3.0, 1.0]}
    assert sess.make_callable(y, [x])(5.0) == 15.0
    about = tf.RunMetadata()
    sess.run(y, {x: 2.0}, options=tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE), run_metadata=about)
    assert len(about.step_stats.dev_stats) == 1
    try:
        sess.run(tf.verify_tensor_all_finite(y / 0.0, 'ends'), {x: 1.0})
    except tf.errors.InvalidArgumentError as error:
        assert 'ends' in error.message
''')
    done = berth('--trace', 'out.json', 'script.py', folder=tmp_path)
    assert done.returncode == 0, done.stderr
    events = events_of(tmp_path / 'out.json')
    triples = [event['args'] for event in events if event['name'] == 'Mul' and event['args']['node'] == 'triple']
    assert len(triples) == 4
    assert {(one['function'], one['line'].rpartition('/')[2]) for one in triples} == {('layer', 'script.py:6')}
    assert len([event for event in events if event['name'] == 'Session.run']) == 5  # With the one that failed.


def test_trace_of_a_program(tmp_path: pathlib.Path) -> None:
    """`berth run --trace` writes what a whole program did, also when it fails."""
    (tmp_path / 'script.py').write_text(PROGRAM + 'print(outer(tf.constant(0.0)).numpy())\nraise SystemExit(3)\n')
    done = berth('--trace=out.json', 'script.py', folder=tmp_path)
    assert (done.returncode, done.stdout) == (3, '0.0\n'), done.stderr
    assert len([event for event in events_of(tmp_path / 'out.json') if event['name'] == 'Tanh']) == 3
    done = berth('--trace', 'missing/out.json', 'script.py', folder=tmp_path)
    assert done.returncode == 3 and 'missing/out.json: No such file or directory' in done.stderr


def test_steps(tmp_path: pathlib.Path) -> None:
    """Steps that a program names are there, with what they say about themselves."""
    run(f'''
        import berth as tf

        f = tf.function(lambda a: a + 1.0)
        with tf.profiler.experimental.Profile({str(tmp_path)!r}):
            for step in range(3):
                with tf.profiler.experimental.Trace('train', step_num=step, _r=1) as trace:
                    f(tf.constant(1.0))
                    trace.set_metadata(loss=0.5 * step)
        with tf.profiler.experimental.Trace('alone') as trace:  # Nobody looks.
            trace.set_metadata(a=1)
    ''', '2')
    steps = [event for event in profile_of(tmp_path) if event['name'] == 'train']
    assert [step['args'] for step in steps] == [{'step_num': i, '_r': 1, 'loss': 0.5 * i} for i in range(3)]


def test_on_a_card(tmp_path: pathlib.Path) -> None:
    """Kernels of a card have a row of their own; results stay there."""
    (tmp_path / 'script.py').write_text(PROGRAM + f'''
x = tf.constant([0.5, -1.0])
with tf.profiler.experimental.Profile({str(tmp_path / 'logs')!r}):
    y = outer(x)
assert y.device.endswith('GPU:0') and y.backing_device.endswith('GPU:0'), y.device
assert abs(y.numpy() - outer(x).numpy()).max() < 1e-6
''')
    done = berth('--simulate', 'Tesla K40c', 'script.py', folder=tmp_path)
    assert done.returncode == 0, done.stderr
    events = profile_of(tmp_path / 'logs')
    rows = {event['pid']: event['args']['name'] for event in events if event['ph'] == 'M'}
    places = {rows[event['pid']] for event in events if event['name'] == 'Tanh'}
    assert any('GPU:0' in place for place in places), places


def test_one_at_a_time(tmp_path: pathlib.Path) -> None:
    """Errors are TensorFlow's; what was not asked for is not written."""
    run(f'''
        import os
        import berth as tf

        made = tf.profiler.experimental
        options = made.ProfilerOptions()
        assert options == (2, 0, 1, None) and options._fields[0] == 'host_tracer_level', options
        try:
            made.stop()
            assert False
        except tf.errors.UnavailableError as error:
            assert error.message == 'Cannot export profiling results. No profiler is running.', error
        made.start({str(tmp_path / 'one')!r}, options)
        try:
            made.start({str(tmp_path / 'two')!r})
            assert False
        except tf.errors.AlreadyExistsError as error:
            assert error.message == 'Another profiler is running.', error
        made.stop(save=False)
        assert not os.listdir({str(tmp_path)!r})
    ''', '2')


def test_summary_trace(tmp_path: pathlib.Path) -> None:
    """tf.summary.trace_on(profiler=True) makes a profile beside the graph."""
    run(f'''
        import berth as tf

        with tf.summary.create_file_writer({str(tmp_path)!r}).as_default():
            tf.summary.trace_on(graph=True, profiler=True, profiler_outdir={str(tmp_path)!r})
            tf.function(lambda a: tf.exp(a))(tf.constant(1.0))
            tf.summary.trace_export('f', step=0)
    ''', '2')
    assert [event['args']['node'] for event in profile_of(tmp_path) if event['name'] == 'Exp'] == ['Exp']
    assert len(list(tmp_path.glob('events.*'))) == 1


def test_threads(tmp_path: pathlib.Path) -> None:
    """Threads that run while profiles begin and end get what they get otherwise, and nothing is lost."""
    run(f'''
        import threading
        import numpy as np
        import berth as tf

        @tf.function
        def f(a):
            return tf.reduce_sum(tf.sin(a) * a)

        values = [np.full(50, i, np.float32) for i in range(4)]
        wanted = [f(v).numpy() for v in values]
        wrong, over = [], threading.Event()

        def work(i):
            while not over.is_set():
                if f(values[i]).numpy() != wanted[i]:
                    wrong.append(i)

        threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
        for thread in threads:
            thread.start()
        for i in range(10):
            with tf.profiler.experimental.Profile({str(tmp_path)!r}):
                f(values[0])
        over.set()
        for thread in threads:
            thread.join()
        assert not wrong, wrong
    ''', '2')
    for path in tmp_path.glob('plugins/profile/*/*'):
        runs = [event for event in events_of(path) if event['name'].startswith('__inference_f_')]
        sines = [event for event in events_of(path) if event['name'] == 'Sin']
        assert len(runs) == len(sines) > 0


if __name__ == '__main__':
    sys.exit(pytest.main([__file__, '-q']))
