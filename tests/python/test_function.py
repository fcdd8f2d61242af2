"""test_function.py - Functions that are run as graphs: devices, logs, errors, threads.

What a line or two can show is in function_cases.py. The texts here were taken from
TensorFlow 2.21 as well; it cannot be asked about GPUs that are simulated.
"""

from __future__ import annotations

import os
import pathlib
import re
import signal
import subprocess
import sys
import textwrap
import time

import oracle

TIMEOUT_SECONDS = 120
CPU_1 = "/job:localhost/replica:0/task:0/device:CPU:1"


def environment(folder: pathlib.Path, cards: str = "") -> dict[str, str]:
    found = oracle.base_environment() | {"BERTH_TF": "2", "BERTH_PLACEMENT_LOG": "tf2"}
    if not cards:
        return found | {"CUDA_VISIBLE_DEVICES": ""}
    return found | {"BERTH_SIMULATE_GPUS": cards,
                    "BERTH_SIMULATE_LEDGER": str(folder / "ledger")}


def run(folder: pathlib.Path, code: str, cards: str = "") -> tuple[str, str]:
    """Runs |code| as a script in a process of its own; returns stdout and stderr."""
    script = folder / "script.py"
    script.write_text("import berth as tf\n" + textwrap.dedent(code))
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True,
                          env=environment(folder, cards), timeout=TIMEOUT_SECONDS)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout, done.stderr


def placements(stderr: str) -> list[str]:
    """The lines about functions, without clocks, threads and numbers of traces."""
    found = []
    for line in stderr.splitlines():
        match = re.search(r"(?:placer.cc:162|execute.cc:1775)\] (.*)", line)
        if match:
            text = match.group(1).replace("/job:localhost/replica:0/task:0/device:", "")
            found.append(re.sub(r"(__inference_\w+?)_\d+", r"\1", text))
    return found


LOGGED = """
    import sys
    cpu = tf.config.list_physical_devices('CPU')[0]
    tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
    tf.debugging.set_log_device_placement(True)
    v = tf.Variable(1.0)
    a, b = tf.constant([[1., 2.]]), tf.constant([[1.], [2.]])
    @tf.function
    def f(x, y):
        with tf.device('CPU:1'):
            z = x * y
        v.assign_add(1.0)
        return tf.matmul(x, y) + v, z
    print('begin', file=sys.stderr, flush=True)
"""


def after_begin(stderr: str) -> list[str]:
    return placements(stderr.partition("begin\n")[2])


def test_a_function_is_logged_when_it_is_placed_and_when_it_is_called(
        tmp_path: pathlib.Path) -> None:
    _, log = run(tmp_path, LOGGED + "    f(a, b); f(a, b)\n")
    assert after_begin(log) == [
        "x: (_Arg): CPU:0", "y: (_Arg): CPU:0", "assignaddvariableop_resource: (_Arg): CPU:0",
        "mul: (Mul): CPU:1", "AssignAddVariableOp: (AssignAddVariableOp): CPU:0",
        "MatMul: (MatMul): CPU:0", "add/ReadVariableOp: (ReadVariableOp): CPU:0",
        "add: (AddV2): CPU:0", "NoOp: (NoOp): CPU:0", "Identity: (Identity): CPU:0",
        "Identity_1: (Identity): CPU:0", "identity_RetVal: (_Retval): CPU:0",
        "identity_1_RetVal: (_Retval): CPU:1", "Const: (Const): CPU:0",
        "Executing op __inference_f in device CPU:0",
        "Executing op __inference_f in device CPU:0"]


def test_a_function_obeys_the_device_of_its_call(tmp_path: pathlib.Path) -> None:
    out, log = run(tmp_path, LOGGED + """
    with tf.device('CPU:1'):
        r = f(a, b)
    print(r[0].device, r[1].device)
    """)
    assert after_begin(log) == [
        "x: (_Arg): CPU:0", "y: (_Arg): CPU:0", "assignaddvariableop_resource: (_Arg): CPU:0",
        "mul: (Mul): CPU:1", "AssignAddVariableOp: (AssignAddVariableOp): CPU:0",
        "MatMul: (MatMul): CPU:1", "add/ReadVariableOp: (ReadVariableOp): CPU:0",
        "add: (AddV2): CPU:1", "NoOp: (NoOp): CPU:1", "Identity: (Identity): CPU:1",
        "Identity_1: (Identity): CPU:1", "identity_RetVal: (_Retval): CPU:1",
        "identity_1_RetVal: (_Retval): CPU:1", "Const: (Const): CPU:0",
        "Executing op __inference_f in device CPU:1"]
    # What the runtime writes comes when the process ends.
    assert f"{CPU_1} {CPU_1}" in out.splitlines()


