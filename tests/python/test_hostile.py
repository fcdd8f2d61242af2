"""test_hostile.py - What no program should do: it raises, and never crashes, hangs or leaks."""

from __future__ import annotations

import pathlib
import subprocess
import sys

import pytest

from script import TIMEOUT_SECONDS, check_stderr, environment, run

HERE = pathlib.Path(__file__).parent


@pytest.mark.parametrize("seed", range(4))
def test_everything_is_called_with_everything(seed: int) -> None:
    """No argument, however odd, crashes the extension or confuses Python."""
    done = subprocess.run([sys.executable, str(HERE / "fuzz_core.py"), str(seed), "3000"], env=environment(),
                          capture_output=True, text=True, timeout=TIMEOUT_SECONDS)
    check_stderr(done.stderr)
    assert done.stdout == "survived 3000 calls\n", done.stderr[-3000:]


@pytest.mark.parametrize("mode", ["1", "2"])
def test_functions_take_everything_and_say_what_they_want(mode: str) -> None:
    """No function of the API answers odd arguments with an error of its own making."""
    done = subprocess.run([sys.executable, str(HERE / "odd_api.py"), mode], env=environment(mode), capture_output=True,
                          text=True, timeout=TIMEOUT_SECONDS)
    assert done.returncode == 0, done.stderr[-3000:]
    lines = done.stdout.splitlines()
    assert len(lines) == 1 and lines[0].startswith("survived "), done.stdout[-3000:]


def test_from_dlpack_of_what_is_no_array() -> None:
    """Objects that lie about themselves are told so."""
    assert run("""
        import berth as tf
        D = tf.experimental.dlpack
        class Odd:
            def __init__(self, device, capsule): self.device, self.capsule = device, capsule
            def __dlpack_device__(self): return self.device
            def __dlpack__(self, **kwargs): return self.capsule
        class Half:
            def __dlpack__(self): return 7
        used = D.to_dlpack(tf.constant([1.0]))
        D.from_dlpack(used)
        for odd in (None, 5, 'x', [1], Half(), Odd(None, None), Odd(7, None), Odd([1, 0], None), Odd((1,), None),
                    Odd(('a', 0), None), Odd((1, 0), None), Odd((1, 0), used), used, Odd((2**40, 0), None)):
            try:
                D.from_dlpack(odd)
            except Exception as error:
                print(type(error).__name__, str(error).split('(')[0][:60])
    """, "2").splitlines() == [
        "TypeError from_dlpack", "TypeError from_dlpack", "TypeError from_dlpack", "TypeError from_dlpack",
        "TypeError __dlpack__", "TypeError __dlpack_device__", "TypeError __dlpack_device__",
        "TypeError __dlpack_device__", "TypeError __dlpack_device__", "TypeError 'str' object cannot be interpreted as an integer",
        "TypeError __dlpack__", "ValueError A DLPack tensor may be consumed at most once.",
        "ValueError A DLPack tensor may be consumed at most once.",
        "OverflowError signed integer is greater than maximum"]


def test_ids_that_no_graph_has() -> None:
    """Every method that takes a node or an output looks before it reaches memory."""
    assert run("""
        from berth import _core as core
        graph = core.Graph()
        graph.op('Placeholder', 'p', (), {'dtype': 1, 'shape': (2,)})
        calls = 0
        for bad in (-1, -2**31, 1, 1023, 1024, 2**20, 2**31 - 1):
            for attempt in (lambda: graph.set_shape(bad, 0, (2,)), lambda: graph.set_shape(0, bad, (2,)),
                            lambda: graph.set_device(bad, ''), lambda: graph.close_loop(bad, (0, 0)),
                            lambda: graph.close_loop(0, (bad, 0)), lambda: graph.node_name(bad),
                            lambda: graph.node_op(bad), lambda: graph.node_device(bad),
                            lambda: graph.node_inputs(bad), lambda: graph.node_controls(bad),
                            lambda: graph.node_outputs(bad), lambda: graph.node_attr(bad, 'dtype'),
                            lambda: graph.node_def(bad), lambda: graph.output_dtype(bad, 0),
                            lambda: graph.output_dtype(0, bad), lambda: graph.output_shape(0, bad),
                            lambda: graph.consumers(bad, 0), lambda: graph.consumers(0, bad),
                            lambda: graph.arg_range(bad, 'x'), lambda: graph.op('Identity', None, [(bad, 0)]),
                            lambda: graph.op('NoOp', None, (), None, None, (bad,)),
                            lambda: graph.op('NoOp', None, (), None, None, (), (bad,)),
                            lambda: core.Session(graph).run([(bad, 0)]),
                            lambda: graph.add_function('f', graph, [(bad, 0)], [(0, 0)])):
                try:
                    attempt()
                    print('taken', bad)
                except SystemError as error:
                    print(error)
                except Exception:
                    calls += 1
        print(calls)
    """) == f"{7 * 24}\n"


