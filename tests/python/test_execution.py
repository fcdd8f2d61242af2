"""test_execution.py - Whether ops run at once: one answer for Python, for C and for every thread."""

from __future__ import annotations

import os
import subprocess
import sys

import berth

# Where the package is: a process of its own has to find it.
PACKAGES = os.path.dirname(os.path.dirname(berth.__file__))


def run(code: str, mode: str = '2') -> str:
    env = {**os.environ, 'BERTH_TF': mode, 'PYTHONPATH': PACKAGES}
    done = subprocess.run([sys.executable, '-c', code], env=env, text=True, capture_output=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_asking_changes_nothing() -> None:
    code = '''
import sys, berth as tf
print(tf.executing_eagerly(), any(name.startswith('berth.eager') for name in sys.modules))
print(tf.compat.v1.executing_eagerly_outside_functions(), tf.executing_eagerly())
'''
    assert run(code) == 'True False\nTrue True'
    assert run(code, '1') == 'False False\nFalse False'


def test_a_session_loads_nothing_of_eager() -> None:
    code = '''
import sys, berth as tf
with tf.Session(config=tf.ConfigProto(log_device_placement=False)) as session:
    v = tf.Variable([1.0])
    session.run(tf.global_variables_initializer())
    print(session.run(v + 1.0), v.eval(), [name for name in sys.modules if name.startswith('berth.eager')])
'''
    assert run(code, '1') == '[2.] [1.] []'


def test_short_and_long_ways_agree_once_eager_is_off() -> None:
    code = '''
import berth as tf
a = tf.constant([1.0])
print(tf.add(a, a).numpy())
tf.compat.v1.disable_eager_execution()
for function in (lambda: tf.add(a, a), lambda: tf.add(x=a, y=a), lambda: a + a, lambda: tf.tanh(a)):
    try:
        print(function())
    except RuntimeError as error:
        print(str(error).partition(': ')[2])
print(tf.add(1.0, 2.0).graph is tf.compat.v1.get_default_graph())
'''
    refusal = 'Attempting to capture an EagerTensor without building a function.'
    assert run(code) == '\n'.join(['[2.]'] + [refusal] * 4 + ['True'])


def test_eager_can_be_switched_on_again() -> None:
    code = '''
import berth as tf
a = tf.constant([1.0])
tf.add(a, a)
tf.compat.v1.disable_eager_execution()
print(tf.executing_eagerly(), tf.compat.v1.executing_eagerly_outside_functions())
tf.compat.v1.enable_eager_execution()
print(tf.executing_eagerly(), tf.add(a, a).numpy())
'''
    assert run(code) == 'False False\nTrue [2.]'


def test_the_mode_of_a_program_decides() -> None:
    code = '''
import berth
print(berth.executing_eagerly(), berth.config.get_soft_device_placement())
berth.mode(1)
print(berth.executing_eagerly(), berth.config.get_soft_device_placement())
berth.mode(2)
print(berth.executing_eagerly(), berth.config.get_soft_device_placement())
'''
    assert run(code) == 'True True\nFalse False\nTrue True'


def test_a_default_graph_is_its_threads_own() -> None:
    code = '''
import threading, berth as tf
a = tf.constant([1.0])
inside, go_on = threading.Event(), threading.Event()
def other():
    with tf.Graph().as_default():
        print(tf.executing_eagerly(), type(tf.add(1.0, 2.0)).__name__)
        inside.set()
        go_on.wait(60)
    print(tf.executing_eagerly(), tf.add(a, a).numpy())
thread = threading.Thread(target=other)
thread.start()
inside.wait(60)
print(tf.executing_eagerly(), tf.add(a, a).numpy())
go_on.set()
thread.join()
'''
    assert run(code) == 'False SymbolicTensor\nTrue [2.]\nTrue [2.]'


def test_graphs_that_are_left_by_errors_are_left() -> None:
    code = '''
import berth as tf
a = tf.constant([1.0])
for _ in range(2):
    try:
        with tf.Graph().as_default(), tf.Graph().as_default():
            with tf.device('/CPU:0'), tf.init_scope():
                print(tf.executing_eagerly())
                raise KeyError
    except KeyError:
        print(tf.executing_eagerly(), tf.add(a, a).numpy())
'''
    assert run(code) == '\n'.join(['False', 'True [2.]'] * 2)


def test_functions_lift_out_of_the_graph_they_trace() -> None:
    code = '''
import berth as tf
a = tf.constant([1.0])
seen = []
@tf.function
def f(x):
    seen.append(tf.executing_eagerly())
    with tf.init_scope():
        seen.append((tf.executing_eagerly(), tf.add(a, a).numpy().tolist()))
    seen.append(tf.executing_eagerly())
    return x + 1.0
print(f(a).numpy(), seen, tf.executing_eagerly())
'''
    assert run(code) == '[2.] [False, (True, [2.0]), False] True'