def test_what_is_on_gpus_stays_there(tmp_path: pathlib.Path) -> None:
    out, _ = run(tmp_path, """
        v = tf.Variable([1., 2.])
        @tf.function
        def f(x):
            v.assign_add(x)
            with tf.device('CPU:0'): c = x * 2
            with tf.device('GPU:1'): d = x * 3
            return v + 0., c, d, tf.shape(x)
        def show(results):
            print([t.device[-5:] for t in results], [t.numpy().tolist() for t in results])
        print(v.device[-5:])
        show(f(tf.constant([1., 1.])))
        with tf.device('GPU:1'): show(f(tf.constant([1., 1.])))
        show(f(f(tf.constant([1., 1.]))[2]))
    """, "Tesla K40c*2")
    assert out == textwrap.dedent("""\
        GPU:0
        ['GPU:0', 'CPU:0', 'GPU:1', 'CPU:0'] [[2.0, 3.0], [2.0, 2.0], [3.0, 3.0], [2]]
        ['GPU:1', 'CPU:0', 'GPU:1', 'GPU:1'] [[3.0, 4.0], [2.0, 2.0], [3.0, 3.0], [2]]
        ['GPU:0', 'CPU:0', 'GPU:1', 'CPU:0'] [[7.0, 8.0], [6.0, 6.0], [9.0, 9.0], [2]]
    """)


def test_errors_of_tracing_show_the_user_code(tmp_path: pathlib.Path) -> None:
    out, _ = run(tmp_path, """
        @tf.function
        def f(x):
            y = tf.reshape(x, [5])
            return y + 1
        @tf.function
        def g(x):
            raise KeyError('hello')
        for call in (lambda: f(tf.constant([1, 2])), lambda: g(1)):
            try:
                call()
            except Exception as error:
                print(type(error).__name__, error)
    """)
    script = tmp_path / "script.py"
    assert out == f"""\
ValueError in user code:

    File "{script}", line 5, in f  *
        y = tf.reshape(x, [5])

    ValueError: Cannot reshape a tensor with 2 elements to shape [5] (5 elements) for \
'{{{{node Reshape}}}} = Reshape[T=DT_INT32, Tshape=DT_INT32](x, Reshape/shape)' with input shapes: \
[2], [1] and with input tensors computed as partial shapes: input[1] = [5].

KeyError in user code:

    File "{script}", line 9, in g  *
        raise KeyError('hello')

    KeyError: 'hello'

"""


def test_errors_of_runs_show_where_the_node_was_made(tmp_path: pathlib.Path) -> None:
    out, _ = run(tmp_path, """
        @tf.function(input_signature=[tf.TensorSpec(None)])
        def inner(x):
            return tf.reshape(x, [5])
        @tf.function(input_signature=[tf.TensorSpec(None)])
        def outer(x):
            return inner(x) + 1
        try:
            outer([1., 2.])
        except tf.errors.InvalidArgumentError as error:
            print(error.message)
    """)
    script = tmp_path / "script.py"
    assert re.sub(r"_\d+\]", "_<n>]", out) == f"""\
Graph execution error:

Detected at node Reshape defined at (most recent call last):
  File "{script}", line 10, in <module>

  File "{script}", line 8, in outer

  File "{script}", line 5, in inner

Input to reshape is a tensor with 2 values, but the requested shape has 5
\t [[{{{{node Reshape}}}}]] [Op:__inference_outer_<n>]
"""


def test_threads_trace_once_and_get_their_own_results(tmp_path: pathlib.Path) -> None:
    out, _ = run(tmp_path, """
        import threading
        v = tf.Variable(0)
        traced = []
        @tf.function
        def f(x):
            traced.append(1)
            v.assign_add(1)
            return x * 2 + 1
        wrong = []
        def work(k):
            x = tf.constant(k)
            for _ in range(200):
                if int(f(x)) != 2 * k + 1: wrong.append(k)
        threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
        for thread in threads: thread.start()
        for thread in threads: thread.join()
        print(len(traced), wrong, int(v))
    """)
    assert out == "1 [] 1600\n"