def test_every_allocation_fails_in_turn() -> None:
    """Whatever Python has no memory for, a call raises MemoryError or does without."""
    pytest.importorskip("_testcapi")
    done = subprocess.run([sys.executable, str(HERE / "torture_core.py")], env=environment(), capture_output=True,
                          text=True, timeout=TIMEOUT_SECONDS)
    check_stderr(done.stderr)
    assert done.returncode == 0, done.stdout + done.stderr[-3000:]
    counts = dict(line.split() for line in done.stdout.splitlines())
    assert len(counts) == 23 and all(int(count) > 0 for name, count in counts.items()), counts


# ---- Arguments ----

def test_lists_that_change_while_they_are_read() -> None:
    """What is read is what was there at first."""
    assert run("""
        from berth import _core as core
        graph = core.Graph()
        for i in range(2): graph.op('Placeholder', None, (), {'dtype': 1, 'shape': None})
        session = core.Session(graph)
        class Grows:
            def __init__(self, what): self.what = what
            def __index__(self):
                self.what.extend([(0, 0)] * 1000)
                return 0
        class Clears(Grows):
            def __index__(self):
                self.what.clear()
                return 1
        def attempt(make):
            for kind in (Grows, Clears):
                items = []
                items += [(kind(items), 0), (1, 0)] * 4
                try:
                    make(items)
                except Exception as error:
                    assert type(error).__name__ in ('Error', 'TypeError'), repr(error)
        attempt(lambda items: session.run(items))
        attempt(lambda items: session.make_callable(items, items))
        attempt(lambda items: session.partial_setup(items, items))
        attempt(lambda items: graph.op('AddN', None, [items], {'N': 8}))
        attempt(lambda items: graph.op('NoOp', None, controls=items))
        dims = []
        dims += [Grows(dims), Clears(dims)] * 5
        print(core.Shape(dims).dims, len(dims))
        attrs = {}
        class Forgets:
            def __index__(self):
                attrs.clear()
                return 1
        attrs.update(transpose_a=Forgets(), transpose_b=[Forgets()], T=Forgets())
        try:
            graph.op('MatMul', None, [(0, 0), (1, 0)], attrs)
        except core.Error as error:
            print(error.code)
        print(graph.op('MatMul', None, [(0, 0), (1, 0)]))
    """).splitlines()[0] == "(0, 1, 0, 1, 0, 1, 0, 1, 0, 1) 0"


def test_feeds_that_change_while_they_are_read() -> None:
    """Arrays are made by Python code, which may do anything to the dict."""
    assert run("""
        import numpy as np
        from berth import _core as core
        graph = core.Graph()
        feeds = [(graph.op('Placeholder', None, (), {'dtype': 1, 'shape': None}), 0) for _ in range(20)]
        work = [graph.op('NoOp')]
        session = core.Session(graph)
        class Evil:
            def __init__(self, act): self.act = act
            def __array__(self, *_, **__):
                self.act()
                return np.ones((), "f")
        found = []
        for act in (lambda: table.clear(), lambda: table.update({f: Evil(int) for f in feeds})):
            table = {feeds[0]: Evil(act), feeds[1]: Evil(act)}
            try:
                found.append(len(session.run([], work, table)))
            except RuntimeError as error:
                found.append(str(error))
        def fail(): raise KeyError('mine')
        try:
            session.run([], work, {feeds[0]: Evil(fail)})
        except KeyError as error:
            found.append(str(error))
        print(found)
    """) == "[0, 'feeds grew while being read', \"'mine'\"]\n"


def test_a_callable_is_called_with_what_it_was_made_for() -> None:
    """Feeds from an iterator, which can be gone through once."""
    assert run("""
        from berth import _core as core
        graph = core.Graph()
        x = graph.op('Placeholder', None, (), {'dtype': 1, 'shape': None})
        y = graph.op('Neg', None, [(x, 0)])
        call = core.Session(graph).make_callable(iter([(x, 0)]), iter([(y, 0)]))
        try:
            call()
        except TypeError as error:
            print(error)
        print(call(2.0))
    """) == "this callable takes 1 values, not 0\n[np.float32(-2.0)]\n"


def test_numbers_and_names_are_not_cut_short() -> None:
    """Numbers past 32 bits, names with NULs, texts that are no UTF-8."""
    assert run(r"""
        from berth import _core as core
        graph = core.Graph()
        attrs = {'dtype': 1, 'shape': []}
        graph.op('Placeholder', 'x', (), attrs)
        session = core.Session(graph)
        tries = [lambda: session.run([(2**32, 0)]), lambda: graph.node_name(2**32), lambda: graph.find('x\0y'),
                 lambda: graph.op('Placeholder', 'a\0b', (), attrs), lambda: graph.op('NoOp', b'a\0b'),
                 lambda: core.op_schema('NoOp\0'), lambda: graph.op('NoOp', '\udcff'),
                 lambda: graph.op('NoOp', None, (), {'a\0b': 1}), lambda: core.set_memory_limit('CPU:0', -1),
                 lambda: graph.op('Placeholder', None, (), {'dtype': 2**32 + 1})]
        for one in tries:
            try:
                print(one())
            except (OverflowError, ValueError) as error:
                print(type(error).__name__)
        print(graph.node_count)
    """).split() == ["OverflowError"] * 2 + ["ValueError"] * 4 + ["UnicodeEncodeError", "ValueError", "OverflowError",
                                                                  "ValueError", "1"]


def test_lists_in_themselves() -> None:
    """Nothing goes through them for ever."""
    assert run("""
        from berth import _core as core
        loop = []
        loop.append(loop)
        graph = core.Graph()
        for attempt in (lambda: graph.op('NoOp', None, (), {'_x': loop}), lambda: core.Shape(loop),
                        lambda: graph.op('AddN', None, loop), lambda: core.Session(graph).run(loop),
                        lambda: core.Tensor(loop), lambda: core.Context().call('AddN', None, loop)):
            try:
                print(attempt())
            except (TypeError, ValueError, RecursionError):
                print('refused')
    """) == "refused\n" * 6


def test_shapes_too_large() -> None:
    """Sizes whose product does not fit raise."""
    found = run("""
        import numpy as np
        from berth import _core as core
        one = core.Tensor(np.ones(4, 'f'))
        for attempt in (lambda: core.Tensor.from_buffer(b'', 1, [2**62]),
                        lambda: core.Tensor.from_buffer(b'', 1, [2**32, 2**32]),
                        lambda: core.Tensor.from_buffer(b'', 1, [2**63 - 1, 2**63 - 1]),
                        lambda: core.Tensor.from_strings([], [2**62]),
                        lambda: one.reshape([2**62, 2**62, 4]),
                        lambda: core.Tensor.from_buffer(b'', 1, [-3]),
                        lambda: core.Tensor.from_buffer(b'', 10**6, [0]),
                        lambda: core.Tensor([1], 10**6),
                        lambda: core.Tensor(np.broadcast_to(np.float32(1), (2**50,)))):
            try:
                print('made', attempt())
            except (core.Error, TypeError, ValueError, OverflowError, MemoryError) as error:
                print('refused')
    """)
    assert found == "refused\n" * 9


def test_arrays_of_every_layout() -> None:
    """Strides, byte orders, read-only memory and no elements at all."""
    assert run("""
        import numpy as np
        import berth as tf
        x = tf.placeholder(tf.float32, None)
        y = tf.identity(x)
        session = tf.Session()
        base = np.arange(7200, dtype='f').reshape(60, 120)
        fixed = base.copy()
        fixed.flags.writeable = False
        raw = np.zeros(28801, 'u1')
        odd = raw[1:].view('f').reshape(60, 120)
        odd[:] = base
        for value in (base.T, base[::-1], base[:, ::-3], base[::2, 5:], base.astype('>f4'), fixed, odd, base[:0],
                      np.broadcast_to(np.float32(3), (50, 50)), np.float32(2), base.astype('f8'), np.asfortranarray(base)):
            found = session.run(y, {x: value})
            assert found.shape == value.shape and (found == value).all() and not np.shares_memory(found, value)
        print('same')
    """) == "same\n"