def test_interrupt_stops_a_long_call(tmp_path: pathlib.Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(textwrap.dedent("""
        import berth as tf
        @tf.function
        def f(x):
            y = x
            for _ in range(5000): y = tf.matmul(y, x)
            return y
        x = tf.zeros([1000, 1000])
        f.get_concrete_function(x)
        print('ready', flush=True)
        try:
            f(x)
        except KeyboardInterrupt:
            print('stopped', flush=True)
    """))
    process = subprocess.Popen([sys.executable, str(script)], text=True, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, env=environment(tmp_path))
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        time.sleep(1.0)
        begin = time.monotonic()
        os.kill(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=TIMEOUT_SECONDS)
        assert out == "stopped\n", err[-2000:]
        assert time.monotonic() - begin < 10
    finally:
        process.kill()


def test_calls_that_were_made_before_take_their_own_arguments(tmp_path: pathlib.Path) -> None:
    """What is remembered of a call is its kind, however its arguments come."""
    out, _ = run(tmp_path, """
        c = tf.constant
        @tf.function
        def f(a, b=None, *, k=1, d=None):
            r = a * 10 + (0 if b is None else b)
            if d: r = r + d['z'] * 100 + d['a'] * 1000
            return r * k
        g = tf.function(lambda xs, n: xs[0] - xs[1] * n)
        def calls():
            x = c(5)
            return [f(c(1), c(2)), f(b=c(2), a=c(1)), f(c(3), b=c(4)), f(x, x), f(x, b=x),
                    f(c(1), b=c(2)), f(c(1), 2), f(c(1), 2, k=3), f(c(1), True), f(c(1), 1),
                    f(c(1), d={'z': c(1), 'a': c(2)}), f(c(1), d={'a': c(2), 'z': c(1)}),
                    g([x, x], 2), g([c(1), c(2)], 2), g((c(1), c(2)), 2), g([c(1), c(2)], 3)]
        first = [int(t) for t in calls()]
        with tf.device('CPU:0'): second = [int(t) for t in calls()]
        third = [int(t) for t in calls()]
        print(first, first == second == third)
    """)
    assert out == "[12, 12, 34, 55, 55, 12, 12, 36, 11, 11, 2110, 2110, -5, -3, -3, -5] True\n"


def test_calls_of_all_kinds_take_what_they_are_given(tmp_path: pathlib.Path) -> None:
    """Random calls, again and again: the same tensor in several places, named tuples, arrays, signatures, one trace."""
    out, _ = run(tmp_path, """
        import collections, random
        import numpy as np
        dice = random.Random(7)
        P, Q = collections.namedtuple('P', 'z a'), collections.namedtuple('Q', 'z a')
        base = [tf.constant(float(i)) for i in range(1, 6)]
        f = tf.function(lambda x, d=None, *, k=2.0, p=None: x * 1.0 + (0. if d is None else d['z'] * 10. + d['a'][0] * 100. + d['a'][1] * 1000.)
                        + (0. if p is None else p.z * 1e4 + p.a * 1e5 + (0.5 if type(p).__name__ == 'Q' else 0.)) * k)
        spec = tf.TensorSpec([], tf.float32)
        signed = tf.function(lambda x, y: x - 2. * y, input_signature=[spec, spec])
        one = tf.function(lambda x, y: x - 2. * y).get_concrete_function(spec, spec)
        def pick():
            value = dice.choice(base)
            return dice.choice([value, value, value.numpy(), np.float32(value.numpy()), np.array(value.numpy())])
        def number(x): return float(x)
        wrong = 0
        for turn in range(1500):
            x, kwargs, total = pick(), {}, 0.
            total += number(x)
            if dice.random() < 0.6:
                z, a, b = dice.choice(base), dice.choice(base), dice.choice(base)
                pairs = [('z', z), ('a', [a, b])]
                dice.shuffle(pairs)
                kwargs['d'] = dict(pairs)
                total += number(z) * 10 + number(a) * 100 + number(b) * 1000
            if dice.random() < 0.4:
                kind, z, a = dice.choice([P, Q]), dice.choice(base), dice.choice(base)
                kwargs['p'] = kind(z, a)
                total += (number(z) * 1e4 + number(a) * 1e5 + (0.5 if kind is Q else 0)) * 2
            args = (x,)
            if 'd' in kwargs and dice.random() < 0.5: args = (x, kwargs.pop('d'))
            wrong += number(f(*args, **kwargs)) != total
            x, y = pick(), pick()
            wrong += number(signed(x, y)) != number(x) - 2 * number(y)
            x, y = dice.choice(base), dice.choice(base)
            wrong += number(one(x, y)) != number(x) - 2 * number(y)
            wrong += number(one(y=x, x=y)) != number(y) - 2 * number(x)
        print(wrong, signed.experimental_get_tracing_count())
        print(float(signed(np.float64(3), np.array(1, np.int64))))
        with tf.GradientTape() as tape:
            tape.watch(base[2])
            y = one(base[2], base[2])
        print(float(tape.gradient(y, base[2])))
        for bad in ((tf.constant(1),), (tf.constant(1), tf.constant(2.)), (tf.constant([1.]), tf.constant(2.))):
            try: one(*bad); print('no error')
            except (TypeError, ValueError) as error: print(type(error).__name__)
            except tf.errors.InvalidArgumentError: print('invalid')
    """)
    assert out == "0 1\n1.0\n-1.0\nTypeError\ninvalid\nno error\n"