def test_arrays_are_not_shared_after_a_run() -> None:
    """What a run was fed may change later without changing what was kept of it."""
    assert run("""
        import numpy as np
        import berth as tf
        from berth import _core as core
        x = tf.placeholder(tf.float32, [None])
        variable = tf.Variable(tf.zeros([3000]))
        queue = tf.FIFOQueue(2, [tf.float32])
        assign, put, get = tf.assign(variable, x), queue.enqueue(x), queue.dequeue()
        session = tf.Session()
        session.run(tf.global_variables_initializer())
        value = np.ones(3000, 'f')
        session.run([assign.op, put], {x: value})
        value[:] = 7
        print(session.run(variable).max(), session.run(get).max())
        class Holder:
            def __array__(self, *_, **__): return value
        tensors = [core.Tensor(Holder()), core.Tensor(memoryview(value)), core.Tensor(value.view(np.matrix))]
        value[:] = 8
        print([t.numpy().max() for t in tensors])
    """) == "1.0 1.0\n[np.float32(7.0), np.float32(7.0), np.float32(7.0)]\n"


def test_many_outputs() -> None:
    """An eager call may have any number."""
    assert run("""
        import berth as tf
        parts = tf.unstack(tf.range(3000))
        print(len(parts), int(parts[2999]))
    """, "2") == "3000 2999\n"


# ---- Functions that runs call ----

def test_functions_may_run_the_session_that_calls_them() -> None:
    """Also many at once, deep within each other, until Python has enough."""
    assert run("""
        import threading
        import berth as tf
        x = tf.placeholder(tf.float64, [])
        def down(value): return value if value <= 0 else session.run(y, {x: value - 1}) + 1
        y = tf.py_func(down, [x], tf.float64)
        session = tf.Session()
        found = []
        threads = [threading.Thread(target=lambda: found.append(session.run(y, {x: 6.0}))) for _ in range(8)]
        for thread in threads: thread.start()
        for thread in threads: thread.join()
        print(sum(found))
        try:
            session.run(y, {x: 1e9})
        except tf.errors.UnknownError as error:
            print('RecursionError' in str(error))
        print(session.run(y, {x: 3.0}))
    """) == "48.0\nTrue\n3.0\n"


def test_functions_may_raise_anything() -> None:
    """The run fails with the code TensorFlow gives; an interrupt goes through."""
    assert run("""
        import berth as tf
        def fail(): raise what
        y = tf.py_func(fail, [], tf.float32)
        session = tf.Session()
        for what in (SystemExit(3), GeneratorExit(), BaseException('b'), KeyError('k'), ValueError(), MemoryError(),
                     KeyboardInterrupt()):
            try:
                session.run(y)
            except BaseException as error:
                print(type(error).__name__)
    """).split() == ["UnknownError"] * 4 + ["InvalidArgumentError", "ResourceExhaustedError", "KeyboardInterrupt"]


def test_functions_may_close_or_drop_the_session() -> None:
    """The run that calls them ends, and nothing is freed under it."""
    assert run("""
        import gc
        import berth as tf
        def act(): actions.pop()(); gc.collect(); return 1.0
        y = tf.py_func(act, [], tf.float64)
        session = tf.Session()
        def drop():
            global session
            session = None
        actions = [drop, session.close]
        for _ in range(2):
            session = tf.Session() if session._closed else session
            if len(actions) == 2: actions[1] = session.close
            try:
                print(session.run(y))
            except tf.errors.CancelledError as error:
                print(error.message.splitlines()[-1])
    """) == "Session has been closed.\n1.0\n"


# ---- Processes ----

@pytest.mark.parametrize("waits", [
    "session.run(item)", "session.run(product.op, {x: zeros})", "session.run(slow)",
    "[session.run(quick) for _ in iter(int, 1)]", "[session.run(x, {x: zeros}) for _ in iter(int, 1)]",
    "[tf.Session().close() for _ in iter(int, 1)]"])
def test_the_interpreter_may_end_while_threads_run(waits: str) -> None:
    """The process ends at once, whatever daemon threads are doing."""
    assert run(f"""
        import threading, time
        import numpy as np
        import berth as tf
        x = tf.placeholder(tf.float32, [1000, 1000])
        zeros = np.zeros((1000, 1000), 'f')
        item = tf.FIFOQueue(1, [tf.float32]).dequeue()
        product = x
        for _ in range(2000): product = tf.matmul(product, x)
        slow = tf.py_func(lambda: time.sleep(1000), [], tf.float32)
        quick = tf.py_func(lambda: 1.0, [], tf.float64)
        session = tf.Session()
        for _ in range(3): threading.Thread(target=lambda: {waits}, daemon=True).start()
        time.sleep(0.3)
        print('end')
    """) == "end\n"


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_children_work_on_their_own(method: str) -> None:
    """Sessions of the parent go on in a child, where that has them."""
    assert run(f"""
        import multiprocessing, sys, types
        CHILD = '''
        import numpy as np
        import berth as tf
        x = tf.placeholder(tf.float32, [None, None])
        y = tf.matmul(x, x)
        session = tf.Session()
        def work(number):
            return float(session.run(y, {{x: np.full((300, 300), number, 'f')}})[0, 0])
        '''
        import os, tempfile, textwrap
        folder = tempfile.mkdtemp()
        with open(os.path.join(folder, 'child.py'), 'w') as file: file.write(textwrap.dedent(CHILD))
        sys.path.insert(0, folder)
        import child
        child.work(1)
        with multiprocessing.get_context({method!r}).Pool(3) as pool:
            print(pool.map(child.work, [1, 2, 3]))
        print(child.work(2))
    """) == "[300.0, 1200.0, 2700.0]\n1200.0\n"


def test_other_interpreters_are_refused() -> None:
    """Also after the main one has loaded the extension; that one goes on."""
    pytest.importorskip("_xxsubinterpreters")
    assert run("""
        import _xxsubinterpreters as interpreters
        import numpy as np
        import berth as tf
        x = tf.placeholder(tf.float32, [100, 100])
        session = tf.Session()
        other = interpreters.create()
        try:
            interpreters.run_string(other, 'import berth._core')
        except interpreters.RunFailedError as error:
            print('main interpreter' in str(error))
        print(session.run(tf.matmul(x, x), {x: np.ones((100, 100), 'f')}).max())
    """) == "True\n100.0\n"


def test_the_extension_may_be_imported_again() -> None:
    """Classes and errors stay what they were."""
    assert run("""
        import sys
        from berth import _core as core
        error = core.Error
        del sys.modules['berth._core']
        import importlib
        again = importlib.import_module('berth._core')
        print(again.Error is error, again.Tensor is core.Tensor, again.DType is core.DType)
    """) == "True True True\n"


def test_attributes_that_promise_other_outputs() -> None:
    """A call whose attributes and inputs disagree on what it gives is refused."""
    assert run("""
        import berth as tf
        def tried(call):
            try:
                return call()
            except tf.errors.InvalidArgumentError as error:
                return error.message.split('}} ')[-1].split(' [Op')[0]
        rows = [tf.constant([0, 2, 3], tf.int64)]
        for rank in (0, 2, 7):
            print(tried(lambda: tf.raw_ops.RaggedGather(params_nested_splits=rows, params_dense_values=[1.0, 2.0, 3.0],
                                                        indices=tf.constant([0]), OUTPUT_RAGGED_RANK=rank)))
        none = tf.constant([], tf.string)
        print(tried(lambda: tf.raw_ops.ParseSequenceExample(
            serialized=none, debug_name=none, context_dense_defaults=[], Nfeature_list_dense=3,
            feature_list_dense_missing_assumed_empty=[], context_sparse_keys=[], context_dense_keys=[],
            feature_list_sparse_keys=[], feature_list_dense_keys=['x'], feature_list_dense_types=[tf.int64],
            feature_list_dense_shapes=[[2]])))
        texts = tf.raw_ops.RaggedCross(
            ragged_values=[tf.constant(['a', 'b'])], ragged_row_splits=[tf.constant([0, 2])], sparse_indices=[], sparse_values=[],
            sparse_shape=[], dense_inputs=[tf.constant([[5]], tf.int64)], input_order='RD', hashed_output=True, num_buckets=0,
            hash_key=1, out_values_type=tf.string, out_row_splits_type=tf.int64)
        print(texts.output_values.numpy())
    """, "2").splitlines() == [
        "OUTPUT_RAGGED_RANK is 0, but must be 1", "OUTPUT_RAGGED_RANK is 2, but must be 1", "OUTPUT_RAGGED_RANK is 7, but must be 1",
        "ParseSequenceExample needs a key for each feature, and for dense ones a shape that is known",
        "[b'a_X_5' b'b_X_5']"]
